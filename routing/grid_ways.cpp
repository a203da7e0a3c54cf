// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid_ways.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "routing/shortest_trees.hpp"

namespace heddle::routing {

GridWays::GridWays(const CompactChannels& channels, const Grid& grid, unsigned layers, Cut cut)
    : channels_(channels),
      grid_(grid),
      steps_(grid, channels),
      layers_(layers),
      cut_(cut),
      cuts_(grid_cuts(grid, layers)) {}

// The layers that are cut at a position that is passed through, or in a link.
LayerSet GridWays::lost_on(std::size_t axis, Side side, std::uint32_t from,
                           std::uint32_t hops) const {
  const Grid::Axis& ring = grid_.axes[axis];
  unsigned lost = 0;
  for (unsigned v = 0; v < layers_; ++v) {
    const std::uint32_t at = cuts_[v][axis];
    const std::uint32_t before =
        (side == Side::Up ? at + ring.size - from : from + ring.size - at) % ring.size;
    // The link below the position.
    const std::uint32_t hop = side == Side::Down ? before + 1 : before > 0 ? before : ring.size;
    const bool passes = cut_ == Cut::Position ? before > 0 && before < hops : hop <= hops;
    if (passes) lost |= 1u << v;
  }
  return static_cast<LayerSet>(lost);
}

// Where the way turns into an axis, after all earlier ones; may be missing.
std::uint32_t GridWays::corner(std::uint32_t at, std::uint32_t target, std::size_t axis) const {
  std::size_t place = 0, stride = 1;
  for (std::size_t a = 0; a < grid_.axes.size(); ++a) {
    place += grid_.at(a < axis ? target : at, a) * stride;
    stride *= grid_.axes[a].size;
  }
  return grid_.switch_at[place];
}

bool GridWays::is_open(std::uint32_t from, std::size_t axis, Side side, std::uint32_t hops) const {
  return from != Grid::kMissing && steps_.can_go(from, axis, side == Side::Up) >= hops;
}

// Adds to lost what the way along this axis loses.
GridWays::Side GridWays::side(std::uint32_t at, std::uint32_t target, std::size_t axis,
                              LayerSet& lost) const {
  const Grid::Axis& row = grid_.axes[axis];
  const std::uint32_t here = grid_.at(at, axis), there = grid_.at(target, axis);
  if (here == there || row.shape == Grid::Shape::Full) return Side::None;
  if (row.shape == Grid::Shape::Line) return there > here ? Side::Up : Side::Down;
  struct Choice {
    Side side = Side::Up;
    std::uint32_t hops = 0;
    LayerSet lost = 0;
  };
  const auto choice = [&](Side side, std::uint32_t hops) {
    return Choice{side, hops, static_cast<LayerSet>(lost | lost_on(axis, side, here, hops))};
  };
  Choice best = choice(Side::Up, (there + row.size - here) % row.size);
  Choice other = choice(Side::Down, row.size - best.hops);
  const auto all = static_cast<LayerSet>((1u << layers_) - 1);
  const std::uint32_t from = corner(at, target, axis);
  const auto rank = [&](const Choice& one) {
    return std::tuple(one.lost == all, one.hops, std::popcount(one.lost));
  };
  // Opposite positions of an even ring: half of them go up, and those of neighbouring rows the
  // other half; the way back takes the same side.
  const bool up =
      (here < there) != ((std::min(here, there) + steps_.odd_between(at, target, axis)) % 2 == 1);
  if (!up) std::swap(best, other);
  if (rank(other) < rank(best)) std::swap(best, other);
  // As if nothing were missing, since on the way back it may be otherwise: a ring that is broken
  // costs no layer on any side.
  lost = best.lost;
  const bool turned =
      !is_open(from, axis, best.side, best.hops) && is_open(from, axis, other.side, other.hops);
  return turned ? other.side : best.side;
}

LayerSet GridWays::layers(std::uint32_t at, std::uint32_t target) const {
  LayerSet lost = 0;
  for (std::size_t axis = grid_.axes.size(); axis-- > 0;) side(at, target, axis, lost);
  return static_cast<LayerSet>(~lost & ((1u << layers_) - 1));
}

std::uint32_t GridWays::channel(std::uint32_t at, std::uint32_t target) const {
  LayerSet lost = 0;
  Side taken = Side::None;
  std::size_t along = grid_.axes.size();
  for (std::size_t axis = grid_.axes.size(); axis-- > 0;) {
    if (grid_.at(at, axis) == grid_.at(target, axis)) continue;
    taken = side(at, target, axis, lost);
    along = axis;
  }
  const std::uint32_t here = grid_.at(at, along), size = grid_.axes[along].size;
  const std::uint32_t to = taken == Side::None ? grid_.at(target, along)
                                               : (here + (taken == Side::Up ? 1 : size - 1)) % size;
  const auto& cables = steps_.cables(at, along, to);
  if (cables.count == 0) return kNoWay;
  return channels_.first[at] + cables.first + target % cables.count;
}

void GridWays::toward(std::uint32_t target, std::vector<std::uint32_t>& next) const {
  for (std::uint32_t s = 0; s < next.size(); ++s) {
    next[s] = s == target ? kNoWay : channel(s, target);
  }
}

}  // namespace heddle::routing
