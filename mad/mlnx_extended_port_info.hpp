// SPDX-License-Identifier: BSD-3-Clause
// ExtendedPortInfo of Mellanox and NVIDIA devices (attribute 0xFF90): FDR10, a speed that the
// standard's PortInfo cannot name. Bits are explained in link.hpp.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

// NodeInfo.VendorID of the devices that know the attribute.
inline constexpr std::uint32_t kMellanoxVendorId = 0x0002C9;

// In each of the four fields; in StateChangeEnable of a Set it says that LinkSpeedEnabled counts.
inline constexpr std::uint8_t kFdr10 = 1u << 0;

struct MlnxExtendedPortInfo {
  std::uint8_t state_change_enable{};
  std::uint8_t link_speed_supported{};
  std::uint8_t link_speed_enabled{};
  std::uint8_t link_speed_active{};
  friend bool operator==(const MlnxExtendedPortInfo&, const MlnxExtendedPortInfo&) = default;
};

template <>
struct Layout<MlnxExtendedPortInfo> {
  static constexpr std::string_view name = "MlnxExtendedPortInfo";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{
      reserved<0, 24>,
      row<&MlnxExtendedPortInfo::state_change_enable, 24, 8>("StateChangeEnable", Show::Hex),
      reserved<32, 24>,
      row<&MlnxExtendedPortInfo::link_speed_supported, 56, 8>("LinkSpeedSupported", Show::Hex),
      reserved<64, 24>,
      row<&MlnxExtendedPortInfo::link_speed_enabled, 88, 8>("LinkSpeedEnabled", Show::Hex),
      reserved<96, 24>,
      row<&MlnxExtendedPortInfo::link_speed_active, 120, 8>("LinkSpeedActive", Show::Hex),
      reserved<128, 384>,
  };
};

// The AttributeModifier is the port's number.
constexpr std::uint32_t mlnx_extended_port_info_modifier(PortNumber port) {
  return port.value;
}

}  // namespace heddle::mad
