// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/registers.hpp"

#include <utility>

#include "fabric/walk.hpp"

namespace heddle::fabric {
namespace {

const mad::PortInfo kNeverRead{};

void copy_node(const ObservedNode& seen, NodeIndex index, Registers& registers) {
  registers.nodes.change(index.value) = seen.info;
  // Switches come first, and none is in the topology that did not tell it.
  const bool is_switch = index.value < registers.switches.size();
  if (is_switch) registers.switches.change(index.value) = *seen.switch_info;
}

void copy_port(const ObservedPort& seen, PortIndex port, Registers& registers) {
  registers.ports.change(port.value) = seen.info ? *seen.info : kNeverRead;
  registers.fdr10.change(port.value) =
      seen.vendor && (seen.vendor->link_speed_active & mad::kFdr10) != 0;
}

std::shared_ptr<const Registers> registers_of(const Observation& observation,
                                              const Frozen& frozen) {
  Registers registers = Registers::room_for(*frozen.topology);
  for (std::uint32_t n = 0; n < frozen.topology->node_count(); ++n) {
    copy_node(observation[frozen.node_of[n]], {n}, registers);
  }
  for (const PortIndex port : all_ports(observation, frozen)) {
    copy_port(observation.port(frozen.end_of[port.value]), port, registers);
  }
  return std::make_shared<const Registers>(std::move(registers));
}

}  // namespace

Registers Registers::room_for(const Topology& topology) {
  Registers registers;
  registers.nodes = decltype(nodes)(topology.node_count());
  registers.ports = decltype(ports)(topology.port_count());
  registers.fdr10 = decltype(fdr10)(topology.port_count());
  registers.switches = decltype(switches)(topology.switch_count());
  return registers;
}

Registers Registers::successor() const {
  return {nodes.successor(), ports.successor(), fdr10.successor(), switches.successor()};
}

std::shared_ptr<const Registers> KnownRegisters::of(const Observation& observation,
                                                    const Frozen& frozen) {
  const bool goes_on = registers_ != nullptr && frozen.topology->shares_nodes_with(*topology_);
  topology_ = frozen.topology;
  if (!goes_on) {
    registers_ = registers_of(observation, frozen);
  } else if (edition_ != observation.edition()) {
    registers_ = brought_up_to_date(observation);
  }
  edition_ = observation.edition();
  return registers_;
}

std::shared_ptr<const Registers> KnownRegisters::brought_up_to_date(
    const Observation& observation) const {
  Registers registers = registers_->successor();
  for (const ObservedIndex at : observation.changed_since(edition_)) {
    const auto index = topology_->find_node(observation[at].info.node_guid);
    if (!index) continue;
    copy_node(observation[at], *index, registers);
    const PortIndex first = topology_->port_of(*index, {});
    for (std::uint32_t p = 0; p <= topology_->node(*index).port_count; ++p) {
      copy_port(observation[at].ports[p], {first.value + p}, registers);
    }
  }
  return std::make_shared<const Registers>(std::move(registers));
}

std::optional<mad::LinkSpeed> link_speed(const Registers& registers, PortIndex port) {
  const auto speed = mad::active_speed(registers.ports[port.value]);
  const bool renamed = speed == mad::LinkSpeed::QDR && registers.fdr10[port.value];
  return renamed ? mad::LinkSpeed::FDR10 : speed;
}

}  // namespace heddle::fabric
