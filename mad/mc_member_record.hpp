// SPDX-License-Identifier: BSD-3-Clause
// MCMemberRecord (IBA vol. 1, 15.2.5.17): a multicast group and one of its members.
#pragma once

#include <cstdint>

#include "mad/gid.hpp"
#include "mad/selector.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct MCMemberRecord {
  Gid mgid{};
  Gid port_gid{};
  std::uint32_t q_key{};
  Lid mlid{};
  Selector mtu_selector{};
  Mtu mtu{};
  std::uint8_t t_class{};
  PKey p_key{};
  Selector rate_selector{};
  std::uint8_t rate{};
  Selector packet_life_time_selector{};
  std::uint8_t packet_life_time{};
  ServiceLevel sl{};
  std::uint32_t flow_label{};  // 20 bits
  std::uint8_t hop_limit{};
  std::uint8_t scope{};
  std::uint8_t join_state{};
  bool proxy_join{};
  friend bool operator==(const MCMemberRecord&, const MCMemberRecord&) = default;
};

template <>
struct Layout<MCMemberRecord> {
  static constexpr std::string_view name = "MCMemberRecord";
  static constexpr unsigned bits = 416;
  static constexpr auto rows = base::Pack{
      row<&MCMemberRecord::mgid, 0, 128>("MGID"),
      row<&MCMemberRecord::port_gid, 128, 128>("PortGID"),
      row<&MCMemberRecord::q_key, 256, 32>("Q_Key", Show::Hex),
      row<&MCMemberRecord::mlid, 288, 16>("MLID"),
      row<&MCMemberRecord::mtu_selector, 304, 2>("MTUSelector"),
      row<&MCMemberRecord::mtu, 306, 6>("MTU"),
      row<&MCMemberRecord::t_class, 312, 8>("TClass"),
      row<&MCMemberRecord::p_key, 320, 16>("P_Key"),
      row<&MCMemberRecord::rate_selector, 336, 2>("RateSelector"),
      row<&MCMemberRecord::rate, 338, 6>("Rate"),
      row<&MCMemberRecord::packet_life_time_selector, 344, 2>("PacketLifeTimeSelector"),
      row<&MCMemberRecord::packet_life_time, 346, 6>("PacketLifeTime"),
      row<&MCMemberRecord::sl, 352, 4>("SL"),
      row<&MCMemberRecord::flow_label, 356, 20>("FlowLabel", Show::Hex),
      row<&MCMemberRecord::hop_limit, 376, 8>("HopLimit"),
      row<&MCMemberRecord::scope, 384, 4>("Scope"),
      row<&MCMemberRecord::join_state, 388, 4>("JoinState", Show::Hex),
      row<&MCMemberRecord::proxy_join, 392, 1>("ProxyJoin"),
      reserved<393, 23>,
  };
};

}  // namespace heddle::mad
