// SPDX-License-Identifier: BSD-3-Clause
#include "sim/walker.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include <fmt/format.h>

#include "mad/multicast_forwarding_table.hpp"
#include "sim/forwarding.hpp"
#include "sim/virtual_ports.hpp"

namespace heddle::sim {
namespace {

// OperationalVLs' code to the number of data lanes (IBA vol. 1, 14.2.5.6).
unsigned lane_count(std::uint8_t code) {
  constexpr std::array<unsigned, 6> kLanes{1, 1, 2, 4, 8, 15};
  return code < kLanes.size() ? kLanes[code] : kLanes.back();
}

bool has_key(const Devices& devices, PortIndex port, mad::PKey key) {
  return admitting_entry(devices, port, key).has_value();
}

// One way out of one node, tried.
struct Exit {
  WalkEnd end = WalkEnd::Arrived;  // Arrived: the packet is at `next`
  std::uint8_t lane = 0;
  PortIndex next = kNone;
};

Exit leave(const Devices& devices, NodeIndex node, std::uint8_t in_port, std::uint8_t out_port,
           const Packet& packet) {
  if (out_port > devices.nodes[node].port_count) return {WalkEnd::BadPort, 0, kNone};
  const PortIndex out = devices.port_at(node, out_port);
  const Line& line = devices.lines[out];
  const mad::PortInfo& info = devices.ports[out].info;
  const bool is_switch = devices.is_switch(node);
  if (is_switch && info.partition_enforcement_outbound && !has_key(devices, out, packet.p_key)) {
    return {WalkEnd::PKeyOutbound, 0, kNone};
  }
  const std::uint8_t lane = lane_of(devices, out, is_switch ? in_port : std::uint8_t{0}, packet.sl);
  if (lane >= lane_count(info.operational_vls)) return {WalkEnd::LaneDropped, lane, kNone};
  if (line.peer == kNone || line.state != mad::PortState::Active) {
    return {WalkEnd::PortNotActive, lane, kNone};
  }
  const mad::PortState there = devices.lines[line.peer].state;
  if (there != mad::PortState::Active && there != mad::PortState::Armed) {
    return {WalkEnd::PortNotActive, lane, kNone};
  }
  const PortIndex peer = line.peer;
  if (devices.is_switch(devices.lines[peer].node) &&
      devices.ports[peer].info.partition_enforcement_inbound &&
      !has_key(devices, peer, packet.p_key)) {
    return {WalkEnd::PKeyInbound, lane, peer};
  }
  return {WalkEnd::Arrived, lane, peer};
}

WalkEnd accept(const Devices& devices, PortIndex port, const Packet& packet) {
  return has_key(devices, port, packet.p_key) ? WalkEnd::Arrived : WalkEnd::PKeyAtDestination;
}

bool came_before(const Walk& walk, NodeIndex node) {
  return std::any_of(walk.steps.begin(), walk.steps.end(),
                     [&](const WalkStep& step) { return step.node == node; });
}

// What the sender does: the first port to leave by, or why it does not send.
WalkEnd begin(const Devices& devices, PortIndex from, const Packet& packet) {
  const Line& line = devices.lines[from];
  if (!devices.nodes[line.node].powered) return WalkEnd::SourceNotActive;
  const bool is_switch = devices.is_switch(line.node);
  if (!is_switch && (line.peer == kNone || line.state != mad::PortState::Active)) {
    return WalkEnd::SourceNotActive;
  }
  return has_key(devices, from, packet.p_key) ? WalkEnd::Arrived : WalkEnd::PKeyAtSource;
}

// What one more node makes of the packet; nothing more to do when `end` is set.
struct Turn {
  std::uint8_t out_port = 0;
  std::optional<WalkEnd> end;
};

Turn turn_at(const Devices& devices, PortIndex at, bool is_sender, const Packet& packet) {
  const NodeIndex node = devices.lines[at].node;
  const PortIndex own = devices.management_port(at);
  if (!devices.is_switch(node)) {
    if (owns_lid(devices, own, packet.dlid)) return {0, accept(devices, own, packet)};
    if (is_sender) return {devices.lines[at].number, std::nullopt};
    return {0, WalkEnd::NotForHere};
  }
  const std::uint8_t out = devices.route(devices.switch_at(node), packet.dlid);
  if (out == mad::kNoPortNumber.value) return {out, WalkEnd::NoRoute};
  if (out > 0) return {out, std::nullopt};
  const bool mine = owns_lid(devices, own, packet.dlid);
  return {0, mine ? accept(devices, own, packet) : WalkEnd::NotForHere};
}

}  // namespace

std::string_view text_of(WalkEnd end) {
  switch (end) {
    case WalkEnd::Arrived:
      return "arrived";
    case WalkEnd::SourceNotActive:
      return "the sending port is not Active";
    case WalkEnd::NoRoute:
      return "no route: the forwarding table says 255";
    case WalkEnd::BadPort:
      return "the forwarding table names a port that is not there";
    case WalkEnd::PortNotActive:
      return "the link to leave by is not Active";
    case WalkEnd::LaneDropped:
      return "SLtoVL drops this service level";
    case WalkEnd::PKeyInbound:
      return "inbound P_Key enforcement";
    case WalkEnd::PKeyOutbound:
      return "outbound P_Key enforcement";
    case WalkEnd::PKeyAtSource:
      return "the sender is no member of the partition";
    case WalkEnd::PKeyAtDestination:
      return "the receiver is no member of the partition";
    case WalkEnd::NotForHere:
      return "came to a port that has another LID";
    case WalkEnd::Loop:
      return "the tables go round in a circle";
    case WalkEnd::HopLimit:
      return "too many hops";
  }
  return "?";
}

Walk walk(const Devices& devices, PortIndex from, const Packet& packet) {
  Walk walk;
  PortIndex at = from;
  std::uint8_t in_port = 0;
  walk.end = begin(devices, from, packet);
  if (!walk.arrived()) {
    walk.steps.push_back({devices.lines[from].node, 0, 0, 0});
    return walk;
  }
  for (unsigned links = 0;; ++links) {
    const NodeIndex node = devices.lines[at].node;
    const bool again = came_before(walk, node);
    const Turn turn = turn_at(devices, at, links == 0, packet);
    walk.steps.push_back({node, in_port, turn.out_port, 0});
    walk.end = again                       ? WalkEnd::Loop
               : links >= packet.hop_limit ? WalkEnd::HopLimit
                                           : turn.end.value_or(WalkEnd::Arrived);
    if (again || turn.end || !walk.arrived()) return walk;
    const Exit exit = leave(devices, node, in_port, turn.out_port, packet);
    walk.steps.back().lane = exit.lane;
    if (exit.end != WalkEnd::Arrived) {
      if (exit.next != kNone) {
        walk.steps.push_back(
            {devices.lines[exit.next].node, devices.lines[exit.next].number, 0, 0});
      }
      walk.end = exit.end;
      return walk;
    }
    at = exit.next;
    in_port = devices.lines[at].number;
  }
}

namespace {

// The ports that the switch's multicast table names for a LID; entries above its top do not count,
// unless the top is 0 (IBA vol. 1, 14.2.5.4).
std::vector<std::uint8_t> ports_for(const Devices& devices, NodeIndex node, mad::Lid mlid) {
  std::vector<std::uint8_t> ports;
  const SwitchRegisters& registers = devices.switch_at(node);
  const std::uint16_t top = registers.info.multicast_fdb_top;
  if (top != 0 && mlid.value > top) return ports;
  const auto block = static_cast<std::uint16_t>(mad::mft_block_of(mlid));
  for (unsigned position = 0; position < 16; ++position) {
    const auto found = registers.multicast.find({static_cast<std::uint8_t>(position), block});
    if (found == registers.multicast.end()) continue;
    const auto table = mad::decode<mad::MulticastForwardingTable>(found->second);
    const std::uint16_t mask = table.port_masks[mad::mft_entry_of(mlid)];
    for (unsigned bit = 0; bit < mad::kPortsPerMftPosition; ++bit) {
      if ((mask >> bit & 1) == 0) continue;
      ports.push_back(static_cast<std::uint8_t>(position * mad::kPortsPerMftPosition + bit));
    }
  }
  return ports;
}

class Spreading {
 public:
  Spreading(const Devices& devices, PortIndex from, const Packet& packet)
      : devices_(devices),
        packet_(packet),
        from_(from),
        entered_(devices.switches.size(), false),
        received_(devices.lines.size(), false) {}

  Spread run() && {
    const NodeIndex source = devices_.lines[from_].node;
    const WalkEnd may = begin(devices_, from_, packet_);
    if (may != WalkEnd::Arrived) {
      spread_.stops.push_back({{source, 0, 0, 0}, may});
      return std::move(spread_);
    }
    if (devices_.is_switch(source)) {
      come_to(devices_.nodes[source].first_port);
    } else {
      send(source, 0, devices_.lines[from_].number);
    }
    while (!open_.empty()) {
      const PortIndex at = open_.front();
      open_.pop_front();
      copy_at(at);
    }
    std::sort(spread_.reached.begin(), spread_.reached.end());
    return std::move(spread_);
  }

 private:
  void come_to(PortIndex at) {
    const NodeIndex node = devices_.lines[at].node;
    if (!devices_.is_switch(node)) {
      receive(at);
      return;
    }
    const std::uint32_t index = devices_.nodes[node].switch_index;
    // A second copy would go round for ever or come to everybody twice.
    if (entered_[index]) {
      spread_.loops.push_back(node);
      return;
    }
    entered_[index] = true;
    open_.push_back(at);
  }

  void copy_at(PortIndex at) {
    const NodeIndex node = devices_.lines[at].node;
    const std::uint8_t in_port = devices_.lines[at].number;
    for (const std::uint8_t port : ports_for(devices_, node, packet_.dlid)) {
      if (port == in_port) continue;
      if (port == 0) {
        receive(devices_.nodes[node].first_port);
      } else {
        send(node, in_port, port);
      }
    }
  }

  void send(NodeIndex node, std::uint8_t in_port, std::uint8_t out_port) {
    const Exit exit = leave(devices_, node, in_port, out_port, packet_);
    if (exit.end != WalkEnd::Arrived) {
      spread_.stops.push_back({{node, in_port, out_port, exit.lane}, exit.end});
      return;
    }
    ++spread_.links;
    come_to(exit.next);
  }

  void receive(PortIndex port) {
    if (port == from_) return;
    const WalkEnd verdict = accept(devices_, port, packet_);
    if (verdict != WalkEnd::Arrived) {
      const Line& line = devices_.lines[port];
      spread_.stops.push_back({{line.node, line.number, 0, 0}, verdict});
      return;
    }
    if (received_[port]) {
      spread_.twice.push_back(port);
      return;
    }
    received_[port] = true;
    spread_.reached.push_back(port);
  }

  const Devices& devices_;
  const Packet& packet_;
  PortIndex from_;
  std::vector<bool> entered_;   // by switch index
  std::vector<bool> received_;  // by port
  std::deque<PortIndex> open_;
  Spread spread_;
};

}  // namespace

Spread spread(const Devices& devices, PortIndex from, const Packet& packet) {
  if (packet.dlid < mad::kFirstMulticastLid || packet.dlid == mad::kPermissiveLid) return {};
  return Spreading(devices, from, packet).run();
}

bool is_member(const Devices& devices, PortIndex port, mad::Lid group) {
  if (group < mad::kFirstMulticastLid || group == mad::kPermissiveLid) return false;
  const Line& line = devices.lines[port];
  NodeIndex node = line.node;
  std::uint8_t number = line.number;
  if (!devices.is_switch(node)) {
    if (line.peer == kNone) return false;
    node = devices.lines[line.peer].node;
    number = devices.lines[line.peer].number;
  }
  if (!devices.is_switch(node) || (node == line.node && number != 0)) return false;
  const std::vector<std::uint8_t> ports = ports_for(devices, node, group);
  return std::find(ports.begin(), ports.end(), number) != ports.end();
}

std::string describe(const Devices& devices, const Walk& walk) {
  std::string text;
  for (const WalkStep& step : walk.steps) {
    text += fmt::format("{}:", devices.plan.nodes[step.node].name);
    if (step.in_port > 0) text += fmt::format(" in {}", step.in_port);
    if (step.out_port > 0 && step.out_port <= devices.nodes[step.node].port_count) {
      text +=
          fmt::format("{} out {}, VL {}", step.in_port > 0 ? "," : "", step.out_port, step.lane);
    }
    text += "\n";
  }
  return text + std::string(text_of(walk.end)) + "\n";
}

std::string describe(const Devices& devices, PortIndex port) {
  const Line& line = devices.lines[port];
  return fmt::format("{} port {}", devices.plan.nodes[line.node].name, line.number);
}

}  // namespace heddle::sim
