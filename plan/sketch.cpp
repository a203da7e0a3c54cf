// SPDX-License-Identifier: BSD-3-Clause
// What the sketches of all shapes share.
#include "plan/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heddle::plan {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The digits from `at` on, without leading zeros; moves `at` behind them.
std::string_view number_at(std::string_view text, std::size_t& at) {
  while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(begin, at - begin);
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto left = number_at(a, i), right = number_at(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

void sort_by_name(const fabric::Topology& topology, std::vector<std::uint32_t>& switches) {
  std::stable_sort(switches.begin(), switches.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto& left = topology.node(fabric::SwitchIndex{a}).description;
    const auto& right = topology.node(fabric::SwitchIndex{b}).description;
    return left == right ? a < b : natural_less(left, right);
  });
}

std::vector<std::vector<std::uint32_t>> switch_neighbours(const fabric::Topology& topology) {
  std::vector<std::vector<std::uint32_t>> neighbours(topology.switch_count());
  for (const auto& channel : topology.channels()) {
    neighbours[channel.from.value].push_back(channel.to.value);
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

// To the right of whoever goes right is down, as y grows downwards.
double bend_upwards(Point from, Point to, double by) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const bool rightwards = std::abs(dx) >= std::abs(dy) ? dx > 0 : dy < 0;
  return rightwards ? -by : by;
}

std::vector<Point> circle(std::size_t count, double apart, double least_radius) {
  const auto n = static_cast<double>(count);
  const double needed = count < 2 ? 0 : apart / (2 * std::sin(std::numbers::pi / n));
  const double radius = std::max(needed, least_radius);
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
    points.push_back({radius * std::sin(angle), -radius * std::cos(angle)});
  }
  return points;
}

}  // namespace heddle::plan
