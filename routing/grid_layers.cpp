// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid_layers.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "routing/shortest_trees.hpp"

namespace heddle::routing {
namespace {

// Behind all others: nothing follows it, and it may follow anything.
constexpr std::uint32_t kLastOfAll = 0xFFFF'FFFF;

bool is_broken_ring(const Grid& grid, const GridSteps& steps, std::uint32_t at, std::size_t axis) {
  const Grid::Axis& row = grid.axes[axis];
  return row.shape == Grid::Shape::Ring && steps.can_go(at, axis, true) < row.size;
}

// By layer and axis: the position at which the rings are cut. The first layer's cut is beside the
// first ring of the axis before (of the last axis, for the one before it) that is broken.
std::vector<std::vector<std::uint32_t>> grid_cuts(const Grid& grid, const GridSteps& steps,
                                                  unsigned layers) {
  const std::size_t axes = grid.axes.size();
  std::vector<std::uint32_t> start(axes);
  for (std::size_t axis = axes; axes > 1 && axis-- > 0;) {
    for (std::uint32_t s = 0; s < grid.position.size() / axes; ++s) {
      if (!is_broken_ring(grid, steps, s, axis)) continue;
      const std::size_t beside = axis + 1 < axes ? axis + 1 : axis - 1;
      start[beside] = grid.at(s, beside);
      break;
    }
  }
  std::vector<std::vector<std::uint32_t>> cuts(layers);
  for (unsigned v = 0; v < layers; ++v) {
    for (std::size_t a = 0; a < axes; ++a) {
      const std::uint32_t size = grid.axes[a].size;
      cuts[v].push_back((start[a] + v * size / layers) % size);
    }
  }
  return cuts;
}

std::uint32_t place_along(const Grid::Axis& axis, std::uint32_t here, std::uint32_t there,
                          std::uint32_t cut) {
  switch (axis.shape) {
    case Grid::Shape::Full:
      return 0;
    case Grid::Shape::Line:
      return there > here ? here : axis.size - 1 - here;
    case Grid::Shape::Ring:
      break;
  }
  const bool up = there == (here + 1) % axis.size;
  return (up ? here + axis.size - cut : cut + axis.size - here) % axis.size;
}

// The only axis along which a channel leads; none if there are several.
std::size_t axis_along(const Grid& grid, std::uint32_t from, std::uint32_t to) {
  std::size_t along = grid.axes.size(), differ = 0;
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    if (grid.at(from, a) == grid.at(to, a)) continue;
    along = a;
    ++differ;
  }
  return differ == 1 ? along : grid.axes.size();
}

// Positions of channels in one layer. Three bands for each axis, before those of the next axis:
// broken rings; what leads out of them along the next axis; whole rows. So packets may leave a
// broken ring for the one beside it, and need not all go round the gap on what is left. That takes
// nothing from others if, but for the ring that is left, no channel could come before: where the
// ring along the next axis is cut. The last axis has no next one: there all is turned round, and
// packets come into broken rings last.
class LayerPositions {
 public:
  LayerPositions(const CompactChannels& channels, const Grid& grid, const GridSteps& steps,
                 const std::vector<std::uint32_t>& cuts)
      : channels_(channels), grid_(grid), steps_(steps), cuts_(cuts) {
    for (const Grid::Axis& axis : grid.axes) {
      first_.push_back(all_);
      all_ += 3 * axis.size;
    }
  }

  std::uint32_t operator()(std::uint32_t channel) const {
    const std::uint32_t from = channels_.from[channel], to = channels_.to[channel];
    const std::size_t along = axis_along(grid_, from, to), axes = grid_.axes.size();
    if (along == axes) return kLastOfAll;
    const Grid::Axis& row = grid_.axes[along];
    const std::uint32_t here = grid_.at(from, along), there = grid_.at(to, along);
    const bool is_last = along > 0 && along + 1 == axes;
    if (is_broken_ring(grid_, steps_, from, along)) {
      // A line, which need not be cut.
      const bool up = there == (here + 1) % row.size;
      return band(along, is_last ? 2 : 0) + row.size - steps_.can_go(from, along, up);
    }
    const std::uint32_t place = place_along(row, here, there, cuts_[along]);
    if (row.shape == Grid::Shape::Ring) {
      if (place == 0 && along > 0 && is_broken_ring(grid_, steps_, from, along - 1)) {
        return band(along - 1, 1);
      }
      if (place + 1 == row.size && along + 2 == axes &&
          is_broken_ring(grid_, steps_, to, along + 1)) {
        return band(along + 1, 1);
      }
    }
    return band(along, is_last ? 0 : 2) + place;
  }

 private:
  std::uint32_t band(std::size_t axis, std::uint32_t number) const {
    return first_[axis] + number * grid_.axes[axis].size;
  }

  const CompactChannels& channels_;
  const Grid& grid_;
  const GridSteps& steps_;
  const std::vector<std::uint32_t>& cuts_;
  std::vector<std::uint32_t> first_;  // by axis: the positions of its channels begin here
  std::uint32_t all_ = 0;
};

}  // namespace

LayerOrders grid_orders(const CompactChannels& channels, const Grid& grid, unsigned count) {
  const GridSteps steps(grid, channels);
  const auto cuts = grid_cuts(grid, steps, count);
  std::vector<std::vector<std::uint32_t>> positions(count);
  for (unsigned v = 0; v < count; ++v) {
    const LayerPositions position(channels, grid, steps, cuts[v]);
    for (std::uint32_t c = 0; c < channels.count(); ++c) positions[v].push_back(position(c));
  }
  return {channels, positions};
}

LayerOrders slope_orders(const CompactChannels& channels, const Grid& grid, unsigned count) {
  const auto cuts = grid_cuts(grid, GridSteps(grid, channels), count);
  std::vector<std::vector<std::uint32_t>> ranks(count);
  for (unsigned v = 0; v < count; ++v) {
    for (std::uint32_t s = 0; s + 1 < channels.first.size(); ++s) {
      std::uint32_t rank = 0;
      for (std::size_t a = 0; a < grid.axes.size(); ++a) {
        const Grid::Axis& row = grid.axes[a];
        const std::uint32_t cut = row.shape == Grid::Shape::Ring ? cuts[v][a] : 0;
        rank += (grid.at(s, a) + row.size - cut) % row.size;
      }
      ranks[v].push_back(rank);
    }
  }
  return descending_orders(channels, ranks);
}

GridWays::GridWays(const CompactChannels& channels, const Grid& grid, unsigned layers, Cut cut)
    : channels_(channels),
      grid_(grid),
      steps_(grid, channels),
      layers_(layers),
      cut_(cut),
      cuts_(grid_cuts(grid, steps_, layers)) {}

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
