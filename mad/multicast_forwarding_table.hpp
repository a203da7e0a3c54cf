// SPDX-License-Identifier: BSD-3-Clause
// MulticastForwardingTable (IBA vol. 1, 14.2.5.12): for 32 multicast LIDs, which of 16 ports get a
// copy. A switch of more ports has the same block at several positions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr std::size_t kMlidsPerMftBlock = 32;
inline constexpr std::size_t kPortsPerMftPosition = 16;

struct MulticastForwardingTable {
  std::array<std::uint16_t, kMlidsPerMftBlock> port_masks{};  // bit p: port 16 * position + p
  friend bool operator==(const MulticastForwardingTable&,
                         const MulticastForwardingTable&) = default;
};

template <>
struct Layout<MulticastForwardingTable> {
  static constexpr std::string_view name = "MulticastForwardingTable";
  static constexpr unsigned bits = 512;
  static constexpr auto rows =
      base::Pack{row<&MulticastForwardingTable::port_masks, 0, 512>("PortMask", Show::Hex)};
};

constexpr std::uint32_t mft_block_of(Lid mlid) {
  return static_cast<std::uint32_t>((mlid.value - kFirstMulticastLid.value) / kMlidsPerMftBlock);
}
constexpr std::size_t mft_entry_of(Lid mlid) {
  return (mlid.value - kFirstMulticastLid.value) % kMlidsPerMftBlock;
}
constexpr std::uint32_t mft_position_of(PortNumber port) {
  return static_cast<std::uint32_t>(port.value / kPortsPerMftPosition);
}
constexpr std::uint16_t mft_bit_of(PortNumber port) {
  return static_cast<std::uint16_t>(1u << port.value % kPortsPerMftPosition);
}

// The position sits in the four top bits of the modifier, the block in the nine lowest.
constexpr std::uint32_t mft_modifier(std::uint32_t block, std::uint32_t position) {
  return position << 28 | block;
}
constexpr std::uint32_t mft_modifier_block(std::uint32_t modifier) {
  return modifier & 0x1FF;
}
constexpr std::uint32_t mft_modifier_position(std::uint32_t modifier) {
  return modifier >> 28;
}

}  // namespace heddle::mad
