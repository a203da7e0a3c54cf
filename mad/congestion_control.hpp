// SPDX-License-Identifier: BSD-3-Clause
// Congestion control (IBA vol. 1, A10.4): the attributes of class 0x21 that say who may set it,
// what a device can do, what it is to do about congestion, and what it saw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/gid.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

enum class CongestionAttributeId : std::uint16_t {
  ClassPortInfo = 0x0001,
  Notice = 0x0002,
  CongestionInfo = 0x0011,
  CongestionKeyInfo = 0x0012,
  CongestionLog = 0x0013,
  SwitchCongestionSetting = 0x0014,
  SwitchPortCongestionSetting = 0x0015,
  CACongestionSetting = 0x0016,
  CongestionControlTable = 0x0017,
  TimeStamp = 0x0018,
};

// Attributes stand at byte 64 of the MAD, the log at byte 32. The CC_Key is behind the header.
inline constexpr std::size_t kCongestionKeyOffset = 24;
inline constexpr std::size_t kCongestionLogOffset = 32;
inline constexpr std::size_t kCongestionLogBytes = 224;
inline constexpr std::size_t kCongestionTableEntriesPerBlock = 64;

inline constexpr std::int64_t kCongestionTickNanoseconds = 1024;  // of time stamps and timers

using CCKey = base::Strong<struct CCKeyTag, std::uint64_t>;

struct CongestionKey {
  CCKey cc_key{};
  friend bool operator==(const CongestionKey&, const CongestionKey&) = default;
};

template <>
struct Layout<CongestionKey> {
  static constexpr std::string_view name = "CC_Key";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = base::Pack{row<&CongestionKey::cc_key, 0, 64>("CC_Key", Show::Hex)};
};

struct CongestionInfo {
  std::uint16_t congestion_info{};
  std::uint8_t control_table_cap{};  // blocks of 64 entries; of channel adapters
  friend bool operator==(const CongestionInfo&, const CongestionInfo&) = default;
};

template <>
struct Layout<CongestionInfo> {
  static constexpr std::string_view name = "CongestionInfo";
  static constexpr unsigned bits = 24;
  static constexpr auto rows = base::Pack{
      row<&CongestionInfo::congestion_info, 0, 16>("CongestionInfo", Show::Hex),
      row<&CongestionInfo::control_table_cap, 16, 8>("ControlTableCap"),
  };
};

struct CongestionKeyInfo {
  CCKey cc_key{};
  bool cc_key_protect_bit{};  // Get needs the key too
  std::uint16_t cc_key_lease_period{};
  std::uint16_t cc_key_violations{};
  friend bool operator==(const CongestionKeyInfo&, const CongestionKeyInfo&) = default;
};

template <>
struct Layout<CongestionKeyInfo> {
  static constexpr std::string_view name = "CongestionKeyInfo";
  static constexpr unsigned bits = 112;
  static constexpr auto rows = base::Pack{
      row<&CongestionKeyInfo::cc_key, 0, 64>("CC_Key", Show::Hex),
      row<&CongestionKeyInfo::cc_key_protect_bit, 64, 1>("CC_KeyProtectBit"),
      reserved<65, 15>,
      row<&CongestionKeyInfo::cc_key_lease_period, 80, 16>("CC_KeyLeasePeriod"),
      row<&CongestionKeyInfo::cc_key_violations, 96, 16>("CC_KeyViolations"),
  };
};

// Trap 0 of this class, to where ClassPortInfo wants traps: somebody came with a wrong CC_Key.
inline constexpr std::uint16_t kBadCCKeyTrap = 0;
inline constexpr std::uint16_t kSendsTraps = 1u << 0;  // in ClassPortInfo.CapabilityMask

struct BadCCKeyNotice {
  Lid source_lid{};
  Method method{};
  std::uint16_t attribute_id{};
  std::uint32_t attribute_modifier{};
  std::uint32_t qp{};  // 24 bits
  CCKey cc_key{};
  Gid source_gid{};  // of the packet's GRH, zero without one
  friend bool operator==(const BadCCKeyNotice&, const BadCCKeyNotice&) = default;
};

template <>
struct Layout<BadCCKeyNotice> {
  static constexpr std::string_view name = "CC_KeyViolation";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      row<&BadCCKeyNotice::source_lid, 0, 16>("SourceLID"),
      row<&BadCCKeyNotice::method, 16, 8>("Method"),
      reserved<24, 8>,
      row<&BadCCKeyNotice::attribute_id, 32, 16>("AttributeID", Show::Hex),
      row<&BadCCKeyNotice::attribute_modifier, 48, 32>("AttributeModifier", Show::Hex),
      reserved<80, 8>,
      row<&BadCCKeyNotice::qp, 88, 24>("QP", Show::Hex),
      row<&BadCCKeyNotice::cc_key, 112, 64>("CC_Key", Show::Hex),
      row<&BadCCKeyNotice::source_gid, 176, 128>("SourceGID"),
      reserved<304, 128>,
  };
};

// The two kinds of log: a head; in a switch's a map of ports; then events, the newest last. What is
// told once is not told again: counters, maps and events are those since the last Get.
inline constexpr std::uint8_t kCCKeyLeaseRuns = 0x01;  // in CongestionFlags
inline constexpr std::uint8_t kSwitchLog = 1;
inline constexpr std::uint8_t kAdapterLog = 2;

struct CongestionLogSwitch {
  std::uint8_t log_type = kSwitchLog;
  std::uint8_t congestion_flags{};
  std::uint16_t log_events_counter{};
  std::uint32_t current_time_stamp{};  // 1.024 us
  friend bool operator==(const CongestionLogSwitch&, const CongestionLogSwitch&) = default;
};

template <>
struct Layout<CongestionLogSwitch> {
  static constexpr std::string_view name = "CongestionLogSwitch";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = base::Pack{
      row<&CongestionLogSwitch::log_type, 0, 8>("LogType"),
      row<&CongestionLogSwitch::congestion_flags, 8, 8>("CongestionFlags", Show::Hex),
      row<&CongestionLogSwitch::log_events_counter, 16, 16>("LogEventsCounter"),
      row<&CongestionLogSwitch::current_time_stamp, 32, 32>("CurrentTimeStamp"),
  };
};

struct CongestionLogCA {
  std::uint8_t log_type = kAdapterLog;
  std::uint8_t congestion_flags{};
  std::uint16_t threshold_event_counter{};
  std::uint16_t threshold_congestion_event_map{};
  std::uint32_t current_time_stamp{};  // 1.024 us
  friend bool operator==(const CongestionLogCA&, const CongestionLogCA&) = default;
};

template <>
struct Layout<CongestionLogCA> {
  static constexpr std::string_view name = "CongestionLogCA";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      row<&CongestionLogCA::log_type, 0, 8>("LogType"),
      row<&CongestionLogCA::congestion_flags, 8, 8>("CongestionFlags", Show::Hex),
      row<&CongestionLogCA::threshold_event_counter, 16, 16>("ThresholdEventCounter"),
      row<&CongestionLogCA::threshold_congestion_event_map, 32, 16>("ThresholdCongestionEventMap",
                                                                    Show::Hex),
      reserved<48, 16>,
      row<&CongestionLogCA::current_time_stamp, 64, 32>("CurrentTimeStamp"),
  };
};

// Bit n counted from the end of these 32 bytes: port n marked packets.
inline constexpr std::size_t kCongestionPortMapOffset = 8;
inline constexpr std::size_t kCongestionPortMapBytes = 32;

// A flow whose packets a switch marked.
inline constexpr std::size_t kCongestionEntriesOfSwitch = 15;
inline constexpr std::size_t kCongestionEntriesOfSwitchOffset = 40;
struct CongestionEntrySwitch {
  Lid slid{};
  Lid dlid{};
  ServiceLevel sl{};
  std::uint32_t time_stamp{};
  friend bool operator==(const CongestionEntrySwitch&, const CongestionEntrySwitch&) = default;
};

template <>
struct Layout<CongestionEntrySwitch> {
  static constexpr std::string_view name = "CongestionEntrySwitch";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      row<&CongestionEntrySwitch::slid, 0, 16>("SLID"),
      row<&CongestionEntrySwitch::dlid, 16, 16>("DLID"),
      row<&CongestionEntrySwitch::sl, 32, 4>("SL"),
      reserved<36, 28>,
      row<&CongestionEntrySwitch::time_stamp, 64, 32>("TimeStamp"),
  };
};

// A flow of the adapter's own for which it was notified.
inline constexpr std::size_t kCongestionEventsOfCA = 13;
inline constexpr std::size_t kCongestionEventsOfCAOffset = 12;
struct CongestionEventCA {
  std::uint32_t local_qp{};
  ServiceLevel sl{};
  std::uint8_t service_type{};
  std::uint32_t remote_qp{};
  Lid local_lid{};
  Lid remote_lid{};
  std::uint32_t time_stamp{};
  friend bool operator==(const CongestionEventCA&, const CongestionEventCA&) = default;
};

template <>
struct Layout<CongestionEventCA> {
  static constexpr std::string_view name = "CongestionEventCA";
  static constexpr unsigned bits = 128;
  static constexpr auto rows = base::Pack{
      row<&CongestionEventCA::local_qp, 0, 24>("Local_QP"),
      row<&CongestionEventCA::sl, 24, 4>("SL"),
      row<&CongestionEventCA::service_type, 28, 4>("ServiceType"),
      row<&CongestionEventCA::remote_qp, 32, 24>("Remote_QP"),
      reserved<56, 8>,
      row<&CongestionEventCA::local_lid, 64, 16>("Local_LID"),
      row<&CongestionEventCA::remote_lid, 80, 16>("Remote_LID"),
      row<&CongestionEventCA::time_stamp, 96, 32>("TimeStamp"),
  };
};

// What a switch does about congestion. A port's own element of SwitchPortCongestionSetting, where
// it is valid, stands above this.
inline constexpr std::uint32_t kVictimMaskValid = 1u << 0;  // in Control_Map
inline constexpr std::uint32_t kCreditMaskValid = 1u << 1;
inline constexpr std::uint32_t kThresholdValid = 1u << 2;   // and Packet_Size
inline constexpr std::uint32_t kStarvationValid = 1u << 3;  // CS_Threshold and CS_ReturnDelay
inline constexpr std::uint32_t kMarkingRateValid = 1u << 4;
inline constexpr std::size_t kPortMaskBytes = 32;
// Bit n counted from the end of the mask: port n.
using PortMask = std::array<std::uint8_t, kPortMaskBytes>;

struct SwitchCongestionSetting {
  std::uint32_t control_map{};
  PortMask victim_mask{};       // ports that mark although the congestion begins elsewhere
  PortMask credit_mask{};       // ports with a watch on credit starvation
  std::uint8_t threshold{};     // 0 never marks, 1 when buffers are nearly full, 15 soonest
  std::uint8_t packet_size{};   // credits of 64 bytes; smaller packets are not marked
  std::uint8_t cs_threshold{};  // of credit starvation
  std::uint16_t cs_return_delay{};
  std::uint16_t marking_rate{};  // packets between two marks, in the mean
  friend bool operator==(const SwitchCongestionSetting&, const SwitchCongestionSetting&) = default;
};

template <>
struct Layout<SwitchCongestionSetting> {
  static constexpr std::string_view name = "SwitchCongestionSetting";
  static constexpr unsigned bits = 608;
  static constexpr auto rows = base::Pack{
      row<&SwitchCongestionSetting::control_map, 0, 32>("Control_Map", Show::Hex),
      row<&SwitchCongestionSetting::victim_mask, 32, 256>("Victim_Mask", Show::Hex),
      row<&SwitchCongestionSetting::credit_mask, 288, 256>("Credit_Mask", Show::Hex),
      row<&SwitchCongestionSetting::threshold, 544, 4>("Threshold"),
      reserved<548, 4>,
      row<&SwitchCongestionSetting::packet_size, 552, 8>("Packet_Size"),
      row<&SwitchCongestionSetting::cs_threshold, 560, 4>("CS_Threshold"),
      reserved<564, 12>,
      row<&SwitchCongestionSetting::cs_return_delay, 576, 16>("CS_ReturnDelay", Show::Hex),
      row<&SwitchCongestionSetting::marking_rate, 592, 16>("Marking_Rate"),
  };
};

// One of the 32 of a block; element n of block b is port 32 b + n.
inline constexpr unsigned kCongestionPortsPerBlock = 32;
struct SwitchPortCongestionSettingElement {
  bool valid{};
  bool control_type{};  // true: these are about credit starvation
  std::uint8_t threshold{};
  std::uint8_t packet_size{};
  std::uint16_t marking_rate{};
  friend bool operator==(const SwitchPortCongestionSettingElement&,
                         const SwitchPortCongestionSettingElement&) = default;
};

template <>
struct Layout<SwitchPortCongestionSettingElement> {
  static constexpr std::string_view name = "SwitchPortCongestionSettingElement";
  static constexpr unsigned bits = 32;
  static constexpr auto rows = base::Pack{
      row<&SwitchPortCongestionSettingElement::valid, 0, 1>("Valid"),
      row<&SwitchPortCongestionSettingElement::control_type, 1, 1>("Control_Type"),
      reserved<2, 2>,
      row<&SwitchPortCongestionSettingElement::threshold, 4, 4>("Threshold"),
      row<&SwitchPortCongestionSettingElement::packet_size, 8, 8>("Packet_Size"),
      row<&SwitchPortCongestionSettingElement::marking_rate, 16, 16>("Cong_Parm_Marking_Rate"),
  };
};

// The head of an adapter's setting; CACongestionEntry of each service level follows.
struct CACongestionSetting {
  std::uint16_t port_control{};  // bit 0: by service level rather than by queue pair
  std::uint16_t control_map{};   // service levels whose entries count
  friend bool operator==(const CACongestionSetting&, const CACongestionSetting&) = default;
};

template <>
struct Layout<CACongestionSetting> {
  static constexpr std::string_view name = "CACongestionSetting";
  static constexpr unsigned bits = 32;
  static constexpr auto rows = base::Pack{
      row<&CACongestionSetting::port_control, 0, 16>("Port_Control", Show::Hex),
      row<&CACongestionSetting::control_map, 16, 16>("Control_Map", Show::Hex),
  };
};

// How an index into the CongestionControlTable (CCTI) moves.
struct CACongestionEntry {
  std::uint16_t ccti_timer{};        // it falls by one in so much time, 1.024 us
  std::uint8_t ccti_increase{};      // it rises by this for each notification
  std::uint8_t trigger_threshold{};  // from where on notifications are logged, 0 for never
  std::uint8_t ccti_min{};
  friend bool operator==(const CACongestionEntry&, const CACongestionEntry&) = default;
};

template <>
struct Layout<CACongestionEntry> {
  static constexpr std::string_view name = "CACongestionEntry";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = base::Pack{
      row<&CACongestionEntry::ccti_timer, 0, 16>("CCTI_Timer"),
      row<&CACongestionEntry::ccti_increase, 16, 8>("CCTI_Increase"),
      row<&CACongestionEntry::trigger_threshold, 24, 8>("Trigger_Threshold"),
      row<&CACongestionEntry::ccti_min, 32, 8>("CCTI_Min"),
      reserved<40, 24>,
  };
};

struct CongestionControlTable {
  std::uint16_t ccti_limit{};                                            // the last entry in use
  std::array<std::uint16_t, kCongestionTableEntriesPerBlock> entries{};  // 2 bits shift, 14 factor
  friend bool operator==(const CongestionControlTable&, const CongestionControlTable&) = default;
};

template <>
struct Layout<CongestionControlTable> {
  static constexpr std::string_view name = "CongestionControlTable";
  static constexpr unsigned bits = 32 + 16 * kCongestionTableEntriesPerBlock;
  static constexpr auto rows = base::Pack{
      row<&CongestionControlTable::ccti_limit, 0, 16>("CCTI_Limit"),
      reserved<16, 16>,
      row<&CongestionControlTable::entries, 32, 16 * kCongestionTableEntriesPerBlock>("CCTI_Entry"),
  };
};

struct TimeStamp {
  std::uint32_t value{};  // 1.024 us
  friend bool operator==(const TimeStamp&, const TimeStamp&) = default;
};

template <>
struct Layout<TimeStamp> {
  static constexpr std::string_view name = "TimeStamp";
  static constexpr unsigned bits = 32;
  static constexpr auto rows = base::Pack{row<&TimeStamp::value, 0, 32>("TimeStamp")};
};

}  // namespace heddle::mad
