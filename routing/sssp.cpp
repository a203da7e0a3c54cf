// SPDX-License-Identifier: BSD-3-Clause
#include "routing/sssp.hpp"

#include <algorithm>
#include <array>
#include <utility>

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
      : destinations_(destinations), traffic_(traffic), trees_(channels) {}

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
    has_chosen_ = false;
    for (const Destination& to : group) route_port(target, to, loads);
    write(tables);
  }

 private:
  void route_port(SwitchIndex target, const Destination& to, ChannelLoads& loads) {
    avoided_.clear();
    for (unsigned n = 0; n < to.lid_count(); ++n, ++column_) {
      if (std::exchange(has_chosen_, true)) {
        trees_.choose_again(loads);
      } else {
        trees_.choose(loads);
      }
      note_choices(target, to.out);
      if (to.is_host()) trees_.load(traffic_.toward(to), loads);
      if (to.lmc == 0) continue;
      for (const std::uint32_t at : trees_.nearest_first().subspan(1)) {
        avoided_.push_back(trees_.next(at));
        loads[avoided_.back()] += kSamePort;
      }
    }
    for (const std::uint32_t channel : avoided_) loads[channel] -= kSamePort;
    if (!avoided_.empty()) has_chosen_ = false;
  }

  void note_choices(SwitchIndex target, mad::PortNumber out) {
    std::uint8_t* const chosen = chosen_.data() + column_ * trees_.out().size();
    std::copy(trees_.out().begin(), trees_.out().end(), chosen);
    chosen[target.value] = out.value;
  }

  // Row by row, as the LIDs of one switch mostly stand side by side.
  void write(fabric::ForwardingTables& tables) const {
    // Bytes may be anything's: what is not at hand here would be read again after each of them.
    const std::uint16_t* const lids = lids_.data();
    const std::size_t width = lids_.size(), switches = trees_.out().size();
    for (const std::uint32_t at : trees_.nearest_first()) {
      std::uint8_t* const row = tables.row(SwitchIndex{at}).data();
      const std::uint8_t* const chosen = chosen_.data() + at;
      for (std::size_t i = 0; i < width; ++i) row[lids[i]] = chosen[i * switches];
    }
  }

  const Destinations& destinations_;
  const Traffic& traffic_;
  ShortestTrees trees_;
  std::vector<std::uint16_t> lids_;   // at the target
  std::vector<std::uint8_t> chosen_;  // by (place in lids_, switch): the port to leave by
  std::size_t column_ = 0;
  bool has_chosen_ = false;             // toward this target, and no load has become less since
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

// To what all of them began with.
void add_what_is_new(const std::vector<ChannelLoads>& seen, ChannelLoads& known) {
  std::array<const std::uint64_t*, kSideBySide> loads{};
  for (std::size_t i = 0; i < kSideBySide; ++i) loads[i] = seen[i].data();
  for (std::size_t c = 0; c < known.size(); ++c) {
    std::uint64_t sum = 0;
    for (const std::uint64_t* one : loads) sum += one[c];
    known[c] = sum - (kSideBySide - 1) * known[c];
  }
}

}  // namespace

fabric::ForwardingTables shortest_path_tables(const Request& request) {
  CompactChannels channels(request.topology);
  if (request.options.avoid_throttled_links)
    channels.counts_for = channels.slowness(request.topology);
  const Destinations destinations(request.topology, request.lids);
  const Traffic traffic(request, destinations);
  fabric::ForwardingTables tables(request.topology.switch_count(), request.lids.top(),
                                  request.parallel);
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
    add_what_is_new(seen, known);
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
