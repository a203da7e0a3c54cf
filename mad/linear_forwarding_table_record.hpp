// SPDX-License-Identifier: BSD-3-Clause
// LinearForwardingTableRecord (IBA vol. 1, 15.2.5.6): one block of one switch.
#pragma once

#include <cstdint>

#include "mad/linear_forwarding_table.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct LinearForwardingTableRecord {
  Lid lid{};
  std::uint16_t block_num{};
  LinearForwardingTable table{};
  friend bool operator==(const LinearForwardingTableRecord&,
                         const LinearForwardingTableRecord&) = default;
};

template <>
struct Layout<LinearForwardingTableRecord> {
  static constexpr std::string_view name = "LinearForwardingTableRecord";
  static constexpr unsigned bits = 576;
  static constexpr auto rows = base::Pack{
      row<&LinearForwardingTableRecord::lid, 0, 16>("LID"),
      row<&LinearForwardingTableRecord::block_num, 16, 16>("BlockNum"),
      reserved<32, 32>,
      row<&LinearForwardingTableRecord::table, 64, 512>("LinearForwardingTable"),
  };
};

}  // namespace heddle::mad
