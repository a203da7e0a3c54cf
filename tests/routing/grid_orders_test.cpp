// SPDX-License-Identifier: BSD-3-Clause
// Orders of layers for grids: what turns they take, and that each slope leads everywhere.
#include "routing/grid_orders.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "routing/grid.hpp"
#include "tests/routing/damage.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

bool is_along(const CompactChannels& channels, const Grid& grid, std::uint32_t channel,
              std::size_t axis) {
  return grid.at(channels.from[channel], axis) != grid.at(channels.to[channel], axis);
}

// Turns from a later axis into an earlier one that the layers admit, by how many of them do.
std::vector<std::size_t> turns_back(const CompactChannels& channels, const Grid& grid,
                                    const LayerOrders& orders) {
  std::vector<std::size_t> count(orders.count() + 1);
  for (std::uint32_t held = 0; held < channels.count(); ++held) {
    const std::uint32_t at = channels.to[held];
    for (std::uint32_t next = channels.first[at]; next < channels.first[at + 1]; ++next) {
      for (std::size_t axis = 1; axis < grid.axes.size(); ++axis) {
        if (!is_along(channels, grid, held, axis) || is_along(channels, grid, next, axis)) continue;
        const bool is_back = grid.axes.size() == 2 || is_along(channels, grid, next, 0) ||
                             (axis == 2 && is_along(channels, grid, next, 1));
        if (is_back) ++count[static_cast<std::size_t>(std::popcount(orders.admit(held, next)))];
      }
    }
  }
  return count;
}

TEST(GridOrders, LetNoPacketReturnToAnEarlierAxisWhereNothingIsMissing) {
  for (const auto& side : std::vector<std::vector<unsigned>>{{6, 6}, {5, 4, 6}}) {
    const Subnet subnet(support::torus(side, 1));
    const CompactChannels channels(subnet.topology);
    const auto grid = recognise_grid(subnet.topology, channels);
    ASSERT_TRUE(grid);
    ASSERT_TRUE(is_whole(*grid, channels));
    const auto turns = turns_back(channels, *grid, axis_orders(channels, *grid, 4));
    for (std::size_t layers = 1; layers <= 4; ++layers) EXPECT_EQ(turns[layers], 0u) << layers;
  }
}

// Forward on the later axis on one layer, forward on the earlier one on another: two of the four
// layers take each such turn, but for those at the cuts, of which few are left without any.
TEST(GridOrders, LetPacketsReturnToAnEarlierAxisWhereSomethingIsMissing) {
  for (const auto& side : std::vector<std::vector<unsigned>>{{6, 6}, {5, 5, 6}}) {
    const Subnet subnet(without_link(support::torus(side, 1), 0, 1));
    const CompactChannels channels(subnet.topology);
    const auto grid = recognise_grid(subnet.topology, channels);
    ASSERT_TRUE(grid);
    EXPECT_FALSE(is_whole(*grid, channels));
    const auto turns = turns_back(channels, *grid, returning_orders(channels, *grid, 4));
    const auto all = std::accumulate(turns.begin(), turns.end(), std::size_t{0});
    EXPECT_LT(turns[0], all / 15);
    EXPECT_GT(turns[2], 2 * turns[1]);
    EXPECT_EQ(turns[3] + turns[4], 0u);
  }
}

TEST(GridOrders, KnowWhatIsMissing) {
  const std::vector<std::pair<bool, support::Recipe>> grids{
      {true, support::torus({4, 5}, 1)},
      {true, support::hyperx({4, 3}, 1)},
      {true, support::torus({2, 2, 2, 2}, 1)},
      {false, without_link(support::hyperx({4, 3}, 1), 0, 2)},
      {false, without_link(support::torus({2, 2, 2, 2}, 1), 0, 1)}};
  for (const auto& [whole, recipe] : grids) {
    const Subnet subnet(recipe);
    const CompactChannels channels(subnet.topology);
    const auto grid = recognise_grid(subnet.topology, channels);
    ASSERT_TRUE(grid);
    EXPECT_EQ(is_whole(*grid, channels), whole) << grid->title();
  }
}

// By which way packets come on the later axis and go on the earlier one of a torus: the layers.
struct Crossing {
  LayerSet by[2][2] = {};
  bool takes(LayerSet some, LayerSet other) const { return (some & other) != 0; }
  bool joins() const { return takes(by[0][0], by[1][0]) || takes(by[0][1], by[1][1]); }
  bool parts() const { return takes(by[0][0], by[0][1]) || takes(by[1][0], by[1][1]); }
};

Crossing crossing_at(const CompactChannels& channels, const Grid& grid, const LayerOrders& orders,
                     std::uint32_t at) {
  Crossing crossing;
  const auto is_up = [&](std::uint32_t channel, std::size_t axis) {
    const std::uint32_t from = grid.at(channels.from[channel], axis);
    return grid.at(channels.to[channel], axis) == (from + 1) % grid.axes[axis].size;
  };
  for (std::uint32_t held = 0; held < channels.count(); ++held) {
    if (channels.to[held] != at || !is_along(channels, grid, held, 1)) continue;
    for (std::uint32_t next = channels.first[at]; next < channels.first[at + 1]; ++next) {
      if (!is_along(channels, grid, next, 0)) continue;
      crossing.by[is_up(held, 1)][is_up(next, 0)] = orders.admit(held, next);
    }
  }
  return crossing;
}

// So pairs that come to a row from both sides, as to the end of a broken one, find a layer for both
// directions; and such as leave it for both sides find one too.
TEST(GridOrders, LetPacketsComeFromBothSidesOnSomeLayersAndGoToBothOnOthers) {
  const Subnet subnet(without_link(support::torus({6, 6}, 1), 0, 1));
  const CompactChannels channels(subnet.topology);
  const auto grid = recognise_grid(subnet.topology, channels);
  ASSERT_TRUE(grid);
  const auto orders = returning_orders(channels, *grid, 4);
  std::size_t joins = 0, parts = 0;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    const Crossing crossing = crossing_at(channels, *grid, orders, s);
    joins += crossing.joins() ? 1 : 0;
    parts += crossing.parts() ? 1 : 0;
  }
  EXPECT_GT(joins, subnet.topology.switch_count() / 2);
  EXPECT_GT(parts, subnet.topology.switch_count() / 2);
}

// Whatever the cut, and on the way up as on the way down.
TEST(GridOrders, LetPacketsGoAllTheWayRoundWhatIsLeftOfABrokenRing) {
  constexpr std::uint32_t kSide = 7;
  for (const std::uint32_t stride : {1u, kSide}) {
    const auto is_on_ring = [&](std::uint32_t s) { return s % stride == 0 && s < kSide * stride; };
    for (std::uint32_t gap = 0; gap < kSide; ++gap) {
      SCOPED_TRACE(std::to_string(gap * stride) + " by " + std::to_string(stride));
      const auto torus = support::torus({kSide, kSide}, 1);
      const Subnet subnet(without_link(torus, gap * stride, (gap + 1) % kSide * stride));
      const CompactChannels channels(subnet.topology);
      const auto grid = recognise_grid(subnet.topology, channels);
      ASSERT_TRUE(grid);
      const auto orders = returning_orders(channels, *grid, 4);
      std::size_t turns = 0;
      for (std::uint32_t held = 0; held < channels.count(); ++held) {
        const std::uint32_t from = channels.from[held], at = channels.to[held];
        for (std::uint32_t next = channels.first[at]; next < channels.first[at + 1]; ++next) {
          const std::uint32_t to = channels.to[next];
          if (!is_on_ring(from) || !is_on_ring(at) || !is_on_ring(to) || to == from) continue;
          EXPECT_EQ(orders.admit(held, next), orders.all()) << from << " over " << at;
          ++turns;
        }
      }
      EXPECT_EQ(turns, 2 * (kSide - 2));
    }
  }
}

// How many switches the ways of a layer lead to from one of them, itself among them.
std::size_t reached_in(const CompactChannels& channels, const LayerOrders& orders, unsigned layer,
                       std::uint32_t from) {
  std::vector<std::uint8_t> used(channels.count()), reached(channels.first.size() - 1);
  std::vector<std::uint32_t> found;
  const auto take = [&](std::uint32_t channel) {
    if (std::exchange(used[channel], 1) == 0) found.push_back(channel);
  };
  reached[from] = 1;
  for (std::uint32_t c = channels.first[from]; c < channels.first[from + 1]; ++c) take(c);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint32_t held = found[i], at = channels.to[held];
    reached[at] = 1;
    for (std::uint32_t c = channels.first[at]; c < channels.first[at + 1]; ++c) {
      if ((orders.admit(held, c) >> layer & 1) != 0) take(c);
    }
  }
  return static_cast<std::size_t>(std::count(reached.begin(), reached.end(), 1));
}

// Only the first of all switches is lower than all its neighbours, however much is missing.
TEST(GridSlopes, EveryLayerTakesSomeWayBetweenAnyTwoSwitches) {
  const Subnet subnet(support::degraded(support::torus({6, 6, 6}, 1), 80, 1));
  const CompactChannels channels(subnet.topology);
  const auto grid = recognise_grid(subnet.topology, channels);
  ASSERT_TRUE(grid);
  const auto orders = slope_orders(channels, *grid, 3);
  const auto all = subnet.topology.switch_count();
  for (std::uint32_t from = 0; from < all; ++from) {
    for (unsigned layer = 0; layer < orders.count(); ++layer) {
      EXPECT_EQ(reached_in(channels, orders, layer, from), all) << from << " on " << layer;
    }
  }
}

}  // namespace
}  // namespace heddle::routing
