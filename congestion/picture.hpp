// SPDX-License-Identifier: BSD-3-Clause
// Whom to tell: made by whoever knows the fabric.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "mad/types.hpp"

namespace heddle::congestion {

using PortSet = std::bitset<256>;

// Speaks for a switch, or for one port of an adapter.
struct Agent {
  mad::Guid node{};
  mad::PortNumber port{};  // 0 of a switch
  bool is_switch = false;
  mad::Lid lid{};
  mad::ServiceLevel sl{};
  // Of a switch:
  std::uint8_t port_count = 0;
  PortSet to_hosts;     // ports that lead to adapters and routers
  PortSet to_switches;  // and to switches
  friend bool operator==(const Agent&, const Agent&) = default;
};

struct Picture {
  std::vector<Agent> agents;  // by node, then by port
  friend bool operator==(const Picture&, const Picture&) = default;
};

}  // namespace heddle::congestion
