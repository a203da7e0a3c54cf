// SPDX-License-Identifier: BSD-3-Clause
// What nue makes of a single layer: short ways, and no channel that carries far more than others.
#include "routing/nue.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "routing/by_destination.hpp"
#include "routing/channel_order.hpp"
#include "routing/quality.hpp"
#include "routing/relief.hpp"
#include "routing/sssp.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

Quality quality_of(const Subnet& subnet, const fabric::ForwardingTables& tables) {
  return measure_quality(subnet.topology, subnet.lids, tables);
}

struct Held {
  const char* name;
  support::Recipe recipe;
  double peak;    // of what the busiest channel carries, by the mean one with the shortest ways
  double detour;  // of hops, by those that the shortest ways have
};

std::vector<Held> fabrics_with_rings() {
  return {{"damaged tree", support::degraded(support::xgft({6, 12}, {1, 6}), 4, 1), 1.5, 1.001},
          {"damaged tree of three levels",
           support::degraded(support::xgft({4, 4, 8}, {1, 4, 4}), 6, 1), 1.5, 1.001},
          {"dragonfly", support::dragonfly(17, 4, 4, 2), 1.95, 1.12},
          {"random graph", support::random_regular(60, 8, 4, 1), 1.95, 1.08},
          {"torus", support::torus({5, 5, 5}, 2), 2.1, 1.06}};
}

TEST(Nue, TakesShortWaysAndSpreadsThem) {
  for (const auto& [name, recipe, peak, detour] : fabrics_with_rings()) {
    const Subnet subnet(recipe);
    const auto quality = quality_of(subnet, subnet.route("nue").tables);
    const auto shortest = quality_of(subnet, subnet.route("sssp").tables);
    EXPECT_LE(static_cast<double>(quality.greatest_load), peak * shortest.mean_load) << name;
    EXPECT_LE(quality.mean_hops, detour * shortest.mean_hops) << name;
  }
}

TEST(WeaveManner, KeepsWaysOfLargeTreesAlone) {
  const fabric::ForwardingTables shortest;
  for (const auto& [recipe, keeps] : std::vector<std::pair<support::Recipe, bool>>{
           {support::degraded(support::xgft({18, 18, 24}, {1, 18, 18}), 1, 1), true},
           {support::xgft({6, 6, 12}, {1, 6, 6}), false},
           {support::torus({15, 15, 15}, 1), false},
           {support::torus({5, 5, 5}, 2), false}}) {
    const Subnet subnet(recipe);
    const auto manner = fixed_manner({subnet.topology, subnet.lids, subnet.options}, 1, shortest);
    EXPECT_EQ(manner.given == &shortest, keeps) << subnet.topology.switch_count();
  }
}

// On a tree that lacks something all ways between hosts are as they were given.
TEST(WeaveByDestination, KeepsGivenWays) {
  const Subnet subnet(support::degraded(support::xgft({6, 6, 12}, {1, 6, 6}), 3, 1));
  const Request request{subnet.topology, subnet.lids, subnet.options};
  const auto given = shortest_path_tables(request);
  const auto tables = weave_by_destination(request, {.fixed = true, .given = &given}).routes.tables;
  const Destinations destinations(subnet.topology, subnet.lids);
  std::size_t kept = 0, all = 0;
  subnet.for_each_lid([&](mad::Lid lid, fabric::SwitchIndex at, mad::PortNumber out) {
    if (out.value == 0) return;
    for (std::uint32_t s = 0; s < destinations.hosts.size(); ++s) {
      if (destinations.hosts[s] == 0 || s == at.value) continue;
      ++all;
      kept += tables.out_port({s}, lid) == given.out_port({s}, lid) ? 1u : 0u;
    }
  });
  EXPECT_EQ(kept, all);
}

TEST(WeaveByDestination, KnowsWhatTheBusiestChannelCarries) {
  for (const auto& held : fabrics_with_rings()) {
    const Subnet subnet(held.recipe);
    const auto woven = weave_by_destination({subnet.topology, subnet.lids, subnet.options},
                                            {.fixed = true, .relieves = true});
    const auto measured = measure_loads(subnet.topology, subnet.lids, woven.routes.tables);
    EXPECT_EQ(woven.greatest_load, measured.quality.greatest_load) << held.name;
  }
}

// On the first of them pairs of switches find no layers, on the second one layer for all is better.
TEST(Weave, ThatComesDownToOneVlIsAsIfThereWereOneOnly) {
  const auto whole = support::dragonfly_plus(5, 4, 4, 2, 2);
  for (const auto& [seed, vls] : {std::pair{16u, 2u}, std::pair{43u, 3u}}) {
    const Subnet subnet(support::degraded(whole, 20, seed));
    const auto weave = [&](unsigned count) {
      return *find_engine("weave")->route(
          {subnet.topology, subnet.lids, subnet.options, base::inline_for, count, true});
    };
    const Routes one = weave(1), several = weave(vls);
    EXPECT_EQ(several.lanes.vls, 1) << seed;
    EXPECT_EQ(several.tables, one.tables) << seed;
  }
}

// A layer that has just what these tables cause.
class LayerOfTables {
 public:
  LayerOfTables(const Subnet& subnet, const fabric::ForwardingTables& tables)
      : subnet_(subnet), channels(subnet.topology) {
    layers.emplace_back(channels);
    for_each_turn(tables, [&](std::uint32_t held, std::uint32_t next) {
      if (layers[0].has(held, next)) return;
      ASSERT_TRUE(layers[0].add(held, next));
      layers[0].keep(held, next);
    });
  }

  // Toward hosts.
  template <class Visit>
  void for_each_turn(const fabric::ForwardingTables& tables, Visit visit) const {
    subnet_.for_each_lid([&](mad::Lid lid, fabric::SwitchIndex target, mad::PortNumber out) {
      if (out.value == 0) return;
      for (std::uint32_t c = 0; c < channels.count(); ++c) {
        const bool taken = channels.from[c] != target.value && channels.to[c] != target.value &&
                           leaves_by(tables, channels.from[c], lid, c);
        if (!taken) continue;
        const std::uint32_t to = channels.to[c];
        for (std::uint32_t next = channels.first[to]; next < channels.first[to + 1]; ++next) {
          if (leaves_by(tables, to, lid, next)) visit(c, next);
        }
      }
    });
  }

 private:
  bool leaves_by(const fabric::ForwardingTables& tables, std::uint32_t at, mad::Lid lid,
                 std::uint32_t channel) const {
    return tables.out_port({at}, lid).value == channels.out[channel];
  }

  const Subnet& subnet_;

 public:
  const CompactChannels channels;
  std::vector<ChannelOrder> layers;
};

// Whatever changes, the layer knows of it, so that it has no cycle.
TEST(ReliefInLayers, LeavesNoTurnThatTheLayerDoesNotHave) {
  unsigned relieved = 0;
  for (const auto& fabric : all_kinds_of_fabrics()) {
    const std::string& name = fabric.name;
    const Subnet subnet(fabric.recipe);
    auto tables = subnet.route("updn").tables;
    const auto before = quality_of(subnet, tables);
    LayerOfTables layer(subnet, tables);
    const std::vector<std::uint8_t> first(std::size_t{subnet.lids.top().value} + 1);
    const Destinations destinations(subnet.topology, subnet.lids);
    const auto loads = relieve_in_layers(layer.channels, destinations, layer.layers, first, tables);
    layer.for_each_turn(tables, [&](std::uint32_t held, std::uint32_t next) {
      ASSERT_TRUE(layer.layers[0].has(held, next)) << name;
    });
    const auto after = quality_of(subnet, tables);
    EXPECT_EQ(after.lost, before.lost) << name;
    EXPECT_LE(after.greatest_load, before.greatest_load) << name;
    if (!loads) continue;
    EXPECT_EQ(*std::max_element(loads->begin(), loads->end()), after.greatest_load) << name;
    if (after.greatest_load < before.greatest_load) ++relieved;
  }
  EXPECT_GT(relieved, 10u);
}

}  // namespace
}  // namespace heddle::routing
