// SPDX-License-Identifier: BSD-3-Clause
// The picture of a subnet that routing, multicast and partitions work on: immutable, dense, built
// only of links that were confirmed. It knows GUIDs and ports, but neither LIDs nor MADs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/strong.hpp"
#include "mad/types.hpp"

namespace heddle::fabric {

// Zero-based. Switches come first (0 .. switch_count - 1), then channel adapters and routers; both
// groups are in the order of their node GUIDs, so the same fabric gives the same indices however it
// was discovered.
using NodeIndex = base::Strong<struct NodeIndexTag, std::uint32_t>;
using SwitchIndex = base::Strong<struct SwitchIndexTag, std::uint32_t>;

// Zero-based over all ports of all nodes, port 0 of a channel adapter included as an unused slot:
// the ports of a node are consecutive, so first port + port number is the port.
using PortIndex = base::Strong<struct PortIndexTag, std::uint32_t>;
inline constexpr PortIndex kNoPort{0xFFFF'FFFF};

// Zero-based over the directed links between two different switches, by (from, out).
using ChannelIndex = base::Strong<struct ChannelIndexTag, std::uint32_t>;
inline constexpr ChannelIndex kNoChannel{0xFFFF'FFFF};

inline constexpr std::uint8_t kMaxPortCount = 254;  // 255 is "no port" in a forwarding table

struct Node {
  mad::Guid guid{};
  mad::Guid system_image_guid{};
  mad::NodeType type{};
  std::uint8_t port_count{};          // physical ports, 1..254
  bool enhanced_port0 = false;        // switches: port 0 behaves like a CA port
  std::uint16_t linear_fdb_cap{};     // switches
  std::uint16_t multicast_fdb_cap{};  // switches
  std::uint16_t device_id{};
  std::uint32_t vendor_id{};
  std::uint32_t revision{};
  std::string description;  // printable
  friend bool operator==(const Node&, const Node&) = default;
};

struct Port {
  mad::Guid guid{};          // 0 when never asked for (a CA port that the SM's side does not reach)
  PortIndex peer = kNoPort;  // the other end of the confirmed link; may be on the same node
  std::uint8_t slowness = 1;  // Channel::slowness
  friend bool operator==(const Port&, const Port&) = default;
};

// A link between two different switches, seen from one of them. Cables from a switch to itself are
// links (Port::peer) but not channels: nothing is ever routed through them.
struct Channel {
  SwitchIndex from{};
  SwitchIndex to{};
  mad::PortNumber out{};
  mad::PortNumber in{};
  ChannelIndex reverse = kNoChannel;
  // How many times slower the link is than both ends can do, rounded up, at most kMostSlowness.
  std::uint8_t slowness = 1;
};
inline constexpr std::uint8_t kMostSlowness = 16;

class Topology {
 public:
  Topology() = default;

  // Whether the two differ in their links and port GUIDs alone, and are known to: topologies with
  // the same nodes that were put together apart are not.
  bool shares_nodes_with(const Topology& other) const { return roster_ == other.roster_; }
  // Whether they do not differ even in those.
  bool has_links_of(const Topology& other) const {
    return shares_nodes_with(other) &&
           std::equal(ports_.begin(), ports_.end(), other.ports_.begin(), other.ports_.end());
  }
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t switch_count() const { return switch_count_; }
  std::size_t port_count() const { return ports_.size(); }
  // Confirmed links, cables from a node to itself included.
  std::size_t link_count() const { return link_count_; }

  const Node& node(NodeIndex index) const { return nodes_[index.value]; }
  const Node& node(SwitchIndex index) const { return nodes_[index.value]; }
  bool is_switch(NodeIndex index) const { return index.value < switch_count_; }
  // Node::guid, for whoever asks it of all nodes and nothing else.
  mad::Guid guid(NodeIndex index) const { return guids_[index.value]; }
  std::optional<NodeIndex> find_node(mad::Guid node_guid) const;

  // number must be 0..port_count of that node.
  PortIndex port_of(NodeIndex node, mad::PortNumber number) const {
    return PortIndex{first_port_[node.value] + number.value};
  }
  PortIndex port_of(SwitchIndex index, mad::PortNumber number) const {
    return PortIndex{first_port_[index.value] + number.value};
  }
  const Port& port(PortIndex index) const { return ports_[index.value]; }
  PortIndex peer(PortIndex index) const { return ports_[index.value].peer; }
  NodeIndex node_of(PortIndex index) const { return owner_[index.value]; }
  mad::PortNumber number_of(PortIndex index) const {
    return mad::PortNumber{
        static_cast<std::uint8_t>(index.value - first_port_[owner_[index.value].value])};
  }

  // The ports that own LIDs: port 0 of every switch and the linked ports of channel adapters and
  // routers, in index order.
  std::span<const PortIndex> endports() const { return endports_; }

  std::span<const Channel> channels() const { return channels_; }
  // The channels that leave a switch, by out port: [first, last) of channels().
  ChannelIndex first_channel(SwitchIndex from) const {
    return ChannelIndex{first_channel_[from.value]};
  }
  std::span<const Channel> channels_from(SwitchIndex from) const {
    return channels_.subspan(first_channel_[from.value],
                             first_channel_[from.value + 1] - first_channel_[from.value]);
  }
  // The channel that leaves by this port of a switch; kNoChannel when there is none.
  ChannelIndex channel_by_port(SwitchIndex from, mad::PortNumber out) const {
    return channel_by_port(port_of(from, out));
  }
  ChannelIndex channel_by_port(PortIndex out) const { return channel_of_port_[out.value]; }

  // The same for what a table's entry says, whatever that is.
  ChannelIndex channel_by_entry(SwitchIndex from, std::uint8_t entry) const {
    const std::uint32_t first = first_port_[from.value];
    return entry < first_port_[from.value + 1] - first ? channel_of_port_[first + entry]
                                                       : kNoChannel;
  }

  // Where packets for an endport leave the switches: (switch, port to leave by). Port 0 for a
  // switch's own port; nothing when the endport hangs on no switch (two hosts and one cable).
  struct Attachment {
    SwitchIndex at{};
    mad::PortNumber out{};
  };
  std::optional<Attachment> attachment(PortIndex endport) const;

 private:
  friend class Assembly;
  // What there is but the links. Topologies that differ in those alone share it.
  struct Roster {
    std::vector<Node> nodes;
    std::size_t switch_count = 0;
    std::vector<std::uint32_t> first_port;  // per node, one more at the end
    std::vector<NodeIndex> owner;           // per port
    std::vector<mad::Guid> guids;  // per node: ascending among switches, and among the others
  };
  void take(std::shared_ptr<const Roster> roster);
  // The links, and what is found of them. Copies of a topology share it, too.
  struct Wiring {
    std::vector<Port> ports;
    std::vector<PortIndex> endports;
    std::vector<Channel> channels;
    std::vector<std::uint32_t> first_channel;  // per switch, one more at the end
    std::vector<ChannelIndex> channel_of_port;
  };
  void take(std::shared_ptr<const Wiring> wiring);

  std::shared_ptr<const Roster> roster_;
  std::span<const Node> nodes_;  // of the roster, as are these
  std::span<const std::uint32_t> first_port_;
  std::span<const NodeIndex> owner_;
  std::span<const mad::Guid> guids_;
  std::size_t switch_count_ = 0;
  std::size_t link_count_ = 0;

  std::shared_ptr<const Wiring> wiring_;
  std::span<const Port> ports_;  // of the wiring, as are these
  std::span<const PortIndex> endports_;
  std::span<const Channel> channels_;
  std::span<const std::uint32_t> first_channel_;
  std::span<const ChannelIndex> channel_of_port_;
};

// Asked of every endport of a fabric by many: not worth a call.
inline std::optional<Topology::Attachment> Topology::attachment(PortIndex endport) const {
  const NodeIndex node = node_of(endport);
  if (is_switch(node)) {
    if (number_of(endport).value != 0) return std::nullopt;
    return Attachment{SwitchIndex{node.value}, mad::PortNumber{0}};
  }
  const PortIndex far = peer(endport);
  if (far == kNoPort || !is_switch(node_of(far))) return std::nullopt;
  return Attachment{SwitchIndex{node_of(far).value}, number_of(far)};
}

// Collects nodes and links in any order. Links name nodes by GUID.
class TopologyBuilder {
 public:
  struct End {
    mad::Guid node{};
    mad::PortNumber port{};
  };

  // The last word counts when a node GUID is added twice.
  void add_node(Node node);
  void set_port_guid(End port, mad::Guid guid);
  // slowness: Channel::slowness, of both directions.
  void add_link(End a, End b, std::uint8_t slowness = 1);

  // An error names the first node or link that cannot be: a port count out of range, a link to an
  // unknown node, a port number out of range (1..port count), a port in two links. The same link
  // given again, from either end, is still one link; a link from a port to itself is a loopback
  // plug.
  base::Result<Topology> build() &&;

 private:
  struct PortGuid {
    End port;
    mad::Guid guid;
  };
  struct Link {
    End a;
    End b;
    std::uint8_t slowness = 1;
  };
  std::vector<Node> nodes_;
  std::vector<PortGuid> port_guids_;
  std::vector<Link> links_;
};

}  // namespace heddle::fabric
