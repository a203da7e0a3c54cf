// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/prefetch.hpp"
#include "fabric/assembly.hpp"
#include "fabric/observation.hpp"
#include "mad/link.hpp"

namespace heddle::fabric {
namespace {

bool manageable(const ObservedNode& node) {
  if (node.is_switch()) {
    // Entry 0 of a table is no LID's: a switch with fewer than two cannot forward to anybody.
    return node.switch_info && node.switch_info->linear_fdb_cap > 1 && node.ports[0].info;
  }
  return std::any_of(node.ports.begin(), node.ports.end(),
                     [](const ObservedPort& port) { return port.info.has_value(); });
}

Node as_node(const ObservedNode& seen) {
  Node node;
  node.guid = seen.info.node_guid;
  node.system_image_guid = seen.info.system_image_guid;
  node.type = seen.info.node_type;
  node.port_count = seen.info.num_ports;
  node.device_id = seen.info.device_id;
  node.vendor_id = seen.info.vendor_id;
  node.revision = seen.info.revision;
  node.description = seen.description;
  if (seen.is_switch()) {
    node.enhanced_port0 = seen.switch_info->enhanced_port0;
    node.linear_fdb_cap = seen.switch_info->linear_fdb_cap;
    node.multicast_fdb_cap = seen.switch_info->multicast_fdb_cap;
  }
  return node;
}

// A link that does not say what it runs at is not slow.
std::uint8_t slowness_of(const mad::PortInfo& here, const mad::PortInfo& there) {
  const auto width = mad::active_width(here), most = mad::best_common_width(here, there);
  const auto speed = mad::active_speed(here), fastest = mad::best_common_speed(here, there);
  if (!width || !most || !speed || !fastest) return 1;
  const std::uint32_t rate = mad::link_rate(*width, *speed);
  const std::uint32_t best = mad::link_rate(*most, *fastest);
  return static_cast<std::uint8_t>(
      std::clamp<std::uint32_t>((best + rate - 1) / rate, 1, kMostSlowness));
}

// Goes over all ports in order, some steps before somebody who reads each and the other end of its
// cable.
class Ahead {
 public:
  explicit Ahead(const Observation& observation) : observation_(observation) {
    for (std::size_t i = 0; i < base::kAhead; ++i) fetch_own();
    for (std::size_t i = 0; i < base::kAhead; ++i) go_on();
  }
  void go_on() {
    fetch_own();
    const ObservedPort* const port = next(peers_);
    if (port != nullptr && port->sighting) base::prefetch(&observation_.port(*port->sighting));
  }

 private:
  void fetch_own() {
    if (const ObservedPort* const port = next(own_)) base::prefetch(port);
  }
  struct Place {
    std::uint32_t node = 0;
    std::size_t port = 0;
  };
  // Null behind the last.
  const ObservedPort* next(Place& at) const {
    while (at.node < observation_.size()) {
      const auto ports = observation_.ports({at.node});
      if (at.port < ports.size()) return &ports[at.port++];
      at = {at.node + 1, 0};
    }
    return nullptr;
  }

  const Observation& observation_;
  Place own_;    // up to here the ports themselves have been asked for
  Place peers_;  // and up to here the other ends
};

// Makes one observation's nodes and links a topology.
class Freezer {
 public:
  Freezer(const Observation& observation, const std::vector<ObservedEnd>& held_back)
      : observation_(observation), held_back_(held_back) {}

  Frozen freeze(const Frozen* before) && {
    Assembly assembly =
        before != nullptr && has_nodes_of(*before) ? keep_nodes(*before) : add_nodes();
    Ahead ahead(observation_);
    for (std::uint32_t n = 0; n < observation_.size(); ++n) {
      const std::size_t ports = observation_.ports({n}).size();
      for (std::size_t p = 0; p < ports; ++p) {
        ahead.go_on();
        if (is_manageable({n})) wire(assembly, {{n}, {static_cast<std::uint8_t>(p)}});
      }
    }
    return finish(std::move(assembly));
  }

  // Links of nodes that were changed since then alone. Nothing where more than links may differ, or
  // what was seen does not fit together: then who was looked at first decides.
  std::optional<Frozen> amend(const Frozen& before) && {
    const auto& basis = before.basis;
    if (basis.observation != observation_.identity() || basis.held_back != held_back_) return {};
    if (!before.contradictions.empty()) return {};
    const auto changed = observation_.changed_since(basis.edition);
    if (changed.size() > observation_.size() / 4 || !stay_as_they_were(changed, before)) return {};
    Assembly assembly = Assembly::going_on_with(*before.topology);
    keep_places(before);
    const auto loose = take_out(assembly, changed, before);
    for (const ObservedEnd end : loose) wire(assembly, end);
    if (!frozen_.contradictions.empty()) return {};
    return finish(std::move(assembly));
  }

 private:
  static constexpr std::uint32_t kLeftOut = 0xFFFF'FFFF;

  bool is_manageable(ObservedIndex node) const { return first_port_[node.value] != kLeftOut; }
  PortIndex place(ObservedEnd end) const { return {first_port_[end.node.value] + end.port.value}; }

  // The same nodes, and each says what it said. What it notes is right only if that is so.
  bool has_nodes_of(const Frozen& before) {
    if (!note_places(before)) return false;
    for (std::uint32_t n = 0; n < observation_.size(); ++n) {
      fetch_after({n});
      if (!is_as_it_was({n}, before)) return false;
    }
    return true;
  }

  bool stay_as_they_were(const std::vector<ObservedIndex>& changed, const Frozen& before) {
    return note_places(before) &&
           std::all_of(changed.begin(), changed.end(),
                       [&](ObservedIndex node) { return is_as_it_was(node, before); });
  }

  // False when one of those nodes is not there at all.
  bool note_places(const Frozen& before) {
    const Topology& topology = *before.topology;
    first_port_.assign(observation_.size(), kLeftOut);
    for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
      if (before.node_of[i].value >= observation_.size()) return false;
      first_port_[before.node_of[i].value] = topology.port_of(NodeIndex{i}, {}).value;
    }
    return true;
  }

  bool is_as_it_was(ObservedIndex node, const Frozen& before) const {
    const ObservedNode& seen = observation_[node];
    if (manageable(seen) != is_manageable(node)) return false;
    if (!is_manageable(node)) return true;
    const Topology& topology = *before.topology;
    return as_node(seen) == topology.node(topology.node_of({first_port_[node.value]}));
  }

  Assembly keep_nodes(const Frozen& before) {
    keep_places(before);
    return Assembly::of_the_nodes_of(*before.topology);
  }

  void keep_places(const Frozen& before) {
    frozen_.node_of = before.node_of;
    frozen_.end_of = before.end_of;
  }

  // Takes every link away that may have changed. Returns the ends of which new ones may come, in
  // the order of the observation: nobody else's sighting can make one.
  std::vector<ObservedEnd> take_out(Assembly& assembly, const std::vector<ObservedIndex>& changed,
                                    const Frozen& before) {
    std::vector<ObservedEnd> loose = before.basis.unmatched;
    for (const ObservedIndex node : changed) {
      for (std::size_t p = 0; is_manageable(node) && p < observation_.ports(node).size(); ++p) {
        const ObservedEnd end{node, {static_cast<std::uint8_t>(p)}};
        loose.push_back(end);
        const PortIndex peer = assembly.so_far().peer(place(end));
        if (peer != kNoPort) loose.push_back(before.end_of[peer.value]);
        assembly.part(place(end));
      }
    }
    const auto is_changed = [&](ObservedEnd end) {
      return std::binary_search(changed.begin(), changed.end(), end.node);
    };
    std::copy_if(before.looped_cables.begin(), before.looped_cables.end(),
                 std::back_inserter(frozen_.looped_cables), std::not_fn(is_changed));
    std::sort(loose.begin(), loose.end(), precedes);
    loose.erase(std::unique(loose.begin(), loose.end()), loose.end());
    return loose;
  }

  Frozen finish(Assembly assembly) {
    std::sort(frozen_.looped_cables.begin(), frozen_.looped_cables.end(), precedes);
    std::erase_if(unmatched_, [&](ObservedEnd end) { return is_linked(assembly, end); });
    frozen_.basis = {observation_.identity(), observation_.edition(), held_back_,
                     std::move(unmatched_)};
    frozen_.topology = std::make_shared<const Topology>(std::move(assembly).finish());
    return std::move(frozen_);
  }

  Assembly add_nodes() {
    first_port_.assign(observation_.size(), kLeftOut);
    std::vector<Node> nodes;
    std::vector<ObservedIndex> observed;
    nodes.reserve(observation_.size());
    for (std::uint32_t n = 0; n < observation_.size(); ++n) {
      fetch_after({n});
      const ObservedNode& node = observation_[ObservedIndex{n}];
      if (!manageable(node)) continue;
      nodes.push_back(as_node(node));
      observed.push_back({n});
    }
    std::vector<NodeIndex> places;
    auto assembly = Assembly::of(std::move(nodes), places);
    HEDDLE_CHECK(assembly.has_value());  // no node without ports is ever met
    map_back(assembly->so_far(), observed, places);
    return std::move(*assembly);
  }

  void map_back(const Topology& nodes, const std::vector<ObservedIndex>& observed,
                const std::vector<NodeIndex>& places) {
    frozen_.end_of.resize(nodes.port_count());
    frozen_.node_of.resize(nodes.node_count());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ObservedIndex from = observed[i];
      const PortIndex first = nodes.port_of(places[i], {});
      HEDDLE_CHECK(observation_.ports(from).size() == nodes.node(places[i]).port_count + 1u);
      frozen_.node_of[places[i].value] = from;
      first_port_[from.value] = first.value;
      for (std::uint32_t p = 0; p < observation_.ports(from).size(); ++p) {
        frozen_.end_of[first.value + p] = {from, {static_cast<std::uint8_t>(p)}};
      }
    }
  }

  // What is read of some node soon: all ports that a channel adapter has, mostly.
  void fetch_after(ObservedIndex node) const {
    constexpr std::size_t kFirst = 2;
    if (node.value + base::kAhead >= observation_.size()) return;
    const ObservedIndex next{node.value + base::kAhead};
    base::prefetch(&observation_[next].description);
    const auto ports = observation_.ports(next);
    for (const ObservedPort& port : ports.first(std::min(kFirst, ports.size()))) {
      base::prefetch(&port);
    }
  }

  void wire(Assembly& assembly, ObservedEnd here) {
    assembly.set_guid(place(here), observation_[here.node].port_guid(here.port));
    const ObservedPort& port = observation_.port(here);
    // Once the other end has been here nothing is left to say.
    if (!port.sighting || is_linked(assembly, here)) return;
    unmatched_.push_back(here);
    if (!port.info) return;
    const ObservedEnd there = *port.sighting;
    if (!is_manageable(there.node)) return;
    const ObservedPort& other_port = observation_.port(there);
    if (!other_port.info) return;
    if (is_held_back(here) || is_held_back(there)) return;
    if (other_port.sighting && *other_port.sighting != here) {
      frozen_.contradictions.push_back({here, there, *other_port.sighting});
      return;
    }
    // Seen from both ends, a link is added from the lower one; from one end, from that one.
    if (other_port.sighting && precedes(there, here)) return;
    if (here == there) return;
    // Two ends may see the same silent third one: only one of them can be right.
    if (is_linked(assembly, there)) {
      frozen_.contradictions.push_back({here, there, here});
      return;
    }
    assembly.join(place(here), place(there), slowness_of(*port.info, *other_port.info));
    if (here.node == there.node) frozen_.looped_cables.push_back(here);
  }

  bool is_linked(const Assembly& assembly, ObservedEnd end) const {
    return assembly.so_far().peer(place(end)) != kNoPort;
  }
  static bool precedes(ObservedEnd a, ObservedEnd b) {
    return a.node != b.node ? a.node < b.node : a.port < b.port;
  }
  bool is_held_back(ObservedEnd end) const {
    return std::find(held_back_.begin(), held_back_.end(), end) != held_back_.end();
  }

  const Observation& observation_;
  const std::vector<ObservedEnd>& held_back_;  // few
  Frozen frozen_;
  std::vector<ObservedEnd> unmatched_;     // or were when their turn came
  std::vector<std::uint32_t> first_port_;  // PortIndex, by observed node; kLeftOut: not manageable
};

}  // namespace

PortIndex Frozen::port_of(const Observation& observation, ObservedEnd end) const {
  const auto node = topology->find_node(observation[end.node].info.node_guid);
  return node ? topology->port_of(*node, end.port) : kNoPort;
}

Frozen freeze(const Observation& observation, const std::vector<ObservedEnd>& held_back,
              const Frozen* before) {
  const bool knows_before = before != nullptr && before->topology != nullptr;
  if (knows_before) {
    if (auto amended = Freezer(observation, held_back).amend(*before)) return std::move(*amended);
  }
  return Freezer(observation, held_back).freeze(knows_before ? before : nullptr);
}

}  // namespace heddle::fabric
