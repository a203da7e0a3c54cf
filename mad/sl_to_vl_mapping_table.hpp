// SPDX-License-Identifier: BSD-3-Clause
// SLtoVLMappingTable (IBA vol. 1, 14.2.5.8): the lane that packets of each service level leave by.
// Lane 15 drops them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct SLtoVLMappingTable {
  std::array<VirtualLane, 16> vl_by_sl{};
  friend bool operator==(const SLtoVLMappingTable&, const SLtoVLMappingTable&) = default;
};

template <>
struct Layout<SLtoVLMappingTable> {
  static constexpr std::string_view name = "SLtoVLMappingTable";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = base::Pack{row<&SLtoVLMappingTable::vl_by_sl, 0, 64>("SLtoVL")};
};

// A channel adapter has one table per port and ignores the modifier. A switch has one for each pair
// of the port a packet came in by (0: made by the switch itself) and the port it leaves by.
constexpr std::uint32_t sl_to_vl_modifier(PortNumber in_port, PortNumber out_port) {
  return std::uint32_t{in_port.value} << 8 | out_port.value;
}
constexpr PortNumber sl_to_vl_in_port_of(std::uint32_t modifier) {
  return PortNumber{static_cast<std::uint8_t>(modifier >> 8)};
}
constexpr PortNumber sl_to_vl_out_port_of(std::uint32_t modifier) {
  return PortNumber{static_cast<std::uint8_t>(modifier)};
}

// With SwitchInfo.OptimizedSLtoVLMappingProgramming one Set programs many pairs: these bits replace
// the port they speak of by all ports.
inline constexpr std::uint32_t kSLtoVLAllOutPorts = 1u << 16;
inline constexpr std::uint32_t kSLtoVLAllInPorts = 1u << 17;

}  // namespace heddle::mad
