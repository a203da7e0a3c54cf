// SPDX-License-Identifier: BSD-3-Clause
// Engines that know the shape of a fabric, and auto, which chooses among them.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "routing/dragonfly.hpp"
#include "routing/dragonfly_plus.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"
#include "tests/routing/damage.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

base::Result<Routes> route(const Subnet& subnet, const char* engine, unsigned vls) {
  return find_engine(engine)->route(
      {subnet.topology, subnet.lids, subnet.options, base::inline_for, vls});
}

bool proven(const Subnet& subnet, const Routes& routes) {
  const auto proof = fabric::verify(subnet.topology, subnet.lids, routes.tables, routes.lanes);
  return proof.proven() && proof.replies_safe();
}

Quality quality_of(const Subnet& subnet, const Routes& routes) {
  return measure_quality(subnet.topology, subnet.lids, routes.tables);
}

TEST(HyperX, OneHopForEachAxisOnOneVl) {
  const Subnet subnet(support::relabelled(support::hyperx({6, 5, 4}, 2), 3));
  const auto routes = route(subnet, "hyperx", 1);
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_TRUE(proven(subnet, *routes));
  const auto quality = quality_of(subnet, *routes);
  EXPECT_EQ(quality.hops, quality.fewest_hops);
  EXPECT_EQ(quality.max_hops, 3u);
}

TEST(HyperX, ADamagedOneIsLeftToWeaveAndThatIsTold) {
  const auto recipe = support::hyperx({6, 5}, 2);
  for (const auto& damaged : {without_link(recipe, 0, 1), without_switches(recipe, {7})}) {
    const Subnet subnet(damaged);
    const auto routes = route(subnet, "hyperx", 1);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_EQ(routes->engine, "hyperx");
    EXPECT_TRUE(proven(subnet, *routes));
    EXPECT_EQ(routes->notes.front().rfind("left to weave: ", 0), 0u) << routes->notes.front();
  }
}

TEST(Dragonfly, IsProvenOnTwoVlsAndNoBetterWaysExistThanByOneCable) {
  for (const auto& recipe :
       {support::dragonfly(9, 4, 2, 2), support::dragonfly(5, 4, 3, 2),
        support::relabelled(support::dragonfly(7, 6, 2, 3), 2), support::dragonfly(4, 3, 1, 1)}) {
    const Subnet subnet(recipe, 1);
    const auto routes = route(subnet, "dragonfly", 2);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_EQ(routes->lanes.vls, 2);
    EXPECT_TRUE(proven(subnet, *routes));
    EXPECT_LE(quality_of(subnet, *routes).max_hops, 3u);
  }
}

// The judge must see what the second lane is for.
TEST(Dragonfly, ItsSecondLaneIsNeeded) {
  const Subnet subnet(support::dragonfly(9, 4, 2, 2));
  const auto routes = route(subnet, "dragonfly", 2);
  ASSERT_TRUE(routes);
  EXPECT_FALSE(fabric::verify(subnet.topology, subnet.lids, routes->tables).deadlock_free());
}

TEST(Dragonfly, DamageAndWantOfLanesAreLeftToWeave) {
  const auto recipe = support::dragonfly(7, 6, 1, 2);
  for (const auto& [tried, vls] : std::vector<std::pair<support::Recipe, unsigned>>{
           {recipe, 1}, {without_link(recipe, 0, 1), 2}, {without_switches(recipe, {5}), 2}}) {
    const Subnet subnet(tried);
    const auto routes = route(subnet, "dragonfly", vls);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_TRUE(proven(subnet, *routes));
    EXPECT_EQ(routes->notes.front().rfind("left to weave: ", 0), 0u) << routes->notes.front();
  }
}

TEST(Dragonfly, OthersAreRefused) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const Subnet subnet(recipe);
    const auto routes = route(subnet, "dragonfly", 2);
    if (!routes) {
      EXPECT_EQ(routes.error().message.rfind("not a dragonfly: ", 0), 0u) << name;
    } else {
      EXPECT_TRUE(proven(subnet, *routes)) << name;
    }
  }
}

TEST(DragonflyPlus, IsProvenOnTwoVlsWithTheShortestWaysBetweenHosts) {
  for (const auto& recipe :
       {support::dragonfly_plus(9, 4, 4, 2, 2), support::dragonfly_plus(5, 3, 2, 4, 2),
        support::relabelled(support::dragonfly_plus(5, 4, 4, 3, 3), 2),
        support::dragonfly_plus(3, 2, 2, 1, 1)}) {
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
      const Subnet subnet(recipe, lmc);
      const auto routes = route(subnet, "dragonfly+", 2);
      ASSERT_TRUE(routes) << routes.error().message;
      EXPECT_EQ(routes->lanes.vls, 2);
      EXPECT_TRUE(proven(subnet, *routes));
      const auto quality = quality_of(subnet, *routes);
      EXPECT_EQ(quality.hops, quality.fewest_hops);
      EXPECT_EQ(quality.max_hops, 3u);
    }
  }
}

TEST(DragonflyPlus, ItsSecondLaneIsNeeded) {
  const Subnet subnet(support::dragonfly_plus(9, 4, 4, 2, 2));
  const auto routes = route(subnet, "dragonfly+", 2);
  EXPECT_FALSE(fabric::verify(subnet.topology, subnet.lids, routes->tables).deadlock_free());
}

TEST(DragonflyPlus, DamageAndWantOfLanesAreLeftToWeave) {
  const auto recipe = support::dragonfly_plus(5, 4, 4, 1, 2);
  const auto check = [](const Subnet& subnet, unsigned vls) {
    const auto routes = route(subnet, "dragonfly+", vls);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_TRUE(proven(subnet, *routes));
    EXPECT_EQ(routes->notes.front().rfind("left to weave: ", 0), 0u);
  };
  check(Subnet(without_link(recipe, 0, 4)), 2);     // a leaf and a spine
  check(Subnet(without_switches(recipe, {4})), 2);  // the only joint of two groups with it
  check(Subnet(recipe), 1);
}

TEST(DragonflyPlus, OthersAreRefused) {
  for (const auto& recipe : {support::ring(6, 2), support::xgft({4, 6}, {1, 4}),
                             support::dragonfly(9, 4, 2, 2), support::torus({4, 4}, 1)}) {
    EXPECT_TRUE(route(Subnet(recipe), "dragonfly+", 4).has_error());
  }
}

TEST(Dor, GridsOfAnyNumberOfAxesAreProven) {
  for (const auto& sides :
       std::vector<std::vector<unsigned>>{{7}, {5, 6}, {5, 5, 5}, {2, 2, 2, 2, 2}, {3, 3, 3, 3}}) {
    const Subnet subnet(support::relabelled(support::torus(sides, 2), 1));
    const auto routes = route(subnet, "dor", 2);
    ASSERT_TRUE(routes);
    EXPECT_TRUE(proven(subnet, *routes)) << sides.size();
    const auto quality = quality_of(subnet, *routes);
    EXPECT_EQ(quality.hops, quality.fewest_hops);
  }
}

TEST(Auto, TakesTheEngineOfTheShapeAndSaysSo) {
  struct Case {
    support::Recipe recipe;
    unsigned vls;
    const char* engine;
  };
  for (const auto& [recipe, vls, engine] :
       std::vector<Case>{{support::xgft({4, 4, 4}, {1, 4, 4}), 4, "ftree"},
                         {support::torus({5, 6, 5}, 2), 2, "dor"},
                         {support::torus({5, 6, 5}, 2), 1, "weave"},
                         {support::hyperx({6, 6}, 3), 1, "dor"},
                         {support::torus({2, 2, 2, 2, 2}, 2), 1, "dor"},
                         {support::dragonfly(9, 4, 2, 2), 2, "dragonfly"},
                         {support::dragonfly(9, 4, 2, 2), 1, "weave"},
                         {support::dragonfly_plus(9, 4, 4, 4, 2), 2, "dragonfly+"},
                         {without_switches(support::torus({5, 6, 5}, 2), {17}), 4, "dor"},
                         {without_link(support::torus({4, 4, 4}, 2), 0, 1), 2, "torus-2QoS"},
                         {without_link(support::hyperx({6, 6}, 3), 0, 1), 4, "weave"},
                         {support::slim_fly(5, 2), 4, "weave"}}) {
    const Subnet subnet(recipe);
    const auto routes = route(subnet, "auto", vls);
    ASSERT_TRUE(routes) << engine;
    EXPECT_EQ(routes->engine, engine);
    EXPECT_TRUE(proven(subnet, *routes)) << engine;
    EXPECT_EQ(routes->notes.front().rfind("auto: ", 0), 0u);
  }
}

TEST(Auto, CarriesNoMoreThanWeaveOnGridsAndDragonflies) {
  for (const auto& recipe : {support::torus({6, 6, 6}, 4), support::torus({5, 6, 5}, 7),
                             support::hyperx({12, 8}, 7), support::dragonfly(33, 8, 4, 4)}) {
    const Subnet subnet(recipe);
    if (is_slow_under_sanitizers(subnet)) continue;
    EXPECT_LE(quality_of(subnet, *route(subnet, "auto", 4)).greatest_load,
              quality_of(subnet, *route(subnet, "weave", 4)).greatest_load);
  }
}

TEST(Auto, IsProvenOnEveryDamagedGrid) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto recipe =
        support::degraded(support::torus({5, 4, 3}, 1), static_cast<unsigned>(1 + seed % 9), seed);
    if (seed % 2 == 0) recipe = without_switches(recipe, {seed, seed + 7});
    const Subnet subnet(recipe);
    const auto routes = route(subnet, "auto", 4);
    ASSERT_TRUE(routes) << seed;
    EXPECT_TRUE(proven(subnet, *routes)) << seed;
  }
}

// Two trees of unlike width that share their top: leaves of the one have twice the ways up.
support::Recipe uneven_tree(unsigned hosts) {
  support::Recipe recipe;
  std::vector<std::size_t> tops;
  for (unsigned i = 0; i < 4; ++i) tops.push_back(recipe.add_switch(fmt::format("top{}", i)));
  for (unsigned pod = 0; pod < 6; ++pod) {
    std::vector<std::size_t> middles;
    for (unsigned i = 0; i < (pod % 2 == 0 ? 2u : 5u); ++i) {
      middles.push_back(recipe.add_switch(fmt::format("middle{}-{}", pod, i)));
      for (std::size_t t = 0; t < (pod % 2 == 0 ? 4u : 3u); ++t) {
        recipe.join(middles.back(), tops[t]);
      }
    }
    for (unsigned i = 0; i < 4; ++i) {
      const auto leaf = recipe.add_switch(fmt::format("leaf{}-{}", pod, i));
      for (const auto middle : middles) recipe.join(leaf, middle);
      recipe.add_hosts(leaf, hosts);
    }
  }
  return recipe;
}

// As many ways up everywhere, but several down: each core has half of the spines of every pod.
support::Recipe crossed_tree() {
  constexpr unsigned kHalves = 2, kSpines = 8;
  support::Recipe recipe;
  std::vector<std::size_t> cores;
  for (unsigned i = 0; i < kSpines; ++i)
    cores.push_back(recipe.add_switch(fmt::format("core{}", i)));
  for (unsigned pod = 0; pod < 4; ++pod) {
    std::vector<std::size_t> spines;
    for (unsigned i = 0; i < kSpines; ++i) {
      spines.push_back(recipe.add_switch(fmt::format("spine{}-{}", pod, i)));
      for (unsigned c = i % kHalves; c < kSpines; c += kHalves) recipe.join(spines[i], cores[c]);
    }
    for (unsigned i = 0; i < 8; ++i) {
      const auto leaf = recipe.add_switch(fmt::format("leaf{}-{}", pod, i));
      for (const auto spine : spines) recipe.join(leaf, spine);
      recipe.add_hosts(leaf, 8);
    }
  }
  return recipe;
}

class AutoOnTrees : public testing::TestWithParam<support::Recipe (*)()> {};
INSTANTIATE_TEST_SUITE_P(Uneven, AutoOnTrees,
                         testing::Values(
                             +[] { return uneven_tree(6); }, crossed_tree));

TEST_P(AutoOnTrees, WhatRandomPairsGetDecides) {
  const Subnet subnet(support::relabelled(GetParam()(), 1));
  const auto routes = route(subnet, "auto", 1);
  ASSERT_TRUE(routes);
  EXPECT_TRUE(proven(subnet, *routes));
  const auto share_of = [&](const Routes& some) {
    return measure_patterns(subnet.topology, subnet.lids, some.tables).effective_bandwidth;
  };
  const auto share_by = [&](const char* engine) { return share_of(*route(subnet, engine, 1)); };
  const auto best = std::max({share_by("ftree"), share_by("updn"), share_by("weave")});
  ASSERT_GT(best, 1.1 * share_by("ftree")) << "this tree is not uneven enough to tell";
  EXPECT_EQ(share_of(*routes), best);
  const auto& note = routes->notes.front();
  for (const char* engine : {"ftree", "updn", "weave"}) {
    EXPECT_NE(note.find(fmt::format("{} {:.3f}", engine, share_by(engine))), std::string::npos)
        << note;
  }
}

// One pod has a switch more at its middle: uneven, and other engines give a few hundredths more.
TEST(Auto, AnUnevenTreeIsFtreesWhereOthersGiveHardlyMore) {
  support::Recipe recipe;
  std::vector<std::size_t> tops;
  for (unsigned i = 0; i < 2; ++i) tops.push_back(recipe.add_switch(fmt::format("top{}", i)));
  for (unsigned pod = 0; pod < 3; ++pod) {
    std::vector<std::size_t> middles;
    for (unsigned i = 0; i < (pod == 0 ? 3u : 2u); ++i) {
      middles.push_back(recipe.add_switch(fmt::format("middle{}-{}", pod, i)));
      for (const auto top : tops) recipe.join(middles.back(), top);
    }
    for (unsigned i = 0; i < 4; ++i) {
      const auto leaf = recipe.add_switch(fmt::format("leaf{}-{}", pod, i));
      for (const auto middle : middles) recipe.join(leaf, middle);
      recipe.add_hosts(leaf, 4);
    }
  }
  const Subnet subnet(recipe);
  const auto share_by = [&](const char* engine) {
    const auto routes = route(subnet, engine, 1);
    return measure_patterns(subnet.topology, subnet.lids, routes->tables).effective_bandwidth;
  };
  const auto best = std::max(share_by("updn"), share_by("weave"));
  ASSERT_GT(best, share_by("ftree")) << "nobody gives more";
  ASSERT_LT(best, 1.1 * share_by("ftree")) << "others give much more";
  const auto routes = route(subnet, "auto", 1);
  ASSERT_TRUE(routes);
  EXPECT_EQ(routes->engine, "ftree");
  EXPECT_EQ(routes->tables, route(subnet, "ftree", 1)->tables);
  EXPECT_NE(routes->notes.front().find("an uneven tree"), std::string::npos);
}

TEST(Auto, AnEvenTreeIsFtreesWithoutComparing) {
  const auto tree = support::xgft({6, 6, 6}, {1, 6, 6});
  for (const auto& recipe : {tree, support::relabelled(tree, 2), support::degraded(tree, 2, 1),
                             support::xgft({4, 6}, {1, 4})}) {
    const Subnet subnet(recipe);
    const auto routes = route(subnet, "auto", 4);
    ASSERT_TRUE(routes);
    EXPECT_EQ(routes->engine, "ftree");
    EXPECT_EQ(routes->notes.front(), "auto: the fabric is a tree");
  }
}

TEST(Auto, EachIslandGetsItsOwnEngine) {
  struct Case {
    support::Recipe a, b;
    unsigned vls;
    const char* engines;
  };
  const auto tree = support::xgft({3, 3, 4}, {1, 3, 2});
  const auto dragonfly = support::dragonfly(9, 4, 2, 2);
  for (const auto& [a, b, vls, engines] : std::vector<Case>{
           {tree, support::torus({5, 6}, 2), 4, "ftree,dor"},
           {support::torus({5, 6}, 2), tree, 4, "dor,ftree"},
           {support::torus({5, 6}, 2), support::torus({5, 5, 5}, 1), 4, "dor"},
           {dragonfly, tree, 2, "dragonfly,ftree"},
           {support::slim_fly(5, 2), support::random_regular(30, 6, 2, 1), 4, "weave"},
           // Only one of them can say what lane a host's packets begin on.
           {dragonfly, support::slim_fly(5, 2), 4, "dragonfly,weave"}}) {
    for (const auto lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
      const Subnet subnet(support::two_islands(a, b), lmc);
      const auto routes = route(subnet, "auto", vls);
      ASSERT_TRUE(routes) << engines << ": " << routes.error().message;
      EXPECT_EQ(routes->engine, engines);
      EXPECT_TRUE(proven(subnet, *routes)) << engines;
      EXPECT_EQ(quality_of(subnet, *routes).lost,
                quality_of(subnet, *route(subnet, "minhop", 1)).lost);
    }
  }
}

}  // namespace
}  // namespace heddle::routing
