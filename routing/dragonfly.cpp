// SPDX-License-Identifier: BSD-3-Clause
#include "routing/dragonfly.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fabric/islands.hpp"
#include "routing/destinations.hpp"
#include "routing/dragonfly_groups.hpp"
#include "routing/weave.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr unsigned kVls = 2;

class DragonflyRouter {
 public:
  DragonflyRouter(const Request& request, const CompactChannels& channels,
                  const DragonflyGroups& groups)
      : request_(request),
        channels_(channels),
        groups_(groups),
        destinations_(request.topology, request.lids),
        joints_(groups.members.size() * groups.members.size()),
        tables_(request.topology.switch_count(), request.lids.top(), request.parallel) {
    for (std::uint32_t c = 0; c < channels.count(); ++c) {
      const std::uint32_t here = groups.of[channels.from[c]], there = groups.of[channels.to[c]];
      if (here != there) joints_[here * groups.members.size() + there].push_back(c);
    }
  }

  fabric::ForwardingTables fill() {
    request_.parallel(destinations_.by_switch.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) fill_from(static_cast<std::uint32_t>(s));
    });
    return std::move(tables_);
  }

  fabric::VlMaps maps() const {
    fabric::VlMap second;
    second.fill(1);
    fabric::VlMaps maps(fabric::VlMap{});
    for (std::uint32_t s = 0; s < groups_.of.size(); ++s) {
      const unsigned ports = request_.topology.node(SwitchIndex{s}).port_count;
      for (const auto& in : request_.topology.channels_from(SwitchIndex{s})) {
        if (groups_.of[in.to.value] == groups_.of[s]) continue;
        for (const auto& out : request_.topology.channels_from(SwitchIndex{s})) {
          maps.set(SwitchIndex{s}, ports, in.out, out.out, second);
        }
      }
    }
    return maps;
  }

 private:
  void fill_from(std::uint32_t at) {
    const auto row = tables_.row(SwitchIndex{at});
    std::vector<std::uint32_t> choices;
    for (std::uint32_t target = 0; target < groups_.of.size(); ++target) {
      choices_toward(at, target, choices);
      // Neighbouring destinations take different cables, and those of the next switch go on from
      // there.
      std::size_t turn = place_of(target);
      for (const Destination& to : destinations_.by_switch[target]) {
        for (unsigned i = 0; i < to.lid_count(); ++i, ++turn) {
          row[to.base.value + i] =
              at == target ? to.out.value : channels_.out[toward(at, choices, turn)];
        }
      }
    }
  }

  // How many LIDs come before it in its group.
  std::size_t place_of(std::uint32_t target) const {
    std::size_t place = 0;
    for (const std::uint32_t s : groups_.members[groups_.of[target]]) {
      if (s == target) break;
      for (const Destination& to : destinations_.by_switch[s]) place += to.lid_count();
    }
    return place;
  }

  // Cables to the target itself, or to its group on the shortest ways over one of them.
  void choices_toward(std::uint32_t at, std::uint32_t target,
                      std::vector<std::uint32_t>& choices) const {
    choices.clear();
    if (at == target) return;
    if (groups_.of[at] == groups_.of[target]) return find_cables(at, target, choices);
    unsigned fewest = 3;  // hops; a gateway has no choice of more than the switch that chose it
    for (const std::uint32_t c :
         joints_[groups_.of[at] * groups_.members.size() + groups_.of[target]]) {
      const unsigned hops = (channels_.from[c] == at ? 1 : 2) + (channels_.to[c] == target ? 0 : 1);
      if (hops < fewest) {
        choices.clear();
        fewest = hops;
      }
      if (hops == fewest) choices.push_back(c);
    }
  }

  void find_cables(std::uint32_t at, std::uint32_t neighbour,
                   std::vector<std::uint32_t>& choices) const {
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (channels_.to[c] == neighbour) choices.push_back(c);
    }
  }

  // The chosen cable, or the first one to the switch that has it.
  std::uint32_t toward(std::uint32_t at, const std::vector<std::uint32_t>& choices,
                       std::size_t turn) const {
    const std::uint32_t chosen = choices[turn % choices.size()];
    if (channels_.from[chosen] == at) return chosen;
    std::uint32_t c = channels_.first[at];
    while (channels_.to[c] != channels_.from[chosen]) ++c;
    return c;
  }

  const Request& request_;
  const CompactChannels& channels_;
  const DragonflyGroups& groups_;
  Destinations destinations_;
  std::vector<std::vector<std::uint32_t>> joints_;  // by (group, group): channels between them
  fabric::ForwardingTables tables_;
};

base::Result<DragonflyGroups> groups_of(const Request& request, const CompactChannels& channels) {
  if (fabric::Islands(request.topology).count() != 1) {
    return base::error("not a dragonfly: it is in several islands");
  }
  auto groups = find_dragonfly_groups(Arcs(channels));
  if (!groups) return base::error("not a dragonfly: " + groups.error().message);
  return groups;
}

base::Result<Routes> route_groups(const Request& request, const CompactChannels& channels,
                                  const DragonflyGroups& groups) {
  if (!groups.damage.empty()) return base::error(groups.damage);
  if (request.data_vls < kVls) {
    return base::error(
        fmt::format("a dragonfly needs {} VLs, and {} may be used", kVls, request.data_vls));
  }
  DragonflyRouter router(request, channels, groups);
  Routes routes{"dragonfly", router.fill(), {}};
  routes.lanes = {kVls, {}, router.maps()};
  routes.notes.push_back(
      fmt::format("the fabric is a dragonfly of {} groups", groups.members.size()));
  return routes;
}

}  // namespace

base::Result<Routes> route_whole_dragonfly(const Request& request) {
  const CompactChannels channels(request.topology);
  const auto groups = groups_of(request, channels);
  return groups ? route_groups(request, channels, *groups) : groups.error();
}

base::Result<Routes> Dragonfly::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  const auto groups = groups_of(request, channels);
  if (!groups) return groups.error();
  auto routes = route_groups(request, channels, *groups);
  return routes ? std::move(routes) : leave_to_weave(request, name(), routes.error());
}

}  // namespace heddle::routing
