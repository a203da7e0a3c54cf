// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan what-if`, as a user meets it.
#include <algorithm>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(PlanWhatIf, ACutCableInJson) {
  const Outcome outcome =
      heddle({"plan", "what-if", "fat-tree:4,6", "--cut", "leaf-1:5", "-o", "json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  const json one = report["cases"][0];
  EXPECT_EQ(one["loss"], "leaf-1:5 - spine-1:1");
  EXPECT_EQ(one["pairs_lost"], 0);
  EXPECT_GT(one["entries"].get<int>(), 0);
  EXPECT_EQ(one["how"], "repaired");
  EXPECT_EQ(one["writes"].size(), one["switches"].get<std::size_t>());
  EXPECT_LT(one["after"]["ebb"].get<double>(), report["before"]["ebb"].get<double>());
}

TEST(PlanWhatIf, HostsThatAreCutOffAreExitFive) {
  const Outcome outcome = heddle({"plan", "what-if", "fat-tree:4,6", "--cut", "spine-*"});
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_THAT(outcome.out, HasSubstr("spine-1, spine-2"));
}

TEST(PlanWhatIf, ASeriesIsTheSameTwiceAndDrawn) {
  test::Folder folder;
  const auto plot = folder.path() / "plot.svg";
  const std::vector<std::string> words{
      "plan", "what-if", "fat-tree:4,6", "--series", "links=1..4", "--seed",
      "9",    "-o",      "csv",          "--plot",   plot.string()};
  const Outcome first = heddle(words);
  EXPECT_EQ(first.exit, 0) << first.err;
  EXPECT_EQ(std::count(first.out.begin(), first.out.end(), '\n'), 5);
  EXPECT_EQ(heddle(words).out, first.out);
  std::ifstream file(plot);
  std::string begin;
  std::getline(file, begin);
  EXPECT_THAT(begin, HasSubstr("<svg"));
}

TEST(PlanWhatIf, TheSeedIsPrinted) {
  const Outcome outcome =
      heddle({"plan", "what-if", "fat-tree:4,6", "--each", "links=3", "--seed", "77"});
  EXPECT_THAT(outcome.out, HasSubstr("links=3 by seed 77"));
}

TEST(PlanWhatIf, WhatIsNotUnderstoodIsNamed) {
  EXPECT_EQ(heddle({"plan", "what-if", "fat-tree:4,6"}).exit, 2);
  const Outcome outcome = heddle({"plan", "what-if", "fat-tree:4,6", "--cut", "nobody"});
  EXPECT_EQ(outcome.exit, 6);
  EXPECT_THAT(outcome.err, HasSubstr("'nobody' names no node"));
  const Outcome amount = heddle({"plan", "what-if", "fat-tree:4,6", "--each", "cats=3"});
  EXPECT_THAT(amount.err, HasSubstr("'cats=3' is not understood"));
}

}  // namespace
}  // namespace heddle::app
