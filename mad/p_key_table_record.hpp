// SPDX-License-Identifier: BSD-3-Clause
// P_KeyTableRecord (IBA vol. 1, 15.2.5.11): one block of one port.
#pragma once

#include <cstdint>

#include "mad/p_key_table.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct PKeyTableRecord {
  Lid lid{};
  std::uint16_t block_num{};
  PortNumber port_num{};  // reserved for channel adapters
  PKeyTable table{};
  friend bool operator==(const PKeyTableRecord&, const PKeyTableRecord&) = default;
};

template <>
struct Layout<PKeyTableRecord> {
  static constexpr std::string_view name = "P_KeyTableRecord";
  static constexpr unsigned bits = 576;
  static constexpr auto rows = base::Pack{
      row<&PKeyTableRecord::lid, 0, 16>("LID"),
      row<&PKeyTableRecord::block_num, 16, 16>("BlockNum"),
      row<&PKeyTableRecord::port_num, 32, 8>("PortNum"),
      reserved<40, 24>,
      row<&PKeyTableRecord::table, 64, 512>("P_KeyTable"),
  };
};

}  // namespace heddle::mad
