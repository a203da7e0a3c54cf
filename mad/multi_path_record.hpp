// SPDX-License-Identifier: BSD-3-Clause
// MultiPathRecord (IBA vol. 1, 15.2.5.20): a query for paths between any of several sources and any
// of several destinations, whose GIDs follow the record.
#pragma once

#include <cstdint>

#include "mad/gid.hpp"
#include "mad/selector.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct MultiPathRecord {
  bool raw_traffic{};
  std::uint32_t flow_label{};  // 20 bits
  std::uint8_t hop_limit{};
  std::uint8_t t_class{};
  bool reversible{};
  std::uint8_t numb_path{};
  PKey p_key{};
  std::uint16_t qos_class{};
  ServiceLevel sl{};
  Selector mtu_selector{};
  Mtu mtu{};
  Selector rate_selector{};
  std::uint8_t rate{};
  Selector packet_life_time_selector{};
  std::uint8_t packet_life_time{};
  std::uint8_t service_id_8msb{};
  std::uint8_t independence_selector{};
  std::uint8_t sgid_count{};
  std::uint8_t dgid_count{};
  std::uint64_t service_id_56lsb{};
  friend bool operator==(const MultiPathRecord&, const MultiPathRecord&) = default;
};

template <>
struct Layout<MultiPathRecord> {
  static constexpr std::string_view name = "MultiPathRecord";
  static constexpr unsigned bits = 192;
  static constexpr auto rows = base::Pack{
      row<&MultiPathRecord::raw_traffic, 0, 1>("RawTraffic"),
      reserved<1, 3>,
      row<&MultiPathRecord::flow_label, 4, 20>("FlowLabel", Show::Hex),
      row<&MultiPathRecord::hop_limit, 24, 8>("HopLimit"),
      row<&MultiPathRecord::t_class, 32, 8>("TClass"),
      row<&MultiPathRecord::reversible, 40, 1>("Reversible"),
      row<&MultiPathRecord::numb_path, 41, 7>("NumbPath"),
      row<&MultiPathRecord::p_key, 48, 16>("P_Key"),
      row<&MultiPathRecord::qos_class, 64, 12>("QosClass"),
      row<&MultiPathRecord::sl, 76, 4>("SL"),
      row<&MultiPathRecord::mtu_selector, 80, 2>("MtuSelector"),
      row<&MultiPathRecord::mtu, 82, 6>("Mtu"),
      row<&MultiPathRecord::rate_selector, 88, 2>("RateSelector"),
      row<&MultiPathRecord::rate, 90, 6>("Rate"),
      row<&MultiPathRecord::packet_life_time_selector, 96, 2>("PacketLifeTimeSelector"),
      row<&MultiPathRecord::packet_life_time, 98, 6>("PacketLifeTime"),
      row<&MultiPathRecord::service_id_8msb, 104, 8>("ServiceID8MSB", Show::Hex),
      row<&MultiPathRecord::independence_selector, 112, 2>("IndependenceSelector"),
      reserved<114, 6>,
      row<&MultiPathRecord::sgid_count, 120, 8>("SGIDCount"),
      row<&MultiPathRecord::dgid_count, 128, 8>("DGIDCount"),
      row<&MultiPathRecord::service_id_56lsb, 136, 56>("ServiceID56LSB", Show::Hex),
  };
};

}  // namespace heddle::mad
