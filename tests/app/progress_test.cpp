// SPDX-License-Identifier: BSD-3-Clause
#include "app/progress.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

base::Instant at(base::Duration since_start) {
  return base::Instant{since_start};
}

const sm::Event kTables{sm::PhaseStarted{sm::Phase::Tables, 2000}};

TEST(Progress, NothingIsDrawnWhereNobodyCanSeeIt) {
  std::ostringstream out;
  {
    Progress progress(out, false);
    progress.on_event(kTables, at(0s));
    progress.update(500, at(1s));
    progress.on_event({sm::SweepFinished{}}, at(2s));
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, DrawsPhaseBarCountsAndRate) {
  std::ostringstream out;
  Progress progress(out, true);
  progress.on_event(kTables, at(0s));
  progress.update(500, at(1s));
  EXPECT_THAT(out.str(), HasSubstr("tables"));
  EXPECT_THAT(out.str(), HasSubstr("[######..................]"));
  EXPECT_THAT(out.str(), HasSubstr("500 of 2,000 requests, 500/s"));
  EXPECT_THAT(out.str(), Not(HasSubstr("\n")));
}

TEST(Progress, HasNoBarWhenTheEndIsUnknown) {
  std::ostringstream out;
  Progress progress(out, true);
  progress.on_event({sm::PhaseStarted{sm::Phase::Discovery, 0}}, at(0s));
  progress.update(7, at(10ms));
  EXPECT_THAT(out.str(), HasSubstr("7 requests"));
  EXPECT_THAT(out.str(), Not(HasSubstr("[#")));
}

TEST(Progress, MoreThanExpectedFillsTheBarAndNoMore) {
  std::ostringstream out;
  Progress progress(out, true);
  progress.on_event(kTables, at(0s));
  progress.update(9000, at(1s));
  EXPECT_THAT(out.str(), HasSubstr("[########################] 9,000 of 9,000 requests"));
}

TEST(Progress, IsDrawnAtMostTenTimesASecond) {
  std::ostringstream out;
  Progress progress(out, true);
  progress.on_event(kTables, at(0s));
  for (int i = 0; i < 1000; ++i) progress.update(1, at(i * 1ms));
  const std::string text = out.str();
  EXPECT_LE(std::count(text.begin(), text.end(), '\r'), 10);
}

TEST(Progress, TakesItsLineAwayBeforeOthersPrint) {
  std::ostringstream out;
  Progress progress(out, true);
  progress.on_event(kTables, at(0s));
  progress.update(1, at(0s));
  progress.clear();
  EXPECT_THAT(out.str(), EndsWith("\r\x1b[K"));
  const std::string once = out.str();
  progress.clear();
  EXPECT_EQ(out.str(), once) << "there is nothing left to take away";
}

TEST(Progress, IsSilentBetweenSweeps) {
  std::ostringstream out;
  Progress progress(out, true);
  progress.update(1, at(0s));
  progress.on_event(kTables, at(1s));
  progress.on_event({sm::SweepFinished{}}, at(2s));
  progress.update(1, at(3s));
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace heddle::app
