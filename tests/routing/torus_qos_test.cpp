// SPDX-License-Identifier: BSD-3-Clause
#include "routing/torus_qos.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "routing/grid.hpp"
#include "routing/quality.hpp"
#include "tests/routing/damage.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/sanitized.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

base::Result<Routes> route(const Subnet& subnet, unsigned vls = 4) {
  return TorusQos{}.route({subnet.topology, subnet.lids, subnet.options, base::inline_for, vls});
}

void expect_proven(const Subnet& subnet, unsigned vls, const std::string& what) {
  const auto routes = route(subnet, vls);
  ASSERT_TRUE(routes) << what << ": " << routes.error().message;
  EXPECT_LE(routes->lanes.vls, vls) << what;
  const auto proof = fabric::verify(subnet.topology, subnet.lids, routes->tables, routes->lanes);
  EXPECT_TRUE(proof.reaches_all()) << what;
  EXPECT_TRUE(proof.deadlock_free())
      << what << ": " << fabric::describe_cycle(subnet.topology, proof.credit_cycle);
  EXPECT_TRUE(proof.replies_safe()) << what;
}

// The level of every pair that both fabrics have, told by GUIDs.
std::map<std::pair<mad::Guid, mad::Guid>, std::uint8_t> levels_of(const Subnet& subnet,
                                                                  const Routes& routes) {
  std::map<std::pair<mad::Guid, mad::Guid>, std::uint8_t> levels;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    subnet.for_each_lid([&](mad::Lid lid, SwitchIndex at, mad::PortNumber) {
      levels[{subnet.topology.node(SwitchIndex{s}).guid, subnet.topology.node(at).guid}] =
          routes.lanes.levels.level(SwitchIndex{s}, lid);
    });
  }
  return levels;
}

TEST(TorusQos, IsProvenOnToriAndMeshesOfAllSizes) {
  for (const auto& sides : std::vector<std::vector<unsigned>>{
           {5}, {16}, {3, 3}, {5, 6}, {8, 3}, {4, 4}, {4, 7}, {5, 4, 3}, {6, 6, 6}, {2, 8, 5}}) {
    const Subnet subnet(support::torus(sides, 2), 1);
    expect_proven(subnet, 2, "sides from " + std::to_string(sides.front()));
  }
}

TEST(TorusQos, WaysAreShortestAndLoadsNearlyEven) {
  const Subnet subnet(support::torus({6, 6, 6}, 4));
  const auto routes = route(subnet);
  ASSERT_TRUE(routes);
  const auto quality = measure_quality(subnet.topology, subnet.lids, routes->tables);
  EXPECT_EQ(quality.hops, quality.fewest_hops);
  EXPECT_LT(static_cast<double>(quality.greatest_load), 1.2 * quality.mean_load);
}

TEST(TorusQos, ATorusNeedsTwoLanesAndSaysSo) {
  const Subnet subnet(support::torus({5, 5}, 1));
  const auto routes = route(subnet, 1);
  ASSERT_TRUE(routes.has_error());
  EXPECT_NE(routes.error().message.find("needs 2 VLs"), std::string::npos);
}

// Bit a of the level: the shortest way crosses the dateline of axis a. Without it there is a loop.
TEST(TorusQos, LevelsAreNeeded) {
  const Subnet subnet(support::torus({5, 5}, 1));
  auto routes = route(subnet, 2);
  ASSERT_TRUE(routes);
  std::set<std::uint8_t> levels;
  for (const auto& [pair, level] : levels_of(subnet, *routes)) levels.insert(level);
  EXPECT_EQ(levels, (std::set<std::uint8_t>{0, 1, 2, 3}));
  routes->lanes.levels = {};
  EXPECT_FALSE(
      fabric::verify(subnet.topology, subnet.lids, routes->tables, routes->lanes).deadlock_free());
}

TEST(TorusQos, AnySwitchMayFailAndNoLevelChanges) {
  for (const auto& sides : std::vector<std::vector<unsigned>>{{6, 5}, {4, 6, 5}, {5, 3, 7}}) {
    const auto torus = support::torus(sides, 1);
    const Subnet whole(torus);
    const auto before = route(whole);
    ASSERT_TRUE(before);
    const auto levels = levels_of(whole, *before);
    const auto switches = whole.topology.switch_count();
    for (std::size_t lost = 0; lost < switches; lost += test::stride(1)) {
      const Subnet subnet(without_switches(torus, {lost}));
      expect_proven(subnet, 4, "without switch " + std::to_string(lost));
      const auto after = route(subnet);
      ASSERT_TRUE(after);
      EXPECT_EQ(after->lanes.vls, before->lanes.vls);
      for (const auto& [pair, level] : levels_of(subnet, *after)) {
        EXPECT_EQ(level, levels.at(pair)) << "without switch " << lost;
      }
    }
  }
}

TEST(TorusQos, SwitchesSideBySideOnTheLastAxisMayFail) {
  const auto torus = support::torus({6, 6}, 1);
  for (std::size_t lost = 0; lost < 30; ++lost) {
    expect_proven(Subnet(without_switches(torus, {lost, lost + 6})), 4,
                  "without switches from " + std::to_string(lost));
  }
}

TEST(TorusQos, OneLinkOfEveryRingMayFailAndNoLevelChanges) {
  const auto torus = support::torus({5, 6}, 1);
  const Subnet whole(torus);
  const auto before = route(whole, 2);
  ASSERT_TRUE(before);
  const auto levels = levels_of(whole, *before);
  base::Prng prng(7);
  for (unsigned attempt = 0; attempt < 20; ++attempt) {
    auto damaged = torus;
    for (std::size_t y = 0; y < 6; ++y) {
      const auto x = prng.below(5);
      damaged = without_link(damaged, x + 5 * y, (x + 1) % 5 + 5 * y);
    }
    const Subnet subnet(damaged);
    const auto grid = recognise_grid(subnet.topology, CompactChannels(subnet.topology));
    if (!grid || grid->axes[0].size != 5) continue;  // the cuts lie so that it looks otherwise
    expect_proven(subnet, 2, "attempt " + std::to_string(attempt));
    const auto after = route(subnet, 2);
    for (const auto& [pair, level] : levels_of(subnet, *after)) {
      EXPECT_EQ(level, levels.at(pair)) << "attempt " << attempt;
    }
  }
}

TEST(TorusQos, ARowInPiecesIsNamed) {
  auto damaged = without_link(support::torus({7, 5, 3}, 1), 0, 1);
  damaged = without_link(damaged, 2, 3);
  const auto routes = route(Subnet(damaged));
  ASSERT_TRUE(routes.has_error());
  EXPECT_NE(routes.error().message.find("no way from switch"), std::string::npos)
      << routes.error().message;
}

TEST(TorusQos, NeverAnUnprovenTableWithoutTheProofNoticing) {
  const auto torus = support::torus({5, 4, 4}, 1);
  unsigned routed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Subnet subnet(support::degraded(torus, 1 + static_cast<unsigned>(seed % 10), seed));
    const auto routes = route(subnet);
    if (!routes) continue;
    ++routed;
    EXPECT_TRUE(
        fabric::verify(subnet.topology, subnet.lids, routes->tables, routes->lanes).proven())
        << seed;
  }
  EXPECT_GT(routed, 30u);
}

TEST(TorusQos, ParallelCablesShareTheLids) {
  auto recipe = support::ring(5, 4);
  for (std::size_t s = 0; s < 5; ++s) recipe.join(s, (s + 1) % 5);
  const Subnet subnet(recipe);
  const auto routes = route(subnet);
  ASSERT_TRUE(routes);
  const auto quality = measure_quality(subnet.topology, subnet.lids, routes->tables);
  EXPECT_EQ(quality.least_load, quality.greatest_load);
}

TEST(TorusQos, TheHighLevelsHaveLanesOfTheirOwnWhereThereAreEight) {
  const Subnet subnet(support::torus({5, 5}, 1));
  const auto routes = route(subnet, 8);
  ASSERT_TRUE(routes);
  ASSERT_EQ(routes->lanes.vls, 8);
  const auto& channel = subnet.topology.channels().front();
  const auto& map = routes->lanes.maps.at(channel.from, mad::PortNumber{0}, channel.out);
  for (unsigned level = 0; level < 8; ++level) EXPECT_EQ(map[level] + 4, map[level + 8]);
}

TEST(TorusQos, GivesTheSameBytesHoweverTheFabricIsTold) {
  const auto torus = support::relabelled(support::torus({5, 6, 3}, 2), 4);
  const Subnet one(torus), other(support::shuffled(torus, 9));
  EXPECT_EQ(route(one)->tables, route(other)->tables);
  EXPECT_EQ(route(one)->lanes, route(other)->lanes);
}

TEST(TorusQos, WhatIsNoTorusIsRefused) {
  for (const auto& recipe : {support::hyperx({4, 5}, 1), support::xgft({4, 4}, {1, 4}),
                             support::random_regular(30, 6, 1, 1)}) {
    const auto routes = route(Subnet(recipe));
    ASSERT_TRUE(routes.has_error());
    EXPECT_EQ(routes.error().message.rfind("not a torus or mesh", 0), 0u);
  }
}

}  // namespace
}  // namespace heddle::routing
