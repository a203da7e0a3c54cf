// SPDX-License-Identifier: BSD-3-Clause
// PortInfo (IBA vol. 1, 14.2.5.6). Link widths and speeds are explained in link.hpp, the
// capability masks in capability.hpp.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

// AttributeModifier of Get and Set: bit 31 says that the SM understands the extended speeds; a port
// may hide them otherwise. The low byte is the port asked for (switches; 0 is the port itself).
inline constexpr std::uint32_t kSmSupportExtendedSpeeds = 0x8000'0000;

// What may be written into a field of enabled bits besides bits; 0 changes nothing.
struct EnabledCodes {
  std::uint8_t all = 0;   // all that are supported
  std::uint8_t none = 0;  // 0: there is no such code
};
inline constexpr EnabledCodes kWidthsEnabled{255, 0};
inline constexpr EnabledCodes kSpeedsEnabled{15, 0};
inline constexpr EnabledCodes kExtendedSpeedsEnabled{31, 30};
inline constexpr EnabledCodes kExtendedSpeeds2Enabled{7, 6};

struct PortInfo {
  MKey m_key{};
  GidPrefix gid_prefix{};
  Lid lid{};
  Lid master_sm_lid{};
  std::uint32_t capability_mask{};  // see capability.hpp
  std::uint16_t diag_code{};
  std::uint16_t m_key_lease_period{};  // seconds, 0 for ever
  PortNumber local_port_num{};         // the port the SMP came in by
  std::uint8_t link_width_enabled{};   // LinkWidth bits
  std::uint8_t link_width_supported{};
  std::uint8_t link_width_active{};     // exactly one LinkWidth bit
  std::uint8_t link_speed_supported{};  // LinkSpeed bits, 2.5 to 10 Gb/s
  PortState port_state{};
  PortPhysicalState port_physical_state{};
  std::uint8_t link_down_default_state{};  // 1 sleep, 2 polling
  std::uint8_t m_key_protect_bits{};
  std::uint8_t lmc{};                // 0..7
  std::uint8_t link_speed_active{};  // LinkSpeed bit; meaningless beside a set LinkSpeedExtActive
  std::uint8_t link_speed_enabled{};
  Mtu neighbor_mtu{};  // the MTU in use on the link
  ServiceLevel master_sm_sl{};
  std::uint8_t vl_cap{};  // VL count code: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15 data VLs
  std::uint8_t init_type{};
  std::uint8_t vl_high_limit{};
  std::uint8_t vl_arbitration_high_cap{};
  std::uint8_t vl_arbitration_low_cap{};
  std::uint8_t init_type_reply{};
  Mtu mtu_cap{};
  std::uint8_t vl_stall_count{};
  std::uint8_t hoq_life{};         // 4.096 us * 2^value; above 19 for ever
  std::uint8_t operational_vls{};  // as vl_cap
  bool partition_enforcement_inbound{};
  bool partition_enforcement_outbound{};
  bool filter_raw_inbound{};
  bool filter_raw_outbound{};
  std::uint16_t m_key_violations{};
  std::uint16_t p_key_violations{};
  std::uint16_t q_key_violations{};
  std::uint8_t guid_cap{};
  bool client_reregister{};  // asks the port's clients to register with the SA again
  std::uint8_t multicast_pkey_trap_suppression{};
  std::uint8_t subnet_timeout{};   // 4.096 us * 2^value
  std::uint8_t resp_time_value{};  // 4.096 us * 2^value
  std::uint8_t local_phy_errors{};
  std::uint8_t overrun_errors{};
  std::uint16_t max_credit_hint{};
  std::uint8_t link_speed_ext2_active{};  // LinkSpeedExt2 bits, 200 Gb/s; 0: see LinkSpeedExtActive
  std::uint8_t link_speed_ext2_supported{};
  std::uint8_t link_speed_ext2_enabled{};
  std::uint32_t link_round_trip_latency{};  // 24 bits
  std::uint16_t capability_mask2{};
  std::uint8_t link_speed_ext_active{};  // LinkSpeedExt bits, 14 to 100 Gb/s; 0: LinkSpeedActive
  std::uint8_t link_speed_ext_supported{};
  std::uint8_t link_speed_ext_enabled{};
  friend bool operator==(const PortInfo&, const PortInfo&) = default;
};

template <>
struct Layout<PortInfo> {
  static constexpr std::string_view name = "PortInfo";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{
      row<&PortInfo::m_key, 0, 64>("M_Key"),
      row<&PortInfo::gid_prefix, 64, 64>("GidPrefix"),
      row<&PortInfo::lid, 128, 16>("LID"),
      row<&PortInfo::master_sm_lid, 144, 16>("MasterSMLID"),
      row<&PortInfo::capability_mask, 160, 32>("CapabilityMask", Show::Hex),
      row<&PortInfo::diag_code, 192, 16>("DiagCode", Show::Hex),
      row<&PortInfo::m_key_lease_period, 208, 16>("M_KeyLeasePeriod"),
      row<&PortInfo::local_port_num, 224, 8>("LocalPortNum"),
      row<&PortInfo::link_width_enabled, 232, 8>("LinkWidthEnabled", Show::Hex),
      row<&PortInfo::link_width_supported, 240, 8>("LinkWidthSupported", Show::Hex),
      row<&PortInfo::link_width_active, 248, 8>("LinkWidthActive", Show::Hex),
      row<&PortInfo::link_speed_supported, 256, 4>("LinkSpeedSupported", Show::Hex),
      row<&PortInfo::port_state, 260, 4>("PortState"),
      row<&PortInfo::port_physical_state, 264, 4>("PortPhysicalState"),
      row<&PortInfo::link_down_default_state, 268, 4>("LinkDownDefaultState"),
      row<&PortInfo::m_key_protect_bits, 272, 2>("M_KeyProtectBits"),
      reserved<274, 3>,
      row<&PortInfo::lmc, 277, 3>("LMC"),
      row<&PortInfo::link_speed_active, 280, 4>("LinkSpeedActive", Show::Hex),
      row<&PortInfo::link_speed_enabled, 284, 4>("LinkSpeedEnabled", Show::Hex),
      row<&PortInfo::neighbor_mtu, 288, 4>("NeighborMTU"),
      row<&PortInfo::master_sm_sl, 292, 4>("MasterSMSL"),
      row<&PortInfo::vl_cap, 296, 4>("VLCap"),
      row<&PortInfo::init_type, 300, 4>("InitType"),
      row<&PortInfo::vl_high_limit, 304, 8>("VLHighLimit"),
      row<&PortInfo::vl_arbitration_high_cap, 312, 8>("VLArbitrationHighCap"),
      row<&PortInfo::vl_arbitration_low_cap, 320, 8>("VLArbitrationLowCap"),
      row<&PortInfo::init_type_reply, 328, 4>("InitTypeReply"),
      row<&PortInfo::mtu_cap, 332, 4>("MTUCap"),
      row<&PortInfo::vl_stall_count, 336, 3>("VLStallCount"),
      row<&PortInfo::hoq_life, 339, 5>("HOQLife"),
      row<&PortInfo::operational_vls, 344, 4>("OperationalVLs"),
      row<&PortInfo::partition_enforcement_inbound, 348, 1>("PartitionEnforcementInbound"),
      row<&PortInfo::partition_enforcement_outbound, 349, 1>("PartitionEnforcementOutbound"),
      row<&PortInfo::filter_raw_inbound, 350, 1>("FilterRawInbound"),
      row<&PortInfo::filter_raw_outbound, 351, 1>("FilterRawOutbound"),
      row<&PortInfo::m_key_violations, 352, 16>("M_KeyViolations"),
      row<&PortInfo::p_key_violations, 368, 16>("P_KeyViolations"),
      row<&PortInfo::q_key_violations, 384, 16>("Q_KeyViolations"),
      row<&PortInfo::guid_cap, 400, 8>("GUIDCap"),
      row<&PortInfo::client_reregister, 408, 1>("ClientReregister"),
      row<&PortInfo::multicast_pkey_trap_suppression, 409, 2>(
          "MulticastPKeyTrapSuppressionEnabled"),
      row<&PortInfo::subnet_timeout, 411, 5>("SubnetTimeOut"),
      reserved<416, 3>,
      row<&PortInfo::resp_time_value, 419, 5>("RespTimeValue"),
      row<&PortInfo::local_phy_errors, 424, 4>("LocalPhyErrors"),
      row<&PortInfo::overrun_errors, 428, 4>("OverrunErrors"),
      row<&PortInfo::max_credit_hint, 432, 16>("MaxCreditHint"),
      reserved<448, 1>,
      row<&PortInfo::link_speed_ext2_active, 449, 2>("LinkSpeedExtActive2", Show::Hex),
      row<&PortInfo::link_speed_ext2_supported, 451, 2>("LinkSpeedExtSupported2", Show::Hex),
      row<&PortInfo::link_speed_ext2_enabled, 453, 3>("LinkSpeedExtEnabled2", Show::Hex),
      row<&PortInfo::link_round_trip_latency, 456, 24>("LinkRoundTripLatency"),
      row<&PortInfo::capability_mask2, 480, 16>("CapabilityMask2", Show::Hex),
      row<&PortInfo::link_speed_ext_active, 496, 4>("LinkSpeedExtActive", Show::Hex),
      row<&PortInfo::link_speed_ext_supported, 500, 4>("LinkSpeedExtSupported", Show::Hex),
      reserved<504, 3>,
      row<&PortInfo::link_speed_ext_enabled, 507, 5>("LinkSpeedExtEnabled", Show::Hex),
  };
};

}  // namespace heddle::mad
