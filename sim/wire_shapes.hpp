// SPDX-License-Identifier: BSD-3-Clause
// The few attributes that a device makes itself and of which it needs only a part.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::sim {

// GUIDInfo's first entry: the port's own GUID.
struct OwnGuid {
  mad::Guid guid{};
};

// A generic Notice with the details of trap 128, link state change (IBA vol. 1, 13.4.8.2 and
// 14.2.5.1).
struct LinkStateTrap {
  std::uint8_t generic_and_type = 0x81;  // generic, urgent
  std::uint32_t producer_type = 2;       // a switch
  std::uint16_t trap_number = 128;
  mad::Lid issuer_lid{};
  std::uint16_t toggle_and_count{};
  mad::Lid lid_address{};  // the switch on which a port changed
};

}  // namespace heddle::sim

namespace heddle::mad {

template <>
struct Layout<sim::OwnGuid> {
  static constexpr std::string_view name = "GUIDInfo.GUID0";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = std::tuple{row<&sim::OwnGuid::guid, 0, 64>("GUID")};
};

template <>
struct Layout<sim::LinkStateTrap> {
  static constexpr std::string_view name = "Notice of trap 128";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = std::tuple{
      row<&sim::LinkStateTrap::generic_and_type, 0, 8>("IsGeneric, Type"),
      row<&sim::LinkStateTrap::producer_type, 8, 24>("ProducerType"),
      row<&sim::LinkStateTrap::trap_number, 32, 16>("TrapNumber"),
      row<&sim::LinkStateTrap::issuer_lid, 48, 16>("IssuerLID"),
      row<&sim::LinkStateTrap::toggle_and_count, 64, 16>("NoticeToggle, NoticeCount"),
      row<&sim::LinkStateTrap::lid_address, 80, 16>("LIDADDR"),
  };
};

}  // namespace heddle::mad
