// SPDX-License-Identifier: BSD-3-Clause
// Partitions at ports (IBA vol. 1, 10.9): which keys a port holds and which packets they admit.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/devices.hpp"

namespace heddle::sim {

// What every table holds until somebody writes it.
inline constexpr mad::PKey kDefaultPKey{0xFFFF};

// Entries that a port's table has: NodeInfo.PartitionCap, or for a switch's external ports
// SwitchInfo.PartitionEnforcementCap.
unsigned p_key_capacity(const Devices& devices, PortIndex port);

// The entry of the port's own table; PKey{0}, which is no key, beyond its end.
mad::PKey p_key_at(const Devices& devices, PortIndex port, std::uint16_t index);

// The first entry that goes with the key: the same partition, and one of the two a full member.
std::optional<std::uint16_t> admitting_entry(const Devices& devices, PortIndex port, mad::PKey key);

}  // namespace heddle::sim
