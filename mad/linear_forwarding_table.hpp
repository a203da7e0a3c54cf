// SPDX-License-Identifier: BSD-3-Clause
// LinearForwardingTable (IBA vol. 1, 14.2.5.10): one block of a switch's table from LID to port.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr std::size_t kLidsPerLftBlock = 64;

struct LinearForwardingTable {
  std::array<PortNumber, kLidsPerLftBlock> ports{};  // kNoPortNumber: dropped
  friend bool operator==(const LinearForwardingTable&, const LinearForwardingTable&) = default;
};

template <>
struct Layout<LinearForwardingTable> {
  static constexpr std::string_view name = "LinearForwardingTable";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&LinearForwardingTable::ports, 0, 512>("Port")};
};

// The AttributeModifier is the block's number.
constexpr std::uint32_t lft_block_of(Lid lid) {
  return static_cast<std::uint32_t>(lid.value / kLidsPerLftBlock);
}
constexpr std::size_t lft_entry_of(Lid lid) {
  return lid.value % kLidsPerLftBlock;
}
// How many blocks LIDs 0 .. top take.
constexpr std::uint32_t lft_block_count(Lid top) {
  return lft_block_of(top) + 1;
}

}  // namespace heddle::mad
