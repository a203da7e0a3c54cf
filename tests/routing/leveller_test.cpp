// SPDX-License-Identifier: BSD-3-Clause
// Trees that are changed a branch at a time: that layers and loads are what the ways say, and that
// busy channels are relieved.
#include "routing/leveller.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/islands.hpp"
#include "routing/ordered_forest.hpp"
#include "routing/ordered_trees.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

// A tree of shortest ways for each switch, all of which begin with what has the lowest port.
struct Wood {
  explicit Wood(const support::Recipe& recipe)
      : subnet(recipe),
        channels(subnet.topology),
        orders(ranked_orders(channels, fabric::Islands(subnet.topology), 4)),
        switches(static_cast<std::uint32_t>(subnet.topology.switch_count())),
        targets(switches),
        forest(channels, orders, all_targets()) {
    OrderedTrees trees(channels, orders);
    const std::vector<LayerSet> any(switches, orders.all());
    const ChannelLoads none(channels.count());
    for (const std::uint32_t target : targets) {
      trees.grow_anyway(target, any, none);
      forest.plant(target, trees);
    }
  }
  const std::vector<std::uint32_t>& all_targets() {
    std::iota(targets.begin(), targets.end(), 0u);
    return targets;
  }
  // What follows from the ways alone.
  LayerSet layers(std::uint32_t target, std::uint32_t from) const {
    unsigned all = orders.all();
    for (std::uint32_t held = forest.next(target, from); channels.to[held] != target;) {
      const std::uint32_t next = forest.next(target, channels.to[held]);
      all &= orders.admit(held, next);
      held = next;
    }
    return static_cast<LayerSet>(all);
  }
  std::uint32_t hops(std::uint32_t target, std::uint32_t from) const {
    return forest.hops(target, from, target);
  }
  ChannelLoads loads(std::uint32_t sent) const {
    ChannelLoads loads(channels.count());
    for (const std::uint32_t target : targets) {
      for (std::uint32_t s = 0; s < switches; ++s) {
        for (std::uint32_t at = s; at != target; at = channels.to[forest.next(target, at)]) {
          loads[forest.next(target, at)] += sent;
        }
      }
    }
    return loads;
  }
  void expect_layers_of_ways() const {
    for (const std::uint32_t target : targets) {
      for (std::uint32_t s = 0; s < switches; ++s) {
        if (s == target) continue;
        ASSERT_EQ(forest.layers(target, s), layers(target, s)) << s << " to " << target;
      }
    }
  }

  Subnet subnet;
  CompactChannels channels;
  LayerOrders orders;
  std::uint32_t switches;
  std::vector<std::uint32_t> targets;
  OrderedForest forest;
};

TEST(OrderedForest, KnowsTheLayersOfABranchThatTookAnotherWay) {
  Wood wood(support::random_regular(30, 5, 1, 1));
  base::Prng dice(1);
  for (unsigned change = 0; change < 200; ++change) {
    const auto tree = static_cast<std::uint32_t>(dice.below(wood.switches));
    const auto channel = static_cast<std::uint32_t>(dice.below(wood.channels.count()));
    const std::uint32_t at = wood.channels.from[channel];
    if (at == tree || wood.forest.leads_through(tree, wood.channels.to[channel], at)) continue;
    const auto before = wood.forest.ways(tree);
    wood.forest.graft(tree, at, channel);
    ASSERT_EQ(wood.forest.next(tree, at), channel);
    wood.expect_layers_of_ways();
    if (dice.chance(0.5)) {
      wood.forest.take_back();
      ASSERT_EQ(wood.forest.ways(tree), before);
      wood.expect_layers_of_ways();
    }
    wood.forest.keep();
  }
}

TEST(OrderedForest, TakesBackSeveralChangesOfOneBranch) {
  Wood wood(support::random_regular(30, 5, 1, 1));
  const auto before = wood.forest.ways(0);
  for (std::uint32_t at = 1; at < wood.switches; ++at) {
    for (std::uint32_t c = wood.channels.first[at]; c < wood.channels.first[at + 1]; ++c) {
      if (wood.forest.leads_through(0, wood.channels.to[c], at)) continue;
      wood.forest.graft(0, at, c);
    }
  }
  ASSERT_NE(wood.forest.ways(0), before);
  wood.forest.take_back();
  EXPECT_EQ(wood.forest.ways(0), before);
  wood.expect_layers_of_ways();
}

class LevellerOn : public testing::Test {
 protected:
  static constexpr std::uint32_t kSent = 3;

  void level(std::uint64_t enough, const Leveller::Allows& allows) {
    const std::vector<std::uint32_t> once(wood.switches, 1), sent(wood.switches, kSent);
    ChannelLoads loads = wood.loads(kSent);
    before = *std::max_element(loads.begin(), loads.end());
    Leveller(wood.channels, wood.orders, wood.forest, {sent, once, loads, enough}, false, allows)
        .level(wood.targets);
    after = *std::max_element(loads.begin(), loads.end());
    EXPECT_EQ(loads, wood.loads(kSent));
    wood.expect_layers_of_ways();
  }

  Wood wood{support::random_regular(40, 5, 1, 1)};
  std::uint64_t before = 0, after = 0;
};

TEST_F(LevellerOn, RelievesBusyChannelsAndMakesNoWayLongerUnlessItMust) {
  std::vector<std::uint32_t> hops;
  for (const std::uint32_t target : wood.targets) {
    for (std::uint32_t s = 0; s < wood.switches; ++s) hops.push_back(wood.hops(target, s));
  }
  level(~std::uint64_t{0}, [](const auto&) { return true; });
  EXPECT_LT(after, before);
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const auto target = static_cast<std::uint32_t>(i / wood.switches);
    EXPECT_LE(wood.hops(target, static_cast<std::uint32_t>(i % wood.switches)), hops[i]);
  }
  const std::uint64_t shortest = after;
  level(0, [](const auto&) { return true; });
  EXPECT_LT(after, shortest);
}

// First they are made longer, as nothing may carry more than it has to.
TEST_F(LevellerOn, MakesWaysShorterAndNoChannelBusierThanTheBusiest) {
  const auto all_hops = [&] {
    const ChannelLoads once = wood.loads(1);
    return std::accumulate(once.begin(), once.end(), std::uint64_t{0});
  };
  const std::uint64_t fewest = all_hops();
  level(0, [](const auto&) { return true; });
  const std::uint64_t longer = all_hops();
  ASSERT_GT(longer, fewest);
  const std::vector<std::uint32_t> once(wood.switches, 1), sent(wood.switches, kSent);
  ChannelLoads loads = wood.loads(kSent);
  Leveller leveller(wood.channels, wood.orders, wood.forest, {sent, once, loads, 0}, false,
                    [](const auto&) { return true; });
  EXPECT_TRUE(leveller.shorten(wood.targets));
  EXPECT_FALSE(leveller.shorten(wood.targets));
  EXPECT_LT(all_hops(), longer);
  EXPECT_LE(*std::max_element(loads.begin(), loads.end()), after);
  EXPECT_EQ(loads, wood.loads(kSent));
  wood.expect_layers_of_ways();
}

TEST_F(LevellerOn, ChangesOnlyWhatIsAllowed) {
  const auto has_layer = [&](const OrderedForest::Change& change) {
    return wood.forest.layers(change.tree, change.at) == wood.orders.all();
  };
  std::vector<std::vector<std::uint32_t>> ways;
  for (const std::uint32_t target : wood.targets) ways.push_back(wood.forest.ways(target));
  level(0, [&](const auto& changes) {
    return std::all_of(changes.begin(), changes.end(), has_layer);
  });
  EXPECT_LT(after, before);
  for (const std::uint32_t target : wood.targets) {
    for (std::uint32_t s = 0; s < wood.switches; ++s) {
      if (s == target || wood.forest.next(target, s) == ways[target][s]) continue;
      EXPECT_EQ(wood.forest.layers(target, s), wood.orders.all());
    }
  }
}

}  // namespace
}  // namespace heddle::routing
