// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies: a circle of circles.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "plan/sketch.hpp"
#include "routing/dragonfly_groups.hpp"

namespace heddle::plan {
namespace {

constexpr double kApart = 1.15;      // neighbours in a group
constexpr double kGroupRoom = 0.85;  // around a group

}  // namespace

std::optional<Sketch> sketch_groups(const fabric::Topology& island) {
  const auto groups =
      routing::find_dragonfly_groups(routing::Arcs(routing::CompactChannels(island)));
  if (!groups || groups->members.size() < 2) return std::nullopt;
  Sketch sketch;
  sketch.kind = Layout::Kind::Groups;
  sketch.title = fmt::format("dragonfly of {} groups", groups->members.size());
  sketch.rank = groups->of;
  sketch.at.resize(island.switch_count());
  double largest = 0;
  for (const auto& members : groups->members) {
    const Point first = circle(members.size(), kApart).front();
    largest = std::max(largest, std::hypot(first.x, first.y) + kGroupRoom);
  }
  const auto middles = circle(groups->members.size(), 2 * largest + 0.4);
  for (std::size_t g = 0; g < middles.size(); ++g) {
    auto members = groups->members[g];
    sort_by_name(island, members);
    const auto points = circle(members.size(), kApart);
    for (std::size_t i = 0; i < members.size(); ++i) {
      sketch.at[members[i]] = {middles[g].x + points[i].x, middles[g].y + points[i].y};
    }
    sketch.frames.push_back({Frame::Kind::Group,
                             {middles[g].x - largest, middles[g].y - largest},
                             2 * largest,
                             2 * largest,
                             fmt::format("group {}", g)});
  }
  return sketch;
}

}  // namespace heddle::plan
