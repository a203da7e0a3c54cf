// SPDX-License-Identifier: BSD-3-Clause
#include "plan/slurm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/fabrics.hpp"

namespace heddle::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SlurmTopology slurm(const Inventory& fabric) {
  return slurm_topology(fabric, find_levels(fabric));
}

TEST(Slurm, LeavesAndWhatJoinsThem) {
  const auto topology = slurm(two_levels(3, 2, 2));
  EXPECT_EQ(slurm_tree(topology),
            "# For Slurm's TopologyPlugin=topology/tree\n"
            "SwitchName=leaf-1 Nodes=host-1-1,host-1-2\n"
            "SwitchName=leaf-2 Nodes=host-2-1,host-2-2\n"
            "SwitchName=leaf-3 Nodes=host-3-1,host-3-2\n"
            "SwitchName=fabric Switches=leaf-1,leaf-2,leaf-3\n");
  EXPECT_THAT(topology.warnings, testing::IsEmpty());
}

TEST(Slurm, BlocksAreLeaves) {
  const std::string text = slurm_block(slurm(two_levels(2, 2, 3)));
  EXPECT_THAT(text, HasSubstr("BlockName=leaf-2 Nodes=host-2-1,host-2-2,host-2-3\n"));
  EXPECT_THAT(text, testing::EndsWith("BlockSizes=3\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("fabric")));
}

TEST(Slurm, YamlHasBoth) {
  const std::string text = slurm_yaml(slurm(two_levels(2, 1, 1)));
  EXPECT_EQ(text,
            "---\n- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n"
            "      - switch: leaf-1\n        nodes: host-1-1\n"
            "      - switch: leaf-2\n        nodes: host-2-1\n"
            "      - switch: fabric\n        children: leaf-1,leaf-2\n"
            "- topology: block\n  cluster_default: false\n  block:\n    block_sizes:\n      - 1\n"
            "    blocks:\n"
            "      - block: leaf-1\n        nodes: host-1-1\n"
            "      - block: leaf-2\n        nodes: host-2-1\n");
}

// Two pods of two leaves and a spine each, and one switch above.
TEST(Slurm, PodsStandBetween) {
  Inventory fabric = two_levels(4, 2, 1);
  std::erase_if(fabric.cables, [&](const Inventory::Cable& cable) {
    return is_switch(fabric.nodes[cable.b.node]) &&
           (cable.a.node < 2) != (fabric.nodes[cable.b.node].name == "spine-1");
  });
  const auto top = add_node(fabric, "top", mad::NodeType::Switch, 36);
  fabric.cables.push_back({{4, 30}, {top, 1}, kHdr, 1});
  fabric.cables.push_back({{5, 30}, {top, 2}, kHdr, 1});
  const auto topology = slurm(fabric);
  ASSERT_EQ(topology.switches.size(), 7u);
  EXPECT_EQ(topology.switches[4].name, "pod-1");
  EXPECT_THAT(topology.switches[4].children, ElementsAre("leaf-1", "leaf-2"));
  EXPECT_THAT(topology.switches[5].children, ElementsAre("leaf-3", "leaf-4"));
  EXPECT_THAT(topology.switches[6].children, ElementsAre("pod-1", "pod-2"));
}

TEST(Slurm, AHostOnTwoSwitchesStandsOnOne) {
  Inventory fabric = two_levels(2, 1, 1);
  const auto second = add_node(fabric, "host-1-1 mlx5_1", mad::NodeType::ChannelAdapter, 1);
  fabric.cables.push_back({{1, 9}, {second, 1}, kHdr, 1});
  const auto topology = slurm(fabric);
  EXPECT_THAT(topology.switches[0].nodes, ElementsAre("host-1-1"));
  EXPECT_THAT(topology.switches[1].nodes, ElementsAre("host-2-1"));
  ASSERT_EQ(topology.warnings.size(), 1u);
  EXPECT_THAT(topology.warnings[0], HasSubstr("adapters on several switches"));
}

TEST(Slurm, NamesThatSlurmWouldMisread) {
  Inventory fabric = two_levels(2, 1, 1);
  fabric.nodes[0].name = fabric.nodes[0].description = "MF0;a[1]:x/U1";
  const auto topology = slurm(fabric);
  EXPECT_EQ(topology.switches[0].name, "MF0_a_1__x_U1");
  EXPECT_EQ(topology.warnings.size(), 1u);
}

}  // namespace
}  // namespace heddle::plan
