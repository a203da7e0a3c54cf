// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid.hpp"

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/routing/damage.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

base::Result<Grid> grid_of(const support::Recipe& recipe) {
  const auto topology = support::build(recipe);
  return recognise_grid(topology, CompactChannels(topology));
}

support::Recipe mesh(unsigned columns, unsigned rows) {
  support::Recipe recipe;
  for (unsigned i = 0; i < columns * rows; ++i) recipe.add_switch("switch");
  for (unsigned i = 0; i < columns * rows; ++i) {
    if ((i + 1) % columns != 0) recipe.join(i, i + 1);
    if (i + columns < columns * rows) recipe.join(i, i + columns);
  }
  return recipe;
}

std::string title_of(const support::Recipe& recipe) {
  const auto grid = grid_of(recipe);
  return grid ? grid->title() : "none: " + grid.error().message;
}

TEST(Grid, ShapesAreTold) {
  EXPECT_EQ(title_of(support::torus({6, 5, 7}, 1)), "torus 6x5x7");
  EXPECT_EQ(title_of(support::torus({3, 3}, 1)), "torus 3x3");
  EXPECT_EQ(title_of(support::ring(9, 1)), "torus 9");
  EXPECT_EQ(title_of(mesh(5, 8)), "mesh 5x8");
  EXPECT_EQ(title_of(mesh(7, 1)), "mesh 7");
  EXPECT_EQ(title_of(support::hyperx({6, 5}, 1)), "HyperX 6x5");
  EXPECT_EQ(title_of(support::torus({2, 2, 2, 2}, 1)), "hypercube of 4 dimensions");
  EXPECT_EQ(title_of(support::torus({4, 4}, 1)), "hypercube of 4 dimensions");
  EXPECT_EQ(title_of(support::parallel_links(3, 1)), "mesh 2");
}

TEST(Grid, NeitherGuidsNorPortsMatter) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const auto& [name, recipe] :
         std::vector<NamedRecipe>{{"torus", support::torus({5, 5, 3}, 1)},
                                  {"mesh", mesh(6, 6)},
                                  {"HyperX", support::hyperx({5, 5}, 2)}}) {
      const auto grid = grid_of(support::relabelled(recipe, seed));
      ASSERT_TRUE(grid) << name;
      EXPECT_EQ(grid->missing(), 0u) << name;
    }
  }
}

// Whoever is joined differs on one axis by one step, and the other way round.
TEST(Grid, PositionsAgreeWithTheCables) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto topology = support::build(support::relabelled(support::torus({5, 6, 3}, 0), seed));
    const auto grid = recognise_grid(topology, CompactChannels(topology));
    ASSERT_TRUE(grid);
    for (const auto& channel : topology.channels()) {
      unsigned steps = 0;
      for (std::size_t a = 0; a < grid->axes.size(); ++a) {
        const std::uint32_t size = grid->axes[a].size;
        const std::uint32_t apart =
            (grid->at(channel.to.value, a) + size - grid->at(channel.from.value, a)) % size;
        steps += std::min(apart, size - apart);
      }
      EXPECT_EQ(steps, 1u);
    }
  }
}

TEST(Grid, LostLinksAndSwitchesLeaveEverybodyInPlace) {
  const auto torus = support::torus({5, 6, 3}, 1);
  const auto whole = support::build(torus);
  const auto before = recognise_grid(whole, CompactChannels(whole));
  ASSERT_TRUE(before);
  base::Prng prng(1);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto lost = 1 + prng.below(89);  // all but the origin
    const auto topology =
        support::build(support::degraded(without_switches(torus, {lost}), 4, seed));
    const auto after = recognise_grid(topology, CompactChannels(topology));
    ASSERT_TRUE(after) << seed << after.error().message;
    EXPECT_EQ(after->axes, before->axes);
    EXPECT_EQ(after->missing(), 1u);
    for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
      const auto old = *whole.find_node(topology.node(fabric::SwitchIndex{s}).guid);
      EXPECT_EQ(after->place(s), before->place(old.value)) << "seed " << seed;
    }
  }
}

// Where all squares beside a link have lost another one, nothing is parallel to it any more.
TEST(Grid, LinksWithoutASquareHaveThePlaceOfTheirEnds) {
  const auto torus = support::torus({5, 5, 5}, 1);
  const auto whole = grid_of(torus);
  ASSERT_TRUE(whole);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto grid = grid_of(support::degraded(torus, 19, seed));
    ASSERT_TRUE(grid) << seed << ": " << grid.error().message;
    EXPECT_EQ(grid->axes, whole->axes) << seed;
    EXPECT_EQ(grid->position, whole->position) << seed;
  }
}

TEST(Grid, ALinkWithoutASquareThatLeadsElsewhereIsNoGrids) {
  auto chord = support::torus({5, 5, 5}, 1);
  chord.join(0, 62);
  EXPECT_TRUE(grid_of(chord).has_error());
}

TEST(Grid, OthersAreRefusedWithAReason) {
  for (const auto& [name, recipe] : std::vector<NamedRecipe>{
           {"tree", support::xgft({3, 3, 4}, {1, 3, 2})},
           {"random", support::random_regular(60, 6, 1, 1)},
           {"dragonfly", support::dragonfly(9, 4, 2, 1)},
           {"slim fly", support::slim_fly(5, 1)},
           {"islands", support::two_islands(support::torus({5, 5}, 1), support::torus({3, 3}, 1))},
           {"one switch", support::star(3)},
           {"nothing", {}}}) {
    const auto grid = grid_of(recipe);
    EXPECT_TRUE(grid.has_error()) << name << ": " << (grid ? grid->title() : "");
  }
}

TEST(Grid, AnythingMayBeAsked) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto grid = grid_of(support::random_mess(seed));
    if (!grid) continue;
    EXPECT_LE(grid->missing() * 4, grid->switch_at.size()) << seed;
  }
}

}  // namespace
}  // namespace heddle::routing
