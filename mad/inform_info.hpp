// SPDX-License-Identifier: BSD-3-Clause
// InformInfo (IBA vol. 1, 13.4.8.3): a subscription to notices.
#pragma once

#include <cstdint>

#include "mad/gid.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct InformInfo {
  Gid gid{};              // zero: the LID range counts
  Lid lid_range_begin{};  // permissive: all
  Lid lid_range_end{};
  std::uint8_t is_generic{};
  std::uint8_t subscribe{};        // 0 ends the subscription
  std::uint16_t type{};            // 0xFFFF: all
  std::uint16_t trap_number{};     // 0xFFFF: all
  std::uint32_t qpn{};             // 24 bits
  std::uint8_t resp_time_value{};  // 4.096 us * 2^value
  std::uint32_t producer_type{};   // 24 bits
  friend bool operator==(const InformInfo&, const InformInfo&) = default;
};

template <>
struct Layout<InformInfo> {
  static constexpr std::string_view name = "InformInfo";
  static constexpr unsigned bits = 288;
  static constexpr auto rows = base::Pack{
      row<&InformInfo::gid, 0, 128>("GID"),
      row<&InformInfo::lid_range_begin, 128, 16>("LIDRangeBegin"),
      row<&InformInfo::lid_range_end, 144, 16>("LIDRangeEnd"),
      reserved<160, 16>,
      row<&InformInfo::is_generic, 176, 8>("IsGeneric"),
      row<&InformInfo::subscribe, 184, 8>("Subscribe"),
      row<&InformInfo::type, 192, 16>("Type"),
      row<&InformInfo::trap_number, 208, 16>("TrapNumber/DeviceID"),
      row<&InformInfo::qpn, 224, 24>("QPN", Show::Hex),
      reserved<248, 3>,
      row<&InformInfo::resp_time_value, 251, 5>("RespTimeValue"),
      reserved<256, 8>,
      row<&InformInfo::producer_type, 264, 24>("ProducerType/VendorID", Show::Hex),
  };
};

}  // namespace heddle::mad
