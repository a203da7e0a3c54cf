// SPDX-License-Identifier: BSD-3-Clause
#include "app/log_limit.hpp"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;

constexpr LogLimit::Time kStart{};

std::size_t admitted(LogLimit& limit, std::string_view event, LogLimit::Time now, int lines) {
  std::size_t count = 0;
  for (int i = 0; i < lines; ++i) count += limit.admits(event, now);
  return count;
}

TEST(LogLimit, OneEventThatBabblesDoesNotSilenceAnother) {
  LogLimit limit;
  limit.set(10);
  EXPECT_EQ(admitted(limit, "LinkDisappeared", kStart, 1000), 10u);
  EXPECT_EQ(admitted(limit, "SweepFinished", kStart + 1s, 5), 5u);
  EXPECT_EQ(admitted(limit, "LinkDisappeared", kStart + 59s, 1), 0u);
}

TEST(LogLimit, WhatWasLeftOutIsToldOnceWhenItsMinuteIsOver) {
  LogLimit limit;
  limit.set(10);
  admitted(limit, "LinkDisappeared", kStart, 1000);
  EXPECT_TRUE(limit.take(kStart + 59s).empty());
  const auto told = limit.take(kStart + 61s);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].event, "LinkDisappeared");
  EXPECT_EQ(told[0].lines, 990u);
  EXPECT_TRUE(limit.take(kStart + 62s).empty());
  EXPECT_EQ(admitted(limit, "LinkDisappeared", kStart + 62s, 1000), 10u) << "a new minute";
}

TEST(LogLimit, AFewLinesAMinuteAreNeverLeftOut) {
  LogLimit limit;
  limit.set(10);
  for (auto at = 0s; at < 3600s; at += 60s) {
    EXPECT_EQ(admitted(limit, "SweepFinished", kStart + at, 10), 10u);
  }
  EXPECT_TRUE(limit.take(kStart + 7200s).empty());
}

TEST(LogLimit, ZeroLimitsNothing) {
  LogLimit limit;
  EXPECT_EQ(admitted(limit, "LinkDisappeared", kStart, 100'000), 100'000u);
  EXPECT_TRUE(limit.take(kStart + 100s).empty());
}

}  // namespace
}  // namespace heddle::app
