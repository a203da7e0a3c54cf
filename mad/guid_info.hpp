// SPDX-License-Identifier: BSD-3-Clause
// GUIDInfo (IBA vol. 1, 14.2.5.5): the GUIDs by which a port may be addressed, in blocks of eight.
// Entry 0 of block 0 is the port's own GUID and cannot be set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr std::size_t kGuidsPerBlock = 8;

struct GUIDInfo {
  std::array<Guid, kGuidsPerBlock> guids{};
  friend bool operator==(const GUIDInfo&, const GUIDInfo&) = default;
};

template <>
struct Layout<GUIDInfo> {
  static constexpr std::string_view name = "GUIDInfo";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&GUIDInfo::guids, 0, 512>("GUID")};
};

// How many blocks a port with this PortInfo.GUIDCap has.
constexpr std::size_t guid_block_count(std::uint8_t guid_cap) {
  return (guid_cap + kGuidsPerBlock - 1) / kGuidsPerBlock;
}

constexpr std::uint32_t guid_info_modifier(std::uint8_t block) {
  return block;
}

}  // namespace heddle::mad
