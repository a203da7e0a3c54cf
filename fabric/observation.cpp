// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/observation.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "mad/link.hpp"

namespace heddle::fabric {

bool ObservedTable::holds(std::size_t block, Block bytes) const {
  if (!known(block)) return false;
  const auto* held = entries_.data() + block * kLftBlockLids;
  return std::equal(bytes.begin(), bytes.end(), held);
}

void ObservedTable::learn(std::size_t block, Block bytes) {
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
  const ObservedIndex index{static_cast<std::uint32_t>(nodes_.size())};
  HEDDLE_CHECK(by_guid_.emplace(info.node_guid, index).second);
  ObservedNode node;
  node.info = info;
  node.ports.resize(info.num_ports + 1u);
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
    moved[n] = ObservedIndex{kept};
    by_guid_.emplace(nodes_[kept].info.node_guid, ObservedIndex{kept});
    ++kept;
  }
  nodes_.resize(kept);
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

// Collects one observation's links into a builder, each once.
class LinkCollector {
 public:
  LinkCollector(const Observation& observation, const std::vector<ObservedEnd>& held_back,
                TopologyBuilder& builder, Frozen& frozen)
      : observation_(observation), held_back_(held_back), builder_(builder), frozen_(frozen) {
    manageable_.reserve(observation.size());
    first_port_.reserve(observation.size());
    std::size_t ports = 0;
    for (std::uint32_t n = 0; n < observation.size(); ++n) {
      const ObservedNode& node = observation[ObservedIndex{n}];
      manageable_.push_back(manageable(node));
      first_port_.push_back(ports);
      ports += node.ports.size();
    }
    taken_.resize(ports);
  }

  bool is_manageable(ObservedIndex node) const { return manageable_[node.value]; }

  void look_out_of(ObservedEnd here) {
    const ObservedPort& port = observation_[here.node].ports[here.port.value];
    if (!port.sighting || !port.info) return;
    const ObservedEnd there = *port.sighting;
    if (!is_manageable(there.node)) return;
    const ObservedPort& other_port = observation_[there.node].ports[there.port.value];
    if (!other_port.info) return;
    if (is_held_back(here) || is_held_back(there)) return;
    if (other_port.sighting && *other_port.sighting != here) {
      frozen_.contradictions.push_back({here, there, *other_port.sighting});
      return;
    }
    // Seen from both ends, a link is added from the lower one; from one end, from that one.
    if (other_port.sighting && precedes(there, here)) return;
    if (here == there) return;
    if (taken(here) || taken(there)) {
      frozen_.contradictions.push_back({here, there, here});
      return;
    }
    take(here);
    take(there);
    builder_.add_link(name(here), name(there), slowness_of(*port.info, *other_port.info));
    if (here.node == there.node) frozen_.looped_cables.push_back(here);
  }

 private:
  static bool precedes(ObservedEnd a, ObservedEnd b) {
    return a.node != b.node ? a.node < b.node : a.port < b.port;
  }
  TopologyBuilder::End name(ObservedEnd end) const {
    return {observation_[end.node].info.node_guid, end.port};
  }

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
  TopologyBuilder& builder_;
  Frozen& frozen_;
  std::vector<bool> manageable_;         // by node
  std::vector<std::size_t> first_port_;  // by node
  std::vector<bool> taken_;              // by port, those of a node behind its first
};

void map_back(const Observation& observation, Frozen& frozen) {
  const Topology& topology = *frozen.topology;
  frozen.end_of.resize(topology.port_count());
  frozen.node_of.resize(topology.node_count());
  for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
    const auto observed = observation.find(topology.node(NodeIndex{n}).guid);
    HEDDLE_CHECK(observed.has_value());
    frozen.node_of[n] = *observed;
    for (unsigned p = 0; p <= topology.node(NodeIndex{n}).port_count; ++p) {
      const mad::PortNumber number{static_cast<std::uint8_t>(p)};
      frozen.end_of[topology.port_of(NodeIndex{n}, number).value] = {*observed, number};
    }
  }
}

}  // namespace

PortIndex Frozen::port_of(const Observation& observation, ObservedEnd end) const {
  const auto node = topology->find_node(observation[end.node].info.node_guid);
  return node ? topology->port_of(*node, end.port) : kNoPort;
}

Frozen freeze(const Observation& observation, const std::vector<ObservedEnd>& held_back) {
  Frozen frozen;
  TopologyBuilder builder;
  LinkCollector links(observation, held_back, builder, frozen);
  for (std::uint32_t n = 0; n < observation.size(); ++n) {
    const ObservedNode& node = observation[ObservedIndex{n}];
    if (!links.is_manageable(ObservedIndex{n})) continue;
    builder.add_node(as_node(node));
    for (unsigned p = 0; p < node.ports.size(); ++p) {
      const ObservedEnd end{ObservedIndex{n}, {static_cast<std::uint8_t>(p)}};
      const mad::Guid guid = node.port_guid(end.port);
      if (guid != mad::Guid{}) builder.set_port_guid({node.info.node_guid, end.port}, guid);
      links.look_out_of(end);
    }
  }
  auto built = std::move(builder).build();
  HEDDLE_CHECK(built.has_value());  // the collector names only nodes it added, and each port once
  frozen.topology = std::make_shared<const Topology>(std::move(*built));
  map_back(observation, frozen);
  return frozen;
}

}  // namespace heddle::fabric
