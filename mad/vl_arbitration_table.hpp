// SPDX-License-Identifier: BSD-3-Clause
// VLArbitrationTable (IBA vol. 1, 14.2.5.9): half of a port's low- or high-priority table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct VLArbitrationEntry {
  VirtualLane vl{};
  std::uint8_t weight{};  // units of 64 bytes; 0 skips the entry
  friend bool operator==(const VLArbitrationEntry&, const VLArbitrationEntry&) = default;
};

template <>
struct Layout<VLArbitrationEntry> {
  static constexpr std::string_view name = "VLArbitrationEntry";
  static constexpr unsigned bits = 16;
  static constexpr auto rows = base::Pack{
      reserved<0, 4>,
      row<&VLArbitrationEntry::vl, 4, 4>("VL"),
      row<&VLArbitrationEntry::weight, 8, 8>("Weight"),
  };
};

inline constexpr std::size_t kVLArbitrationEntriesPerBlock = 32;

struct VLArbitrationTable {
  std::array<VLArbitrationEntry, kVLArbitrationEntriesPerBlock> entries{};
  friend bool operator==(const VLArbitrationTable&, const VLArbitrationTable&) = default;
};

template <>
struct Layout<VLArbitrationTable> {
  static constexpr std::string_view name = "VLArbitrationTable";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&VLArbitrationTable::entries, 0, 512>("Entry")};
};

// Which quarter of the port's arbitration a block is.
enum class VLArbitrationBlock : std::uint8_t {
  LowerLowPriority = 1,
  UpperLowPriority = 2,
  LowerHighPriority = 3,
  UpperHighPriority = 4,
};

// The port counts on switches only.
constexpr std::uint32_t vl_arbitration_modifier(VLArbitrationBlock block, PortNumber port = {}) {
  return static_cast<std::uint32_t>(block) << 16 | port.value;
}
constexpr VLArbitrationBlock vl_arbitration_block_of(std::uint32_t modifier) {
  return static_cast<VLArbitrationBlock>(modifier >> 16);
}
constexpr PortNumber vl_arbitration_port_of(std::uint32_t modifier) {
  return PortNumber{static_cast<std::uint8_t>(modifier)};
}

}  // namespace heddle::mad
