// SPDX-License-Identifier: BSD-3-Clause
#include "routing/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using testing::HasSubstr;

Policy minhop_first() {
  Policy policy;
  policy.engines = {"minhop"};
  return policy;
}

base::Result<Selected> select(const Subnet& subnet, const Policy& policy) {
  return select_routes(subnet.topology, subnet.lids, policy);
}

TEST(Selection, TheFirstEngineThatIsProvenIsTaken) {
  const Subnet tree(support::xgft({4, 6}, {1, 4}));
  const auto selected = select(tree, minhop_first());
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->routes.engine, "minhop");
  EXPECT_TRUE(selected->proof.proven());
  EXPECT_TRUE(selected->rejected.empty());
}

TEST(Selection, AWholeTreeOfThreeLevelsIsRoutedByMinhop) {
  const Subnet tree(support::relabelled(support::xgft({3, 3, 4}, {1, 3, 2}), 1));
  EXPECT_EQ(select(tree, minhop_first())->routes.engine, "minhop");
}

TEST(Selection, ARingIsTakenFromMinhopAndTheCycleTold) {
  const Subnet ring(support::ring(6, 2));
  const auto selected = select(ring, minhop_first());
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->routes.engine, "updn");
  EXPECT_TRUE(selected->proof.proven());
  ASSERT_EQ(selected->rejected.size(), 1u);
  EXPECT_EQ(selected->rejected[0].engine, "minhop");
  EXPECT_THAT(selected->rejected[0].reason, HasSubstr("credit loop over 6 links"));
  EXPECT_THAT(selected->rejected[0].reason, HasSubstr("switch0/"));
  EXPECT_THAT(selected->rejected[0].reason, HasSubstr(" -> "));
}

TEST(Selection, WithoutFallbackARingHasNoRoutesAndTheErrorSaysWhy) {
  const Subnet ring(support::ring(6, 2));
  Policy policy = minhop_first();
  policy.fallback = false;
  const auto selected = select(ring, policy);
  ASSERT_FALSE(selected);
  EXPECT_THAT(selected.error().message, HasSubstr("minhop: its tables hold a credit loop"));
}

TEST(Selection, TheOperatorMayAcceptCreditLoops) {
  const Subnet ring(support::ring(6, 2));
  Policy policy = minhop_first();
  policy.accept_credit_loops = true;
  const auto selected = select(ring, policy);
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->routes.engine, "minhop");
  EXPECT_FALSE(selected->proof.deadlock_free());
}

TEST(Selection, LeftToItselfTakesFtreeForTreesAndWeaveElsewhere) {
  const Subnet tree(support::xgft({3, 3, 4}, {1, 3, 2})), ring(support::ring(6, 2));
  const auto of_tree = select(tree, {}), of_ring = select(ring, {});
  EXPECT_EQ(of_tree->routes.engine, "ftree");
  EXPECT_EQ(of_ring->routes.engine, "weave");
  EXPECT_TRUE(of_tree->rejected.empty() && of_ring->rejected.empty());
  EXPECT_THAT(of_tree->routes.notes.front(), HasSubstr("is a tree"));
  EXPECT_THAT(of_ring->routes.notes.front(), HasSubstr("no tree"));
}

TEST(Selection, TablesThatNeedMoreLanesThanThereAreAreRefused) {
  const Subnet ring(support::ring(6, 2));
  Policy policy;
  policy.max_vls = 2;
  fabric::Verification proof;
  EXPECT_FALSE(objection(ring.topology, policy, {2, {}, {}}, proof));
  EXPECT_THAT(objection(ring.topology, policy, {3, {}, {}}, proof).value_or(""),
              HasSubstr("need 3 VLs, and 2 may be used"));
}

TEST(Selection, AMisspelledEngineIsAnErrorWithAHint) {
  const Subnet star(support::star(2));
  Policy policy;
  policy.engines = {"updn", "minhpo"};
  const auto selected = select(star, policy);
  ASSERT_FALSE(selected);
  EXPECT_THAT(selected.error().message, HasSubstr("\"minhpo\", did you mean \"minhop\"?"));
  EXPECT_THAT(selected.error().message, HasSubstr("auto, minhop, updn"));
}

TEST(Selection, AnEmptyListMeansTheLastResort) {
  const Subnet star(support::star(2));
  Policy policy;
  policy.engines.clear();
  EXPECT_EQ(select(star, policy)->routes.engine, "updn");
  policy.fallback = false;
  EXPECT_FALSE(select(star, policy));
}

TEST(Selection, SomethingIsFoundForEveryFabric) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const auto selected = select(Subnet(recipe, 1), {});
    ASSERT_TRUE(selected) << name;
    EXPECT_TRUE(selected->proof.proven()) << name;
  }
}

}  // namespace
}  // namespace heddle::routing
