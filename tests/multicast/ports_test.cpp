// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/ports.hpp"

#include <gtest/gtest.h>

#include "multicast/mlid_pool.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using testing::staged;

TEST(Ports, AreFoundWhereTheyHang) {
  auto recipe = support::star(2);
  recipe.join(recipe.add_host("a"), recipe.add_host("b"));
  const auto topology = staged(recipe);
  const PortFinder finder(*topology);
  const auto host = finder.find(testing::stage_guid(recipe.nodes[2].guid, 1));
  ASSERT_TRUE(host);
  EXPECT_EQ(host->at, fabric::SwitchIndex{0});
  EXPECT_EQ(host->out, mad::PortNumber{2});
  const auto own = finder.find(testing::stage_guid(recipe.nodes[0].guid, 0));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->out, mad::PortNumber{0});
  EXPECT_FALSE(finder.find(testing::stage_guid(recipe.nodes[3].guid, 1))) << "on no switch";
  EXPECT_FALSE(finder.find(mad::Guid{}));
}

TEST(Ports, MlidCapacityIsThatOfTheSmallestSwitchWithATable) {
  const auto recipe = support::ring(3, 1);
  const auto mute = staged(recipe)->node(fabric::SwitchIndex{1}).guid;
  const auto is_mute = [&](const fabric::Node& node) { return node.guid == mute; };
  EXPECT_EQ(mlid_capacity(*staged(recipe, 1024, is_mute)), 1024u);
  EXPECT_EQ(mlid_capacity(*staged(recipe, 0xFFFF)), kMaxMlids);
  EXPECT_EQ(mlid_capacity(*staged(recipe, 0)), kMaxMlids);
  fabric::Node node;
  node.multicast_fdb_cap = 8;
  EXPECT_TRUE(has_entry(node, mad::Lid{0xC007}));
  EXPECT_FALSE(has_entry(node, mad::Lid{0xC008}));
}

}  // namespace
}  // namespace heddle::multicast
