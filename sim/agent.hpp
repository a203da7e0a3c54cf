// SPDX-License-Identifier: BSD-3-Clause
// The subnet management agent of a device (IBA vol. 1, 14.2 to 14.3): turns a request into its
// answer by the device's own registers, and moves them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "mad/gid.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {

enum class Answer : std::uint8_t {
  Reply,    // smp is now the answer
  Silence,  // nothing goes back: wrong M_Key, or a message that wants no answer
};

// Where a request is answered: `port` is the one it came in by (port 0 of a switch, or the port of
// a CA itself, when it was sent by the node's own software).
struct AgentContext {
  Devices& devices;
  PortIndex port = 0;
  base::Instant now{};
  mad::Lid slid{};                 // who asks, of general management packets
  std::optional<mad::Gid> sgid{};  // if there was a GRH

  NodeIndex node() const { return devices.lines[port].node; }
  std::uint8_t port_number() const { return devices.lines[port].number; }
};

// Answers Get and Set of every attribute but SMInfo, which is the affair of the management
// software; refuses what it does not know with status 0x0C.
Answer answer_smp(const AgentContext& context, mad::Smp& smp);

// Refuses with method GetResp and this status; the data stays what it was.
void refuse(mad::Smp& smp, mad::Status status);

// --- one per attribute (agent_*.cpp); Set is told by the method
// -----------------------------------

// The status of the answer; on anything but OK nothing was changed.
mad::Status on_node_info(const AgentContext&, mad::Smp&);
mad::Status on_node_description(const AgentContext&, mad::Smp&);
mad::Status on_port_info(const AgentContext&, mad::Smp&);
mad::Status on_switch_info(const AgentContext&, mad::Smp&);
mad::Status on_linear_forwarding_table(const AgentContext&, mad::Smp&);
mad::Status on_multicast_forwarding_table(const AgentContext&, mad::Smp&);
mad::Status on_switch_port_state_table(const AgentContext&, mad::Smp&);
mad::Status on_guid_info(const AgentContext&, mad::Smp&);
mad::Status on_p_key_table(const AgentContext&, mad::Smp&);
mad::Status on_sl_to_vl(const AgentContext&, mad::Smp&);
mad::Status on_vl_arbitration(const AgentContext&, mad::Smp&);
mad::Status on_mlnx_extended_port_info(const AgentContext&, mad::Smp&);
mad::Status on_port_info_extended(const AgentContext&, mad::Smp&);
mad::Status on_virtualization_info(const AgentContext&, mad::Smp&);
mad::Status on_vport_info(const AgentContext&, mad::Smp&);
mad::Status on_vnode_info(const AgentContext&, mad::Smp&);
mad::Status on_vport_state(const AgentContext&, mad::Smp&);
mad::Status on_vnode_description(const AgentContext&, mad::Smp&);
mad::Status on_vport_guid_info(const AgentContext&, mad::Smp&);
mad::Status on_vport_p_key_table(const AgentContext&, mad::Smp&);
mad::Status on_led_info(const AgentContext&, mad::Smp&);

// The port that an attribute modifier's port number means, kNone when the node has no such port.
// For switches 0 is port 0, for others the port asked.
PortIndex port_meant(const AgentContext& context, std::uint32_t number);

}  // namespace heddle::sim
