// SPDX-License-Identifier: BSD-3-Clause
// SwitchInfo (IBA vol. 1, 14.2.5.4).
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct SwitchInfo {
  std::uint16_t linear_fdb_cap{};  // LIDs 0 .. cap - 1 can be forwarded
  std::uint16_t random_fdb_cap{};
  std::uint16_t multicast_fdb_cap{};
  std::uint16_t linear_fdb_top{};  // last LID that the forwarding table covers
  PortNumber default_port{};
  PortNumber default_multicast_primary_port{};
  PortNumber default_multicast_not_primary_port{};
  std::uint8_t life_time_value{};     // 4.096 us * 2^value; above 19 packets never expire
  bool port_state_change{};           // a port changed state; cleared by writing 1
  std::uint8_t optimized_sl_to_vl{};  // OptimizedSLtoVLMappingProgramming, 2 bits
  std::uint16_t lids_per_port{};
  std::uint16_t partition_enforcement_cap{};
  bool inbound_enforcement_cap{};
  bool outbound_enforcement_cap{};
  bool filter_raw_inbound_cap{};
  bool filter_raw_outbound_cap{};
  bool enhanced_port0{};
  std::uint16_t multicast_fdb_top{};
  friend bool operator==(const SwitchInfo&, const SwitchInfo&) = default;
};

template <>
struct Layout<SwitchInfo> {
  static constexpr std::string_view name = "SwitchInfo";
  static constexpr unsigned bits = 160;
  static constexpr auto rows = base::Pack{
      row<&SwitchInfo::linear_fdb_cap, 0, 16>("LinearFDBCap"),
      row<&SwitchInfo::random_fdb_cap, 16, 16>("RandomFDBCap"),
      row<&SwitchInfo::multicast_fdb_cap, 32, 16>("MulticastFDBCap"),
      row<&SwitchInfo::linear_fdb_top, 48, 16>("LinearFDBTop"),
      row<&SwitchInfo::default_port, 64, 8>("DefaultPort"),
      row<&SwitchInfo::default_multicast_primary_port, 72, 8>("DefaultMulticastPrimaryPort"),
      row<&SwitchInfo::default_multicast_not_primary_port, 80, 8>("DefaultMulticastNotPrimaryPort"),
      row<&SwitchInfo::life_time_value, 88, 5>("LifeTimeValue"),
      row<&SwitchInfo::port_state_change, 93, 1>("PortStateChange"),
      row<&SwitchInfo::optimized_sl_to_vl, 94, 2>("OptimizedSLtoVLMappingProgramming"),
      row<&SwitchInfo::lids_per_port, 96, 16>("LIDsPerPort"),
      row<&SwitchInfo::partition_enforcement_cap, 112, 16>("PartitionEnforcementCap"),
      row<&SwitchInfo::inbound_enforcement_cap, 128, 1>("InboundEnforcementCap"),
      row<&SwitchInfo::outbound_enforcement_cap, 129, 1>("OutboundEnforcementCap"),
      row<&SwitchInfo::filter_raw_inbound_cap, 130, 1>("FilterRawInboundCap"),
      row<&SwitchInfo::filter_raw_outbound_cap, 131, 1>("FilterRawOutboundCap"),
      row<&SwitchInfo::enhanced_port0, 132, 1>("EnhancedPort0"),
      reserved<133, 3>,
      reserved<136, 8>,
      row<&SwitchInfo::multicast_fdb_top, 144, 16>("MulticastFDBTop"),
  };
};

}  // namespace heddle::mad
