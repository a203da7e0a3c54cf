// SPDX-License-Identifier: BSD-3-Clause
#include "routing/dragonfly_plus.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fabric/islands.hpp"
#include "routing/destinations.hpp"
#include "routing/disjoint_sets.hpp"
#include "routing/way_finder.hpp"
#include "routing/weave.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr unsigned kDragonflyPlusVls = 2;

struct Group {
  std::vector<std::uint32_t> leaves, spines;
};

struct Groups {
  std::vector<std::uint32_t> of;       // by switch
  std::vector<std::uint8_t> is_spine;  // by switch
  std::vector<Group> all;
  std::vector<std::vector<std::uint32_t>> joints;  // by (group, group): channels between them
  std::string damage;                              // empty: it is whole

  const std::vector<std::uint32_t>& between(std::uint32_t from, std::uint32_t to) const {
    return joints[from * all.size() + to];
  }
};

bool crosses(const Groups& groups, const CompactChannels& channels, std::uint32_t channel) {
  return groups.is_spine[channels.from[channel]] != 0 && groups.is_spine[channels.to[channel]] != 0;
}

// Leaves have hosts, spines have none. What hangs together without cables between spines is one
// group.
Groups collect_groups(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts) {
  Groups groups;
  for (const std::uint32_t count : hosts) groups.is_spine.push_back(count == 0 ? 1 : 0);
  DisjointSets sets(hosts.size());
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    if (!crosses(groups, channels, c)) sets.unite(channels.from[c], channels.to[c]);
  }
  std::vector<std::uint32_t> number(hosts.size(), 0xFFFF'FFFF);
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    std::uint32_t& group = number[sets.find(s)];
    if (group == 0xFFFF'FFFF) {
      group = static_cast<std::uint32_t>(groups.all.size());
      groups.all.emplace_back();
    }
    groups.of.push_back(group);
    Group& members = groups.all[group];
    (groups.is_spine[s] != 0 ? members.spines : members.leaves).push_back(s);
  }
  groups.joints.resize(groups.all.size() * groups.all.size());
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    if (!crosses(groups, channels, c)) continue;
    const std::uint32_t from = groups.of[channels.from[c]], to = groups.of[channels.to[c]];
    groups.joints[from * groups.all.size() + to].push_back(c);
  }
  return groups;
}

// Pairs of switches of one group that a cable should join, and how many do.
std::pair<std::size_t, std::size_t> count_cabled(const Groups& groups,
                                                 const CompactChannels& channels) {
  std::size_t wanted = 0, present = 0;
  for (const Group& group : groups.all) wanted += group.leaves.size() * group.spines.size();
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    const bool another =
        c == channels.first[channels.from[c]] || channels.to[c] != channels.to[c - 1];
    present +=
        another && groups.is_spine[channels.from[c]] == 0 && groups.is_spine[channels.to[c]] != 0;
  }
  return {wanted, present};
}

base::Result<Groups> find_groups(const Request& request, const CompactChannels& channels,
                                 const std::vector<std::uint32_t>& hosts) {
  if (fabric::Islands(request.topology).count() != 1) return base::error("it is in pieces");
  Groups groups = collect_groups(channels, hosts);
  const std::size_t count = groups.all.size();
  if (count < 2) return base::error("no dragonfly+: its switches form one group");
  std::size_t unjoined = 0;
  for (std::uint32_t a = 0; a < count; ++a) {
    const Group& group = groups.all[a];
    if (group.leaves.size() < 2 || group.spines.size() < 2) {
      return base::error("no dragonfly+: a group has fewer than two leaves or spines");
    }
    if (!groups.between(a, a).empty()) {
      return base::error("no dragonfly+: spines of one group are joined");
    }
    for (std::uint32_t b = 0; b < count; ++b) unjoined += a != b && groups.between(a, b).empty();
  }
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    if (groups.is_spine[channels.from[c]] == 0 && groups.is_spine[channels.to[c]] == 0) {
      return base::error("no dragonfly+: leaves are joined");
    }
  }
  const auto [wanted, present] = count_cabled(groups, channels);
  if (10 * (wanted - present) > wanted || 10 * unjoined > count * (count - 1)) {
    return base::error("no dragonfly+: its groups are not joined all to all");
  }
  if (present < wanted) {
    groups.damage = fmt::format("{} links within groups are missing", wanted - present);
  } else if (unjoined > 0) {
    groups.damage = fmt::format("{} pairs of groups are not joined", unjoined / 2);
  }
  return groups;
}

class Router {
 public:
  Router(const Request& request, const CompactChannels& channels, const Groups& groups,
         const Destinations& destinations)
      : request_(request), channels_(channels), groups_(groups), destinations_(destinations) {
    first_place_.resize(groups.of.size());
    for (const Group& group : groups.all) {
      std::size_t place = 0;
      for (const auto* members : {&group.leaves, &group.spines}) {
        for (const std::uint32_t at : *members) {
          first_place_[at] = place;
          for (const Destination& to : destinations.by_switch[at]) place += to.lid_count();
        }
      }
    }
  }

  fabric::ForwardingTables fill() const {
    fabric::ForwardingTables tables(request_.topology.switch_count(), request_.lids.top(),
                                    request_.parallel);
    request_.parallel(groups_.of.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        const auto at = static_cast<std::uint32_t>(s);
        fill_from(at, tables.row(SwitchIndex{at}));
      }
    });
    return tables;
  }

  fabric::VlMaps maps() const {
    fabric::VlMap second;
    second.fill(1);
    fabric::VlMaps maps(fabric::VlMap{});
    for (std::uint32_t s = 0; s < groups_.of.size(); ++s) {
      const unsigned ports = request_.topology.node(SwitchIndex{s}).port_count;
      for (std::uint32_t in = channels_.first[s]; in < channels_.first[s + 1]; ++in) {
        const bool after_cable = crosses(groups_, channels_, in);
        if (groups_.is_spine[s] != 0 && !after_cable) continue;
        // At a leaf everything that comes in here came down.
        for (std::uint32_t out = channels_.first[s]; out < channels_.first[s + 1]; ++out) {
          maps.set(SwitchIndex{s}, ports, mad::PortNumber{channels_.out[in]},
                   mad::PortNumber{channels_.out[out]}, second);
        }
      }
    }
    return maps;
  }

 private:
  void fill_from(std::uint32_t at, std::span<std::uint8_t> row) const {
    for (std::uint32_t target = 0; target < groups_.of.size(); ++target) {
      // Destinations that follow each other take the ways in turn.
      std::size_t turn = first_place_[target];
      for (const Destination& to : destinations_.by_switch[target]) {
        for (unsigned i = 0; i < to.lid_count(); ++i, ++turn) {
          const std::uint8_t out =
              at == target ? to.out.value : channels_.out[next(at, target, turn)];
          row[to.base.value + i] = out;
        }
      }
    }
  }

  std::uint32_t next(std::uint32_t at, std::uint32_t target, std::size_t turn) const {
    const std::uint32_t here = groups_.of[at], there = groups_.of[target];
    const Group& group = groups_.all[here];
    const bool at_spine = groups_.is_spine[at] != 0;
    if (here == there) {
      if (at_spine != (groups_.is_spine[target] != 0)) return cable(at, target, turn);
      // From spine to spine by the first leaf, from leaf to leaf by any spine.
      return cable(at, at_spine ? group.leaves.front() : group.spines[turn % group.spines.size()],
                   turn / group.spines.size());
    }
    const std::uint32_t chosen = choose_joint(groups_.between(here, there), target, turn);
    if (channels_.from[chosen] == at) return chosen;
    if (!at_spine) return cable(at, channels_.from[chosen], turn);
    const std::uint32_t own = own_joint(groups_.between(here, there), at, turn);
    return own != kNone ? own : cable(at, group.leaves[1], turn);
  }

  // Cables that end at a target that is a spine come first.
  std::uint32_t choose_joint(const std::vector<std::uint32_t>& joints, std::uint32_t target,
                             std::size_t turn) const {
    if (groups_.is_spine[target] != 0) {
      for (const std::uint32_t c : joints) {
        if (channels_.to[c] == target) return c;
      }
    }
    return joints[turn % joints.size()];
  }

  std::uint32_t own_joint(const std::vector<std::uint32_t>& joints, std::uint32_t at,
                          std::size_t turn) const {
    const auto is_own = [&](std::uint32_t c) { return channels_.from[c] == at; };
    const auto count =
        static_cast<std::size_t>(std::count_if(joints.begin(), joints.end(), is_own));
    if (count == 0) return kNone;
    std::size_t left = turn % count;
    for (const std::uint32_t c : joints) {
      if (is_own(c) && left-- == 0) return c;
    }
    return kNone;
  }

  // One of the cables between neighbours, which stand together.
  std::uint32_t cable(std::uint32_t from, std::uint32_t to, std::size_t turn) const {
    const auto begin = channels_.to.begin() + channels_.first[from];
    const auto end = channels_.to.begin() + channels_.first[from + 1];
    const auto range = std::equal_range(begin, end, to);
    const auto count = static_cast<std::size_t>(range.second - range.first);
    return static_cast<std::uint32_t>(range.first - channels_.to.begin()) +
           static_cast<std::uint32_t>(turn % count);
  }

  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  const Request& request_;
  const CompactChannels& channels_;
  const Groups& groups_;
  const Destinations& destinations_;
  std::vector<std::size_t> first_place_;  // by switch: LIDs before it in its group
};

base::Result<Routes> route_groups(const Request& request, const CompactChannels& channels,
                                  const Groups& groups, const Destinations& destinations) {
  if (!groups.damage.empty()) return base::error(groups.damage);
  if (request.data_vls < kDragonflyPlusVls) {
    return base::error(fmt::format("a dragonfly+ needs {} VLs, and {} may be used",
                                   kDragonflyPlusVls, request.data_vls));
  }
  const Router router(request, channels, groups, destinations);
  Routes routes;
  routes.engine = DragonflyPlus{}.name();
  routes.tables = router.fill();
  routes.lanes = {kDragonflyPlusVls, {}, router.maps()};
  routes.notes.push_back(fmt::format("the fabric is a dragonfly+ of {} groups", groups.all.size()));
  return routes;
}

}  // namespace

base::Result<Routes> route_whole_dragonfly_plus(const Request& request) {
  const CompactChannels channels(request.topology);
  const Destinations destinations(request.topology, request.lids);
  const auto groups = find_groups(request, channels, destinations.hosts);
  return groups ? route_groups(request, channels, *groups, destinations) : groups.error();
}

base::Result<Routes> DragonflyPlus::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  const Destinations destinations(request.topology, request.lids);
  const auto groups = find_groups(request, channels, destinations.hosts);
  if (!groups) return groups.error();
  auto routes = route_groups(request, channels, *groups, destinations);
  return routes ? std::move(routes) : leave_to_weave(request, name(), routes.error());
}

}  // namespace heddle::routing
