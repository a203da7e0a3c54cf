// SPDX-License-Identifier: BSD-3-Clause
// VLArbitrationTableRecord (IBA vol. 1, 15.2.5.9): one block of one port.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/vl_arbitration_table.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct VLArbitrationTableRecord {
  Lid lid{};
  PortNumber output_port_num{};  // reserved for channel adapters
  std::uint8_t block_num{};
  VLArbitrationTable table{};
  friend bool operator==(const VLArbitrationTableRecord&,
                         const VLArbitrationTableRecord&) = default;
};

template <>
struct Layout<VLArbitrationTableRecord> {
  static constexpr std::string_view name = "VLArbitrationTableRecord";
  static constexpr unsigned bits = 576;
  static constexpr auto rows = base::Pack{
      row<&VLArbitrationTableRecord::lid, 0, 16>("LID"),
      row<&VLArbitrationTableRecord::output_port_num, 16, 8>("OutputPortNum"),
      row<&VLArbitrationTableRecord::block_num, 24, 8>("BlockNum"),
      reserved<32, 32>,
      row<&VLArbitrationTableRecord::table, 64, 512>("VLArbitrationTable"),
  };
};

}  // namespace heddle::mad
