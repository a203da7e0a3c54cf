// SPDX-License-Identifier: BSD-3-Clause
// The header of subnet administration MADs (IBA vol. 1, 15.2.1.1): 56 bytes before the 200 of data.
#pragma once

#include <cstdint>

#include "mad/mad_header.hpp"
#include "mad/rmpp_header.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct SAHeader {
  MADHeader mad{};
  RMPPHeader rmpp{};
  SMKey sm_key{};
  std::uint16_t attribute_offset{};  // distance of records in units of 8 bytes
  std::uint64_t component_mask{};
  friend bool operator==(const SAHeader&, const SAHeader&) = default;
};

template <>
struct Layout<SAHeader> {
  static constexpr std::string_view name = "SAHeader";
  static constexpr unsigned bits = 448;
  static constexpr auto rows = base::Pack{
      row<&SAHeader::mad, 0, 192>("MADHeader"),
      row<&SAHeader::rmpp, 192, 96>("RMPPHeader"),
      row<&SAHeader::sm_key, 288, 64>("SM_Key"),
      row<&SAHeader::attribute_offset, 352, 16>("AttributeOffset"),
      reserved<368, 16>,
      row<&SAHeader::component_mask, 384, 64>("ComponentMask", Show::Hex),
  };
};

}  // namespace heddle::mad
