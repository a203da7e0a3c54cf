// SPDX-License-Identifier: BSD-3-Clause
#include "routing/dragonfly_groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "routing/disjoint_sets.hpp"

namespace heddle::routing {
namespace {

// Looking for common neighbours takes their square, for each switch.
constexpr std::uint64_t kMaxGroupingWork = 1'000'000'000;

// By arc: the neighbours that its two ends share.
std::vector<std::uint32_t> shared_neighbours(const Arcs& arcs) {
  std::vector<std::uint32_t> shared(arcs.to.size());
  std::vector<std::uint32_t> beside(arcs.first.size() - 1, Arcs::kNone);
  for (std::uint32_t s = 0; s + 1 < arcs.first.size(); ++s) {
    for (std::uint32_t i = arcs.first[s]; i < arcs.first[s + 1]; ++i) beside[arcs.to[i]] = s;
    for (std::uint32_t i = arcs.first[s]; i < arcs.first[s + 1]; ++i) {
      const std::uint32_t other = arcs.to[i];
      for (std::uint32_t n = arcs.first[other]; n < arcs.first[other + 1]; ++n) {
        shared[i] += beside[arcs.to[n]] == s ? 1 : 0;
      }
    }
  }
  return shared;
}

// Both ends must find the other one familiar.
DragonflyGroups by_familiarity(const Arcs& arcs) {
  const std::size_t switches = arcs.first.size() - 1;
  const auto shared = shared_neighbours(arcs);
  std::vector<std::uint32_t> most(switches);
  for (std::uint32_t i = 0; i < shared.size(); ++i) {
    most[arcs.from[i]] = std::max(most[arcs.from[i]], shared[i]);
  }
  DisjointSets sets(switches);
  for (std::uint32_t i = 0; i < shared.size(); ++i) {
    const std::uint32_t needed = std::max(most[arcs.from[i]], most[arcs.to[i]]);
    if (shared[i] > 0 && 2 * shared[i] > needed) sets.unite(arcs.from[i], arcs.to[i]);
  }
  DragonflyGroups groups;
  groups.of.resize(switches);
  for (std::uint32_t s = 0; s < switches; ++s) {
    const std::uint32_t first = sets.find(s);  // not after s
    if (first == s) {
      groups.of[s] = static_cast<std::uint32_t>(groups.members.size());
      groups.members.emplace_back();
    } else {
      groups.of[s] = groups.of[first];
    }
    groups.members[groups.of[s]].push_back(s);
  }
  return groups;
}

}  // namespace

base::Result<DragonflyGroups> find_dragonfly_groups(const Arcs& arcs) {
  std::uint64_t work = 0;
  for (std::uint32_t i = 0; i < arcs.to.size(); ++i) work += arcs.degree(arcs.to[i]);
  if (work > kMaxGroupingWork) return base::error("its switches have too many neighbours");
  DragonflyGroups groups = by_familiarity(arcs);
  const std::size_t count = groups.members.size();
  if (count < 2) return base::error("its switches form no groups");
  std::size_t own = 0, own_wanted = 0;
  for (const auto& members : groups.members) {
    if (members.size() < 3) return base::error("its switches form no groups of three or more");
    own_wanted += members.size() * (members.size() - 1);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> joints;
  for (std::uint32_t i = 0; i < arcs.to.size(); ++i) {
    const std::uint32_t here = groups.of[arcs.from[i]], there = groups.of[arcs.to[i]];
    own += here == there ? 1 : 0;
    if (here != there) joints.emplace(here, there);
  }
  const std::size_t joints_wanted = count * (count - 1);
  if (10 * (own_wanted - own) > own_wanted ||
      10 * (joints_wanted - joints.size()) > joints_wanted) {
    return base::error("its groups are not joined all to all");
  }
  if (own < own_wanted) {
    groups.damage = fmt::format("{} links within groups are missing", (own_wanted - own) / 2);
  } else if (joints.size() < joints_wanted) {
    groups.damage =
        fmt::format("{} pairs of groups are not joined", (joints_wanted - joints.size()) / 2);
  }
  return groups;
}

}  // namespace heddle::routing
