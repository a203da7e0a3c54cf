// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/observation.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/prefetch.hpp"
#include "mad/link.hpp"

namespace heddle::fabric {

bool ObservedTable::holds(std::size_t block, std::span<const std::uint8_t> bytes) const {
  const std::size_t end = block + bytes.size() / kLftBlockLids;
  for (std::size_t b = block; b < end; ++b) {
    if (!known(b)) return false;
  }
  return std::equal(bytes.begin(), bytes.end(), entries_.data() + block * kLftBlockLids);
}

bool ObservedTable::is_as_compared(const std::uint8_t* chunk, std::size_t number) const {
  constexpr std::size_t kBlocks = ForwardingTables::kChunk / kLftBlockLids;
  const std::size_t end = std::min((number + 1) * kBlocks, known_.size());
  return end <= same_blocks_ && number < same_as_->chunk_count() &&
         same_as_->chunk(same_row_, number) == chunk;
}

bool ObservedTable::holds_row(const std::shared_ptr<const ForwardingTables>& tables,
                              SwitchIndex row, std::size_t blocks) {
  constexpr std::size_t kBlocks = ForwardingTables::kChunk / kLftBlockLids;
  for (std::size_t block = 0; block < blocks; block += kBlocks) {
    const std::size_t number = block / kBlocks;
    const std::uint8_t* const chunk = tables->chunk(row, number);
    const std::size_t count = std::min(kBlocks, blocks - block);
    const bool same = known(block + count - 1) && is_as_compared(chunk, number);
    if (same || holds(block, {chunk, count * kLftBlockLids})) continue;
    forget_comparison();
    return false;
  }
  same_blocks_ = blocks;
  same_as_ = tables;
  same_row_ = row;
  return true;
}

void ObservedTable::learn(std::size_t block, Block bytes) {
  if (holds(block, bytes)) return;
  forget_comparison();
  if (block >= known_.size()) {
    known_.resize(block + 1, false);
    entries_.resize((block + 1) * kLftBlockLids, mad::kNoPortNumber.value);
  }
  known_[block] = true;
  std::copy(bytes.begin(), bytes.end(), entries_.data() + block * kLftBlockLids);
}

void ObservedTable::make_room(std::size_t blocks) {
  known_.reserve(blocks);
  entries_.reserve(blocks * kLftBlockLids);
}

std::optional<ObservedIndex> Observation::find(mad::Guid node_guid) const {
  const auto found = by_guid_.find(node_guid);
  if (found == by_guid_.end()) return std::nullopt;
  return found->second;
}

ObservedIndex Observation::add(const mad::NodeInfo& info) {
  ObservedNode node;
  node.info = info;
  node.ports.resize(info.num_ports + 1u);
  return add(std::move(node));
}

ObservedIndex Observation::add(ObservedNode node) {
  const ObservedIndex index{static_cast<std::uint32_t>(nodes_.size())};
  HEDDLE_CHECK(by_guid_.emplace(node.info.node_guid, index).second);
  outlines_.push_back(
      {node.ports.data(), static_cast<std::uint16_t>(node.ports.size()), node.is_switch()});
  nodes_.push_back(std::move(node));
  return index;
}

std::vector<std::optional<ObservedIndex>> Observation::keep_only(const std::vector<bool>& keep) {
  HEDDLE_CHECK(keep.size() == nodes_.size());
  std::vector<std::optional<ObservedIndex>> moved(nodes_.size());
  std::uint32_t kept = 0;
  by_guid_.clear();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!keep[n]) continue;
    if (n != kept) nodes_[kept] = std::move(nodes_[n]);
    outlines_[kept] = outlines_[n];
    moved[n] = ObservedIndex{kept};
    by_guid_.emplace(nodes_[kept].info.node_guid, ObservedIndex{kept});
    ++kept;
  }
  nodes_.resize(kept);
  outlines_.resize(kept);
  for (ObservedNode& node : nodes_) {
    for (ObservedPort& port : node.ports) {
      if (!port.sighting) continue;
      const auto there = moved[port.sighting->node.value];
      if (there) {
        port.sighting->node = *there;
      } else {
        port.sighting.reset();
      }
    }
  }
  return moved;
}

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

// Collects one observation's nodes and links, each once.
class Collector {
 public:
  Collector(const Observation& observation, const std::vector<ObservedEnd>& held_back)
      : observation_(observation), held_back_(held_back) {
    added_.reserve(observation.size());
    first_port_.reserve(observation.size());
    std::size_t ports = 0;
    for (std::uint32_t n = 0; n < observation.size(); ++n) {
      first_port_.push_back(ports);
      ports += observation.ports({n}).size();
    }
    builder_.expect(observation.size(), ports);
    for (std::uint32_t n = 0; n < observation.size(); ++n) {
      if (n + base::kAhead < observation.size()) fetch_first_ports({n + base::kAhead});
      const ObservedNode& node = observation[ObservedIndex{n}];
      added_.push_back(kLeftOut);
      if (!manageable(node)) continue;
      added_.back() = builder_.add_node(as_node(node));
      node_of_added_.push_back(ObservedIndex{n});
    }
    taken_.resize(ports);
  }

  Frozen freeze() && {
    Ahead ahead(observation_);
    for (std::uint32_t n = 0; n < observation_.size(); ++n) {
      for (std::size_t p = 0; p < observation_.ports({n}).size(); ++p) {
        ahead.go_on();
        if (is_manageable({n})) collect({{n}, {static_cast<std::uint8_t>(p)}});
      }
    }
    std::vector<NodeIndex> places;
    auto built = std::move(builder_).build(places);
    HEDDLE_CHECK(built.has_value());  // only nodes that were added are named, and each port once
    frozen_.topology = std::make_shared<const Topology>(std::move(*built));
    map_back(places);
    return std::move(frozen_);
  }

 private:
  static constexpr TopologyBuilder::Added kLeftOut{0xFFFF'FFFF};

  // All that a channel adapter has, mostly.
  void fetch_first_ports(ObservedIndex node) const {
    constexpr std::size_t kFirst = 2;
    const auto ports = observation_.ports(node);
    for (const ObservedPort& port : ports.first(std::min(kFirst, ports.size()))) {
      base::prefetch(&port);
    }
  }
  bool is_manageable(ObservedIndex node) const { return added_[node.value] != kLeftOut; }

  void collect(ObservedEnd end) {
    const mad::Guid guid = observation_[end.node].port_guid(end.port);
    if (guid != mad::Guid{}) builder_.set_port_guid(name(end), guid);
    look_out_of(end);
  }

  void look_out_of(ObservedEnd here) {
    const ObservedPort& port = observation_.port(here);
    // Once the other end has been here nothing is left to say.
    if (!port.sighting || !port.info || taken(here)) return;
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
    if (taken(there)) {
      frozen_.contradictions.push_back({here, there, here});
      return;
    }
    take(here);
    take(there);
    builder_.add_link(name(here), name(there), slowness_of(*port.info, *other_port.info));
    if (here.node == there.node) frozen_.looped_cables.push_back(here);
  }

  void map_back(const std::vector<NodeIndex>& places) {
    const Topology& topology = *frozen_.topology;
    frozen_.end_of.resize(topology.port_count());
    frozen_.node_of.resize(topology.node_count());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const NodeIndex node = places[i];
      const ObservedIndex observed = node_of_added_[i];
      frozen_.node_of[node.value] = observed;
      for (unsigned p = 0; p <= topology.node(node).port_count; ++p) {
        const mad::PortNumber number{static_cast<std::uint8_t>(p)};
        frozen_.end_of[topology.port_of(node, number).value] = {observed, number};
      }
    }
  }

  static bool precedes(ObservedEnd a, ObservedEnd b) {
    return a.node != b.node ? a.node < b.node : a.port < b.port;
  }
  TopologyBuilder::End name(ObservedEnd end) const { return {added_[end.node.value], end.port}; }

  bool is_held_back(ObservedEnd end) const {
    return std::find(held_back_.begin(), held_back_.end(), end) != held_back_.end();
  }

  // Two ends may see the same silent third one: only one of them can be right.
  bool taken(ObservedEnd end) const { return taken_[place_of(end)]; }
  void take(ObservedEnd end) { taken_[place_of(end)] = true; }
  std::size_t place_of(ObservedEnd end) const {
    return first_port_[end.node.value] + end.port.value;
  }

  const Observation& observation_;
  const std::vector<ObservedEnd>& held_back_;  // few
  TopologyBuilder builder_;
  Frozen frozen_;
  std::vector<TopologyBuilder::Added> added_;  // by node; kLeftOut: not manageable
  std::vector<ObservedIndex> node_of_added_;
  std::vector<std::size_t> first_port_;  // by node
  std::vector<bool> taken_;              // by port, those of a node behind its first
};

}  // namespace

PortIndex Frozen::port_of(const Observation& observation, ObservedEnd end) const {
  const auto node = topology->find_node(observation[end.node].info.node_guid);
  return node ? topology->port_of(*node, end.port) : kNoPort;
}

Frozen freeze(const Observation& observation, const std::vector<ObservedEnd>& held_back) {
  return Collector(observation, held_back).freeze();
}

}  // namespace heddle::fabric
