// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid_orders.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>

#include "routing/grid_steps.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {
namespace {

// Behind all others: nothing follows it, and it may follow anything.
constexpr std::uint32_t kLastOfAll = 0xFFFF'FFFF;

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

bool leads_up(const Grid::Axis& axis, std::uint32_t here, std::uint32_t there) {
  return axis.shape == Grid::Shape::Ring ? there == (here + 1) % axis.size : there > here;
}

// Hops along a row, all of one direction, before those that begin here.
std::uint32_t place_along(const Grid::Axis& axis, std::uint32_t here, bool up, std::uint32_t cut) {
  switch (axis.shape) {
    case Grid::Shape::Full:
      return 0;
    case Grid::Shape::Line:
      return up ? here : axis.size - 1 - here;
    case Grid::Shape::Ring:
      break;
  }
  return (up ? here + axis.size - cut : cut + axis.size - here) % axis.size;
}

// Positions of channels in one layer: one axis after the other.
class AxisPositions {
 public:
  AxisPositions(const CompactChannels& channels, const Grid& grid,
                std::span<const std::uint32_t> cuts)
      : channels_(channels), grid_(grid), cuts_(cuts) {
    std::uint32_t all = 0;
    for (const Grid::Axis& axis : grid.axes) {
      first_.push_back(all);
      all += axis.size;
    }
  }

  std::uint32_t operator()(std::uint32_t channel) const {
    const std::uint32_t from = channels_.from[channel], to = channels_.to[channel];
    const std::size_t along = axis_along(grid_, from, to);
    if (along == grid_.axes.size()) return kLastOfAll;
    const Grid::Axis& row = grid_.axes[along];
    const std::uint32_t here = grid_.at(from, along);
    const bool up = leads_up(row, here, grid_.at(to, along));
    return first_[along] + place_along(row, here, up, cuts_[along]);
  }

 private:
  const CompactChannels& channels_;
  const Grid& grid_;
  std::span<const std::uint32_t> cuts_;
  std::vector<std::uint32_t> first_;  // by axis: the positions of its channels begin here
};

// What layers of one kind let packets do besides.
enum class Return : std::uint8_t {
  FromForward,  // turn into any earlier axis after hops that went forward
  ToForward,    // go forward on an earlier axis after any hops
};

// Places of channels in one layer, as numbers of which the first one weighs most.
//
// FromForward: a plane (what differs on earlier axes only) comes after the other along each axis,
// the last axis first, and between two of them what leads forward from one to the next. So these
// hops come before all of the next plane. Behind all planes comes what leads backward.
// ToForward: the same with the first axis first, and with what leads backward before all planes.
// Along the axes a packet may come into the plane at the cut at last, so that one is the last.
//
// A broken ring cannot be passed on one side only, so packets pass the cut on it: its channels come
// with those that lead backward. Forward ones need to only where the cut is behind them (before
// them: ToForward) on the line that is left.
class ReturnPlaces {
 public:
  using Place = std::vector<std::uint32_t>;
  ReturnPlaces(const CompactChannels& channels, const Grid& grid, const GridSteps& steps,
               std::span<const std::uint32_t> cuts, Return kind, bool forward_is_up)
      : channels_(channels),
        grid_(grid),
        steps_(steps),
        cuts_(cuts),
        kind_(kind),
        forward_is_up_(forward_is_up) {}

  Place operator()(std::uint32_t channel) const {
    const std::uint32_t from = channels_.from[channel], to = channels_.to[channel];
    const std::size_t along = axis_along(grid_, from, to), axes = grid_.axes.size();
    if (along == axes) return {kLastOfAll};
    Place place;
    if (kind_ == Return::FromForward) {
      for (std::size_t a = axes; a-- > along + 1;) place.push_back(plane(from, a));
    } else {
      for (std::size_t a = 0; a < along; ++a) place.push_back(plane(from, a));
    }
    place.push_back(
        hop(from, along, leads_up(grid_.axes[along], grid_.at(from, along), grid_.at(to, along))));
    return place;
  }

 private:
  std::uint32_t size(std::size_t axis) const { return grid_.axes[axis].size; }
  bool is_ring(std::size_t axis) const { return grid_.axes[axis].shape == Grid::Shape::Ring; }
  // Nothing is to be gained on the axis that no other one follows, or goes before.
  bool has_forward(std::size_t axis) const {
    return kind_ == Return::FromForward ? axis > 0 : axis + 1 < grid_.axes.size();
  }
  // Hops forward from the cut to there.
  std::uint32_t rank(std::uint32_t at, std::size_t axis) const {
    const std::uint32_t up =
        (grid_.at(at, axis) + size(axis) - (is_ring(axis) ? cuts_[axis] : 0)) % size(axis);
    if (forward_is_up_) return up;
    return is_ring(axis) ? (size(axis) - up) % size(axis) : size(axis) - 1 - up;
  }
  std::uint32_t first_plane(std::size_t axis) const {
    return kind_ == Return::FromForward ? 0 : 2 * size(axis);
  }
  std::uint32_t plane(std::uint32_t at, std::size_t axis) const {
    const bool is_last = kind_ == Return::ToForward && is_ring(axis) && rank(at, axis) == 0;
    return first_plane(axis) + 2 * (is_last ? size(axis) : rank(at, axis));
  }
  std::uint32_t hop(std::uint32_t from, std::size_t axis, bool up) const {
    const bool broken = is_ring(axis) && steps_.can_go(from, axis, true) < size(axis);
    const bool forward = has_forward(axis) && up == forward_is_up_;
    if (forward && (!broken || keeps_clear(from, axis))) {
      return first_plane(axis) + 2 * rank(from, axis) + 1;
    }
    const std::uint32_t others = kind_ == Return::FromForward ? 2 * size(axis) : 0;
    return others + (broken ? size(axis) - steps_.can_go(from, axis, up)
                            : place_along(grid_.axes[axis], grid_.at(from, axis), up, cuts_[axis]));
  }
  // Whether the cut is not behind (not before) a hop forward from there, on a broken ring.
  bool keeps_clear(std::uint32_t from, std::size_t axis) const {
    const std::uint32_t rank_here = rank(from, axis);
    return kind_ == Return::FromForward
               ? steps_.can_go(from, axis, !forward_is_up_) <= rank_here
               : rank_here + steps_.can_go(from, axis, forward_is_up_) <= size(axis);
  }

  const CompactChannels& channels_;
  const Grid& grid_;
  const GridSteps& steps_;
  std::span<const std::uint32_t> cuts_;
  Return kind_;
  bool forward_is_up_;
};

std::vector<std::uint32_t> numbered_places(const CompactChannels& channels,
                                           const ReturnPlaces& place_of) {
  std::vector<std::pair<ReturnPlaces::Place, std::uint32_t>> places;
  for (std::uint32_t c = 0; c < channels.count(); ++c) places.emplace_back(place_of(c), c);
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> positions(channels.count());
  std::uint32_t position = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0 && places[i].first != places[i - 1].first) ++position;
    positions[places[i].second] = position;
  }
  return positions;
}

// Switches one after the other: of those beside earlier ones the one of the lowest rank. So every
// switch but the first of an island has a neighbour that is lower than itself.
std::vector<std::uint32_t> filled_up(const CompactChannels& channels,
                                     const std::vector<std::uint32_t>& ranks) {
  using Ranked = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<std::uint32_t> filled(ranks.size(), kNoWay), by_rank(ranks.size());
  for (std::uint32_t s = 0; s < ranks.size(); ++s) by_rank[s] = s;
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; });
  std::uint32_t count = 0;
  for (const std::uint32_t root : by_rank) {
    std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> beside;
    beside.emplace(ranks[root], root);
    while (!beside.empty()) {
      const std::uint32_t at = beside.top().second;
      beside.pop();
      if (filled[at] != kNoWay) continue;
      filled[at] = count++;
      for (std::uint32_t c = channels.first[at]; c < channels.first[at + 1]; ++c) {
        const std::uint32_t next = channels.to[c];
        if (filled[next] == kNoWay) beside.emplace(ranks[next], next);
      }
    }
  }
  return filled;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> grid_cuts(const Grid& grid, unsigned layers) {
  std::vector<std::vector<std::uint32_t>> cuts(layers);
  for (unsigned v = 0; v < layers; ++v) {
    for (const Grid::Axis& axis : grid.axes) cuts[v].push_back(v * axis.size / layers);
  }
  return cuts;
}

bool is_whole(const Grid& grid, const CompactChannels& channels) {
  if (grid.missing() > 0) return false;
  const GridSteps steps(grid, channels);
  const auto is_joined = [&](std::uint32_t at, std::size_t axis, std::uint32_t position) {
    return position == grid.at(at, axis) || steps.cables(at, axis, position).count > 0;
  };
  for (std::uint32_t s = 0; s + 1 < channels.first.size(); ++s) {
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
      const std::uint32_t size = grid.axes[a].size, here = grid.at(s, a);
      const bool is_full = grid.axes[a].shape == Grid::Shape::Full;
      const bool is_last = grid.axes[a].shape == Grid::Shape::Line && here + 1 == size;
      for (std::uint32_t p = 0; is_full && p < size; ++p) {
        if (!is_joined(s, a, p)) return false;
      }
      if (!is_full && !is_last && !is_joined(s, a, (here + 1) % size)) return false;
    }
  }
  return true;
}

LayerOrders axis_orders(const CompactChannels& channels, const Grid& grid, unsigned count) {
  const auto cuts = grid_cuts(grid, count);
  std::vector<std::vector<std::uint32_t>> positions(count);
  for (unsigned v = 0; v < count; ++v) {
    const AxisPositions position(channels, grid, cuts[v]);
    for (std::uint32_t c = 0; c < channels.count(); ++c) positions[v].push_back(position(c));
  }
  return {channels, positions};
}

LayerOrders returning_orders(const CompactChannels& channels, const Grid& grid, unsigned count) {
  const GridSteps steps(grid, channels);
  const auto cuts = grid_cuts(grid, count);
  std::vector<std::vector<std::uint32_t>> positions;
  for (unsigned v = 0; v < count; ++v) {
    const Return kind = v % 4 < 2 ? Return::FromForward : Return::ToForward;
    positions.push_back(
        numbered_places(channels, ReturnPlaces(channels, grid, steps, cuts[v], kind, v % 2 == 0)));
  }
  return {channels, std::move(positions)};
}

LayerOrders slope_orders(const CompactChannels& channels, const Grid& grid, unsigned count) {
  const auto cuts = grid_cuts(grid, count);
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
    ranks[v] = filled_up(channels, ranks[v]);
  }
  return descending_orders(channels, ranks);
}

}  // namespace heddle::routing
