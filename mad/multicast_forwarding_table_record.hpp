// SPDX-License-Identifier: BSD-3-Clause
// MulticastForwardingTableRecord (IBA vol. 1, 15.2.5.8): one block at one position of one switch.
#pragma once

#include <cstdint>

#include "mad/multicast_forwarding_table.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct MulticastForwardingTableRecord {
  Lid lid{};
  std::uint8_t position{};  // ports 16 * position and up
  std::uint16_t block_num{};
  MulticastForwardingTable table{};
  friend bool operator==(const MulticastForwardingTableRecord&,
                         const MulticastForwardingTableRecord&) = default;
};

template <>
struct Layout<MulticastForwardingTableRecord> {
  static constexpr std::string_view name = "MulticastForwardingTableRecord";
  static constexpr unsigned bits = 576;
  static constexpr auto rows = base::Pack{
      row<&MulticastForwardingTableRecord::lid, 0, 16>("LID"),
      row<&MulticastForwardingTableRecord::position, 16, 4>("Position"),
      reserved<20, 3>,
      row<&MulticastForwardingTableRecord::block_num, 23, 9>("BlockNum"),
      reserved<32, 32>,
      row<&MulticastForwardingTableRecord::table, 64, 512>("MulticastForwardingTable"),
  };
};

}  // namespace heddle::mad
