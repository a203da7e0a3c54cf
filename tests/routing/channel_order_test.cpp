// SPDX-License-Identifier: BSD-3-Clause
#include "routing/channel_order.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using Dependency = std::pair<std::uint32_t, std::uint32_t>;

bool leads_to(const std::set<Dependency>& all, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> found{from};
  std::set<std::uint32_t> seen{from};
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == to) return true;
    for (auto next = all.lower_bound({found[i], 0}); next != all.end() && next->first == found[i];
         ++next) {
      if (seen.insert(next->second).second) found.push_back(next->second);
    }
  }
  return false;
}

// Where a search says that it would close no cycle `held` agrees to all that it leads on to.
void stand_before_all(ChannelOrder& order, const CompactChannels& channels,
                      const std::set<Dependency>& all, std::uint32_t held) {
  std::vector<std::uint32_t> onward;
  const std::uint32_t at = channels.to[held];
  for (std::uint32_t next = channels.first[at]; next < channels.first[at + 1]; ++next) {
    if (next != channels.reverse(held)) onward.push_back(next);
  }
  const bool possible = std::none_of(onward.begin(), onward.end(),
                                     [&](auto next) { return leads_to(all, next, held); });
  order.stand_before_all(held);
  for (const std::uint32_t next : onward) {
    EXPECT_TRUE(!possible || order.agrees(held, next)) << held << " and " << next;
  }
  for (const auto& [from, to] : all) EXPECT_TRUE(order.agrees(from, to));
  const std::set<std::uint32_t> places(order.positions().begin(), order.positions().end());
  EXPECT_EQ(places.size(), channels.count());
}

// Adds, keeps and takes back dependencies at random, and asks a plain search about each.
void try_at_random(const support::Recipe& recipe, std::uint64_t seed) {
  const auto topology = support::build(recipe);
  const CompactChannels channels(topology);
  ChannelOrder order(channels);
  base::Prng random(seed);
  std::set<Dependency> all;
  std::vector<Dependency> on_trial;
  for (int i = 0; i < 3000; ++i) {
    const auto held = static_cast<std::uint32_t>(random.below(channels.count()));
    const std::uint32_t at = channels.to[held];
    const auto next =
        channels.first[at] +
        static_cast<std::uint32_t>(random.below(channels.first[at + 1] - channels.first[at]));
    EXPECT_EQ(order.has(held, next), all.count({held, next}) != 0);
    if (random.chance(0.1)) stand_before_all(order, channels, all, held);
    if (!order.has(held, next)) {
      const bool possible = !leads_to(all, next, held);
      ASSERT_EQ(order.add(held, next), possible) << i;
      if (possible) all.insert({held, next});
      if (possible) on_trial.push_back({held, next});
    }
    if (random.chance(0.1)) {
      const bool keep = random.chance(0.5);
      for (const auto& [a, b] : on_trial) {
        if (keep) order.keep(a, b);
        if (!keep) order.remove(a, b);
        if (!keep) all.erase({a, b});
      }
      on_trial.clear();
      if (random.chance(0.3)) order = ChannelOrder(order);
    }
  }
  for (const auto& [held, next] : all) EXPECT_TRUE(order.agrees(held, next));
}

TEST(ChannelOrder, RefusesExactlyWhatWouldCloseACycle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    try_at_random(support::torus({4, 4}, 1), seed);
    try_at_random(support::random_regular(20, 5, 1, seed), seed);
  }
}

TEST(ChannelOrder, HoldsDependenciesOfSwitchesWithManyPorts) {
  try_at_random(support::xgft({1, 100}, {1, 2}), 1);
}

TEST(ChannelOrder, ARingTakesAllDependenciesButOneEachWay) {
  const auto topology = support::build(support::ring(8, 1));
  const CompactChannels channels(topology);
  ChannelOrder order(channels);
  int refused = 0;
  for (std::uint32_t held = 0; held < channels.count(); ++held) {
    const std::uint32_t at = channels.to[held];
    for (std::uint32_t next = channels.first[at]; next < channels.first[at + 1]; ++next) {
      if (next != channels.reverse(held)) refused += order.add(held, next) ? 0 : 1;
    }
  }
  EXPECT_EQ(refused, 2);
}

}  // namespace
}  // namespace heddle::routing
