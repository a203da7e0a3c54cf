// SPDX-License-Identifier: BSD-3-Clause
// P_KeyTable (IBA vol. 1, 14.2.5.7): one block of a port's partition keys; 0 is an empty entry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr std::size_t kPKeysPerBlock = 32;

struct PKeyTable {
  std::array<PKey, kPKeysPerBlock> p_keys{};
  friend bool operator==(const PKeyTable&, const PKeyTable&) = default;
};

template <>
struct Layout<PKeyTable> {
  static constexpr std::string_view name = "P_KeyTable";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&PKeyTable::p_keys, 0, 512>("P_Key")};
};

// How many blocks hold `partition_cap` entries (NodeInfo.PartitionCap of an end port,
// SwitchInfo.PartitionEnforcementCap of a switch's external port).
constexpr std::size_t p_key_block_count(std::uint16_t partition_cap) {
  return (partition_cap + kPKeysPerBlock - 1) / kPKeysPerBlock;
}

// The port counts on switches only; an end port, port 0 of a switch included, is port 0.
constexpr std::uint32_t p_key_table_modifier(std::uint16_t block, PortNumber port = {}) {
  return std::uint32_t{port.value} << 16 | block;
}
constexpr std::uint16_t p_key_block_of(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier);
}
constexpr PortNumber p_key_port_of(std::uint32_t modifier) {
  return PortNumber{static_cast<std::uint8_t>(modifier >> 16)};
}

}  // namespace heddle::mad
