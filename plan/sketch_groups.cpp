// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies of either kind: a circle of circles.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plan/sketch.hpp"
#include "routing/disjoint_sets.hpp"
#include "routing/dragonfly_groups.hpp"
#include "routing/tree_levels.hpp"

namespace heddle::plan {
namespace {

constexpr double kApart = 1.15;      // neighbours in a group
constexpr double kGroupRoom = 0.85;  // around a group

using Groups = std::vector<std::vector<std::uint32_t>>;

// Of a dragonfly+ groups are whole trees: leaves, and spines that lead to other groups. So they are
// what hangs together by cables of switches with hosts.
Groups groups_of_leaves_and_spines(const fabric::Topology& island) {
  const auto hosts = routing::count_hosts(island);
  routing::DisjointSets sets(hosts.size());
  for (const auto& channel : island.channels()) {
    if (hosts[channel.from.value] > 0) sets.unite(channel.from.value, channel.to.value);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t s = 0; s < hosts.size(); ++s) members[sets.find(s)].push_back(s);
  Groups groups;
  for (auto& [first, group] : members) {
    if (group.size() < 3) return {};
    groups.push_back(std::move(group));
  }
  return groups.size() < 3 ? Groups{} : groups;
}

Sketch sketch_circles(const fabric::Topology& island, const Groups& groups) {
  Sketch sketch;
  sketch.kind = Layout::Kind::Groups;
  sketch.rank.resize(island.switch_count());
  sketch.at.resize(island.switch_count());
  double largest = 0;
  for (const auto& members : groups) {
    const Point first = circle(members.size(), kApart).front();
    largest = std::max(largest, std::hypot(first.x, first.y) + kGroupRoom);
  }
  const auto middles = circle(groups.size(), 2 * largest + 0.4);
  for (std::size_t g = 0; g < middles.size(); ++g) {
    auto members = groups[g];
    sort_by_name(island, members);
    const auto points = circle(members.size(), kApart);
    for (std::size_t i = 0; i < members.size(); ++i) {
      sketch.at[members[i]] = {middles[g].x + points[i].x, middles[g].y + points[i].y};
      sketch.rank[members[i]] = static_cast<std::uint32_t>(g);
    }
    sketch.frames.push_back({Frame::Kind::Group,
                             {middles[g].x - largest, middles[g].y - largest},
                             2 * largest,
                             2 * largest,
                             fmt::format("group {}", g)});
  }
  return sketch;
}

}  // namespace

std::optional<Sketch> sketch_groups(const fabric::Topology& island) {
  const auto dragonfly =
      routing::find_dragonfly_groups(routing::Arcs(routing::CompactChannels(island)));
  if (dragonfly && dragonfly->members.size() > 1) {
    Sketch sketch = sketch_circles(island, dragonfly->members);
    sketch.title = fmt::format("dragonfly of {} groups", dragonfly->members.size());
    return sketch;
  }
  const Groups groups = groups_of_leaves_and_spines(island);
  if (groups.empty()) return std::nullopt;
  Sketch sketch = sketch_circles(island, groups);
  sketch.title = fmt::format("{} groups of leaves and spines", groups.size());
  return sketch;
}

}  // namespace heddle::plan
