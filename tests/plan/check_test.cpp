// SPDX-License-Identifier: BSD-3-Clause
#include "plan/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/fabrics.hpp"

namespace heddle::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Check : public testing::Test {
 protected:
  std::vector<Finding> check(std::uint8_t lmc = 0) {
    Findings findings;
    levels_ = check_fabric(fabric_, lmc, findings);
    return trouble(std::move(findings));
  }
  void give_lids() {
    std::uint16_t lid = 0;
    for (auto& node : fabric_.nodes) {
      node.ports[is_switch(node) ? 0 : 1].lid = mad::Lid{++lid};
    }
  }

  Inventory fabric_ = two_levels(4, 2, 3);
  Levels levels_;
};

TEST_F(Check, AnEvenTreeHasNothingWrong) {
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_TRUE(levels_.is_tree);
  ASSERT_EQ(levels_.levels.size(), 2u);
  EXPECT_EQ(levels_.levels[0].switches, 4u);
  EXPECT_EQ(levels_.levels[0].hosts, 12u);
  EXPECT_DOUBLE_EQ(levels_.levels[0].oversubscription(), 1.5);
  EXPECT_EQ(levels_.levels[1].oversubscription(), 0);
  give_lids();
  EXPECT_THAT(check(), IsEmpty());
}

TEST_F(Check, TheSameGuidTwice) {
  fabric_.nodes[1].guid = fabric_.nodes[0].guid;
  const auto found = check();
  ASSERT_THAT(codes(found), ElementsAre("duplicate-guid"));
  EXPECT_THAT(found[0].where, ElementsAre("leaf-1", "leaf-2"));
  EXPECT_EQ(found[0].line, 2u);
}

TEST_F(Check, TheSamePortGuidTwice) {
  fabric_.nodes[8].ports[1].guid = fabric_.nodes[9].ports[1].guid = mad::Guid{5};
  EXPECT_THAT(codes(check()), ElementsAre("duplicate-port-guid"));
}

TEST_F(Check, LidsOfAFabricThatIsUp) {
  give_lids();
  fabric_.nodes[0].ports[0].lid = fabric_.nodes[1].ports[0].lid;
  fabric_.nodes[2].ports[0].lid = mad::kNoLid;
  fabric_.nodes[10].ports[1].lid = mad::Lid{101};
  fabric_.nodes[10].ports[1].lmc = 2;
  EXPECT_THAT(codes(check()),
              testing::UnorderedElementsAre("duplicate-lid", "no-lid", "unaligned-lid"));
  fabric_ = two_levels(4, 2, 3);
  give_lids();
  fabric_.nodes[10].ports[1].lid = mad::Lid{49151};
  fabric_.nodes[10].ports[1].lmc = 1;
  EXPECT_THAT(codes(check()), Contains("bad-lid"));
}

TEST_F(Check, LidsOfOneRangeInAnother) {
  give_lids();
  fabric_.nodes[10].ports[1].lid = mad::Lid{64};
  fabric_.nodes[10].ports[1].lmc = 3;
  fabric_.nodes[11].ports[1].lid = mad::Lid{70};
  EXPECT_THAT(codes(check()), ElementsAre("duplicate-lid"));
}

TEST_F(Check, ALinkBelowWhatItsPortsCan) {
  auto& cable = cable_at(fabric_, "leaf-1:4");
  for (const auto end : {cable.a, cable.b}) fabric_.nodes[end.node].ports[end.port].best = kHdr;
  cable.rate = {1, LaneSpeed::HDR};
  const auto found = check();
  ASSERT_THAT(codes(found), ElementsAre("below-ports"));
  EXPECT_THAT(found[0].text, HasSubstr("runs at 1xHDR, and its ports can do 4xHDR"));
}

TEST_F(Check, ALinkBelowItsLevel) {
  auto& cable = cable_at(fabric_, "leaf-1:4");
  cable.rate = {4, LaneSpeed::EDR};
  const auto found = check();
  ASSERT_THAT(codes(found), ElementsAre("below-level"));
  EXPECT_EQ(found[0].line, cable.line);
  // All hosts of a leaf may be slower than those of the others; one may not.
  fabric_ = two_levels(4, 2, 3);
  for (const char* port : {"leaf-1:1", "leaf-1:2", "leaf-1:3"}) {
    cable_at(fabric_, port).rate = {4, LaneSpeed::EDR};
  }
  EXPECT_THAT(check(), IsEmpty());
  cable_at(fabric_, "leaf-2:1").rate = {4, LaneSpeed::EDR};
  EXPECT_THAT(codes(check()), ElementsAre("below-level"));
}

TEST_F(Check, TooManyLids) {
  fabric_.nodes[4].linear_fdb_cap = 64;
  EXPECT_THAT(check(0), IsEmpty());
  EXPECT_THAT(codes(check(3)), ElementsAre("too-many-lids"));  // 6 + 12 * 8
}

TEST_F(Check, ASwitchWithOneLane) {
  fabric_.nodes[4].data_vls = 1;
  EXPECT_THAT(codes(check()), ElementsAre("few-vls"));
}

TEST_F(Check, IslandsAndNodesAlone) {
  add_node(fabric_, "spare", mad::NodeType::Switch, 36);
  const auto a = add_node(fabric_, "left mlx5_0", mad::NodeType::ChannelAdapter, 1);
  const auto b = add_node(fabric_, "right mlx5_0", mad::NodeType::ChannelAdapter, 1);
  fabric_.cables.push_back({{a, 1}, {b, 1}, kHdr, 1});
  const auto found = codes(check());
  EXPECT_THAT(found, Contains("alone"));
  EXPECT_THAT(found, Contains("islands"));
}

TEST_F(Check, ALeafWithALinkLessIsNotLikeTheOthers) {
  fabric_.cables.erase(fabric_.cables.begin() +
                       (&cable_at(fabric_, "leaf-2:4") - &fabric_.cables[0]));
  const auto found = check();
  ASSERT_THAT(codes(found), ElementsAre("uneven-up", "no-link"));
  EXPECT_THAT(found[0].text, HasSubstr("leaf-2 has 1 links up, and 3 of 4 switches"));
  EXPECT_THAT(found[1].where, ElementsAre("leaf-2", "spine-1"));
}

TEST_F(Check, ACableBetweenTwoLeavesIsNoTrees) {
  fabric_ = two_levels(6, 6, 6);
  fabric_.cables.push_back({{0, 30}, {1, 30}, kHdr, 9});
  const auto found = check();
  ASSERT_THAT(codes(found), ElementsAre("cross-link"));
  EXPECT_EQ(found[0].line, 9u);
}

class Rails : public Check {
 protected:
  // Two leaves of which each is a rail of all hosts.
  Rails() {
    fabric_ = {};
    for (const char* name : {"rail-0", "rail-1"}) {
      add_node(fabric_, name, mad::NodeType::Switch, 36);
    }
    for (unsigned host = 1; host <= 8; ++host) {
      for (std::uint32_t rail = 0; rail < 2; ++rail) {
        const auto node =
            add_node(fabric_, "gpu" + std::to_string(host) + " mlx5_" + std::to_string(rail),
                     mad::NodeType::ChannelAdapter, 1);
        fabric_.cables.push_back({{rail, static_cast<std::uint8_t>(host)}, {node, 1}, kHdr, host});
      }
    }
    fabric_.cables.push_back({{0, 20}, {1, 20}, kHdr, 99});
  }
  std::vector<Finding> rails() {
    Findings findings;
    check_rails(fabric_, findings);
    return trouble(std::move(findings));
  }
};

TEST_F(Rails, CabledRight) {
  EXPECT_THAT(rails(), IsEmpty());
}

TEST_F(Rails, TwoCablesOfAHostInEachOthersPlace) {
  std::swap(fabric_.cables[4].b, fabric_.cables[5].b);
  const auto found = rails();
  ASSERT_THAT(codes(found), ElementsAre("wrong-rail", "wrong-rail"));
  EXPECT_THAT(found[0].where, ElementsAre("gpu3 mlx5_0:1", "rail-1:3"));
}

TEST_F(Rails, AnAdapterThatIsNotThere) {
  fabric_.cables.erase(fabric_.cables.begin() + 6);
  const auto found = rails();
  ASSERT_THAT(codes(found), ElementsAre("missing-rail"));
  EXPECT_THAT(found[0].text, HasSubstr("gpu4 has no mlx5_0"));
}

}  // namespace
}  // namespace heddle::plan
