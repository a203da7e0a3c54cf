// SPDX-License-Identifier: BSD-3-Clause
// What was read of the ports and switches of a topology, in its order: what those who show a
// fabric and those who answer for it share. Values as on the wire (IBA vol. 1, 14.2.5).
#pragma once

#include <optional>
#include <vector>

#include "fabric/observation.hpp"
#include "fabric/topology.hpp"
#include "mad/link.hpp"
#include "mad/node_info.hpp"
#include "mad/port_info.hpp"
#include "mad/switch_info.hpp"

namespace heddle::fabric {

struct Registers {
  std::vector<mad::NodeInfo> nodes;       // by NodeIndex
  std::vector<mad::PortInfo> ports;       // by PortIndex; all zero where never read
  std::vector<bool> fdr10;                // by PortIndex: links that PortInfo shows as QDR
  std::vector<mad::SwitchInfo> switches;  // by SwitchIndex
};

// Of an observation and what was frozen of it.
Registers registers_of(const Observation& observation, const Frozen& frozen);

// What the port's link runs at; nothing when it is down or says something unknown.
std::optional<mad::LinkSpeed> link_speed(const Registers& registers, PortIndex port);

}  // namespace heddle::fabric
