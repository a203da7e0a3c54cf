// SPDX-License-Identifier: BSD-3-Clause
// The common MAD header (IBA vol. 1, 13.4.3). SMPs have a layout of their own (smp.hpp), in which
// the class-specific half of the status word is the hop pointer and count.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct MADHeader {
  std::uint8_t base_version{};
  ManagementClass management_class{};
  std::uint8_t class_version{};
  Method method{};
  Status status{};
  std::uint16_t class_specific{};
  TransactionId transaction_id{};
  std::uint16_t attribute_id{};  // the same number means different things in different classes
  std::uint32_t attribute_modifier{};
  friend bool operator==(const MADHeader&, const MADHeader&) = default;
};

template <>
struct Layout<MADHeader> {
  static constexpr std::string_view name = "MADHeader";
  static constexpr unsigned bits = 192;
  static constexpr auto rows = base::Pack{
      row<&MADHeader::base_version, 0, 8>("BaseVersion"),
      row<&MADHeader::management_class, 8, 8>("MgmtClass"),
      row<&MADHeader::class_version, 16, 8>("ClassVersion"),
      row<&MADHeader::method, 24, 8>("Method"),
      row<&MADHeader::status, 32, 16>("Status"),
      row<&MADHeader::class_specific, 48, 16>("ClassSpecific"),
      row<&MADHeader::transaction_id, 64, 64>("TransactionID"),
      row<&MADHeader::attribute_id, 128, 16>("AttributeID", Show::Hex),
      reserved<144, 16>,
      row<&MADHeader::attribute_modifier, 160, 32>("AttributeModifier", Show::Hex),
  };
};

}  // namespace heddle::mad
