// SPDX-License-Identifier: BSD-3-Clause
// Congestion control (IBA vol. 1, A10.4): the attributes of class 0x21 that say who may set it,
// what a device can do and what it saw. Settings that a device only keeps have no table here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

using CCKey = base::Strong<struct CCKeyTag, std::uint64_t>;

struct CongestionKey {
  CCKey cc_key{};
  friend bool operator==(const CongestionKey&, const CongestionKey&) = default;
};

template <>
struct Layout<CongestionKey> {
  static constexpr std::string_view name = "CC_Key";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = std::tuple{row<&CongestionKey::cc_key, 0, 64>("CC_Key", Show::Hex)};
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
  static constexpr auto rows = std::tuple{
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
  static constexpr auto rows = std::tuple{
      row<&CongestionKeyInfo::cc_key, 0, 64>("CC_Key", Show::Hex),
      row<&CongestionKeyInfo::cc_key_protect_bit, 64, 1>("CC_KeyProtectBit"),
      reserved<65, 15>,
      row<&CongestionKeyInfo::cc_key_lease_period, 80, 16>("CC_KeyLeasePeriod"),
      row<&CongestionKeyInfo::cc_key_violations, 96, 16>("CC_KeyViolations"),
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
  static constexpr auto rows = std::tuple{
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
  static constexpr auto rows = std::tuple{
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
  static constexpr auto rows = std::tuple{
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
  static constexpr auto rows = std::tuple{
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

struct CongestionControlTable {
  std::uint16_t ccti_limit{};                                            // the last entry in use
  std::array<std::uint16_t, kCongestionTableEntriesPerBlock> entries{};  // 2 bits shift, 14 factor
  friend bool operator==(const CongestionControlTable&, const CongestionControlTable&) = default;
};

template <>
struct Layout<CongestionControlTable> {
  static constexpr std::string_view name = "CongestionControlTable";
  static constexpr unsigned bits = 32 + 16 * kCongestionTableEntriesPerBlock;
  static constexpr auto rows = std::tuple{
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
  static constexpr auto rows = std::tuple{row<&TimeStamp::value, 0, 32>("TimeStamp")};
};

}  // namespace heddle::mad
