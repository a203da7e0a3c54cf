// SPDX-License-Identifier: BSD-3-Clause
#include "routing/dfsssp.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fabric/verification.hpp"
#include "routing/destinations.hpp"
#include "routing/escape.hpp"
#include "routing/lane_packer.hpp"
#include "routing/pair_layers.hpp"
#include "routing/relief.hpp"
#include "routing/shortest_ways.hpp"
#include "routing/sssp.hpp"
#include "routing/traffic.hpp"

namespace heddle::routing {
namespace {

constexpr std::size_t kPortValues = 256;

class Parting {
 public:
  Parting(const Request& request, const fabric::ForwardingTables& tables)
      : request_(request),
        tables_(tables),
        channels_(request.topology),
        destinations_(request.topology, request.lids),
        channel_of_(destinations_.hosts.size() * kPortValues, kNoWay),
        layers_(request.data_vls, ChannelOrder(channels_)),
        packer_(layers_) {
    for (std::uint32_t c = 0; c < channels_.count(); ++c) {
      channel_of_[channels_.from[c] * kPortValues + channels_.out[c]] = c;
    }
  }

  // Before part(). Groups are on the first layer, unless their creators want another level.
  void make_room_for_multicast() {
    routing::make_room_for_multicast(channels_, fabric::Islands(request_.topology),
                                     layers_.front());
  }

  // False if there are too few VLs. hardest_first: where answers are covered.
  bool part(bool hardest_first, fabric::Lanes& lanes) {
    const bool parted =
        request_.cover_replies ? part_by_pair(hardest_first, lanes) : part_by_lid(lanes);
    if (!parted) return false;
    lanes.vls = static_cast<std::uint8_t>(packer_.used());
    lanes.maps = fabric::VlMaps(fabric::even_map(packer_.used()));
    return true;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  std::uint32_t switches() const { return static_cast<std::uint32_t>(destinations_.hosts.size()); }
  std::uint32_t channel(std::uint32_t at, std::size_t lid) const {
    return channel_of_[at * kPortValues + tables_.row(fabric::SwitchIndex{at})[lid]];
  }

  template <class Visit>
  void for_each_lid(std::uint32_t at, const Visit& visit) const {
    for (const Destination& to : destinations_.by_switch[at]) {
      for (std::size_t n = 0; n < to.lid_count(); ++n) visit(to.base.value + n, to.is_host());
    }
  }

  void follow(std::uint32_t from, std::uint32_t target, std::size_t lid) {
    std::uint32_t held = channel(from, lid);
    if (held == kNoWay) return;  // another island
    for (std::uint32_t at = channels_.to[held]; at != target; at = channels_.to[held]) {
      const std::uint32_t next = channel(at, lid);
      flow_.push_back({held, next});
      held = next;
    }
  }

  // What one switch sends to another's own LIDs matters only where hosts are.
  void follow_all(std::uint32_t from, std::uint32_t target) {
    for_each_lid(target, [&](std::size_t lid, bool host) {
      if (host || destinations_.hosts[from] > 0) follow(from, target, lid);
    });
  }

  bool part_by_pair(bool hardest_first, fabric::Lanes& lanes) {
    PairLayers pairs(switches());
    for (const auto& [a, b] : hardest_first ? pairs_by_turns() : all_pairs()) {
      follow_both_ways(a, b);
      const auto layer = packer_.pack(flow_);
      if (!layer) return false;
      pairs.set(a, b, *layer);
    }
    lanes.levels = pairs.levels(destinations_, request_.lids.top());
    return true;
  }

  void follow_both_ways(std::uint32_t a, std::uint32_t b) {
    flow_.clear();
    follow_all(a, b);
    follow_all(b, a);
  }

  std::vector<Pair> all_pairs() const {
    std::vector<Pair> all;
    for (std::uint32_t a = 0; a < switches(); ++a) {
      for (std::uint32_t b = a + 1; b < switches(); ++b) all.push_back({a, b});
    }
    return all;
  }

  // Those that take most turns first.
  std::vector<Pair> pairs_by_turns() {
    std::map<std::size_t, std::vector<Pair>, std::greater<>> by_turns;
    for (const auto& [a, b] : all_pairs()) {
      follow_both_ways(a, b);
      std::sort(flow_.begin(), flow_.end());
      const auto turns = std::unique(flow_.begin(), flow_.end()) - flow_.begin();
      by_turns[static_cast<std::size_t>(turns)].push_back({a, b});
    }
    std::vector<Pair> all;
    for (const auto& [turns, some] : by_turns) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

  bool part_by_lid(fabric::Lanes& lanes) {
    const std::size_t columns = std::size_t{request_.lids.top().value} + 1;
    std::vector<std::uint8_t> levels(switches() * columns);
    bool enough = true;
    for (std::uint32_t target = 0; target < switches() && enough; ++target) {
      for_each_lid(target, [&](std::size_t lid, bool host) {
        for (std::uint32_t from = 0; from < switches() && enough; ++from) {
          if (from == target || (!host && destinations_.hosts[from] == 0)) continue;
          flow_.clear();
          follow(from, target, lid);
          const auto layer = packer_.pack(flow_);
          enough = layer.has_value();
          levels[from * columns + lid] = layer.value_or(0);
        }
      });
    }
    std::vector<std::uint32_t> rows(switches());
    std::iota(rows.begin(), rows.end(), 0u);
    if (enough) lanes.levels = {std::move(rows), {}, columns, std::move(levels)};
    return enough;
  }

  const Request& request_;
  const fabric::ForwardingTables& tables_;
  const CompactChannels channels_;
  const Destinations destinations_;
  std::vector<std::uint32_t> channel_of_;  // by switch and port
  std::vector<ChannelOrder> layers_;
  LanePacker packer_;
  LanePacker::Dependencies flow_;
};

// Whether it changed anything. Classes of hosts are spread each for itself, and stay as they are.
bool even_out(const Request& request, fabric::ForwardingTables& tables) {
  CompactChannels channels(request.topology);
  if (request.options.avoid_throttled_links)
    channels.counts_for = channels.slowness(request.topology);
  const Destinations destinations(request.topology, request.lids);
  if (!Traffic(request, destinations).is_alike()) return false;
  ShortestWays ways(channels);
  return relieve(channels, destinations, ways, tables);
}

bool needs_no_lanes(const Request& request, const fabric::ForwardingTables& tables) {
  return fabric::verify(request.topology, request.lids, tables, {}, request.parallel)
      .deadlock_free();
}

// To order pairs is to walk all ways once more, which is not worth it where LIDs times channels are
// more than this.
constexpr std::size_t kMostToOrder = 16'000'000;

// In the order that takes fewer VLs, which is mostly that of the hardest first, but not on grids.
std::optional<fabric::Lanes> part(const Request& request, const fabric::ForwardingTables& tables,
                                  bool has_room) {
  std::optional<fabric::Lanes> best;
  const std::size_t work = request.lids.top().value * request.topology.channels().size();
  const bool orders = request.cover_replies && work <= kMostToOrder;
  for (const bool hardest_first : {true, false}) {
    if (hardest_first && !orders) continue;
    Parting parting(request, tables);
    if (has_room) parting.make_room_for_multicast();
    fabric::Lanes lanes;
    if (!parting.part(hardest_first, lanes)) continue;
    if (!best || lanes.vls < best->vls) best = std::move(lanes);
  }
  return best;
}

// The best first: multicast without credit loops is worth more than even loads, which may take a VL
// more. even: the same relieved; null: there was nothing to relieve.
bool part_in_some_manner(const Request& request, fabric::ForwardingTables* even, Routes& routes) {
  for (const bool has_room : {true, false}) {
    for (fabric::ForwardingTables* tables : {even, &routes.tables}) {
      if (tables == nullptr) continue;
      auto lanes = part(request, *tables, has_room);
      if (!lanes) continue;
      routes.lanes = std::move(*lanes);
      if (tables == even) routes.tables = std::move(*even);
      if (!has_room) routes.notes.push_back(kNoRoomForMulticast);
      return true;
    }
  }
  return false;
}

}  // namespace

base::Result<Routes> Dfsssp::route(const Request& request) const {
  Routes routes{std::string(name()), shortest_path_tables(request, Dealing::SwitchBySwitch), {}};
  auto even = routes.tables;
  const bool changed = even_out(request, even);
  if (changed && needs_no_lanes(request, even)) {
    routes.tables = std::move(even);
    return routes;
  }
  if (needs_no_lanes(request, routes.tables)) return routes;
  if (request.data_vls == 1) return base::error("1 VL is too few to part its ways");
  if (!part_in_some_manner(request, changed ? &even : nullptr, routes)) {
    return base::error(fmt::format("{} VLs are too few to part its ways{}", request.data_vls,
                                   request.cover_replies ? " so that answers are safe" : ""));
  }
  routes.notes.push_back(fmt::format("layers used: {}", routes.lanes.vls));
  return routes;
}

}  // namespace heddle::routing
