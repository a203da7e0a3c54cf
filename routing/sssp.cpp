// SPDX-License-Identifier: BSD-3-Clause
#include "routing/sssp.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "routing/destinations.hpp"
#include "routing/dragonfly_groups.hpp"
#include "routing/grid_links.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"
#include "routing/relief.hpp"
#include "routing/shortest_trees.hpp"
#include "routing/shortest_ways.hpp"
#include "routing/traffic.hpp"
#include "routing/tree_levels.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// On large fabrics so many targets are routed side by side, each blind to the loads of the others.
// The number is part of the result, so it must not depend on how many threads there are.
constexpr std::size_t kSideBySide = 4;
// Fabrics are large where LIDs times channels are more than this: a second on one core.
constexpr std::size_t kMostToRouteOneByOne = 128'000'000;
// And so many where ways to each port are looked for anew: that takes twice the time.
constexpr std::size_t kMostToDealInRounds = 64'000'000;
// What LIDs of one class bring counts for so much more, to others of that class, than what those of
// other classes do: each class is spread for itself, and then they are spread over one another.
constexpr std::uint64_t kOwnClass = 64;
// Only the few busiest links are relieved: what weave has to reach is not beyond what VLs allow
// then. Where LIDs times channels are more than this, so few looks change little.
constexpr std::size_t kLooks = 500;
constexpr std::size_t kMostToRelieve = 16'000'000;
// What a second LID of the same port pays for a channel that an earlier one uses: more than any
// loads, so that they part where they can.
constexpr std::uint64_t kSamePort = std::uint64_t{1} << 48;

// Routes all LIDs at one switch after another.
class Router {
 public:
  Router(const CompactChannels& channels, const Destinations& destinations, const Traffic& traffic)
      : destinations_(destinations), traffic_(traffic), trees_(channels) {}

  // LIDs of that class only. in_turns: as for ShortestTrees::choose.
  void take(HostClass of, bool in_turns) {
    class_ = of;
    in_turns_ = in_turns;
  }

  // Adds to the loads what hosts will send there.
  void route_to(SwitchIndex target, ChannelLoads& loads, fabric::ForwardingTables& tables) {
    route_to(target, destinations_.by_switch[target.value], loads, tables);
  }
  // The same for some of the ports there only.
  void route_to(SwitchIndex target, std::span<const Destination> ports, ChannelLoads& loads,
                fabric::ForwardingTables& tables) {
    group_.clear();
    for (const Destination& to : ports) {
      if (traffic_.class_of(to) == class_) group_.push_back(to);
    }
    if (group_.empty()) return;
    trees_.approach(target);
    lids_.clear();
    for (const Destination& to : group_) {
      for (unsigned n = 0; n < to.lid_count(); ++n) {
        lids_.push_back(static_cast<std::uint16_t>(to.base.value + n));
      }
    }
    chosen_.resize(lids_.size() * destinations_.hosts.size());
    column_ = 0;
    has_chosen_ = false;
    for (const Destination& to : group_) route_port(target, to, loads);
    write(tables);
  }

 private:
  void route_port(SwitchIndex target, const Destination& to, ChannelLoads& loads) {
    avoided_.clear();
    for (unsigned n = 0; n < to.lid_count(); ++n, ++column_) {
      if (std::exchange(has_chosen_, true)) {
        trees_.choose_again(loads);
      } else {
        trees_.choose(loads, in_turns_);
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
  HostClass class_ = HostClass::Compute;
  bool in_turns_ = true;
  std::vector<Destination> group_;    // those at the target
  std::vector<std::uint16_t> lids_;   // of these
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

// Whether hosts reach each other over so many hops between switches.
bool are_near(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
              unsigned most) {
  const std::size_t with_hosts =
      hosts.size() - static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), 0u));
  std::vector<std::uint32_t> seen_from(hosts.size(), kNoWay), reached;
  const auto reach = [&](std::uint32_t at, std::uint32_t from) {
    if (std::exchange(seen_from[at], from) == from) return;
    reached.push_back(at);
  };
  for (std::uint32_t from = 0; from < hosts.size(); ++from) {
    if (hosts[from] == 0) continue;
    reached.clear();
    reach(from, from);
    for (std::size_t hop = 0, begin = 0; hop < most; ++hop) {
      for (const std::size_t end = reached.size(); begin < end; ++begin) {
        const std::uint32_t at = reached[begin];
        for (std::uint32_t c = channels.first[at]; c < channels.first[at + 1]; ++c) {
          reach(channels.to[c], from);
        }
      }
    }
    const auto found = std::count_if(reached.begin(), reached.end(),
                                     [&](std::uint32_t at) { return hosts[at] > 0; });
    if (static_cast<std::size_t>(found) < with_hosts) return false;
  }
  return true;
}

// Where two hops lead everywhere, or three on a dragonfly, layers whose orders are given take any
// shortest way (weave). On a tree ways that climb and descend need no layers.
bool do_layers_take_shortest_ways(const fabric::Topology& topology, const CompactChannels& channels,
                                  const std::vector<std::uint32_t>& hosts) {
  if (find_levels(topology, {})) return true;
  return are_near(channels, hosts, find_dragonfly_groups(Arcs(channels)) ? 3 : 2);
}

struct Spread {
  fabric::ForwardingTables tables;
  ChannelLoads loads;
};

class Spreading {
 public:
  Spreading(const Request& request, const CompactChannels& channels, Dealing dealing)
      : request_(request),
        channels_(channels),
        dealing_(dealing),
        destinations_(request.topology, request.lids),
        traffic_(request, destinations_),
        targets_(targets_with_hosts(destinations_)) {}

  fabric::ForwardingTables run() {
    Spread found = work() > kMostToRouteOneByOne ? side_by_side() : best_of_manners();
    route_to_switches(found);
    return std::move(found.tables);
  }

 private:
  std::size_t work() const { return request_.lids.top().value * channels_.count(); }
  Router router() const { return {channels_, destinations_, traffic_}; }
  Spread nothing() const {
    return {{request_.topology.switch_count(), request_.lids.top(), request_.parallel},
            ChannelLoads(channels_.count())};
  }

  // As if dealt out to so many hands, one pile each, and collected in turns.
  std::vector<SwitchIndex> shuffled(std::size_t hands) const {
    const std::size_t rounds = (targets_.size() + hands - 1) / hands;
    std::vector<SwitchIndex> order;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t at = round; at < targets_.size(); at += rounds) {
        order.push_back(targets_[at]);
      }
    }
    return order;
  }

  // Neighbours one after the other.
  Spread route_one_by_one(bool in_turns) const {
    Router one = router();
    return class_by_class([&](HostClass of, Spread& found) {
      one.take(of, in_turns);
      for (const SwitchIndex target : targets_) one.route_to(target, found.loads, found.tables);
    });
  }

  template <class Route>
  Spread class_by_class(const Route& route) const {
    Spread found = nothing();
    if (traffic_.is_alike()) {
      route(HostClass::Compute, found);
      return found;
    }
    for (const HostClass of : {HostClass::Compute, HostClass::Io, HostClass::Other}) {
      const ChannelLoads before = found.loads;
      for (std::uint64_t& load : found.loads) load /= kOwnClass;
      route(of, found);
      for (std::size_t c = 0; c < before.size(); ++c) {
        found.loads[c] += before[c] - before[c] / kOwnClass;
      }
    }
    return found;
  }

  // One port of each switch, then the second ones and so on, so that none has all its ports dealt
  // before others have any.
  Spread route_in_rounds() const {
    Router one = router();
    one.take(HostClass::Compute, false);
    Spread found = nothing();
    for (std::size_t round = 0, routed = 1; routed > 0; ++round) {
      routed = 0;
      for (const SwitchIndex target : targets_) {
        const std::span ports = destinations_.by_switch[target.value];
        if (round >= ports.size()) continue;
        one.route_to(target, ports.subspan(round, 1), found.loads, found.tables);
        ++routed;
      }
    }
    return found;
  }

  // That does good on nearly any fabric, but the ways of weave, which is held against this engine,
  // cannot always follow: only where they may be any shortest ones.
  bool deals_in_rounds() const {
    if (dealing_ != Dealing::AsIsBest || work() > kMostToDealInRounds) return false;
    const auto& hosts = destinations_.hosts;
    const bool several = std::any_of(hosts.begin(), hosts.end(), [](auto n) { return n > 1; });
    return several && traffic_.is_alike() && channels_.counts_for.empty() &&
           do_layers_take_shortest_ways(request_.topology, channels_, hosts);
  }

  // Which manner is good is chance, but on whole trees, where the first one has every shift without
  // contention. That is taken whose busiest channel carries least.
  Spread best_of_manners() const {
    std::array<std::optional<Spread>, 3> found;
    request_.parallel(found.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        found[i] = i < 2 ? route_one_by_one(i == 1) : side_by_side();
      }
    });
    if (channels_.count() == 0) return std::move(*found.front());
    Spread* best = &*found[peak(*found[1]) < peak(*found[0]) ? 1 : 0];
    if (is_better_blindly(*found[2], *best)) best = &*found[2];
    // As on whole trees.
    const bool all_alike = peak(*found[0]) == peak(*found[1]) && peak(*best) == peak(*found[2]);
    relieve_few(*best);
    if (all_alike || !deals_in_rounds()) return std::move(*best);
    Spread rounds = route_in_rounds();
    relieve_few(rounds);
    return std::move(is_better(rounds, *best) ? rounds : *best);
  }

  // Random pairs get a little more where nobody is blind to others' loads, so it has to carry less
  // by a twentieth.
  static bool is_better_blindly(const Spread& blind, const Spread& best) {
    return peak(blind) + peak(blind) / 19 < peak(best);
  }
  // When both are relieved: its busiest channel carries less, and random pairs get no less.
  bool is_better(const Spread& rounds, const Spread& best) const {
    const auto busiest = [&](const Spread& one) {
      return measure_quality(request_.topology, request_.lids, one.tables, request_.parallel)
          .greatest_load;
    };
    const auto bandwidth = [&](const Spread& one) {
      return random_pairs_bandwidth(request_.topology, request_.lids, one.tables,
                                    request_.parallel);
    };
    return busiest(rounds) < busiest(best) && bandwidth(rounds) >= bandwidth(best);
  }
  void relieve_few(Spread& spread) const {
    if (work() > kMostToRelieve || !traffic_.is_alike()) return;
    ShortestWays ways(channels_);
    relieve(channels_, destinations_, ways, spread.tables, kLooks);
  }
  static std::uint64_t peak(const Spread& spread) {
    return *std::max_element(spread.loads.begin(), spread.loads.end());
  }

  Spread side_by_side() const {
    std::vector<ChannelLoads> seen(kSideBySide);
    std::vector<Router> routers(kSideBySide, router());
    const auto order = shuffled(kSideBySide);
    return class_by_class([&](HostClass of, Spread& found) {
      for (Router& one : routers) one.take(of, true);
      for (std::size_t begin = 0; begin < order.size(); begin += kSideBySide) {
        request_.parallel(kSideBySide, [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            seen[i] = found.loads;
            if (begin + i < order.size()) {
              routers[i].route_to(order[begin + i], seen[i], found.tables);
            }
          }
        });
        add_what_is_new(seen, found.loads);
      }
    });
  }

  // To what all of them began with.
  static void add_what_is_new(const std::vector<ChannelLoads>& seen, ChannelLoads& known) {
    std::array<const std::uint64_t*, kSideBySide> loads{};
    for (std::size_t i = 0; i < kSideBySide; ++i) loads[i] = seen[i].data();
    for (std::size_t c = 0; c < known.size(); ++c) {
      std::uint64_t sum = 0;
      for (const std::uint64_t* one : loads) sum += one[c];
      known[c] = sum - (kSideBySide - 1) * known[c];
    }
  }

  // Their own LIDs carry next to nothing and need not see each other.
  void route_to_switches(Spread& found) const {
    request_.parallel(destinations_.hosts.size(), [&](std::size_t first, std::size_t last) {
      Router one = router();
      ChannelLoads loads = found.loads;
      for (std::size_t s = first; s < last; ++s) {
        if (destinations_.hosts[s] == 0 && !destinations_.by_switch[s].empty()) {
          one.route_to(SwitchIndex{static_cast<std::uint32_t>(s)}, loads, found.tables);
        }
      }
    });
  }

  const Request& request_;
  const CompactChannels& channels_;
  const Dealing dealing_;
  const Destinations destinations_;
  const Traffic traffic_;
  const std::vector<SwitchIndex> targets_;
};

}  // namespace

fabric::ForwardingTables shortest_path_tables(const Request& request, Dealing dealing) {
  CompactChannels channels(request.topology);
  if (request.options.avoid_throttled_links)
    channels.counts_for = channels.slowness(request.topology);
  return Spreading(request, channels, dealing).run();
}

base::Result<Routes> Sssp::route(const Request& request) const {
  return Routes{std::string(name()), shortest_path_tables(request), {}};
}

}  // namespace heddle::routing
