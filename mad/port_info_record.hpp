// SPDX-License-Identifier: BSD-3-Clause
// PortInfoRecord (IBA vol. 1, 15.2.5.3): one for each port, the external ports of switches
// included.
#pragma once

#include <cstdint>

#include "mad/component_mask.hpp"
#include "mad/port_info.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct PortInfoRecord {
  Lid endport_lid{};  // of a switch: of its port 0
  PortNumber port_num{};
  std::uint8_t options{};
  PortInfo port_info{};
  friend bool operator==(const PortInfoRecord&, const PortInfoRecord&) = default;
};

template <>
struct Layout<PortInfoRecord> {
  static constexpr std::string_view name = "PortInfoRecord";
  static constexpr unsigned bits = 544;
  static constexpr auto rows = base::Pack{
      row<&PortInfoRecord::endport_lid, 0, 16>("EndportLID"),
      row<&PortInfoRecord::port_num, 16, 8>("PortNum"),
      row<&PortInfoRecord::options, 24, 8>("Options"),
      row<&PortInfoRecord::port_info, 32, 512>("PortInfo"),
  };
};

// The byte of these three was reserved when the component mask was drawn up, and has one bit there.
template <>
inline constexpr int kComponentBits<&PortInfo::link_speed_ext2_active> = 0;
template <>
inline constexpr int kComponentBits<&PortInfo::link_speed_ext2_supported> = 0;
template <>
inline constexpr int kComponentBits<&PortInfo::link_speed_ext2_enabled> = 0;

// AttributeModifier of a query: a capability mask matches when it contains the bits asked for, not
// only when it equals them.
inline constexpr std::uint32_t kCapabilityMaskContains = 1u << 31;
inline constexpr std::uint32_t kCapabilityMask2Contains = 1u << 30;

}  // namespace heddle::mad
