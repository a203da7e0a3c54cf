// SPDX-License-Identifier: BSD-3-Clause
#include "base/flights.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{1h};

TEST(Flights, TheWindowIsHowManyAreInFlight) {
  Flights<int> flights;
  flights.set_limits(2, 1'000'000, 1s);
  const auto first = flights.send(kStart, 1);
  flights.send(kStart, 2);
  EXPECT_FALSE(flights.may_send(kStart));
  EXPECT_EQ(flights.answered(first), 1);
  EXPECT_TRUE(flights.may_send(kStart));
  EXPECT_EQ(flights.answered(first), std::nullopt) << "once";
}

TEST(Flights, ThePaceHoldsOnAverage) {
  Flights<int> flights;
  flights.set_limits(1000, 100, 1s);  // one each 10 ms
  unsigned sent = 0;
  for (Instant now = kStart; now < kStart + 1s; now += 1ms) {
    for (; flights.may_send(now); ++sent) flights.send(now, 0);
  }
  EXPECT_GE(sent, 99u);
  EXPECT_LE(sent, 102u);
  EXPECT_GT(flights.deadline(true), kStart + 1s - 20ms);
}

// Whoever only comes when deadline() says so, and has each answered at once.
TEST(Flights, WhatThePaceLetsOutGoesSomeAtATime) {
  Flights<int> flights;
  flights.set_limits(32, 2000, 1s);
  unsigned sent = 0, visits = 0;
  for (Instant now = kStart; now < kStart + 1s; now = flights.deadline(true)) {
    ++visits;
    ASSERT_TRUE(flights.may_send(now)) << "it was too early to come";
    for (; flights.may_send(now); ++sent) flights.answered(flights.send(now, 0));
    EXPECT_FALSE(flights.may_send(now + 1ms)) << "not for one alone";
  }
  EXPECT_GE(sent, 2000u);
  EXPECT_LE(sent, 2064u) << "32 ms of it may be ahead";
  EXPECT_LE(visits, 64u);
}

TEST(Flights, ASlowPaceIsKeptToo) {
  Flights<int> flights;
  flights.set_limits(32, 1, 1s);
  flights.answered(flights.send(kStart, 0));
  EXPECT_EQ(flights.deadline(true), kStart + 1s);
  EXPECT_FALSE(flights.may_send(kStart + 999ms));
  EXPECT_TRUE(flights.may_send(kStart + 1s));
}

TEST(Flights, WhatHasNoAnswerInTimeIsOverdueOnceAndInOrder) {
  Flights<std::string> flights;
  flights.set_limits(10, 1'000'000, 100ms);
  flights.send(kStart, "a");
  const auto heard = flights.send(kStart + 10ms, "b");
  flights.send(kStart + 20ms, "c");
  EXPECT_EQ(flights.deadline(false), kStart + 100ms);
  EXPECT_EQ(flights.answered(heard), "b");
  EXPECT_TRUE(flights.take_overdue(kStart + 99ms).empty());
  EXPECT_EQ(flights.take_overdue(kStart + 200ms), (std::vector<std::string>{"a", "c"}));
  EXPECT_TRUE(flights.idle());
  EXPECT_EQ(flights.deadline(false), kNever);
}

}  // namespace
}  // namespace heddle::base
