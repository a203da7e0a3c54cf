// SPDX-License-Identifier: BSD-3-Clause
#include "routing/sssp.hpp"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"
#include "routing/selection.hpp"
#include "routing/shortest_trees.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

Quality quality_of(const Subnet& subnet, const char* engine) {
  return measure_quality(subnet.topology, subnet.lids, subnet.route(engine).tables);
}

TEST(Sssp, WaysAreAsShortAsThoseOfMinhop) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const Subnet subnet(recipe);
    const auto quality = quality_of(subnet, "sssp"), shortest = quality_of(subnet, "minhop");
    EXPECT_DOUBLE_EQ(quality.mean_hops, shortest.mean_hops) << name;
    EXPECT_EQ(quality.routes, shortest.routes) << name;
  }
}

TEST(Sssp, ChannelsOfATreeCarryAlike) {
  for (const auto& tree : {support::xgft({6, 6}, {1, 6}), support::xgft({6, 6, 12}, {1, 6, 6})}) {
    const auto quality = quality_of(Subnet(tree), "sssp");
    EXPECT_LT(static_cast<double>(quality.greatest_load), 1.1 * quality.mean_load);
  }
}

// An order of the operator's, even of one port, leaves all LIDs where minhop dealt them.
TEST(Sssp, LooksFartherThanTheNextLinkOnIrregularFabrics) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Subnet subnet(support::random_regular(60, 6, 4, seed));
    subnet.options.routing_order = {subnet.topology.port(subnet.topology.endports().front()).guid};
    EXPECT_LE(quality_of(subnet, "sssp").greatest_load, quality_of(subnet, "minhop").greatest_load);
  }
}

// Of several manners of dealing the best one is taken, and its busiest channels are relieved: that
// brings the manners near to each other, but the random fabric still has 904 without the second
// one, and the whole torus 3,488 without the third one.
TEST(Sssp, TakesTheMannerThatLoadsTheBusiestChannelLeast) {
  const std::vector<std::pair<support::Recipe, std::uint64_t>> most_allowed{
      {support::kautz(5, 3, 7), 2'370},
      {support::random_regular(100, 5, 4, 1), 896},
      {support::torus({6, 6, 6}, 4), 2'990},
      {support::degraded(support::torus({8, 8, 8}, 1), 77, 1), 725}};
  for (const auto& [recipe, most] : most_allowed) {
    EXPECT_LE(quality_of(Subnet(recipe), "sssp").greatest_load, most) << recipe.nodes.size();
  }
}

// Switch by switch the dragonflies have 1,512, 1,578 and 1,578, and the HyperX 714; dealt in rounds
// the first tree has 864 at most. On the second one, which has 750 then, random pairs get 0.4705.
TEST(Sssp, DealsInRoundsWhereThatIsBetter) {
  const std::vector<std::pair<support::Recipe, std::uint64_t>> most_allowed{
      {support::dragonfly(33, 8, 4, 4), 1'200},
      {support::dragonfly(15, 12, 6, 6), 1'200},
      {support::degraded(support::dragonfly(15, 12, 6, 6), 1, 1), 1'200},
      {support::hyperx({12, 8}, 7), 588},
      {support::degraded(support::xgft({6, 6, 12}, {1, 6, 6}), 30, 1), 852}};
  for (const auto& [recipe, most] : most_allowed) {
    EXPECT_LE(quality_of(Subnet(recipe), "sssp").greatest_load, most) << recipe.nodes.size();
  }
  const Subnet tree(support::degraded(support::xgft({6, 6, 12}, {1, 6, 6}), 30, 9));
  EXPECT_GE(random_pairs_bandwidth(tree.topology, tree.lids, tree.route("sssp").tables), 0.4708);
}

// Loads that are small, so that many ways cost the same.
TEST(Sssp, TreesChosenAgainAreAsIfChosenForTheFirstTime) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const Subnet subnet(recipe);
    const CompactChannels channels(subnet.topology);
    ShortestTrees again(channels), anew(channels);
    base::Prng prng(7);
    ChannelLoads loads(channels.count());
    for (std::uint32_t target = 0; target < subnet.topology.switch_count(); target += 3) {
      again.approach(fabric::SwitchIndex{target});
      again.choose(loads);
      for (int round = 0; round < 10; ++round) {
        const std::vector<std::uint32_t> sent(subnet.topology.switch_count(),
                                              round % 2 == 0 ? 1 : 0);
        again.load(sent, loads);
        for (auto& load : loads) load += prng.below(8) == 0 ? prng.below(3) : 0;
        again.choose_again(loads);
        anew.approach(fabric::SwitchIndex{target});
        anew.choose(loads);
        for (const std::uint32_t at : anew.nearest_first()) {
          ASSERT_EQ(again.next(at), anew.next(at)) << name << " to " << target << " from " << at;
        }
      }
    }
  }
}

TEST(Sssp, TheLidsOfAPortGoByDifferentLinks) {
  const Subnet subnet(support::xgft({4, 3}, {1, 4}), 2);
  const auto tables = subnet.route("sssp").tables;
  for (const auto port : subnet.topology.endports()) {
    const auto at = subnet.topology.attachment(port);
    if (!at || at->out.value == 0) continue;
    for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
      const fabric::SwitchIndex from{s};
      if (from == at->at || subnet.topology.channels_from(from).size() != 4) continue;
      std::set<std::uint8_t> links;
      for (unsigned i = 0; i < 4; ++i) {
        const mad::Lid lid{static_cast<std::uint16_t>(subnet.lids.base(port).value + i)};
        links.insert(tables.out_port(from, lid).value);
      }
      EXPECT_EQ(links.size(), 4u);
    }
  }
}

TEST(Sssp, ItsCreditLoopOnARingIsNamed) {
  const Subnet ring(support::ring(6, 2));
  Policy policy;
  policy.engines = {"sssp"};
  policy.fallback = false;
  const auto selected = select_routes(ring.topology, ring.lids, policy);
  ASSERT_FALSE(selected);
  EXPECT_THAT(selected.error().message, testing::HasSubstr("sssp: its tables hold a credit loop"));
}

}  // namespace
}  // namespace heddle::routing
