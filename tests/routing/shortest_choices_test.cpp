// SPDX-License-Identifier: BSD-3-Clause
// The walk for 64 targets at once against one for each.
#include "routing/shortest_choices.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"
#include "tests/routing/offered_ways.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr unsigned kFar = 0xFFFF;

// Hops from each switch.
std::vector<unsigned> hops_to(const fabric::Topology& topology, SwitchIndex target) {
  std::vector<unsigned> hops(topology.switch_count(), kFar);
  std::vector<SwitchIndex> reached{target};
  hops[target.value] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& channel : topology.channels_from(reached[i])) {
      if (hops[channel.to.value] != kFar) continue;
      hops[channel.to.value] = hops[reached[i].value] + 1;
      reached.push_back(channel.to);
    }
  }
  return hops;
}

// Every shortest way is offered and no other; and switches come nearest first.
void expect_right(const fabric::Topology& topology, const CompactChannels& channels,
                  SwitchIndex target, const Ways& ways) {
  const auto hops = hops_to(topology, target);
  const OfferedWays offered(topology, ways);
  const auto& order = offered.farthest_first;
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [&](SwitchIndex a, SwitchIndex b) {
    return hops[a.value] > hops[b.value];
  }));
  EXPECT_EQ(std::count(order.begin(), order.end(), target), 0);
  EXPECT_EQ(ways.size(), order.size() + 1);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(ways.size()),
            std::count_if(hops.begin(), hops.end(), [](unsigned h) { return h != kFar; }));
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    std::vector<std::uint8_t> right;
    for (std::uint32_t c = channels.first[s]; c < channels.first[s + 1]; ++c) {
      if (hops[s] == kFar || hops[channels.to[c]] + 1 != hops[s]) continue;
      right.push_back(static_cast<std::uint8_t>(c - channels.first[s]));
    }
    EXPECT_EQ(offered.choices[s], right) << "switch " << s;
  }
}

void expect_right(const support::Recipe& recipe) {
  const Subnet subnet(recipe);
  const CompactChannels channels(subnet.topology);
  ShortestChoices choices(channels), by_channel(channels);
  std::vector<WayFinder::Lanes> offers(channels.count(), ~WayFinder::Lanes{0});
  Ways ways(subnet.topology);
  std::vector<SwitchIndex> targets;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) targets.push_back({s});
  for (std::size_t first = 0; first < targets.size(); first += ShortestChoices::kLanes) {
    const auto some = std::span(targets).subspan(
        first, std::min(ShortestChoices::kLanes, targets.size() - first));
    choices.spread(some);
    by_channel.offer(some, offers);
    for (std::size_t lane = 0; lane < some.size(); ++lane) {
      choices.lend(lane, ways);
      expect_right(subnet.topology, channels, some[lane], ways);
      EXPECT_TRUE(OfferedWays(subnet.topology, ways).are_offered(channels, offers, lane));
    }
  }
}

TEST(ShortestChoices, AreThoseOfATree) {
  expect_right(support::xgft({4, 4, 4}, {1, 4, 4}));
}

TEST(ShortestChoices, AreThoseOfADamagedTree) {
  expect_right(support::degraded(support::xgft({4, 4, 4}, {1, 4, 4}), 12, 3));
}

TEST(ShortestChoices, AreThoseOfAnIrregularFabric) {
  expect_right(support::random_regular(90, 5, 1, 7));
}

TEST(ShortestChoices, AreThoseOfSwitchesWithMoreThan64Links) {
  expect_right(support::xgft({1, 150}, {1, 3}));
  expect_right(support::parallel_links(80, 3));
}

TEST(ShortestChoices, AreThoseOfIslandsAndOfWhateverIsCabled) {
  expect_right(support::two_islands(support::torus({3, 3}, 1), support::ring(5, 1)));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) expect_right(support::random_mess(seed));
}

}  // namespace
}  // namespace heddle::routing
