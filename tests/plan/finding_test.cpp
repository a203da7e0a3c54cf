// SPDX-License-Identifier: BSD-3-Clause
#include "plan/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/rate.hpp"

namespace heddle::plan {
namespace {

TEST(Findings, WorstComeFirstAndOtherwiseAsTheyCame) {
  Findings findings;
  findings.add({Severity::Info, "a", "one", "first", {}});
  findings.add({Severity::Error, "a", "two", "second", {}});
  findings.add({Severity::Info, "a", "one", "third", {}});
  const auto taken = std::move(findings).take();
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0].text, "second");
  EXPECT_EQ(taken[1].text, "first");
  EXPECT_EQ(taken[2].text, "third");
}

TEST(Findings, TheSameMistakeEverywhereIsCountedAndNotListed) {
  Findings findings;
  for (std::size_t i = 0; i < Findings::kMostOfACode + 7; ++i) {
    findings.add({Severity::Warning, "links", "slow", "slow", {}});
  }
  findings.add({Severity::Warning, "lids", "slow", "another check's", {}});
  const auto taken = std::move(findings).take();
  ASSERT_EQ(taken.size(), Findings::kMostOfACode + 2);
  EXPECT_EQ(taken.back().text, "7 more like these");
}

TEST(Rate, TwoPortsDoWhatBothCan) {
  const Rate wide{4, LaneSpeed::EDR}, fast{1, LaneSpeed::NDR}, silent{};
  EXPECT_EQ(name_of(lesser(wide, fast)), "1xEDR");
  EXPECT_EQ(lesser(wide, silent), wide);
  EXPECT_FALSE(silent.known());
  EXPECT_EQ(data_gigabits(wide), 100);
  EXPECT_EQ(data_gigabits(silent), 0);
}

}  // namespace
}  // namespace heddle::plan
