// SPDX-License-Identifier: BSD-3-Clause
// What subnet administration is told of the subnet, as a value: made by the subnet manager after
// each sweep, never changed. The pieces that are large are shared with whoever made them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/lanes.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/registers.hpp"
#include "fabric/topology.hpp"
#include "mad/node_info.hpp"
#include "mad/port_info.hpp"
#include "mad/sa_rate.hpp"
#include "mad/sm_info.hpp"
#include "mad/switch_info.hpp"
#include "mad/types.hpp"
#include "partitions/memberships.hpp"
#include "qos/policy.hpp"
#include "sa/p_key_tables.hpp"
#include "sa/prefix_routes.hpp"
#include "sa/virtual_ports.hpp"

namespace heddle::sa {

// A packet that has not arrived after so many switches goes round in a circle.
inline constexpr unsigned kMaxSwitchesOnPath = 64;

// A subnet manager and the port it sits on.
struct SeatOfSM {
  fabric::PortIndex port = fabric::kNoPort;
  mad::SMInfo info;
};

struct Subnet {
  std::shared_ptr<const fabric::Topology> topology;  // never null
  std::shared_ptr<const fabric::LidMap> lids;        // never null
  // As the switches hold them; null in a fabric without switches.
  std::shared_ptr<const fabric::ForwardingTables> tables;
  // Pairs of a switch and a LID that hangs on a switch of which it is proven that the tables lead
  // from one to the other, over kMaxSwitchesOnPath switches at most; 0 where nothing is known.
  std::uint64_t proven_routes = 0;
  // The lanes of the tables; null: level 0 for all.
  std::shared_ptr<const fabric::Lanes> lanes;
  // Whether every path may be answered on its own level, not just on that of the way back.
  bool replies_safe = true;
  std::shared_ptr<const fabric::Registers> registers;  // never null
  std::vector<SeatOfSM> managers;                      // our own first
  // Null: everybody is a full member of the default partition, and there is no other.
  std::shared_ptr<const partitions::Memberships> memberships;
  std::shared_ptr<const PKeyTables> p_key_tables;  // as far as they are known; null: nothing is
  // Null: there are none that are up.
  std::shared_ptr<const VirtualPorts> virtual_ports;
  bool multicast = true;                                // there are groups, or may be
  std::uint8_t highest_rate_code = mad::kAllRateCodes;  // that clients are told
  bool virtual_records = false;  // they are in the tables of nodes and ports too
  // Null: there are none.
  std::shared_ptr<const PrefixRoutes> prefix_routes;
  // Null: every path has the level of its partition, and is limited by its links alone.
  std::shared_ptr<const qos::Policy> qos_policy;
  mad::GidPrefix prefix = mad::kDefaultGidPrefix;
  std::uint8_t packet_life_time = 18;  // of a path, 4.096 us * 2^value
};

}  // namespace heddle::sa
