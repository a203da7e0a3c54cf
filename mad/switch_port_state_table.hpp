// SPDX-License-Identifier: BSD-3-Clause
// SwitchPortStateTable (IBA vol. 1 from 1.3 on; attribute 0x0034): the states of 128 ports of a
// switch in one MAD. Ports it does not have are NoChange.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

// The AttributeModifier is the block's number: 0 for ports 0..127, 1 for 128..255.
inline constexpr std::size_t kPortsPerStateBlock = 128;

struct SwitchPortStateTable {
  std::array<PortState, kPortsPerStateBlock> port_states{};
  friend bool operator==(const SwitchPortStateTable&, const SwitchPortStateTable&) = default;
};

template <>
struct Layout<SwitchPortStateTable> {
  static constexpr std::string_view name = "SwitchPortStateTable";
  static constexpr unsigned bits = 512;
  static constexpr auto rows =
      base::Pack{row<&SwitchPortStateTable::port_states, 0, 512>("PortState")};
};

}  // namespace heddle::mad
