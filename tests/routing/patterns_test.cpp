// SPDX-License-Identifier: BSD-3-Clause
#include "routing/patterns.hpp"

#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

PatternQuality measure(const Subnet& subnet, const char* engine, PatternOptions options = {}) {
  return measure_patterns(subnet.topology, subnet.lids, subnet.route(engine).tables, options);
}

// Whatever the GUIDs, ports and cables of hosts are.
TEST(Patterns, NoShiftMeetsItselfOnAWholeFatTree) {
  const auto three = support::xgft({4, 4, 5}, {1, 4, 4});
  const auto four = support::xgft({3, 3, 3, 2}, {1, 3, 3, 3});
  const auto partly = support::xgft({2, 4, 3}, {1, 4, 4});
  for (const auto& recipe : {three, four, partly, support::relabelled(three, 7),
                             support::relabelled(four, 7), support::xgft({6, 8}, {1, 6})}) {
    const Subnet subnet(recipe);
    const auto quality = measure(subnet, "ftree");
    EXPECT_EQ(quality.shift_worst, 1u);
    EXPECT_EQ(quality.shift_mean, 1.0);
    EXPECT_EQ(quality.shifts + 1, order_hosts(subnet.topology, subnet.lids).size());
  }
}

// Those that count loads, too, where ports and GUIDs are in order: the place of a host at its leaf
// says which way it is reached, the same everywhere.
TEST(Patterns, NoShiftMeetsItselfOnATreeInOrderWhateverEngineCounts) {
  for (const auto& recipe :
       {support::xgft({6, 8}, {1, 6}), support::xgft({18, 12}, {1, 18}),
        support::xgft({4, 4, 5}, {1, 4, 4}), support::xgft({6, 6, 12}, {1, 6, 6})}) {
    const Subnet subnet(recipe);
    for (const char* engine : {"minhop", "updn", "dnup", "sssp", "dfsssp", "weave"}) {
      const auto quality = measure(subnet, engine);
      EXPECT_EQ(quality.shift_worst, 1u) << engine;
      EXPECT_EQ(quality.shift_mean, 1.0) << engine;
    }
  }
}

TEST(Patterns, ASingleCableIsSharedByAllThatPassIt) {
  const Subnet subnet(support::parallel_links(1, 3));
  const auto quality = measure(subnet, "minhop");
  // Shift by 3 takes all three of each side over the cable; by 1 and 5 one each, by 2 and 4 two.
  EXPECT_EQ(quality.shift_worst, 3u);
  EXPECT_DOUBLE_EQ(quality.shift_mean, 9.0 / 5);
}

TEST(Patterns, PairsOnOneSwitchHaveACableEach) {
  const auto quality = measure(Subnet(support::star(6)), "minhop");
  EXPECT_DOUBLE_EQ(quality.effective_bandwidth, 1.0);
  EXPECT_EQ(quality.shift_worst, 0u);
  EXPECT_EQ(quality.bisections, 200u);
}

TEST(Patterns, TheShareIsThatOfTheWorstChannelOnTheWay) {
  // Two hosts on two switches: their one pair has the cable for itself.
  const auto alone = measure(Subnet(support::parallel_links(1, 1)), "minhop");
  EXPECT_DOUBLE_EQ(alone.effective_bandwidth, 1.0);
  EXPECT_DOUBLE_EQ(alone.bisection_worst_mean, 1.0);
  // Four: either both pairs cross, with half a cable each, or none does.
  const auto quality = measure(Subnet(support::parallel_links(1, 2)), "minhop");
  const double crossing = quality.bisection_worst_mean / 2;
  EXPECT_NEAR(crossing, 2.0 / 3, 0.1);
  EXPECT_NEAR(quality.effective_bandwidth, 1 - crossing / 2, 1e-9);
}

TEST(Patterns, WhatIsLostHasNoShare) {
  const Subnet subnet(support::parallel_links(1, 1));
  auto tables = subnet.route("minhop").tables;
  const auto host = order_hosts(subnet.topology, subnet.lids).front();
  const fabric::SwitchIndex other{1 - subnet.topology.attachment(host)->at.value};
  tables.set(other, subnet.lids.base(host), mad::kNoPortNumber);
  EXPECT_DOUBLE_EQ(measure_patterns(subnet.topology, subnet.lids, tables).effective_bandwidth, 0.5);
}

TEST(Patterns, TheSameSeedGivesTheSameFigures) {
  const Subnet subnet(support::torus({4, 4}, 2));
  const auto backwards = [](std::size_t count, const base::RangeWork& work) {
    for (std::size_t i = count; i-- > 0;) work(i, i + 1);
  };
  const PatternOptions few{.seed = 3, .bisections = 20, .most_packets = 32 * 10};
  const auto tables = subnet.route("minhop").tables;
  const auto one = measure_patterns(subnet.topology, subnet.lids, tables, few);
  const auto other = measure_patterns(subnet.topology, subnet.lids, tables, few, backwards);
  EXPECT_EQ(one.shifts, 10u);
  EXPECT_EQ(one.bisections, 10u);
  EXPECT_EQ(one.shift_mean, other.shift_mean);
  EXPECT_EQ(one.effective_bandwidth, other.effective_bandwidth);
}

TEST(Patterns, AFabricWithoutTwoHostsHasNone) {
  EXPECT_EQ(measure(Subnet(support::star(1)), "minhop").shifts, 0u);
  EXPECT_EQ(measure(Subnet(support::Recipe{}), "minhop").bisections, 0u);
}

TEST(Patterns, HostsOfOneSubtreeStandTogether) {
  const auto tree = support::xgft({2, 3, 4}, {1, 3, 3});
  const Subnet subnet(support::relabelled(tree, 2));
  const auto order = order_hosts(subnet.topology, subnet.lids);
  ASSERT_EQ(order.size(), 24u);
  for (std::size_t i = 0; i < order.size(); i += 6) {
    // Those of one subtree are at most two hops up and down from each other.
    std::vector<std::uint32_t> middles;
    for (std::size_t k = i; k < i + 6; ++k) {
      const auto at = subnet.topology.attachment(order[k])->at;
      std::vector<std::uint32_t> above;
      for (const auto& channel : subnet.topology.channels_from(at))
        above.push_back(channel.to.value);
      std::sort(above.begin(), above.end());
      EXPECT_TRUE(k == i || above == middles);
      middles = above;
    }
  }
}

}  // namespace
}  // namespace heddle::routing
