// SPDX-License-Identifier: BSD-3-Clause
#include "routing/sssp.hpp"

#include <algorithm>
#include <numeric>

#include "routing/destinations.hpp"
#include "routing/shortest_trees.hpp"
#include "routing/traffic.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// So many targets are routed side by side, each blind to the loads of the others. The number is
// part of the result, so it must not depend on how many threads there are.
constexpr std::size_t kSideBySide = 4;
// What a second LID of the same port pays for a channel that an earlier one uses: more than any
// loads, so that they part where they can.
constexpr std::uint64_t kSamePort = std::uint64_t{1} << 48;

// Routes all LIDs at one switch after another.
class Router {
 public:
  Router(const CompactChannels& channels, const Destinations& destinations, const Traffic& traffic)
      : channels_(channels), destinations_(destinations), traffic_(traffic), trees_(channels) {}

  // Adds to the loads what hosts will send there.
  void route_to(SwitchIndex target, ChannelLoads& loads, fabric::ForwardingTables& tables) {
    trees_.approach(target);
    lids_.clear();
    const auto& group = destinations_.by_switch[target.value];
    for (const Destination& to : group) {
      for (unsigned n = 0; n < to.lid_count(); ++n) {
        lids_.push_back(static_cast<std::uint16_t>(to.base.value + n));
      }
    }
    chosen_.resize(lids_.size() * destinations_.hosts.size());
    column_ = 0;
    for (const Destination& to : group) route_port(to, loads);
    write(tables);
  }

 private:
  void route_port(const Destination& to, ChannelLoads& loads) {
    avoided_.clear();
    for (unsigned n = 0; n < to.lid_count(); ++n, ++column_) {
      trees_.choose(loads);
      for (const std::uint32_t at : trees_.nearest_first()) {
        const std::uint32_t next = trees_.next(at);
        const std::uint8_t out = next == kNoWay ? to.out.value : channels_.out[next];
        chosen_[at * lids_.size() + column_] = out;
      }
      if (to.is_host()) trees_.load(traffic_.toward(to), loads);
      if (to.lmc == 0) continue;
      for (const std::uint32_t at : trees_.nearest_first().subspan(1)) {
        avoided_.push_back(trees_.next(at));
        loads[avoided_.back()] += kSamePort;
      }
    }
    for (const std::uint32_t channel : avoided_) loads[channel] -= kSamePort;
  }

  // Row by row, as the LIDs of one switch mostly stand side by side.
  void write(fabric::ForwardingTables& tables) const {
    for (const std::uint32_t at : trees_.nearest_first()) {
      const auto row = tables.row(SwitchIndex{at});
      const std::uint8_t* chosen = chosen_.data() + at * lids_.size();
      for (std::size_t i = 0; i < lids_.size(); ++i) row[lids_[i]] = chosen[i];
    }
  }

  const CompactChannels& channels_;
  const Destinations& destinations_;
  const Traffic& traffic_;
  ShortestTrees trees_;
  std::vector<std::uint16_t> lids_;   // at the target
  std::vector<std::uint8_t> chosen_;  // by (switch, place in lids_): the port to leave by
  std::size_t column_ = 0;
  std::vector<std::uint32_t> avoided_;  // channels, once for each LID of this port over them
};

// Switches with most hosts first: they are the hardest to please.
std::vector<SwitchIndex> targets_with_hosts(const Destinations& destinations) {
  std::vector<SwitchIndex> targets;
  for (std::uint32_t s = 0; s < destinations.hosts.size(); ++s) {
    if (destinations.hosts[s] > 0) targets.push_back(SwitchIndex{s});
  }
  std::stable_sort(targets.begin(), targets.end(), [&](SwitchIndex a, SwitchIndex b) {
    return destinations.hosts[a.value] > destinations.hosts[b.value];
  });
  return targets;
}

}  // namespace

fabric::ForwardingTables shortest_path_tables(const Request& request) {
  CompactChannels channels(request.topology);
  if (request.options.avoid_throttled_links) channels.weigh_slow_links(request.topology);
  const Destinations destinations(request.topology, request.lids);
  const Traffic traffic(request, destinations);
  fabric::ForwardingTables tables(request.topology.switch_count(), request.lids.top());
  const auto targets = targets_with_hosts(destinations);
  ChannelLoads known(channels.count());
  std::vector<ChannelLoads> seen(kSideBySide);
  std::vector<Router> routers(kSideBySide, Router(channels, destinations, traffic));
  const std::size_t rounds = (targets.size() + kSideBySide - 1) / kSideBySide;
  for (std::size_t round = 0; round < rounds; ++round) {
    request.parallel(kSideBySide, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        seen[i] = known;
        const std::size_t target = i * rounds + round;
        if (target < targets.size()) routers[i].route_to(targets[target], seen[i], tables);
      }
    });
    for (std::size_t c = 0; c < known.size(); ++c) {
      const std::uint64_t before = known[c];
      for (const ChannelLoads& loads : seen) known[c] += loads[c] - before;
    }
  }
  // Switches' own LIDs carry next to nothing and need not see each other.
  request.parallel(destinations.hosts.size(), [&](std::size_t first, std::size_t last) {
    Router router(channels, destinations, traffic);
    ChannelLoads loads = known;
    for (std::size_t s = first; s < last; ++s) {
      if (destinations.hosts[s] == 0 && !destinations.by_switch[s].empty()) {
        router.route_to(SwitchIndex{static_cast<std::uint32_t>(s)}, loads, tables);
      }
    }
  });
  return tables;
}

base::Result<Routes> Sssp::route(const Request& request) const {
  return Routes{std::string(name()), shortest_path_tables(request), {}};
}

}  // namespace heddle::routing
