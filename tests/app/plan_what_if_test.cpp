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

// One cable of a tree is slower, and the cable beside it goes: what it carried comes over to the
// slow one, or does not.
TEST(PlanWhatIf, LoadsAreWeighedBySpeed) {
  const test::Folder folder;
  std::string net = heddle({"sim", "export", "fat-tree:2,3", "--format", "ibsim"}).out;
  for (const char* leads : {"\"leaf-2\"[3]", "\"spine-1\"[2]"}) {
    const std::size_t rate = net.find("4xHDR", net.find(leads));
    ASSERT_NE(rate, net.npos);
    net.replace(rate, 5, "4xDDR");
  }
  const std::string file = write_file(folder.path() / "mixed", net);
  const std::vector<std::string> words{"plan", "what-if", file, "--cut", "leaf-2:4", "-o"};
  const auto ask = [&](const char* format) {
    std::vector<std::string> all = words;
    all.push_back(format);
    return heddle(all).out;
  };
  const json report = json::parse(ask("json"));
  const json &before = report["before"], &after = report["cases"][0]["after"];
  EXPECT_EQ(before["max_weighted_load"], 12.5 * before["max_load"].get<double>());
  EXPECT_EQ(after["max_weighted_load"], 12.5 * after["max_load"].get<double>())
      << "all that leaf-2 sends";
  EXPECT_LT(after["ebb"].get<double>(), after["ebb_by_count"].get<double>());
  EXPECT_EQ(report["unit"], "4x HDR");
  EXPECT_THAT(ask("table"), HasSubstr("WEIGHTED counts a route over 4x HDR as 1"));
  EXPECT_THAT(ask("csv"), HasSubstr(",max_weighted_load,mean_weighted_load,ebb_by_count,seed\n"));
}

TEST(PlanWhatIf, TheSeedOfTheBandwidthIsPrintedToo) {
  const Outcome outcome =
      heddle({"plan", "what-if", "fat-tree:4,6", "--cut", "leaf-1:5", "--seed", "78"});
  EXPECT_THAT(outcome.out, HasSubstr("pairs by seed 78"));
}

TEST(PlanWhatIf, MovesAreToldStepByStep) {
  const test::Folder folder;
  const std::string steps = write_file(folder.path() / "steps",
                                       "swap leaf-1:5 <-> leaf-2:5  # crossed\nout host-0001:1\n"
                                       "in host-0001:1 - leaf-1:1\n");
  const Outcome outcome =
      heddle({"plan", "what-if", "fat-tree:4,6", "--moves", steps, "-o", "json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const json cases = json::parse(outcome.out)["cases"];
  ASSERT_EQ(cases.size(), 4u);
  EXPECT_EQ(cases[0]["phase"], "out");
  EXPECT_EQ(cases[0]["pairs_lost"], 0);
  EXPECT_GT(cases[0]["blocks"].get<int>(), 0);
  EXPECT_EQ(cases[1]["phase"], "in");
  EXPECT_EQ(cases[1]["step"], 1);
  EXPECT_EQ(cases[2]["line"], 2);
  EXPECT_EQ(cases[2]["pairs_lost"], 2 * 23) << "the host itself";
  EXPECT_EQ(cases[2]["parted"], 0);
  EXPECT_EQ(cases[3]["pairs_lost"], 0);
  EXPECT_EQ(cases[3]["loss"], "in: in host-0001:1 - leaf-1:1");
}

TEST(PlanWhatIf, MovesThatPartOthersAreExitFiveAndBadLinesAreNamed) {
  const test::Folder folder;
  const std::string parts =
      write_file(folder.path() / "parts", "out leaf-1:5\nout leaf-1:6\nin leaf-1:5 - spine-1:1\n");
  const Outcome parted = heddle({"plan", "what-if", "fat-tree:2,4", "--moves", parts});
  EXPECT_EQ(parted.exit, 6) << parted.out << "leaf-1 has no port 5";
  EXPECT_THAT(parted.err, HasSubstr("parts:1: 'leaf-1:5' is no port"));
  write_file(parts,
             "out leaf-1:3\nout leaf-1:4\nin leaf-1:3 - spine-1:1\nin leaf-1:4 - spine-2:1\n");
  const Outcome island = heddle({"plan", "what-if", "fat-tree:2,4", "--moves", parts, "-o", "csv"});
  EXPECT_EQ(island.exit, 5) << island.out << island.err;
  EXPECT_EQ(std::count(island.out.begin(), island.out.end(), '\n'), 5);
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
