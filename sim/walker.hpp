// SPDX-License-Identifier: BSD-3-Clause
// Follows one packet through the simulated devices by nothing but their own tables: forwarding,
// SLtoVL, P_Keys and port states (IBA vol. 1, 7.6, 10.9, 18.2.4). Nothing is moved or counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mad/types.hpp"
#include "sim/devices.hpp"
#include "sim/p_keys.hpp"

namespace heddle::sim {

struct Packet {
  mad::Lid dlid{};
  mad::ServiceLevel sl{};
  mad::PKey p_key = kDefaultPKey;
  unsigned hop_limit = 64;  // links; stands for the packet life time
};

enum class WalkEnd : std::uint8_t {
  Arrived,
  SourceNotActive,  // the sending port is not Active or has no cable
  NoRoute,          // the table holds 255, or nothing, for this LID
  BadPort,          // the table names a port that the switch does not have
  PortNotActive,    // the link to leave by is not up
  LaneDropped,      // SLtoVL names lane 15, or one that the link does not have
  PKeyInbound,      // PartitionEnforcementInbound
  PKeyOutbound,     // PartitionEnforcementOutbound
  PKeyAtSource,     // the sender's own table has no such key
  PKeyAtDestination,
  NotForHere,  // came to an end port that has another LID
  Loop,        // passed the same switch twice
  HopLimit,
};
// A few words for a person: "no route".
std::string_view text_of(WalkEnd end);

// What one node did with the packet.
struct WalkStep {
  NodeIndex node = 0;
  std::uint8_t in_port = 0;   // 0: made here
  std::uint8_t out_port = 0;  // 0: ended here
  std::uint8_t lane = 0;      // on the link that it left by
  friend bool operator==(const WalkStep&, const WalkStep&) = default;
};

struct Walk {
  std::vector<WalkStep> steps;  // the sender first; the last is where it ended
  WalkEnd end{};
  bool arrived() const { return end == WalkEnd::Arrived; }
};

// From an end port (of a CA or router, or port 0 of a switch) to a unicast LID.
Walk walk(const Devices& devices, PortIndex from, const Packet& packet);

// Where the copies of a multicast packet come.
struct Spread {
  struct Stop {
    WalkStep at;  // the copy that stopped
    WalkEnd why{};
  };
  std::vector<PortIndex> reached;  // end ports that accepted a copy, sorted, each once
  std::vector<PortIndex> twice;    // of these, which received more than one
  std::vector<NodeIndex> loops;    // switches that a second copy came into
  std::vector<Stop> stops;         // copies that were dropped on the way
  std::uint64_t links = 0;         // how many links carried a copy
};
Spread spread(const Devices& devices, PortIndex from, const Packet& packet);

// Whether the table of the port's switch sends copies of the group to it: what an SM made of a
// join. For port 0 of a switch, its own table.
bool is_member(const Devices& devices, PortIndex port, mad::Lid group);

// One line for each step: "leaf-01: in 1, out 19, VL 0", and last how it ended.
std::string describe(const Devices& devices, const Walk& walk);
// "host-0001 port 1"
std::string describe(const Devices& devices, PortIndex port);

}  // namespace heddle::sim
