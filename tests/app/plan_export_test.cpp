// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan export`, as a user meets it.
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;

// What a simulated fabric gets from the subnet manager, and what is planned for it.
TEST(PlanExport, TablesAreThoseOfTheSubnetManagerByteForByte) {
  for (const char* fabric :
       {"fat-tree:4,6", "torus:3x3,hosts=2", "dragonfly:2,2,1", "rail:4,2,2,2"}) {
    test::Folder folder;
    const Outcome sm =
        heddle({"sm", "--sim", fabric, "--once", "--dump-dir", folder.path().string()});
    ASSERT_EQ(sm.exit, 0) << fabric << sm.err;
    const Outcome lft = heddle({"plan", "export", fabric, "--format", "lft"});
    ASSERT_EQ(lft.exit, 0) << lft.err;
    EXPECT_EQ(lft.out, content(folder.path() / "opensm-lfts.dump")) << fabric;
    EXPECT_EQ(heddle({"plan", "export", fabric, "--format", "fdbs"}).out,
              content(folder.path() / "opensm.fdbs"))
        << fabric;
  }
}

TEST(PlanExport, WhatIsPlannedReadsBackAsTables) {
  test::Folder folder;
  const auto file = (folder.path() / "lfts").string();
  ASSERT_EQ(heddle({"plan", "export", "fat-tree:4,6", "--format", "lft", "-o", file}).exit, 0);
  EXPECT_EQ(heddle({"plan", "route", "fat-tree:4,6", "--routing", "ftree", "--tables", file}).exit,
            0);
}

// The ports of each switch for one multicast LID, as somebody who knows nothing of trees reads
// them.
std::map<std::string, std::set<int>> multicast_ports(const std::string& text,
                                                     const std::string& mlid) {
  std::map<std::string, std::set<int>> ports;
  std::istringstream lines(text);
  std::string at;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, colon;
    words >> first >> colon;
    if (first == "Switch") at = colon;
    if (first != mlid) continue;
    for (std::string port; words >> port;) ports[at].insert(std::stoi(port, nullptr, 16));
  }
  return ports;
}

TEST(PlanExport, AllHostsAreOnOneTree) {
  const Outcome outcome = heddle({"plan", "export", "fat-tree:4,6", "--format", "mcfdbs"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto ports = multicast_ports(outcome.out, "0xC000");
  std::size_t ends = 0, leaves = 0;
  for (const auto& [at, own] : ports) {
    ends += own.size();
    const bool has_hosts = own.count(1) + own.count(2) + own.count(3) + own.count(4) == 4;
    if (has_hosts) ++leaves;
  }
  // A tree has a link less than switches, and each link two ends.
  EXPECT_EQ(ends, 24 + 2 * (ports.size() - 1));
  EXPECT_GE(leaves, 6u);
}

TEST(PlanExport, GroupsAreReadFromAFile) {
  const test::Folder folder;
  const std::string groups = write_file(folder.path() / "groups",
                                        "group 0xC005\nhost-0001\nhost-0002\ngroup 0xC006 # b\n"
                                        "host-0001\n");
  const std::vector<std::string> words{"plan",   "export",   "star:3", "--format",
                                       "mcfdbs", "--groups", groups};
  const Outcome outcome = heddle(words);
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\n0xC005 : 0x001  0x002 \n0xC006 : 0x001 \n"));
  write_file(groups, "group 0xC005\n\nnobody\n");
  EXPECT_THAT(heddle(words).err, HasSubstr("groups:3: "));
  write_file(groups, "group 0xBFFF\n");
  EXPECT_THAT(heddle(words).err, HasSubstr("groups:1: a multicast LID from 0xC000"));
}

TEST(PlanExport, SlurmFormats) {
  const Outcome tree = heddle({"plan", "export", "fat-tree:4,6", "--format", "slurm-tree"});
  EXPECT_THAT(tree.out, HasSubstr("SwitchName=leaf-1 Nodes=host-0001,host-0002"));
  EXPECT_THAT(tree.out, HasSubstr("SwitchName=fabric Switches=leaf-1,leaf-2"));
  EXPECT_THAT(heddle({"plan", "export", "fat-tree:4,6", "--format", "slurm-block"}).out,
              HasSubstr("BlockSizes=4"));
  EXPECT_THAT(heddle({"plan", "export", "fat-tree:4,6", "--format", "slurm-yaml"}).out,
              HasSubstr("- switch: leaf-1"));
}

TEST(PlanExport, FlitsHaveEveryChannelAndRoute) {
  const Outcome flits = heddle({"plan", "export", "fat-tree:2,2", "--format", "flits"});
  EXPECT_THAT(flits.out, testing::StartsWith("heddle-flits 1\nvls 1\nrouter 0 0x"));
  EXPECT_THAT(flits.out, HasSubstr("\nchannel 0 3 2 1 200\n"));
  EXPECT_THAT(flits.out, HasSubstr("\nroutes 0 1:"));
}

TEST(PlanExport, OneLaneHasNoLaneDumps) {
  const Outcome outcome = heddle({"plan", "export", "fat-tree:4,6", "--format", "sl2vl"});
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_THAT(outcome.err, HasSubstr("one VL alone"));
  EXPECT_EQ(heddle({"plan", "export", "torus:4x4x4", "--format", "sl2vl", "--vls", "4", "--routing",
                    "torus-2QoS"})
                .exit,
            0);
  EXPECT_EQ(heddle({"plan", "export", "fat-tree:4,6", "--format", "mp3"}).exit, 2);
}

}  // namespace
}  // namespace heddle::app
