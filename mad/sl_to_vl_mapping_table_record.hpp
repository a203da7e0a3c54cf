// SPDX-License-Identifier: BSD-3-Clause
// SLtoVLMappingTableRecord (IBA vol. 1, 15.2.5.4).
#pragma once

#include <cstdint>

#include "mad/sl_to_vl_mapping_table.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct SLtoVLMappingTableRecord {
  Lid lid{};
  PortNumber input_port_num{};  // reserved for channel adapters
  PortNumber output_port_num{};
  SLtoVLMappingTable table{};
  friend bool operator==(const SLtoVLMappingTableRecord&,
                         const SLtoVLMappingTableRecord&) = default;
};

template <>
struct Layout<SLtoVLMappingTableRecord> {
  static constexpr std::string_view name = "SLtoVLMappingTableRecord";
  static constexpr unsigned bits = 128;
  static constexpr auto rows = base::Pack{
      row<&SLtoVLMappingTableRecord::lid, 0, 16>("LID"),
      row<&SLtoVLMappingTableRecord::input_port_num, 16, 8>("InputPortNum"),
      row<&SLtoVLMappingTableRecord::output_port_num, 24, 8>("OutputPortNum"),
      reserved<32, 32>,
      row<&SLtoVLMappingTableRecord::table, 64, 64>("SLtoVLMappingTable"),
  };
};

}  // namespace heddle::mad
