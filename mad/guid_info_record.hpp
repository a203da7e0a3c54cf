// SPDX-License-Identifier: BSD-3-Clause
// GUIDInfoRecord (IBA vol. 1, 15.2.5.18): eight of the GUIDs of a port.
#pragma once

#include <cstdint>

#include "mad/component_mask.hpp"
#include "mad/guid_info.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct GUIDInfoRecord {
  Lid lid{};
  std::uint8_t block_num{};
  GUIDInfo guid_info{};
  friend bool operator==(const GUIDInfoRecord&, const GUIDInfoRecord&) = default;
};

template <>
struct Layout<GUIDInfoRecord> {
  static constexpr std::string_view name = "GUIDInfoRecord";
  static constexpr unsigned bits = 576;
  static constexpr auto rows = base::Pack{
      row<&GUIDInfoRecord::lid, 0, 16>("LID"),
      row<&GUIDInfoRecord::block_num, 16, 8>("BlockNum"),
      reserved<24, 8>,
      reserved<32, 32>,
      row<&GUIDInfoRecord::guid_info, 64, 512>("GUIDInfo"),
  };
};

// Each of the eight can be asked for.
template <>
inline constexpr int kComponentBits<&GUIDInfo::guids> = kGuidsPerBlock;

}  // namespace heddle::mad
