// SPDX-License-Identifier: BSD-3-Clause
// Up*/down* ways toward 64 targets at once against hops that are looked for one target at a time.
#include "routing/legal_choices.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"
#include "tests/routing/offered_ways.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr unsigned kNever = 0xFFFF;

struct LegalHops {
  std::vector<unsigned> descending;  // by switch: when only descending
  std::vector<unsigned> any;         // and when climbing first is allowed

  bool has_detour() const {
    for (std::size_t s = 0; s < any.size(); ++s) {
      if (descending[s] != kNever && any[s] < descending[s]) return true;
    }
    return false;
  }
  // Whether nobody but the target reaches it.
  bool is_alone() const {
    return std::count(any.begin(), any.end(), kNever) + 1 == std::ssize(any);
  }
};

// Backwards from the target: who descends into a switch on the way down, then who climbs to any.
LegalHops hops_to(const fabric::Topology& topology, const Orientation& orientation,
                  SwitchIndex target) {
  LegalHops hops;
  hops.descending.assign(topology.switch_count(), kNever);
  hops.descending[target.value] = 0;
  std::vector<SwitchIndex> reached{target};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& channel : topology.channels_from(reached[i])) {
      if (!orientation.is_up(channel.from, channel.to)) continue;
      if (hops.descending[channel.to.value] != kNever) continue;
      hops.descending[channel.to.value] = hops.descending[channel.from.value] + 1;
      reached.push_back(channel.to);
    }
  }
  hops.any = hops.descending;
  for (bool more = true; more;) {
    more = false;
    for (const auto& channel : topology.channels()) {
      if (!orientation.is_up(channel.from, channel.to)) continue;
      const unsigned by_climbing = hops.any[channel.to.value] + 1;
      if (by_climbing >= hops.any[channel.from.value]) continue;
      hops.any[channel.from.value] = by_climbing;
      more = true;
    }
  }
  return hops;
}

// Each choice is on a shortest legal way, and nobody who was entered from above climbs.
void expect_legal(const CompactChannels& channels, const Orientation& orientation,
                  const LegalHops& hops, const OfferedWays& ways) {
  const auto& order = ways.farthest_first;
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [&](SwitchIndex a, SwitchIndex b) {
    return hops.any[a.value] > hops.any[b.value];
  }));
  std::vector<bool> entered(ways.choices.size());
  for (const SwitchIndex at : order) {
    ASSERT_FALSE(ways.choices[at.value].empty()) << "switch " << at.value;
    for (const std::uint8_t choice : ways.choices[at.value]) {
      const SwitchIndex to{channels.to[channels.first[at.value] + choice]};
      EXPECT_EQ(hops.any[to.value] + 1, hops.any[at.value]);
      const bool climbs = orientation.is_up(at, to);
      EXPECT_FALSE(climbs && entered[at.value]);
      if (!climbs) entered[to.value] = true;
    }
  }
}

// Returns how many targets have a detour.
unsigned expect_right(const support::Recipe& recipe) {
  const Subnet subnet(recipe);
  const auto& topology = subnet.topology;
  const CompactChannels channels(topology);
  const Orientation orientation = orient(topology, {});
  LegalChoices together(channels, orientation), alone(channels, orientation);
  LegalChoices by_channel(channels, orientation);
  std::vector<WayFinder::Lanes> offers(channels.count(), ~WayFinder::Lanes{0});
  Ways ways(topology);
  std::vector<SwitchIndex> targets;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) targets.push_back({s});
  unsigned detours = 0;
  for (std::size_t first = 0; first < targets.size(); first += LegalChoices::kLanes) {
    const auto some =
        std::span(targets).subspan(first, std::min(LegalChoices::kLanes, targets.size() - first));
    together.spread(some);
    by_channel.offer(some, offers);
    for (std::size_t lane = 0; lane < some.size(); ++lane) {
      const LegalHops hops = hops_to(topology, orientation, some[lane]);
      EXPECT_EQ(together.has_detour(lane), hops.has_detour());
      detours += hops.has_detour();
      const OfferedWays nothing(topology, Ways(topology));
      EXPECT_EQ(by_channel.has_detour(lane), hops.has_detour());
      EXPECT_EQ(nothing.are_offered(channels, offers, lane), hops.has_detour() || hops.is_alone());
      if (hops.has_detour()) continue;
      together.lend(lane, ways);
      const OfferedWays offered(topology, ways);
      EXPECT_EQ(
          std::count(offered.farthest_first.begin(), offered.farthest_first.end(), some[lane]), 0);
      EXPECT_EQ(
          static_cast<std::ptrdiff_t>(ways.size()),
          std::count_if(hops.any.begin(), hops.any.end(), [](unsigned h) { return h < kNever; }));
      expect_legal(channels, orientation, hops, offered);
      EXPECT_TRUE(offered.are_offered(channels, offers, lane));
      alone.spread(some.subspan(lane, 1));
      alone.lend(0, ways);
      EXPECT_EQ(OfferedWays(topology, ways), offered) << "lane " << lane;
    }
  }
  return detours;
}

TEST(LegalChoices, AreThoseOfATree) {
  EXPECT_EQ(expect_right(support::xgft({4, 4, 4}, {1, 4, 4})), 0u);
}

TEST(LegalChoices, AreThoseOfADamagedTree) {
  expect_right(support::degraded(support::xgft({4, 4, 4}, {1, 4, 4}), 12, 3));
}

TEST(LegalChoices, AreThoseOfFabricsThatAreNoTrees) {
  expect_right(support::torus({4, 4}, 1));
  EXPECT_GT(expect_right(support::random_regular(90, 5, 1, 7)), 0u);
}

TEST(LegalChoices, AreThoseOfIslandsAndOfWhateverIsCabled) {
  expect_right(support::two_islands(support::torus({3, 3}, 1), support::ring(5, 1)));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) expect_right(support::random_mess(seed));
}

}  // namespace
}  // namespace heddle::routing
