// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports behind a port of a channel adapter (mad/virtualization.hpp): how many there are,
// how their states follow the port's and its manager's, and which LIDs and GIDs reach them. Index 0
// is the port itself, which has no registers of its own here.
#pragma once

#include <cstdint>
#include <optional>

#include "mad/gid.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {

// More behind one port than any adapter has.
inline constexpr std::uint16_t kMostVirtualPorts = 1024;
inline constexpr std::uint16_t kUsualVirtualPortCap = 127;

// A port that can have `cap` VPorts beside its own, has `count` of them, and says so in
// CapabilityMask2.
void equip_with_virtual_ports(PortRegisters& registers, std::uint16_t cap, std::uint16_t count,
                              bool own_lids);

// Gives the port so many VPorts beside its own, up to its VPortCap; those that stay keep what they
// hold. New ones want LIDs of their own, or share the port's. The manager hears of it by
// VPortStateChange and trap 144. An adapter that had none can have kUsualVirtualPortCap. False
// where the port cannot have so many.
bool set_virtual_ports(Devices& devices, PortIndex port, std::uint16_t count, bool own_lids);

// The link came up or went down, or virtualization was switched: VPorts are Init or Down now.
void virtual_ports_follow(Devices& devices, PortIndex port);

// The VPort's state; of index 0 the port's own. The index must exist.
mad::PortState virtual_state(const Devices& devices, PortIndex port, std::uint16_t index);
mad::Guid virtual_guid(const Devices& devices, PortIndex port, std::uint16_t index);

// Whether the LID is the port's own or one of its VPorts'.
bool owns_lid(const Devices& devices, PortIndex port, mad::Lid lid);

// The port's GIDs, as its software numbers them: GUIDCap entries of its GUID table, then VPorts 1
// and up. Nothing where the entry is empty, or the VPort not Active.
std::optional<mad::Gid> gid_at(const Devices& devices, PortIndex port, unsigned index);
// The number of this GID; nothing when it is not one of the port's.
std::optional<unsigned> gid_index_of(const Devices& devices, PortIndex port, const mad::Gid& gid);

}  // namespace heddle::sim
