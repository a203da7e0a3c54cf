// SPDX-License-Identifier: BSD-3-Clause
// What every engine promises, on every kind of fabric.
#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/routing/splits.hpp"

namespace heddle::routing {
namespace {

class EveryEngine : public testing::TestWithParam<const char*> {};

TEST_P(EveryEngine, ReachesEverythingWithoutLoopsAtAnyLmc) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    for (std::uint8_t lmc = 0; lmc <= 3; ++lmc) {
      const Subnet subnet(recipe, lmc);
      const auto routes = subnet.route(GetParam());
      const auto proof = fabric::verify(subnet.topology, subnet.lids, routes.tables);
      EXPECT_TRUE(proof.reaches_all()) << name << ", LMC " << int{lmc};
      EXPECT_EQ(routes.engine, GetParam());
    }
  }
}

TEST_P(EveryEngine, GivesTheSameBytesHoweverTheFabricIsTold) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const auto tables = Subnet(recipe, 1).route(GetParam()).tables;
    EXPECT_EQ(tables, Subnet(recipe, 1).route(GetParam()).tables) << name;
    EXPECT_EQ(tables, Subnet(support::shuffled(recipe, 5), 1).route(GetParam()).tables) << name;
  }
}

TEST_P(EveryEngine, GivesTheSameBytesHoweverTheWorkIsSplit) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const Subnet subnet(recipe);
    EXPECT_EQ(subnet.route(GetParam()).tables, subnet.route(GetParam(), split_for).tables) << name;
  }
  // Large enough for several batches.
  const Subnet large(support::random_regular(400, 6, 1, 1));
  const auto routes = large.route(GetParam());
  EXPECT_EQ(routes.tables, large.route(GetParam(), split_for).tables);
  EXPECT_TRUE(fabric::verify(large.topology, large.lids, routes.tables).reaches_all());
}

TEST_P(EveryEngine, LeavesLidsWithoutAnOwnerAlone) {
  const Subnet subnet(support::xgft({3, 4}, {1, 2}), 3);
  const auto tables = subnet.route(GetParam()).tables;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    for (std::size_t lid = 0; lid < tables.row_size(); ++lid) {
      const mad::Lid number{static_cast<std::uint16_t>(lid)};
      if (subnet.lids.owner(number) != fabric::kNoPort) continue;
      EXPECT_EQ(tables.out_port(fabric::SwitchIndex{s}, number), mad::kNoPortNumber);
    }
  }
}

TEST_P(EveryEngine, RoutesWithSwitchesOf254Ports) {
  auto recipe = support::parallel_links(127, 127);
  const Subnet subnet(recipe);
  const auto routes = subnet.route(GetParam());
  EXPECT_TRUE(fabric::verify(subnet.topology, subnet.lids, routes.tables).proven());
}

INSTANTIATE_TEST_SUITE_P(All, EveryEngine,
                         testing::Values("minhop", "updn", "dnup", "dor", "sssp", "nue", "weave"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST(Engines, AreFoundByTheirOwnNamesOnly) {
  ASSERT_FALSE(engines().empty());
  for (const Engine* engine : engines()) {
    EXPECT_EQ(find_engine(engine->name()), engine);
    EXPECT_FALSE(engine->summary().empty());
  }
  EXPECT_EQ(find_engine("MINHOP"), nullptr);
  EXPECT_EQ(find_engine(""), nullptr);
}

}  // namespace
}  // namespace heddle::routing
