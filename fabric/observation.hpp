// SPDX-License-Identifier: BSD-3-Clause
// What the fabric has told us, device by device, in the order it was heard. Nothing here is a wish:
// values come from answers alone. freeze() turns it into the Topology that routing works on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/topology.hpp"
#include "mad/mlnx_extended_port_info.hpp"
#include "mad/node_info.hpp"
#include "mad/port_info.hpp"
#include "mad/switch_info.hpp"

namespace heddle::fabric {

// Zero-based, by order of discovery: unlike NodeIndex it stays the same while a sweep learns more.
using ObservedIndex = base::Strong<struct ObservedIndexTag, std::uint32_t>;

struct ObservedEnd {
  ObservedIndex node{};
  mad::PortNumber port{};
  friend bool operator==(const ObservedEnd&, const ObservedEnd&) = default;
};

// Two cache lines: there are tens of thousands of them, and each look at the fabric passes over
// them several times.
struct alignas(64) ObservedPort {
  // Who answered when we looked out of this port. For the port by which a node was first entered,
  // and for CA ports, the port we came from.
  std::optional<ObservedEnd> sighting;
  bool dark = false;  // we looked out of this port and nothing answered
  // Asked of ports that look like QDR and may be FDR10; all zero when the device does not know it.
  std::optional<mad::MlnxExtendedPortInfo> vendor;
  mad::Guid guid{};  // channel adapters and routers: from the NodeInfo that came by this port
  std::optional<mad::PortInfo> info;
};
static_assert(sizeof(ObservedPort) == 128);

// A switch's linear forwarding table as read or as its answers confirmed it, block by block.
class ObservedTable {
 public:
  using Block = std::span<const std::uint8_t, kLftBlockLids>;
  bool known(std::size_t block) const { return block < known_.size() && known_[block]; }
  // True when that block and those behind it, as many as the bytes fill, are known and hold them.
  bool holds(std::size_t block, std::span<const std::uint8_t> bytes) const;
  // True when as many blocks from the first on are known and hold what that row does. That is
  // remembered: the next time only what differs between the two rows is compared.
  bool holds_row(const std::shared_ptr<const ForwardingTables>& tables, SwitchIndex row,
                 std::size_t blocks);
  // The block must be known.
  Block block(std::size_t block) const {
    return std::span(entries_).subspan(block * kLftBlockLids).first<kLftBlockLids>();
  }
  void learn(std::size_t block, Block bytes);
  // So many blocks are going to be learned: one allocation instead of many.
  void make_room(std::size_t blocks);
  void forget() { *this = {}; }
  void forget_block(std::size_t block) {
    if (block < known_.size()) known_[block] = false;
    same_blocks_ = std::min(same_blocks_, block);
  }
  // That block and those behind it.
  void forget_from(std::size_t block) {
    if (block < known_.size()) known_.resize(block);
    same_blocks_ = std::min(same_blocks_, known_.size());
  }

 private:
  // Not one table set of long ago is kept for it.
  void forget_comparison() {
    same_blocks_ = 0;
    same_as_.reset();
  }
  // The same place in memory as when it was compared last, nothing learned since.
  bool is_as_compared(const std::uint8_t* chunk, std::size_t number) const;

  std::vector<std::uint8_t> entries_;
  std::vector<bool> known_;
  // So many of these blocks hold what that row of these tables does.
  std::size_t same_blocks_ = 0;
  std::shared_ptr<const ForwardingTables> same_as_;
  SwitchIndex same_row_{};
};

struct ObservedNode {
  mad::NodeInfo info;
  std::string description;  // printable; empty until read
  std::optional<mad::SwitchInfo> switch_info;
  std::vector<ObservedPort> ports;  // by port number, 0 included; as many as it had when added
  ObservedTable table;
  // Who answered when we looked out of a port and was not believed, by port number.
  std::map<std::uint8_t, mad::NodeInfo> disbelieved;

  bool is_switch() const { return info.node_type == mad::NodeType::Switch; }
  // All ports of a switch have that of port 0. None is known of a port that nobody came in by.
  mad::Guid port_guid(mad::PortNumber port) const {
    return is_switch() ? info.port_guid : ports[port.value].guid;
  }
};

class Observation {
 public:
  Observation() = default;
  Observation(Observation&&) = default;
  Observation& operator=(Observation&&) = default;

  std::size_t size() const { return nodes_.size(); }
  const ObservedNode& operator[](ObservedIndex index) const { return nodes_[index.value]; }
  // Of a node, without a look at the node itself. The port must be one of its.
  std::span<const ObservedPort> ports(ObservedIndex node) const {
    const Outline& outline = outlines_[node.value];
    return {outline.ports, outline.port_count};
  }
  const ObservedPort& port(ObservedEnd end) const {
    return outlines_[end.node.value].ports[end.port.value];
  }
  bool is_switch(ObservedIndex node) const { return outlines_[node.value].is_switch; }

  // To change what is known of it. Forwarding tables do not count, and are changed by table().
  ObservedNode& change(ObservedIndex index) {
    changed_[index.value] = ++edition_;
    return nodes_[index.value];
  }
  ObservedPort& change(ObservedEnd end) {
    changed_[end.node.value] = ++edition_;
    return outlines_[end.node.value].ports[end.port.value];
  }
  ObservedTable& table(ObservedIndex of) { return nodes_[of.value].table; }
  // Grows with each change: whoever keeps what was made of an observation asks for the nodes that
  // were changed, or added, since.
  using Edition = std::uint64_t;
  Edition edition() const { return edition_; }
  // Of no other one, wherever it is moved to: editions of others say nothing about it.
  const std::shared_ptr<const char>& identity() const { return identity_; }
  std::vector<ObservedIndex> changed_since(Edition edition) const;

  std::optional<ObservedIndex> find(mad::Guid node_guid) const;
  // The GUID must be new.
  ObservedIndex add(const mad::NodeInfo& info);
  // The same with what is known of it already.
  ObservedIndex add(ObservedNode node);
  // Forgets the other nodes and all sightings of them. Returns the new index of each old one;
  // nothing where it is gone.
  std::vector<std::optional<ObservedIndex>> keep_only(const std::vector<bool>& keep);

 private:
  std::vector<ObservedNode> nodes_;
  // What whoever passes over all ports needs of each node: it stays at hand, and the nodes do not.
  struct Outline {
    ObservedPort* ports;
    std::uint16_t port_count;
    bool is_switch;
  };
  std::vector<Outline> outlines_;  // by node
  std::vector<Edition> changed_;   // by node: the edition that its last change began
  Edition edition_ = 0;
  std::shared_ptr<const char> identity_ = std::make_shared<const char>();
  std::unordered_map<mad::Guid, ObservedIndex> by_guid_;
};

// What does not fit together in an observation.
struct Contradiction {
  ObservedEnd looking;     // from here ...
  ObservedEnd seen;        // ... we saw this end,
  ObservedEnd seen_there;  // which itself is joined to another one: two devices share a GUID
};

struct Frozen {
  std::shared_ptr<const Topology> topology;
  std::vector<ObservedEnd> end_of;     // by PortIndex
  std::vector<ObservedIndex> node_of;  // by NodeIndex
  std::vector<Contradiction> contradictions;
  std::vector<ObservedEnd> looped_cables;  // one end of each cable from a node to itself

  // What freeze() goes on from when the same observation has learned more.
  struct Basis {
    std::shared_ptr<const char> observation;  // Observation::identity()
    Observation::Edition edition = 0;
    std::vector<ObservedEnd> held_back;
    std::vector<ObservedEnd> unmatched;  // of nodes in the topology: they see somebody, no link
  };
  Basis basis;

  // kNoPort for a node or port that is not in the topology.
  PortIndex port_of(const Observation& observation, ObservedEnd end) const;
};

// Nodes that told enough to be managed (a switch its SwitchInfo with room for a linear table, and
// port 0; any node a PortInfo), and links that both ends confirm or one end confirms and the other
// does not deny. Links by an end in `held_back` are left out. `before`, of any observation, changes
// nothing of the result: when the nodes say what they said, it shares that part of its topology.
Frozen freeze(const Observation& observation, const std::vector<ObservedEnd>& held_back = {},
              const Frozen* before = nullptr);

}  // namespace heddle::fabric
