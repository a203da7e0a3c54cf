// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/islands.hpp"

#include <gtest/gtest.h>

#include "tests/support/topologies.hpp"

namespace heddle::fabric {
namespace {

TEST(Islands, ARingIsOneUntilItIsCutTwice) {
  auto recipe = support::ring(6, 0);
  EXPECT_EQ(Islands(support::build(recipe)).count(), 1u);
  recipe.links.erase(recipe.links.begin() + 4);
  EXPECT_EQ(Islands(support::build(recipe)).count(), 1u);
  recipe.links.erase(recipe.links.begin() + 1);
  const Islands two(support::build(recipe));
  ASSERT_EQ(two.count(), 2u);
  EXPECT_EQ(two.members(0).size() + two.members(1).size(), 6u);
  EXPECT_EQ(two.members(0).front(), SwitchIndex{0});
  for (const SwitchIndex at : two.members(1)) EXPECT_EQ(two.of(at), 1u);
}

TEST(Islands, AHostOnTwoSwitchesJoinsNothing) {
  support::Recipe recipe;
  recipe.add_switch("a");
  recipe.add_switch("b");
  const auto host = recipe.add_host("bridge");
  recipe.join(host, 0);
  recipe.join(host, 1);
  EXPECT_EQ(Islands(support::build(recipe)).count(), 2u);
}

}  // namespace
}  // namespace heddle::fabric
