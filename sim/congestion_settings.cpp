// SPDX-License-Identifier: BSD-3-Clause
#include "sim/congestion_settings.hpp"

#include <algorithm>
#include <span>

namespace heddle::sim {
namespace {

using Id = mad::CongestionAttributeId;

constexpr std::uint32_t kBytesOfCredit = 64;

// A setting as it was written, null when it was not.
const mad::PerfData* setting_of(const CongestionRegisters& registers, Id attribute,
                                std::uint32_t block = 0) {
  const auto found = registers.settings.find({static_cast<std::uint16_t>(attribute), block});
  return found == registers.settings.end() ? nullptr : &found->second;
}

const CongestionRegisters* registers_of(const Devices& devices, PortIndex port) {
  const auto found = devices.congestion.find(devices.management_port(port));
  return found == devices.congestion.end() ? nullptr : &found->second;
}

template <class T>
T decode_at(const mad::PerfData& data, std::size_t offset) {
  return mad::decode<T>(
      std::span<const std::byte, mad::kBytes<T>>(data.data() + offset, mad::kBytes<T>));
}

bool is_in(const mad::PortMask& mask, std::uint8_t port) {
  return (mask[mask.size() - 1 - port / 8] >> (port % 8) & 1) != 0;
}

// The whole switch's rule, with a threshold of 0 when it has none.
MarkingRule rule_of_switch(const CongestionRegisters& registers, std::uint8_t port) {
  const mad::PerfData* data = setting_of(registers, Id::SwitchCongestionSetting);
  if (data == nullptr) return {};
  const auto setting = decode_at<mad::SwitchCongestionSetting>(*data, 0);
  MarkingRule rule;
  if ((setting.control_map & mad::kThresholdValid) != 0) {
    rule.threshold = setting.threshold;
    rule.least_bytes = setting.packet_size * kBytesOfCredit;
  }
  if ((setting.control_map & mad::kMarkingRateValid) != 0) rule.marking_rate = setting.marking_rate;
  rule.victim =
      (setting.control_map & mad::kVictimMaskValid) != 0 && is_in(setting.victim_mask, port);
  return rule;
}

std::optional<mad::CACongestionEntry> entry_of(const CongestionRegisters& registers,
                                               mad::ServiceLevel sl) {
  const mad::PerfData* data = setting_of(registers, Id::CACongestionSetting);
  if (data == nullptr) return std::nullopt;
  const unsigned level = sl.value & 0xF;
  const auto head = decode_at<mad::CACongestionSetting>(*data, 0);
  if ((head.control_map >> level & 1) == 0) return std::nullopt;
  constexpr std::size_t kHead = mad::kBytes<mad::CACongestionSetting>;
  constexpr std::size_t kEntry = mad::kBytes<mad::CACongestionEntry>;
  return decode_at<mad::CACongestionEntry>(*data, kHead + level * kEntry);
}

// CCTI_Limit: the last entry of the table that is in use; 0 without a table.
std::uint16_t limit_of(const CongestionRegisters& registers) {
  const mad::PerfData* data = setting_of(registers, Id::CongestionControlTable);
  return data == nullptr ? std::uint16_t{0}
                         : decode_at<mad::CongestionControlTable>(*data, 0).ccti_limit;
}

std::uint16_t index_now(const CongestionRegisters& registers, const mad::CACongestionEntry& entry,
                        mad::ServiceLevel sl, base::Instant now) {
  const CongestionIndex& index = registers.indices[sl.value & 0xF];
  std::int64_t ccti = index.ccti;
  if (entry.ccti_timer != 0) {
    ccti -= (now - index.since).count() / (mad::kCongestionTickNanoseconds * entry.ccti_timer);
  }
  const std::int64_t limit = limit_of(registers);
  const std::int64_t least = std::min<std::int64_t>(entry.ccti_min, limit);
  return static_cast<std::uint16_t>(std::clamp(ccti, least, limit));
}

}  // namespace

std::optional<MarkingRule> marking_rule(const Devices& devices, PortIndex port) {
  const Line& line = devices.lines[port];
  const CongestionRegisters* registers = registers_of(devices, port);
  if (registers == nullptr || !devices.is_switch(line.node)) return std::nullopt;
  MarkingRule rule = rule_of_switch(*registers, line.number);
  const mad::PerfData* own = setting_of(*registers, Id::SwitchPortCongestionSetting,
                                        line.number / mad::kCongestionPortsPerBlock);
  if (own != nullptr) {
    using Element = mad::SwitchPortCongestionSettingElement;
    const auto element = decode_at<Element>(
        *own, line.number % mad::kCongestionPortsPerBlock * mad::kBytes<Element>);
    if (element.valid && !element.control_type) {
      rule.threshold = element.threshold;
      rule.least_bytes = element.packet_size * kBytesOfCredit;
      rule.marking_rate = element.marking_rate;
    }
  }
  if (rule.threshold == 0) return std::nullopt;
  return rule;
}

std::uint16_t congestion_index(const Devices& devices, PortIndex port, mad::ServiceLevel sl,
                               base::Instant now) {
  const CongestionRegisters* registers = registers_of(devices, port);
  if (registers == nullptr) return 0;
  const auto entry = entry_of(*registers, sl);
  return entry ? index_now(*registers, *entry, sl, now) : std::uint16_t{0};
}

double injection_time(const Devices& devices, PortIndex port, mad::ServiceLevel sl,
                      base::Instant now) {
  const std::uint16_t ccti = congestion_index(devices, port, sl, now);
  if (ccti == 0) return 1;
  const mad::PerfData* block =
      setting_of(*registers_of(devices, port), Id::CongestionControlTable,
                 static_cast<std::uint32_t>(ccti / mad::kCongestionTableEntriesPerBlock));
  if (block == nullptr) return 1;
  const auto table = decode_at<mad::CongestionControlTable>(*block, 0);
  // The packet's own time, times the multiplier, shifted right, is waited after each packet.
  const std::uint16_t entry = table.entries[ccti % mad::kCongestionTableEntriesPerBlock];
  const unsigned shift = entry >> 14;
  return 1 + static_cast<double>(entry & 0x3FFF) / static_cast<double>(1u << shift);
}

bool take_notifications(Devices& devices, PortIndex port, mad::ServiceLevel sl, std::uint64_t count,
                        base::Instant now) {
  const auto found = devices.congestion.find(devices.management_port(port));
  if (found == devices.congestion.end()) return false;
  CongestionRegisters& registers = found->second;
  const auto entry = entry_of(registers, sl);
  if (!entry) return false;
  const std::uint64_t limit = limit_of(registers);
  const std::uint64_t steps = std::min<std::uint64_t>(count, limit) * entry->ccti_increase;
  const std::uint64_t risen = index_now(registers, *entry, sl, now) + steps;
  const auto ccti = static_cast<std::uint16_t>(std::min(risen, limit));
  registers.indices[sl.value & 0xF] = {ccti, now};
  return entry->trigger_threshold != 0 && ccti >= entry->trigger_threshold;
}

}  // namespace heddle::sim
