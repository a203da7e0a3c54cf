// SPDX-License-Identifier: BSD-3-Clause
// The registers of every simulated device, in dense arrays. Nothing here decides anything:
// links.hpp moves the states, agent.hpp answers MADs, and the checkers (checker.hpp) only read.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "mad/congestion_control.hpp"
#include "mad/datagram.hpp"
#include "mad/mlnx_extended_port_info.hpp"
#include "mad/node_info.hpp"
#include "mad/notice.hpp"
#include "mad/perf_attribute.hpp"
#include "mad/port_info.hpp"
#include "mad/port_samples.hpp"
#include "mad/smp.hpp"
#include "mad/switch_info.hpp"
#include "sim/blueprint.hpp"
#include "sim/counters.hpp"

namespace heddle::sim {

using NodeIndex = std::uint32_t;   // as in Blueprint::nodes
using CableIndex = std::uint32_t;  // as in Blueprint::cables
using PortIndex = std::uint32_t;   // all ports of all nodes in a row, port 0 of every node included
inline constexpr std::uint32_t kNone = ~0u;

// What forwarding touches at each hop, small enough to stay in the cache.
struct Line {
  PortIndex peer = kNone;  // the other end of the cable, kNone without one
  CableIndex cable = kNone;
  NodeIndex node = 0;
  std::uint8_t number = 0;
  mad::PortState state = mad::PortState::Down;  // PortInfo.PortState
};

// Tables of one port that hardly anybody writes: made when first written.
struct PortTables {
  std::map<std::uint16_t, mad::SmpData> p_keys;      // by block
  std::map<std::uint8_t, mad::SmpData> arbitration;  // by quarter, 1..4
  std::map<std::uint8_t, mad::SmpData> sl_to_vl;     // by input port
  std::map<std::uint8_t, mad::SmpData> alias_guids;  // by block
};

// A VPort behind a port of an adapter (virtual_ports.hpp).
struct VirtualPort {
  mad::PortState state = mad::PortState::Down;
  bool lid_required = false;  // else it shares the port's LID
  mad::Lid lid{};
  std::uint16_t p_key_violations = 0;
  std::uint16_t q_key_violations = 0;
  std::uint32_t reregistrations = 0;
  std::map<std::uint16_t, mad::SmpData> p_keys;  // by block
};

struct VirtualPorts {
  std::uint16_t cap = 0;  // VPort 0 included
  bool enabled = false;
  bool state_change = false;
  std::vector<VirtualPort> ports;  // VPorts 1 and up
};

struct PortRegisters {
  mad::PortInfo info;                // PortState is in Line, CapabilityMask's IsSM included
  mad::MlnxExtendedPortInfo vendor;  // shown by devices of that vendor, held by all
  base::Instant lease_expires = base::kNever;
  std::uint32_t reregistrations = 0;  // ClientReregister requests seen
  std::unique_ptr<PortTables> tables;
  std::unique_ptr<SparseCounts> counts;
  std::unique_ptr<VirtualPorts> virtual_ports;  // of adapters that have them
};

// A flow that met congestion.
struct CongestionEvent {
  mad::Lid from{};
  mad::Lid to{};
  mad::ServiceLevel sl{};
  base::Instant when{};
};

// What happened since the log was read last (congestion_log.hpp).
struct CongestionLog {
  std::uint16_t count = 0;              // of events; stops at its highest value
  std::bitset<256> ports;               // of a switch, by which marked packets left
  std::uint16_t levels = 0;             // of an adapter: service levels, a bit each
  std::vector<CongestionEvent> events;  // the newest
};

// The index into an adapter's CongestionControlTable, of a service level: as it was at a time.
struct CongestionIndex {
  std::uint16_t ccti = 0;
  base::Instant since{};
};

// Of a management port, as far as anybody wrote it. Settings are kept as bytes, by attribute and
// block; the attributes have fixed numbers of blocks.
struct CongestionRegisters {
  mad::CongestionKeyInfo key;
  base::Instant lease_expires = base::kNever;
  CongestionLog log;
  std::array<CongestionIndex, 16> indices{};  // of an adapter, by service level
  std::map<std::pair<std::uint16_t, std::uint32_t>, mad::PerfData> settings;
};

// The sampling mechanism of a management port (sampling.hpp), made when first used.
struct Sampler {
  PortIndex port = 0;               // whose counters
  std::uint64_t number = 0;         // of this sample, among all samples of the world
  mad::PortSamplesControl control;  // what was asked for, and SampleStatus
  std::array<std::uint64_t, mad::kSampledCounters> before{};
  std::array<std::uint32_t, mad::kSampledCounters> counted{};
};

struct SwitchRegisters {
  mad::SwitchInfo info;
  std::vector<std::uint8_t> linear;  // grown by written blocks; what is missing holds 255
  // Multicast forwarding: by (position, block), what is missing holds zeros.
  std::map<std::pair<std::uint8_t, std::uint16_t>, mad::SmpData> multicast;
};

// How a device misbehaves.
struct Misbehaviour {
  bool silent = false;                             // its agent answers nothing; forwarding works on
  bool busy = false;                               // answers every request with status busy
  double damage = 0;                               // chance that one bit of an answer is wrong
  base::Duration delay{0};                         // more than the world's agent_delay
  std::optional<std::uint8_t> claims_ports;        // NodeInfo.NumPorts
  std::optional<std::uint16_t> claims_linear_top;  // SwitchInfo.LinearFDBTop
};

struct Device {
  mad::NodeType type{};
  bool powered = true;
  bool led = false;
  std::uint8_t port_count = 0;
  PortIndex first_port = 0;            // port 0; port n is first_port + n
  std::uint32_t switch_index = kNone;  // into Devices::switches
  mad::NodeInfo info;                  // PortGUID and LocalPortNum are filled in per answer
  Misbehaviour misbehaviour;
  // Its agent answers in order: whoever asks a slow one that is slow no more waits for what is in
  // its queue.
  base::Instant queue_ends{};
  base::Instant answers_after{};
};

struct Cable {
  PortIndex a = 0;
  PortIndex b = 0;
  Width width{};
  Speed speed{};
  bool cut = false;
  bool troubled = false;  // any of these is not zero
  double loss = 0;        // chances per MAD and passage; loss beside the world's own
  double reorder = 0;
  double duplicate = 0;
  base::Duration delay{0};
  // Counts the times that the link went down or began to train: an end of training that was
  // scheduled for an earlier one means nothing.
  std::uint32_t epoch = 0;
};

struct Devices {
  explicit Devices(Blueprint blueprint);

  Blueprint plan;
  std::vector<Device> nodes;
  std::vector<Line> lines;           // by PortIndex
  std::vector<PortRegisters> ports;  // by PortIndex
  std::vector<Traffic> traffic;      // by PortIndex
  std::vector<SwitchRegisters> switches;
  std::vector<Cable> cables;
  std::map<PortIndex, CongestionRegisters> congestion;  // by management port
  std::map<PortIndex, Sampler> samplers;                // by management port
  std::uint64_t samples_begun = 0;
  // What the world drains after each step. Switches that owe a trap 128, in the order of their
  // changes; other traps, by the port that sends them; cables that began to train; samples that
  // began.
  std::vector<NodeIndex> changed_switches;
  std::vector<std::pair<PortIndex, mad::Notice>> notices;
  // Traps of other classes than subnet management, by the port whose software sends them.
  std::vector<std::pair<PortIndex, mad::Datagram>> class_traps;
  std::vector<CableIndex> training;
  std::vector<PortIndex> sampling;   // management ports whose mechanism was started
  bool training_takes_time = false;  // else links come up at once

  bool is_switch(NodeIndex node) const { return nodes[node].switch_index != kNone; }
  SwitchRegisters& switch_at(NodeIndex node) { return switches[nodes[node].switch_index]; }
  const SwitchRegisters& switch_at(NodeIndex node) const {
    return switches[nodes[node].switch_index];
  }
  PortIndex port_at(NodeIndex node, std::uint8_t number) const {
    return nodes[node].first_port + number;
  }
  // Where M_Key, LID and MasterSMLID of a port live: port 0 of a switch, the port itself otherwise.
  PortIndex management_port(PortIndex port) const {
    const NodeIndex node = lines[port].node;
    return is_switch(node) ? nodes[node].first_port : port;
  }
  // By which the node speaks for itself: port 0 of a switch, else the first port, which a node
  // without ports lacks: then port 0 of it, which has no LID.
  PortIndex first_endpoint(NodeIndex node) const {
    return nodes[node].first_port + (is_switch(node) || nodes[node].port_count == 0 ? 0 : 1);
  }
  mad::Guid port_guid(PortIndex port) const;
  // The first entry of the port's tables, made if there are none.
  PortTables& tables(PortIndex port);

  // The port for a unicast LID; kNoPortNumber where the table says nothing.
  std::uint8_t route(const SwitchRegisters& registers, mad::Lid lid) const {
    if (lid.value > registers.info.linear_fdb_top || lid.value >= registers.linear.size()) {
      return mad::kNoPortNumber.value;
    }
    return registers.linear[lid.value];
  }

  // Grows: a node without cables, a cable between two free ports. The plan grows along.
  NodeIndex add_node(PlannedNode planned);
  CableIndex add_cable(const PlannedCable& planned);

  // Registers as they are after power-on, LIDs and tables empty. Line states are not touched.
  void reset(NodeIndex node);
};

}  // namespace heddle::sim
