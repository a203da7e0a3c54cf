// SPDX-License-Identifier: BSD-3-Clause
#include "routing/home.hpp"

#include <algorithm>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using support::Recipe;

// LIDs as in `whole`, for the ports that are left.
fabric::LidMap remembered(const Subnet& whole, const fabric::Topology& left) {
  fabric::LidMap lids(left.port_count());
  for (const fabric::PortIndex port : left.endports()) {
    const auto node = whole.topology.find_node(left.node(left.node_of(port)).guid);
    const auto was = whole.topology.port_of(*node, left.number_of(port));
    EXPECT_TRUE(lids.assign(port, whole.lids.range(was)));
  }
  return lids;
}

bool is_switch(const Recipe& recipe, mad::Guid guid) {
  for (const auto& node : recipe.nodes) {
    if (node.guid == guid) return node.type == mad::NodeType::Switch;
  }
  return false;
}

class NearHome : public testing::Test {
 protected:
  explicit NearHome(Recipe recipe = support::xgft({4, 4, 4}, {1, 4, 4}))
      : recipe_(std::move(recipe)), whole_(recipe_) {
    auto selected = select_routes(whole_.topology, whole_.lids, {});
    EXPECT_TRUE(selected);
    home_ = {std::make_shared<const fabric::Topology>(whole_.topology),
             std::make_shared<const fabric::LidMap>(whole_.lids),
             {},
             std::make_shared<const Selected>(std::move(*selected))};
  }
  const fabric::ForwardingTables& tables_at_home() const { return home_.selected->routes.tables; }
  std::shared_ptr<const Selected> select(const Recipe& recipe, const Policy& policy = {}) {
    left_.emplace(recipe);
    lids_ = remembered(whole_, left_->topology);
    const auto selected = select_near_home(left_->topology, lids_, policy, &home_);
    EXPECT_TRUE(selected);
    return *selected;
  }
  // The recipe without the n-th link between two switches.
  Recipe without_link(std::size_t n) const {
    Recipe less = recipe_;
    for (auto link = less.links.begin(); link != less.links.end(); ++link) {
      const bool inner = is_switch(recipe_, link->a.node) && is_switch(recipe_, link->b.node);
      if (!inner || n-- != 0) continue;
      less.links.erase(link);
      break;
    }
    return less;
  }
  mad::Guid a_host() const {
    const auto host =
        std::find_if(recipe_.nodes.begin(), recipe_.nodes.end(),
                     [](const auto& node) { return node.type != mad::NodeType::Switch; });
    return host->guid;
  }
  Recipe without_node(mad::Guid guid) const {
    Recipe less = recipe_;
    std::erase_if(less.nodes, [&](const fabric::Node& node) { return node.guid == guid; });
    std::erase_if(less.links, [&](const Recipe::Link& link) {
      return link.a.node == guid || link.b.node == guid;
    });
    return less;
  }
  // LIDs of hosts whose columns differ from home's at a switch that is left.
  std::size_t moved(const Selected& selected) const {
    std::size_t count = 0;
    for (unsigned lid = 1; lid <= whole_.lids.top().value; ++lid) {
      const mad::Lid value{static_cast<std::uint16_t>(lid)};
      const auto owner = lids_.owner(value);
      if (owner == fabric::kNoPort) continue;
      if (left_->topology.is_switch(left_->topology.node_of(owner))) continue;
      bool same = true;
      for (std::uint32_t s = 0; s < left_->topology.switch_count(); ++s) {
        const auto& guid = left_->topology.node(SwitchIndex{s}).guid;
        const SwitchIndex old{whole_.topology.find_node(guid)->value};
        same = same && selected.routes.tables.out_port(SwitchIndex{s}, value) ==
                           tables_at_home().out_port(old, value);
      }
      count += same ? 0 : 1;
    }
    return count;
  }

  Recipe recipe_;
  Subnet whole_;
  Home home_;
  std::optional<Subnet> left_;
  fabric::LidMap lids_;
};

TEST_F(NearHome, EnginesWouldMakeTheSameOnlyOfTheSame) {
  const fabric::Topology& topology = *home_.topology;
  EXPECT_TRUE(is_at_home(home_, topology, whole_.lids, {}));
  EXPECT_FALSE(is_at_home(home_, Subnet(without_link(3)).topology, whole_.lids, {}));
  Policy other;
  other.options.scatter_ports = 1;
  EXPECT_FALSE(is_at_home(home_, topology, whole_.lids, other));
  fabric::LidMap fewer(topology.port_count());
  EXPECT_FALSE(is_at_home(home_, topology, fewer, {}));
  Home found = home_;
  found.found = true;
  EXPECT_FALSE(is_at_home(found, topology, whole_.lids, {}));
  Home repaired = home_;
  auto selected = std::make_shared<Selected>(*home_.selected);
  selected->fresh = false;
  repaired.selected = selected;
  EXPECT_FALSE(is_at_home(repaired, topology, whole_.lids, {}));
}

TEST_F(NearHome, TheSameFabricHasTheSameRoutes) {
  EXPECT_EQ(select(recipe_), home_.selected);
}

TEST_F(NearHome, AHostThatWentChangesNothing) {
  EXPECT_EQ(select(without_node(a_host())), home_.selected);
}

// What used the link moves; the rest stays, and all is proven.
TEST_F(NearHome, OnlyWhatUsedALostLinkMoves) {
  for (const std::size_t link : {0u, 7u, 30u, 63u}) {
    const Recipe less = without_link(link);
    ASSERT_EQ(less.links.size() + 1, recipe_.links.size());
    const auto selected = select(less);
    EXPECT_TRUE(selected->proof.proven());
    EXPECT_FALSE(selected->fresh);
    const auto departure = departure_from(home_, left_->topology, lids_, {});
    ASSERT_TRUE(departure.comparable);
    EXPECT_EQ(departure.lost.size(), 2u);
    const auto right = still_right(home_, departure, lids_);
    const auto wrong = static_cast<std::size_t>(std::count(right.begin() + 1, right.end(), false));
    EXPECT_GT(wrong, 0u);
    EXPECT_LT(wrong, right.size() / 2);
    EXPECT_LE(moved(*selected), wrong);
  }
}

TEST_F(NearHome, OfALostLeafNoOtherHostMoves) {
  const auto node = whole_.topology.find_node(a_host());
  const auto leaf = whole_.topology.attachment(whole_.topology.port_of(*node, {1}))->at;
  const auto selected = select(without_node(whole_.topology.node(leaf).guid));
  EXPECT_TRUE(selected->proof.proven());
  EXPECT_EQ(moved(*selected), 0u);
}

TEST_F(NearHome, WithSomethingNewRoutesAreMadeAnew) {
  Recipe more = recipe_;
  const auto is_switch_node = [](const fabric::Node& node) {
    return node.type == mad::NodeType::Switch;
  };
  const auto at = std::find_if(more.nodes.begin(), more.nodes.end(), is_switch_node);
  const auto place = static_cast<std::size_t>(at - more.nodes.begin());
  more.join(more.add_host("extra"), place);
  const Subnet grown(more);
  const auto selected = select_near_home(grown.topology, grown.lids, {}, &home_);
  ASSERT_TRUE(selected);
  EXPECT_TRUE((*selected)->fresh);
  EXPECT_NE(*selected, home_.selected);
  EXPECT_EQ((*selected)->routes.tables,
            select_routes(grown.topology, grown.lids, {})->routes.tables);
}

TEST_F(NearHome, AnotherPolicyIsAnotherHome) {
  Policy policy;
  policy.engines = {"updn"};
  const auto selected = select(recipe_, policy);
  EXPECT_TRUE(selected->fresh);
  EXPECT_EQ(selected->routes.engine, "updn");
}

TEST_F(NearHome, ALidThatMovedIsNew) {
  left_.emplace(recipe_);
  auto lids = Subnet(recipe_).lids;
  fabric::LidMap shifted(left_->topology.port_count());
  for (const fabric::PortIndex port : left_->topology.endports()) {
    auto range = lids.range(port);
    range.base.value = static_cast<std::uint16_t>(range.base.value + 1);
    ASSERT_TRUE(shifted.assign(port, range));
  }
  EXPECT_FALSE(departure_from(home_, left_->topology, shifted, {}).comparable);
}

}  // namespace
}  // namespace heddle::routing
