// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "fabric/islands.hpp"
#include "routing/disjoint_sets.hpp"
#include "routing/grid_links.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint32_t kNone = Arcs::kNone;

// One axis while its positions have no order yet: layers of switches that share a position.
struct Layers {
  std::size_t count = 0;
  std::vector<std::uint32_t> of;                       // by switch
  std::vector<std::vector<std::uint32_t>> neighbours;  // by layer
};

// Whoever is joined by a link of another axis shares the position on this one; so do the ends of
// links that point the same way.
base::Result<Layers> find_layers(const Arcs& arcs, const ParallelArcs& parallel,
                                 std::uint32_t axis) {
  const std::size_t switches = arcs.first.size() - 1;
  DisjointSets sets(switches);
  std::vector<std::uint32_t> tail(parallel.reverse.size(), kNone);
  for (std::uint32_t i = 0; i < arcs.to.size(); ++i) {
    const std::uint32_t kind = parallel.kind_of[i];
    if (parallel.axis_of[kind] != axis) {
      sets.unite(arcs.from[i], arcs.to[i]);
    } else if (tail[kind] == kNone) {
      tail[kind] = arcs.from[i];
    } else {
      sets.unite(tail[kind], arcs.from[i]);
    }
  }
  Layers layers;
  layers.of.assign(switches, kNone);
  for (std::uint32_t s = 0; s < switches; ++s) {
    const std::uint32_t first = sets.find(s);  // not after s
    layers.of[s] = first == s ? static_cast<std::uint32_t>(layers.count++) : layers.of[first];
  }
  layers.neighbours.resize(layers.count);
  for (std::uint32_t i = 0; i < arcs.to.size(); ++i) {
    if (parallel.axis_of[parallel.kind_of[i]] != axis) continue;
    const std::uint32_t here = layers.of[arcs.from[i]], there = layers.of[arcs.to[i]];
    if (here == there) return base::error("some links join what should be one position");
    layers.neighbours[here].push_back(there);
  }
  for (auto& list : layers.neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return layers;
}

base::Result<Grid::Shape> shape_of(const Layers& layers) {
  std::size_t ends = 0, inner = 0, links = 0;
  for (const auto& list : layers.neighbours) {
    ends += list.size() == 1 ? 1 : 0;
    inner += list.size() == 2 ? 1 : 0;
    links += list.size();
  }
  const std::size_t n = layers.count;
  if (ends == 2 && inner + 2 == n) return Grid::Shape::Line;
  if (inner == n) return Grid::Shape::Ring;
  if (links == n * (n - 1)) return Grid::Shape::Full;
  return base::error(fmt::format("its {} layers along one axis form no line, ring or mesh", n));
}

// The layers in the order of their positions, from some end and in some direction.
std::vector<std::uint32_t> in_order(const Layers& layers, Grid::Shape shape) {
  std::vector<std::uint32_t> order(layers.count);
  std::iota(order.begin(), order.end(), 0u);
  if (shape == Grid::Shape::Full) return order;
  const auto is_end = [&](std::uint32_t layer) { return layers.neighbours[layer].size() == 1; };
  const auto end = std::find_if(order.begin(), order.end(), is_end);
  order.assign(1, end == order.end() ? 0 : *end);
  order.push_back(layers.neighbours[order.front()].front());
  while (order.size() < layers.count) {
    const auto& beside = layers.neighbours[order.back()];
    if (beside.size() < 2) break;
    order.push_back(beside.front() == order[order.size() - 2] ? beside.back() : beside.front());
  }
  return order;
}

// Turns an axis so that rows begin with their lowest GUIDs and go on with the lower neighbour, as
// far as they agree: the most votes win. Indices are in the order of GUIDs.
class Numbering {
 public:
  Numbering(Grid& grid, std::size_t axis) : grid_(grid), axis_(axis), size_(grid.axes[axis].size) {
    const std::size_t stride = grid.stride(axis);
    for (std::size_t place = 0; place < grid.switch_at.size(); ++place) {
      if (place / stride % size_ != 0) continue;
      for (std::uint32_t i = 0; i < size_; ++i) {
        rows_.push_back(grid.switch_at[place + i * stride]);
      }
    }
  }

  void settle() {
    const Grid::Shape shape = grid_.axes[axis_].shape;
    if (shape == Grid::Shape::Full) return;
    const std::uint32_t origin = shape == Grid::Shape::Ring ? first_of_most() : 0;
    const std::uint32_t next = shape == Grid::Shape::Ring ? (origin + 1) % size_ : 0;
    const bool up = is_lower(next, (origin + size_ - 1) % size_);
    for (std::uint32_t s = 0; s < grid_.position.size() / grid_.axes.size(); ++s) {
      std::uint32_t& position = grid_.position[s * grid_.axes.size() + axis_];
      if (shape == Grid::Shape::Line) {
        position = up ? position : size_ - 1 - position;
      } else {
        position = (up ? position + size_ - origin : origin + size_ - position) % size_;
      }
    }
  }

 private:
  std::size_t row_count() const { return rows_.size() / size_; }
  std::uint32_t member(std::size_t row, std::uint32_t at) const { return rows_[row * size_ + at]; }

  std::uint32_t lowest(std::uint32_t at) const {
    std::uint32_t lowest = Grid::kMissing;
    for (std::size_t row = 0; row < row_count(); ++row) lowest = std::min(lowest, member(row, at));
    return lowest;
  }

  std::uint32_t first_of_most() const {
    std::vector<std::size_t> votes(size_);
    for (std::size_t row = 0; row < row_count(); ++row) {
      const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(row * size_);
      ++votes[static_cast<std::size_t>(std::min_element(begin, begin + size_) - begin)];
    }
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < size_; ++i) {
      if (votes[i] > votes[best] || (votes[i] == votes[best] && lowest(i) < lowest(best))) best = i;
    }
    return best;
  }

  bool is_lower(std::uint32_t a, std::uint32_t b) const {
    std::ptrdiff_t votes = 0;
    for (std::size_t row = 0; row < row_count(); ++row) {
      const std::uint32_t one = member(row, a), other = member(row, b);
      if (one == Grid::kMissing || other == Grid::kMissing) continue;
      votes += one < other ? 1 : -1;
    }
    return votes != 0 ? votes > 0 : lowest(a) < lowest(b);
  }

  Grid& grid_;
  std::size_t axis_;
  std::uint32_t size_;
  std::vector<std::uint32_t> rows_;  // by (row, position)
};

// What says which axis comes first: the port that its links leave by, then how far the GUIDs of the
// two ends are apart; of each the median, which hardly moves when links are lost.
std::pair<std::uint8_t, std::uint64_t> rank_of_axis(const Arcs& arcs, const ParallelArcs& parallel,
                                                    const fabric::Topology& topology,
                                                    std::uint32_t axis) {
  std::vector<std::uint8_t> ports;
  std::vector<std::uint64_t> apart;
  const auto guid = [&](std::uint32_t s) {
    return topology.node(fabric::SwitchIndex{s}).guid.value;
  };
  for (std::uint32_t i = 0; i < arcs.to.size(); ++i) {
    if (parallel.axis_of[parallel.kind_of[i]] != axis) continue;
    ports.push_back(arcs.port[i]);
    const std::uint64_t a = guid(arcs.from[i]), b = guid(arcs.to[i]);
    apart.push_back(a < b ? b - a : a - b);
  }
  const auto middle = static_cast<std::ptrdiff_t>(ports.size() / 2);
  std::nth_element(ports.begin(), ports.begin() + middle, ports.end());
  std::nth_element(apart.begin(), apart.begin() + middle, apart.end());
  return {ports[ports.size() / 2], apart[apart.size() / 2]};
}

std::vector<std::uint32_t> axes_in_order(const Arcs& arcs, const ParallelArcs& parallel,
                                         const fabric::Topology& topology) {
  std::vector<std::tuple<std::uint8_t, std::uint64_t, std::uint32_t>> ranks;
  for (std::uint32_t axis = 0; axis < parallel.axes; ++axis) {
    const auto [port, apart] = rank_of_axis(arcs, parallel, topology, axis);
    ranks.emplace_back(port, apart, axis);
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::uint32_t> order;
  for (const auto& rank : ranks) order.push_back(std::get<2>(rank));
  return order;
}

std::string_view shape_word(Grid::Shape shape) {
  switch (shape) {
    case Grid::Shape::Line:
      return "mesh";
    case Grid::Shape::Ring:
      return "torus";
    case Grid::Shape::Full:
      break;
  }
  return "HyperX";
}

// What the arcs say, if they are a grid.
base::Result<Grid> grid_of(const Arcs& arcs, const fabric::Topology& topology) {
  const std::size_t switches = topology.switch_count();
  auto parallel = find_parallel_arcs(arcs);
  if (!parallel) return parallel.error();
  std::vector<Layers> layers;
  Grid grid;
  for (const std::uint32_t axis : axes_in_order(arcs, *parallel, topology)) {
    auto found = find_layers(arcs, *parallel, axis);
    if (!found) return found.error();
    const auto shape = shape_of(*found);
    if (!shape) return shape.error();
    grid.axes.push_back({static_cast<std::uint32_t>(found->count), *shape});
    layers.push_back(*std::move(found));
  }
  grid.position.assign(switches * grid.axes.size(), 0);
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const auto order = in_order(layers[a], grid.axes[a].shape);
    if (order.size() != layers[a].count) return base::error("one of its rows is in pieces");
    std::vector<std::uint32_t> position(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (std::uint32_t s = 0; s < switches; ++s) {
      grid.position[s * grid.axes.size() + a] = position[layers[a].of[s]];
    }
  }
  return numbered(std::move(grid), switches);
}

// Whether each arc joins neighbours of a row.
bool fits(const Grid& grid, const Arcs& arcs) {
  for (std::uint32_t i = 0; i < arcs.to.size(); ++i) {
    std::size_t differ = 0;
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
      const Grid::Axis& row = grid.axes[a];
      const std::uint32_t here = grid.at(arcs.from[i], a), there = grid.at(arcs.to[i], a);
      if (here == there) continue;
      const std::uint32_t apart = here < there ? there - here : here - there;
      const bool wraps = row.shape == Grid::Shape::Ring && apart + 1 == row.size;
      if (row.shape != Grid::Shape::Full && apart != 1 && !wraps) return false;
      ++differ;
    }
    if (differ != 1) return false;
  }
  return true;
}

}  // namespace

std::size_t Grid::stride(std::size_t axis) const {
  std::size_t stride = 1;
  for (std::size_t a = 0; a < axis; ++a) stride *= axes[a].size;
  return stride;
}

std::size_t Grid::place(std::uint32_t of_switch) const {
  std::size_t place = 0;
  for (std::size_t a = axes.size(); a-- > 0;) place = place * axes[a].size + at(of_switch, a);
  return place;
}

std::size_t Grid::missing() const {
  return static_cast<std::size_t>(std::count(switch_at.begin(), switch_at.end(), kMissing));
}

std::string Grid::title() const {
  const auto is_plain = [](const Axis& axis) { return axis.size == 2; };
  if (axes.size() > 2 && std::all_of(axes.begin(), axes.end(), is_plain)) {
    return fmt::format("hypercube of {} dimensions", axes.size());
  }
  std::string text;
  Shape last = Shape::Line;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    // A row of two is whatever its neighbours are.
    const bool any = axes[a].size == 2 && a > 0;
    if (a == 0 || (axes[a].shape != last && !any)) {
      text += fmt::format("{}{} {}", a == 0 ? "" : " by ", shape_word(axes[a].shape), axes[a].size);
      last = axes[a].shape;
    } else {
      text += fmt::format("x{}", axes[a].size);
    }
  }
  return text;
}

base::Result<Grid> placed(Grid grid, std::size_t switches) {
  std::size_t places = 1;
  for (const Grid::Axis& axis : grid.axes) {
    places *= axis.size;
    if (places > 2 * switches) break;
  }
  if (places > switches + switches / 3) {
    return base::error(
        fmt::format("{} switches are too few for the places of a {}", switches, grid.title()));
  }
  grid.switch_at.assign(places, Grid::kMissing);
  for (std::uint32_t s = 0; s < switches; ++s) {
    std::uint32_t& holder = grid.switch_at[grid.place(s)];
    if (holder != Grid::kMissing) return base::error("two of its switches would share a place");
    holder = s;
  }
  return grid;
}

base::Result<Grid> numbered(Grid grid, std::size_t switches) {
  auto first = placed(std::move(grid), switches);
  if (!first) return first;
  for (std::size_t axis = 0; axis < first->axes.size(); ++axis) Numbering(*first, axis).settle();
  return placed(*std::move(first), switches);
}

base::Result<Grid> recognise_grid(const fabric::Topology& topology,
                                  const CompactChannels& channels) {
  if (topology.switch_count() < 2) return base::error("it has fewer than two switches");
  if (fabric::Islands(topology).count() != 1) return base::error("it is in several islands");
  const Arcs arcs(channels);
  auto grid = grid_of(arcs, topology);
  if (grid) return grid;
  // A link all of whose squares are damaged says nothing of its axis.
  const Arcs sides = sides_of_squares(arcs);
  if (sides.to.size() == arcs.to.size()) return grid;
  auto most = grid_of(sides, topology);
  if (!most || !fits(*most, arcs)) return grid;
  return most;
}

}  // namespace heddle::routing
