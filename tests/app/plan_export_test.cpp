// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan export`, as a user meets it.
#include <string>

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
