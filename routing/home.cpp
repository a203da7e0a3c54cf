// SPDX-License-Identifier: BSD-3-Clause
#include "routing/home.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fabric/counterparts.hpp"
#include "fabric/recheck.hpp"
#include "routing/lane_line.hpp"
#include "routing/lane_repair.hpp"
#include "routing/repair.hpp"
#include "routing/standing.hpp"

namespace heddle::routing {
namespace {

using fabric::Channel;
using fabric::LidMap;
using fabric::PortIndex;
using fabric::SwitchIndex;
using fabric::Topology;

bool same_switches(const Topology& home, const Topology& now,
                   const fabric::Counterparts& counterparts, std::vector<SwitchIndex>& at_home) {
  at_home.reserve(now.switch_count());
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
    const auto known = counterparts.switch_at(SwitchIndex{s});
    if (!known || home.node(*known).port_count != now.node(SwitchIndex{s}).port_count) return false;
    at_home.push_back(*known);
  }
  return true;
}

// Whether all links are those of home; then it is noted which of home's are not there.
bool same_links(const Topology& home, const Topology& now, bool speed_matters,
                Departure& departure) {
  const auto& at_home = departure.at_home;
  bool same = true;
  for (std::uint32_t s = 0; s < now.switch_count() && same; ++s) {
    const auto visit = [&](const Channel* channel, const Channel* was) {
      if (channel == nullptr) {
        departure.lost.push_back({SwitchIndex{s}, was->out});
        return;
      }
      same = same && was != nullptr && was->to == at_home[channel->to.value] &&
             was->in == channel->in && !(speed_matters && was->slowness != channel->slowness);
    };
    fabric::for_each_out_port(now, SwitchIndex{s}, home, at_home[s], visit);
  }
  departure.whole =
      home.channels().size() == now.channels().size() && home.switch_count() == now.switch_count();
  return same;
}

bool same_places(const Home& home, const Topology& now, const LidMap& lids,
                 const fabric::Counterparts& counterparts, Departure& departure) {
  departure.has_hosts.resize(now.switch_count());
  departure.lid_count.resize(now.switch_count());
  for (const PortIndex port : now.endports()) {
    const auto place = now.attachment(port);
    const auto range = lids.range(port);
    if (place && place->out.value != 0) departure.has_hosts[place->at.value] = 1;
    if (range.base == mad::kNoLid) continue;
    if (place) departure.lid_count[place->at.value] += range.count();
    const PortIndex old = counterparts.port(port);
    if (old == fabric::kNoPort || !(home.lids->range(old) == range)) return false;
    const auto was = home.topology->attachment(old);
    if (place.has_value() != was.has_value()) return false;
    if (!place) continue;
    if (departure.at_home[place->at.value] != was->at || place->out != was->out) return false;
  }
  return true;
}

std::vector<fabric::DepartedLid> departed_from(const Home& home, const LidMap& lids) {
  std::vector<fabric::DepartedLid> departed;
  for (std::uint16_t number = 1; number <= home.lids->top().value; ++number) {
    const mad::Lid lid{number};
    const auto owner = home.lids->owner(lid);
    if (owner == fabric::kNoPort || lids.owner(lid) != fabric::kNoPort) continue;
    departed.push_back({lid, home.topology->is_switch(home.topology->node_of(owner))});
  }
  return departed;
}

// By the judge who walks all routes. Gives their dependencies, or nothing if there is an objection.
std::optional<fabric::Dependencies> prove(const Topology& topology, const LidMap& lids,
                                          const Policy& policy, const Home& home,
                                          const base::ParallelFor& parallel, Selected& selected) {
  const Routes& routes = selected.routes;
  std::optional<fabric::Dependencies> graph;
  selected.proof = fabric::verify(topology, lids, routes.tables, routes.lanes, parallel,
                                  departed_from(home, lids), &graph);
  if (objection(topology, policy, routes.lanes, selected.proof)) return std::nullopt;
  selected.lanes = LaneCertificate::make(topology, *graph);
  return graph;
}

// Home's tables, repaired. A repair has reasons of its own to be right, which no judge believes:
// who is not satisfied by what differs walks all of them. The one who looks only at that begins
// with the fabric while there are no tables yet.
std::optional<Selected> mended_home(const Topology& topology, const LidMap& lids,
                                    const Policy& policy, const Home& home,
                                    const Departure& departure, const base::ParallelFor& parallel,
                                    const Kinship* present) {
  const Selected& before = *home.selected;
  if (!before.certificate) return std::nullopt;
  const Certificate& certificate = *before.certificate;
  fabric::Recheck judge({*home.topology, *home.lids, before.routes.tables, certificate.witness()},
                        {topology, lids, departure.at_home});
  const auto found = repair(home, departure, topology, lids, present, parallel,
                            {judge.kLooks, [&](std::size_t number) { judge.look(number); }});
  if (!found) return std::nullopt;
  auto selected = repaired(home, departure, topology, *found, parallel);
  if (before.proof.proven() && before.routes.lanes.vls == 1) {
    const auto places = certificate.by_topology(found->places);
    if (judge.follows({selected.routes.tables, places}, parallel, &selected.changes)) {
      return selected;
    }
  }
  selected.kin = nullptr;  // its line may not hold
  if (!prove(topology, lids, policy, home, parallel, selected)) return std::nullopt;
  return selected;
}

// The same where home's routes need several VLs: all is walked.
std::optional<Selected> mended_on_lanes(const Topology& topology, const LidMap& lids,
                                        const Policy& policy, const Home& home,
                                        const Departure& departure,
                                        const base::ParallelFor& parallel,
                                        const LaneKinship* present) {
  auto selected = repair_on_lanes(home, departure, topology, lids, present);
  if (!selected) return std::nullopt;
  const auto graph = prove(topology, lids, policy, home, parallel, *selected);
  if (!graph) return std::nullopt;
  const LaneLine line(topology, *selected->lane_kin, departure.at_home);
  if (!line.covers(topology, *graph)) selected->lane_kin = nullptr;
  return selected;
}

// One engine's fresh tables, brought near home if those are proven, or as they are.
std::optional<Selected> near_home(const Topology& topology, const LidMap& lids,
                                  const Policy& policy, const Home& home,
                                  const Departure& departure, Routes fresh,
                                  const base::ParallelFor& parallel) {
  const auto columns = still_right(home, departure, lids);
  take_columns(home, departure, columns, fresh.tables);
  const auto kept = std::count(columns.begin(), columns.end(), true);
  fresh.notes.push_back(fmt::format("{} of {} LIDs keep the ways they had before the loss", kept,
                                    columns.empty() ? 0 : columns.size() - 1));
  return select_if_proven(topology, lids, policy, std::move(fresh), departed_from(home, lids),
                          parallel);
}

}  // namespace

bool is_at_home(const Home& home, const Topology& topology, const LidMap& lids,
                const Policy& policy) {
  return !home.found && home.selected->fresh && home.policy == policy &&
         fabric::are_same(*home.topology, topology) && *home.lids == lids;
}

Departure departure_from(const Home& home, const Topology& topology, const LidMap& lids,
                         const Policy& policy, const base::ParallelFor& parallel) {
  Departure departure;
  if (!(home.policy == policy)) return {};
  const fabric::Counterparts counterparts(topology, *home.topology);
  if (!same_switches(*home.topology, topology, counterparts, departure.at_home)) return {};
  std::array<bool, 2> is_same{};
  parallel(is_same.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t half = begin; half < end; ++half) {
      is_same[half] = half == 0 ? same_links(*home.topology, topology,
                                             policy.options.avoid_throttled_links, departure)
                                : same_places(home, topology, lids, counterparts, departure);
    }
  });
  if (!is_same[0] || !is_same[1]) return {};
  departure.comparable = true;
  return departure;
}

std::vector<bool> still_right(const Home& home, const Departure& departure, const LidMap& lids) {
  const auto& tables = home.selected->routes.tables;
  std::vector<bool> right(std::size_t{home.lids->top().value} + 1);
  for (std::size_t lid = 1; lid < right.size(); ++lid) {
    right[lid] = home.lids->owner(mad::Lid{static_cast<std::uint16_t>(lid)}) != fabric::kNoPort;
  }
  for (const auto& port : departure.lost) {
    const auto row = tables.row(departure.at_home[port.at.value]);
    for (std::size_t lid = 1; lid < right.size(); ++lid) {
      const bool used = row[lid] == port.out.value;
      if (used && lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)}) != fabric::kNoPort) {
        right[lid] = false;
      }
    }
  }
  return right;
}

void take_columns(const Home& home, const Departure& departure, const std::vector<bool>& columns,
                  fabric::ForwardingTables& tables) {
  const auto& source = home.selected->routes.tables;
  if (tables.row_size() < source.row_size()) {
    fabric::ForwardingTables wider(tables.switch_count(), home.lids->top());
    for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
      std::copy(tables.row(SwitchIndex{s}).begin(), tables.row(SwitchIndex{s}).end(),
                wider.row(SwitchIndex{s}).begin());
    }
    tables = std::move(wider);
  }
  // Columns that follow each other are copied together: there are tens of thousands of them.
  struct Stretch {
    std::size_t begin = 0, end = 0;
  };
  std::vector<Stretch> stretches;
  for (std::size_t lid = 0; lid < columns.size(); ++lid) {
    if (!columns[lid]) continue;
    if (stretches.empty() || stretches.back().end != lid) stretches.push_back({lid, lid});
    stretches.back().end = lid + 1;
  }
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const auto from = source.row(departure.at_home[s]);
    const auto to = tables.row(SwitchIndex{s});
    for (const Stretch& stretch : stretches) {
      std::copy(from.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
                from.begin() + static_cast<std::ptrdiff_t>(stretch.end),
                to.begin() + static_cast<std::ptrdiff_t>(stretch.begin));
    }
  }
}

base::Result<std::shared_ptr<const Selected>> select_near_home(
    const Topology& topology, const LidMap& lids, const Policy& policy, const Home* home,
    const base::ParallelFor& parallel, const Selected* present) {
  Departure departure;
  if (home != nullptr) departure = departure_from(*home, topology, lids, policy, parallel);
  if (departure.comparable && departure.whole) {
    if (!home->found) return home->selected;
    return select_standing(topology, lids, policy, *home, parallel);
  }
  if (departure.comparable) {
    auto mended = mended_home(topology, lids, policy, *home, departure, parallel,
                              present != nullptr ? present->kin.get() : nullptr);
    if (!mended) {
      mended = mended_on_lanes(topology, lids, policy, *home, departure, parallel,
                               present != nullptr ? present->lane_kin.get() : nullptr);
    }
    if (mended) return std::make_shared<const Selected>(std::move(*mended));
  }
  Refine refine;
  // Routes of several lanes are made as a whole: their levels are of no use to other ways.
  if (departure.comparable && home->selected->routes.lanes.vls == 1) {
    refine = [&](const Routes& fresh) -> std::optional<Selected> {
      if (fresh.lanes.vls != 1) return std::nullopt;
      return near_home(topology, lids, policy, *home, departure, fresh, parallel);
    };
  }
  auto selected = select_routes(topology, lids, policy, parallel, refine);
  if (!selected) return selected.error();
  return std::make_shared<const Selected>(std::move(*selected));
}

}  // namespace heddle::routing
