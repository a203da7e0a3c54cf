// SPDX-License-Identifier: BSD-3-Clause
// Grids: two axes as they are, a third one into the depth, more of them as grids of grids. Cables
// that would lie on others (around a ring, across a row) stand as arcs above them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plan/sketch.hpp"
#include "routing/grid.hpp"

namespace heddle::plan {
namespace {

using fabric::Topology;
using Grid = routing::Grid;

constexpr double kStep = 1.7;     // between neighbours of a row
constexpr double kGridGap = 1.2;  // between grids of a grid
// One step into the depth, and the room that a stack of them leaves to the next.
constexpr Point kDepth{0.95, -0.62};
constexpr Point kStackRoom{1.1, 1.3};
constexpr double kArc = 0.42;     // of a step: how high an arc around a ring stands
constexpr double kLongArc = 0.1;  // of its length, where grids are put into grids

// A ring of four is found as two axes of two, which people do not recognise: put together again.
// Where every axis is of two, that is done as long as it gives a picture of two or three axes.
Grid with_rings_of_four(const Grid& found, std::size_t switches) {
  const auto of_two = [&](std::size_t axis) { return found.axes[axis].size == 2; };
  std::size_t twos = 0;
  for (std::size_t axis = 0; axis < found.axes.size(); ++axis) twos += of_two(axis) ? 1u : 0u;
  if (twos == found.axes.size() && twos != 4 && twos != 6) return found;
  Grid grid;
  std::vector<std::pair<std::size_t, std::optional<std::size_t>>> sources;  // by new axis
  for (std::size_t axis = 0; axis < found.axes.size(); ++axis) {
    const bool open = !sources.empty() && of_two(sources.back().first) && !sources.back().second;
    if (of_two(axis) && open) {
      sources.back().second = axis;
      grid.axes.back() = {4, Grid::Shape::Ring};
    } else {
      sources.emplace_back(axis, std::nullopt);
      grid.axes.push_back(found.axes[axis]);
    }
  }
  for (std::uint32_t s = 0; s < switches; ++s) {
    for (const auto& [first, second] : sources) {
      const std::uint32_t position = found.at(s, first);
      const bool turned = second && found.at(s, *second) == 1;
      grid.position.push_back(turned ? 3 - position : position);
    }
  }
  return grid;
}

class GridSketcher {
 public:
  GridSketcher(const Topology& topology, const Grid& grid) : topology_(topology), grid_(grid) {}

  Sketch sketch() && {
    sketch_.kind = Layout::Kind::Grid;
    sketch_.title = grid_.title();
    sketch_.rank.assign(topology_.switch_count(), 0);
    sketch_.bend.resize(topology_.channels().size());
    const std::size_t axes = grid_.axes.size();
    if (axes == 1 && grid_.axes[0].shape != Grid::Shape::Line) {
      place_circle();
      return std::move(sketch_);
    }
    if (axes == 3) {
      place_in_depth();
    } else {
      find_steps();
    }
    for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
      Point at;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        at.x += step_[axis].x * grid_.at(s, axis);
        at.y += step_[axis].y * grid_.at(s, axis);
      }
      sketch_.at.push_back(at);
    }
    bend_all();
    return std::move(sketch_);
  }

 private:
  void place_circle() {
    const auto points = circle(grid_.axes[0].size, 1.5, 2);
    for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
      sketch_.at.push_back(points[grid_.at(s, 0)]);
    }
  }

  // Right, down, right, down, ... each pair of axes a grid of the grids before it.
  void find_steps() {
    double extent[2] = {kStep, kStep};
    for (std::size_t axis = 0; axis < grid_.axes.size(); ++axis) {
      double& own = extent[axis % 2];
      step_.push_back(axis % 2 == 0 ? Point{own, 0} : Point{0, own});
      own = own * grid_.axes[axis].size + kGridGap;
    }
  }

  // The shortest axis leads into the depth.
  void place_in_depth() {
    std::size_t deep = 0;
    for (std::size_t axis = 1; axis < 3; ++axis) {
      if (grid_.axes[axis].size <= grid_.axes[deep].size) deep = axis;
    }
    const double far = grid_.axes[deep].size - 1;
    step_.resize(3);
    step_[deep] = kDepth;
    const std::size_t right = deep == 0 ? 1 : 0;
    const std::size_t down = deep == 2 ? 1 : 2;
    step_[right] = {far * kDepth.x + kStackRoom.x, 0};
    step_[down] = {0, far * -kDepth.y + kStackRoom.y};
  }

  void bend_all() {
    for (std::size_t c = 0; c < sketch_.bend.size(); ++c) {
      const auto& channel = topology_.channels()[c];
      const std::uint32_t a = channel.from.value, b = channel.to.value;
      for (std::size_t axis = 0; axis < grid_.axes.size(); ++axis) {
        const std::uint32_t apart = std::max(grid_.at(a, axis), grid_.at(b, axis)) -
                                    std::min(grid_.at(a, axis), grid_.at(b, axis));
        if (apart == 0) continue;
        sketch_.bend[c] = bend_upwards(sketch_.at[a], sketch_.at[b], height(axis, apart));
      }
    }
  }

  double height(std::size_t axis, double apart) const {
    const double step = std::hypot(step_[axis].x, step_[axis].y);
    if (grid_.axes.size() > 3) {
      const double length = apart * step;
      return length > 1.5 * kStep ? kLongArc * length : 0;
    }
    if (apart < 2) return 0;
    if (grid_.axes[axis].shape != Grid::Shape::Full) return kArc * std::min(step, 2.5);
    const double most = std::max(1.0, static_cast<double>(grid_.axes[axis].size) - 2);
    return kArc * step * (apart - 1) / most;
  }

  const Topology& topology_;
  const Grid& grid_;
  std::vector<Point> step_;  // by axis
  Sketch sketch_;
};

}  // namespace

std::optional<Sketch> sketch_grid(const Topology& island) {
  if (island.switch_count() < 2) return std::nullopt;
  const auto grid = routing::recognise_grid(island, routing::CompactChannels(island));
  if (!grid) return std::nullopt;
  return GridSketcher(island, with_rings_of_four(*grid, island.switch_count())).sketch();
}

}  // namespace heddle::plan
