// SPDX-License-Identifier: BSD-3-Clause
// What every engine that makes lanes promises: its tables are proven by a judge that knows nothing
// of it, with as many VLs as it may use and no more.
#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

void split_for(std::size_t count, const base::RangeWork& work) {
  for (std::size_t i = count; i-- > 0;) work(i, i + 1);
}

std::vector<NamedRecipe> fabrics_for_lanes() {
  auto all = all_kinds_of_fabrics();
  all.push_back({"long ring", support::ring(16, 2)});
  all.push_back({"cube", support::torus({6, 6, 6}, 1)});
  all.push_back({"HyperX", support::hyperx({4, 3}, 2)});
  all.push_back({"dragonfly", support::dragonfly(5, 4, 2, 2)});
  all.push_back({"dragonfly+", support::dragonfly_plus(3, 4, 4, 2, 2)});
  all.push_back({"Kautz", support::kautz(3, 3, 2)});
  all.push_back({"slim fly", support::slim_fly(5, 2)});
  return all;
}

using Case = std::tuple<const char*, unsigned, bool>;  // engine, data VLs, cover replies

class EngineWithLanes : public testing::TestWithParam<Case> {
 protected:
  static base::Result<Routes> route(const Subnet& subnet,
                                    const base::ParallelFor& parallel = base::inline_for) {
    const auto [engine, vls, cover] = GetParam();
    return find_engine(engine)->route(
        {subnet.topology, subnet.lids, subnet.options, parallel, vls, cover});
  }
};

TEST_P(EngineWithLanes, IsProvenOnEveryKindOfFabricOrSaysWhyNot) {
  const auto [engine, vls, cover] = GetParam();
  for (const auto& [name, recipe] : fabrics_for_lanes()) {
    const Subnet subnet(recipe, 1);
    const auto routes = route(subnet);
    if (!routes) {
      EXPECT_STRNE(engine, "weave") << name << ": " << routes.error().message;
      continue;
    }
    EXPECT_LE(routes->lanes.vls, vls) << name;
    const auto proof = fabric::verify(subnet.topology, subnet.lids, routes->tables, routes->lanes);
    EXPECT_TRUE(proof.reaches_all()) << name;
    EXPECT_TRUE(proof.deadlock_free())
        << name << fabric::describe_cycle(subnet.topology, proof.credit_cycle);
    EXPECT_TRUE(proof.replies_safe() || !cover) << name;
  }
}

TEST_P(EngineWithLanes, GivesTheSameBytesHoweverTheWorkIsSplit) {
  for (const auto& [name, recipe] : fabrics_for_lanes()) {
    const Subnet subnet(recipe);
    const auto one = route(subnet), other = route(subnet, split_for);
    ASSERT_EQ(one.has_value(), other.has_value()) << name;
    if (!one) continue;
    EXPECT_EQ(one->tables, other->tables) << name;
    EXPECT_EQ(one->lanes, other->lanes) << name;
  }
}

std::string name_of(const testing::TestParamInfo<Case>& tried) {
  const auto [engine, vls, cover] = tried.param;
  return engine + std::to_string(vls) + (cover ? "Replies" : "Forward");
}

INSTANTIATE_TEST_SUITE_P(All, EngineWithLanes,
                         testing::Combine(testing::Values("weave"), testing::Values(1, 2, 4, 8),
                                          testing::Bool()),
                         name_of);

}  // namespace
}  // namespace heddle::routing
