// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/registers.hpp"

#include "fabric/walk.hpp"

namespace heddle::fabric {

Registers registers_of(const Observation& observation, const Frozen& frozen) {
  const Topology& topology = *frozen.topology;
  Registers registers;
  registers.nodes.reserve(topology.node_count());
  registers.switches.reserve(topology.switch_count());
  for (const ObservedIndex at : frozen.node_of) {
    const ObservedNode& node = observation[at];
    registers.nodes.push_back(node.info);
    // Switches come first, and none is in the topology that did not tell it.
    if (node.is_switch()) registers.switches.push_back(*node.switch_info);
  }
  registers.ports.reserve(topology.port_count());
  registers.fdr10.reserve(topology.port_count());
  for (const PortIndex port : all_ports(observation, frozen)) {
    const ObservedPort& seen = observation.port(frozen.end_of[port.value]);
    registers.ports.push_back(seen.info.value_or(mad::PortInfo{}));
    registers.fdr10.push_back(seen.vendor && (seen.vendor->link_speed_active & mad::kFdr10) != 0);
  }
  return registers;
}

std::optional<mad::LinkSpeed> link_speed(const Registers& registers, PortIndex port) {
  const auto speed = mad::active_speed(registers.ports[port.value]);
  const bool renamed = speed == mad::LinkSpeed::QDR && registers.fdr10[port.value];
  return renamed ? mad::LinkSpeed::FDR10 : speed;
}

}  // namespace heddle::fabric
