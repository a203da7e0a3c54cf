// SPDX-License-Identifier: BSD-3-Clause
// The traps of devices as notices (IBA vol. 1, 14.2.5.1). Raised ones wait in Devices::notices for
// the world to send them; a device without a LID or an SM says nothing.
#pragma once

#include "mad/notice.hpp"
#include "mad/smp.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {

// What trap 144 says beside the CapabilityMask.
struct LocalChange {
  bool link_speed_enabled = false;
  bool link_width_enabled = false;
  bool node_description = false;
};

// Trap 144 of the port's management port.
mad::Notice local_changes_notice(const Devices& devices, PortIndex port, const LocalChange& what);
void raise_local_changes(Devices& devices, PortIndex port, const LocalChange& what);

// Traps 129, 130 and 131 of a port whose counter moved; nothing for other counters.
void raise_threshold_notice(Devices& devices, PortIndex port, Counter counter);

// Trap 145: the node's SystemImageGUID is another one now.
void raise_system_image_guid_changed(Devices& devices, NodeIndex node);

// A packet on a data lane that somebody refused. `key` is the P_Key or the Q_Key.
struct RefusedPacket {
  mad::Lid slid{};
  mad::Lid dlid{};
  std::uint32_t key = 0;
  mad::ServiceLevel sl{};
};
// Traps 257 and 258, by the port that received it.
void raise_bad_p_key(Devices& devices, PortIndex port, const RefusedPacket& packet);
void raise_bad_q_key(Devices& devices, PortIndex port, const RefusedPacket& packet);
// Trap 259, by the port of a switch that enforces partitions.
void raise_switch_bad_p_key(Devices& devices, PortIndex port, const RefusedPacket& packet);

// Trap 256: this SMP came in by `port` with a wrong M_Key.
void raise_bad_m_key(Devices& devices, PortIndex port, const mad::Smp& smp);

}  // namespace heddle::sim
