// SPDX-License-Identifier: BSD-3-Clause
// Any fabric: the distances to a few switches that lie far from each other, flattened to the two
// directions in which they differ most (pivot multidimensional scaling after Brandes and Pich),
// then pushed apart until nobody stands on another.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "plan/sketch.hpp"

namespace heddle::plan {
namespace {

constexpr std::size_t kPivots = 40;
constexpr int kPowerSteps = 60;
constexpr int kRounds = 120;
constexpr double kSpacing = 1.5;  // wanted between neighbours on paper

using Columns = std::vector<std::vector<double>>;  // by pivot, then by switch
using Neighbours = std::vector<std::vector<std::uint32_t>>;

std::vector<double> distances_from(const Neighbours& neighbours, std::uint32_t start) {
  std::vector<double> distance(neighbours.size(), -1);
  std::vector<std::uint32_t> reached{start};
  distance[start] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const std::uint32_t to : neighbours[reached[i]]) {
      if (distance[to] >= 0) continue;
      distance[to] = distance[reached[i]] + 1;
      reached.push_back(to);
    }
  }
  return distance;
}

// Each pivot is one of those farthest from all before it.
Columns pivot_distances(const Neighbours& neighbours) {
  Columns columns;
  std::vector<double> nearest(neighbours.size(), 1e30);
  std::uint32_t next = 0;
  const std::size_t pivots = std::min(kPivots, neighbours.size());
  while (columns.size() < pivots) {
    columns.push_back(distances_from(neighbours, next));
    for (std::size_t s = 0; s < nearest.size(); ++s) {
      nearest[s] = std::min(nearest[s], columns.back()[s]);
    }
    next = static_cast<std::uint32_t>(std::max_element(nearest.begin(), nearest.end()) -
                                      nearest.begin());
  }
  return columns;
}

// Squared distances with the means of rows and columns taken away.
void centre(Columns& columns) {
  const auto rows = columns.front().size();
  std::vector<double> row_mean(rows);
  double mean = 0;
  for (auto& column : columns) {
    double sum = 0;
    for (std::size_t s = 0; s < rows; ++s) {
      column[s] *= column[s];
      sum += column[s];
      row_mean[s] += column[s] / static_cast<double>(columns.size());
    }
    sum /= static_cast<double>(rows);
    mean += sum / static_cast<double>(columns.size());
    for (double& value : column) value -= sum;
  }
  for (auto& column : columns) {
    for (std::size_t s = 0; s < rows; ++s) column[s] = -0.5 * (column[s] - row_mean[s] + mean);
  }
}

double normalize(std::vector<double>& vector) {
  double length = 0;
  for (const double value : vector) length += value * value;
  length = std::sqrt(length);
  for (double& value : vector) value /= length > 0 ? length : 1;
  return length;
}

// The direction in which the columns differ most, at right angles to `other`.
std::vector<double> main_direction(const Columns& square, const std::vector<double>& other) {
  std::vector<double> direction(square.size());
  for (std::size_t i = 0; i < direction.size(); ++i) {
    direction[i] = 1 + static_cast<double>((i * 7 + 3) % 11);  // anything not at right angles
  }
  for (int step = 0; step < kPowerSteps; ++step) {
    double along = 0;
    for (std::size_t i = 0; i < other.size(); ++i) along += direction[i] * other[i];
    for (std::size_t i = 0; i < other.size(); ++i) direction[i] -= along * other[i];
    std::vector<double> next(direction.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
      for (std::size_t j = 0; j < next.size(); ++j) next[i] += square[i][j] * direction[j];
    }
    if (normalize(next) == 0) return direction;
    direction = std::move(next);
  }
  return direction;
}

std::vector<Point> flattened(const Neighbours& neighbours) {
  Columns columns = pivot_distances(neighbours);
  centre(columns);
  Columns square(columns.size(), std::vector<double>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t s = 0; s < neighbours.size(); ++s) {
        square[i][j] += columns[i][s] * columns[j][s];
      }
      square[j][i] = square[i][j];
    }
  }
  std::vector<double> first = main_direction(square, {});
  normalize(first);
  std::vector<double> second = main_direction(square, first);
  normalize(second);
  std::vector<Point> at(neighbours.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t s = 0; s < at.size(); ++s) {
      at[s].x += columns[i][s] * first[i];
      at[s].y += columns[i][s] * second[i];
    }
  }
  return at;
}

// So that there is room for all, and nobody stands exactly on another.
void scale(std::vector<Point>& at) {
  double spread_x = 0, spread_y = 0;
  for (const Point& one : at) {
    spread_x = std::max(spread_x, std::abs(one.x));
    spread_y = std::max(spread_y, std::abs(one.y));
  }
  const double radius = 0.75 * kSpacing * std::sqrt(static_cast<double>(at.size()));
  for (std::size_t s = 0; s < at.size(); ++s) {
    const double turn = 2.399963 * static_cast<double>(s);  // the golden angle
    at[s].x = at[s].x * radius / std::max(spread_x, 1e-9) + 0.3 * std::cos(turn);
    at[s].y = at[s].y * radius / std::max(spread_y, 1e-9) * 0.7 + 0.3 * std::sin(turn);
  }
}

// Neighbours pull, whoever is too near pushes.
class Relaxer {
 public:
  Relaxer(const Neighbours& neighbours, std::vector<Point>& at)
      : neighbours_(neighbours), at_(at), force_(at.size()) {}

  void round(double reach) {
    std::fill(force_.begin(), force_.end(), Point{});
    pull();
    push();
    for (std::size_t s = 0; s < at_.size(); ++s) {
      const double strength = std::hypot(force_[s].x, force_[s].y);
      const double part = strength > reach ? reach / strength : 1;
      at_[s].x += force_[s].x * part;
      at_[s].y += force_[s].y * part;
    }
  }

 private:
  void pull() {
    for (std::size_t s = 0; s < at_.size(); ++s) {
      const double weight =
          0.25 / static_cast<double>(std::max<std::size_t>(neighbours_[s].size(), 1));
      for (const std::uint32_t to : neighbours_[s]) {
        const double dx = at_[to].x - at_[s].x, dy = at_[to].y - at_[s].y;
        const double length = std::hypot(dx, dy);
        if (length <= kSpacing) continue;
        force_[s].x += weight * dx * (length - kSpacing) / length;
        force_[s].y += weight * dy * (length - kSpacing) / length;
      }
    }
  }

  // Only those in the cells around: cells are as large as the push reaches.
  void push() {
    std::map<std::pair<int, int>, std::vector<std::size_t>> cells;
    const auto cell = [](double value) { return static_cast<int>(std::floor(value / kReach)); };
    for (std::size_t s = 0; s < at_.size(); ++s)
      cells[{cell(at_[s].x), cell(at_[s].y)}].push_back(s);
    for (const auto& [key, members] : cells) {
      for (int dx = -1; dx <= 1; ++dx) {
        for (int dy = -1; dy <= 1; ++dy) {
          const auto others = cells.find({key.first + dx, key.second + dy});
          if (others == cells.end()) continue;
          for (const std::size_t s : members) push_from(s, others->second);
        }
      }
    }
  }

  void push_from(std::size_t s, const std::vector<std::size_t>& others) {
    for (const std::size_t other : others) {
      if (other == s) continue;
      const double dx = at_[s].x - at_[other].x, dy = at_[s].y - at_[other].y;
      const double length = std::max(1e-3, std::hypot(dx, dy));
      if (length >= kReach) continue;
      const double strength = 0.5 * (kReach - length) / length;
      force_[s].x += strength * dx;
      force_[s].y += strength * dy;
    }
  }

  static constexpr double kReach = 1.4 * kSpacing;
  const Neighbours& neighbours_;
  std::vector<Point>& at_;
  std::vector<Point> force_;
};

}  // namespace

Sketch sketch_general(const fabric::Topology& island) {
  Sketch sketch;
  sketch.kind = Layout::Kind::General;
  sketch.title = "no regular shape";
  sketch.rank.assign(island.switch_count(), 0);
  const Neighbours neighbours = switch_neighbours(island);
  sketch.at = flattened(neighbours);
  scale(sketch.at);
  Relaxer relaxer(neighbours, sketch.at);
  for (int round = 0; round < kRounds; ++round) {
    relaxer.round(kSpacing * (1 - 0.95 * round / kRounds));
  }
  return sketch;
}

}  // namespace heddle::plan
