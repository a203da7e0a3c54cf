// SPDX-License-Identifier: BSD-3-Clause
// PathRecord (IBA vol. 1, 15.2.5.16): how one port reaches another. MTU, rate and packet life come
// each with a selector, which counts in a query only.
#pragma once

#include <cstdint>

#include "mad/component_mask.hpp"
#include "mad/gid.hpp"
#include "mad/selector.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct PathRecord {
  std::uint64_t service_id{};
  Gid dgid{};
  Gid sgid{};
  Lid dlid{};
  Lid slid{};
  bool raw_traffic{};
  std::uint32_t flow_label{};  // 20 bits
  std::uint8_t hop_limit{};    // 0 within the subnet
  std::uint8_t t_class{};
  bool reversible{};         // the answer to a packet may take the same path back
  std::uint8_t numb_path{};  // in a query: how many at most
  PKey p_key{};
  std::uint16_t qos_class{};
  ServiceLevel sl{};
  Selector mtu_selector{};
  Mtu mtu{};
  Selector rate_selector{};
  std::uint8_t rate{};  // a code, see sa_rate.hpp
  Selector packet_life_time_selector{};
  std::uint8_t packet_life_time{};  // 4.096 us * 2^value
  std::uint8_t preference{};        // 0 is the best
  friend bool operator==(const PathRecord&, const PathRecord&) = default;
};

template <>
struct Layout<PathRecord> {
  static constexpr std::string_view name = "PathRecord";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{
      row<&PathRecord::service_id, 0, 64>("ServiceID", Show::Hex),
      row<&PathRecord::dgid, 64, 128>("DGID"),
      row<&PathRecord::sgid, 192, 128>("SGID"),
      row<&PathRecord::dlid, 320, 16>("DLID"),
      row<&PathRecord::slid, 336, 16>("SLID"),
      row<&PathRecord::raw_traffic, 352, 1>("RawTraffic"),
      reserved<353, 3>,
      row<&PathRecord::flow_label, 356, 20>("FlowLabel", Show::Hex),
      row<&PathRecord::hop_limit, 376, 8>("HopLimit"),
      row<&PathRecord::t_class, 384, 8>("TClass"),
      row<&PathRecord::reversible, 392, 1>("Reversible"),
      row<&PathRecord::numb_path, 393, 7>("NumbPath"),
      row<&PathRecord::p_key, 400, 16>("P_Key"),
      row<&PathRecord::qos_class, 416, 12>("QosClass"),
      row<&PathRecord::sl, 428, 4>("SL"),
      row<&PathRecord::mtu_selector, 432, 2>("MtuSelector"),
      row<&PathRecord::mtu, 434, 6>("Mtu"),
      row<&PathRecord::rate_selector, 440, 2>("RateSelector"),
      row<&PathRecord::rate, 442, 6>("Rate"),
      row<&PathRecord::packet_life_time_selector, 448, 2>("PacketLifeTimeSelector"),
      row<&PathRecord::packet_life_time, 450, 6>("PacketLifeTime"),
      row<&PathRecord::preference, 456, 8>("Preference"),
      reserved<464, 48>,
  };
};

// ServiceID: one bit for each half.
template <>
inline constexpr int kComponentBits<&PathRecord::service_id> = 2;

}  // namespace heddle::mad
