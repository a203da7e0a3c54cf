// SPDX-License-Identifier: BSD-3-Clause
// The header of vendor-specific MADs of classes 0x30..0x4F (IBA vol. 1, 16.5): 40 bytes before the
// 216 of data. Classes 0x09..0x0F have the common header alone.
#pragma once

#include <cstdint>

#include "mad/mad_header.hpp"
#include "mad/rmpp_header.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct VendorHeader {
  MADHeader mad{};
  RMPPHeader rmpp{};
  std::uint32_t oui{};  // 24 bits: whose class this is
  friend bool operator==(const VendorHeader&, const VendorHeader&) = default;
};

template <>
struct Layout<VendorHeader> {
  static constexpr std::string_view name = "VendorHeader";
  static constexpr unsigned bits = 320;
  static constexpr auto rows = base::Pack{
      row<&VendorHeader::mad, 0, 192>("MADHeader"),
      row<&VendorHeader::rmpp, 192, 96>("RMPPHeader"),
      reserved<288, 8>,
      row<&VendorHeader::oui, 296, 24>("OUI", Show::Hex),
  };
};

}  // namespace heddle::mad
