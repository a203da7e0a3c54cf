// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/mads.hpp"

#include <algorithm>

#include "mad/gsi_datagram.hpp"

namespace heddle::congestion {
namespace {

constexpr std::uint8_t kClassVersion = 2;
constexpr std::size_t kDataOffset = mad::kMadBytes - kDataBytes;

void read_switch(std::span<const std::byte> bytes, Log& log) {
  const auto head = decode_at<mad::CongestionLogSwitch>(bytes, 0);
  log.is_switch = true;
  log.events = head.log_events_counter;
  log.time_stamp = head.current_time_stamp;
  constexpr std::size_t kLast = mad::kCongestionPortMapOffset + mad::kCongestionPortMapBytes - 1;
  for (unsigned port = 0; port < 8 * mad::kCongestionPortMapBytes; ++port) {
    const auto byte = std::to_integer<unsigned>(bytes[kLast - port / 8]);
    if ((byte >> (port % 8) & 1) != 0) log.ports.push_back(static_cast<std::uint8_t>(port));
  }
  for (std::size_t i = 0; i < mad::kCongestionEntriesOfSwitch; ++i) {
    const auto entry = decode_at<mad::CongestionEntrySwitch>(
        bytes, mad::kCongestionEntriesOfSwitchOffset + i * mad::kBytes<mad::CongestionEntrySwitch>);
    if (entry == mad::CongestionEntrySwitch{}) continue;
    log.entries.push_back({entry.slid, entry.dlid, entry.sl, entry.time_stamp});
  }
}

void read_adapter(std::span<const std::byte> bytes, Log& log) {
  const auto head = decode_at<mad::CongestionLogCA>(bytes, 0);
  log.events = head.threshold_event_counter;
  log.time_stamp = head.current_time_stamp;
  log.levels = head.threshold_congestion_event_map;
  for (std::size_t i = 0; i < mad::kCongestionEventsOfCA; ++i) {
    const auto entry = decode_at<mad::CongestionEventCA>(
        bytes, mad::kCongestionEventsOfCAOffset + i * mad::kBytes<mad::CongestionEventCA>);
    if (entry == mad::CongestionEventCA{}) continue;
    log.entries.push_back({entry.local_lid, entry.remote_lid, entry.sl, entry.time_stamp});
  }
}

}  // namespace

std::optional<CongestionMad> from_datagram(const mad::Datagram& datagram) {
  if (datagram.payload.size() < mad::kMadBytes) return std::nullopt;
  const std::span<const std::byte> bytes(datagram.payload.data(), mad::kMadBytes);
  CongestionMad mad;
  mad.header = decode_at<mad::MADHeader>(bytes, 0);
  if (mad.header.management_class != mad::ManagementClass::CongestionControl) return std::nullopt;
  mad.key = decode_at<mad::CongestionKey>(bytes, mad::kCongestionKeyOffset).cc_key;
  std::copy_n(bytes.begin() + kDataOffset, kDataBytes, mad.data.begin());
  return mad;
}

mad::Datagram to_datagram(const CongestionMad& mad, mad::Lid lid, mad::ServiceLevel sl) {
  mad::Datagram datagram = mad::gsi_datagram(lid, sl);
  const std::span<std::byte> bytes(datagram.payload.data(), mad::kMadBytes);
  encode_at(bytes, 0, mad.header);
  encode_at(bytes, mad::kCongestionKeyOffset, mad::CongestionKey{mad.key});
  std::copy(mad.data.begin(), mad.data.end(), bytes.begin() + kDataOffset);
  return datagram;
}

CongestionMad request(mad::Method method, mad::CongestionAttributeId attribute,
                      std::uint32_t modifier, std::uint32_t transaction, mad::CCKey key) {
  CongestionMad mad;
  mad.header.base_version = mad::kBaseVersion;
  mad.header.management_class = mad::ManagementClass::CongestionControl;
  mad.header.class_version = kClassVersion;
  mad.header.method = method;
  mad.header.transaction_id = mad::TransactionId{transaction};
  mad.header.attribute_id = static_cast<std::uint16_t>(attribute);
  mad.header.attribute_modifier = modifier;
  mad.key = key;
  return mad;
}

std::optional<Log> log_of(const mad::Datagram& answer) {
  if (answer.payload.size() < mad::kMadBytes) return std::nullopt;
  const std::span<const std::byte> bytes(answer.payload.data() + mad::kCongestionLogOffset,
                                         mad::kCongestionLogBytes);
  Log log;
  const auto kind = std::to_integer<std::uint8_t>(bytes[0]);
  if (kind == mad::kSwitchLog) {
    read_switch(bytes, log);
  } else if (kind == mad::kAdapterLog) {
    read_adapter(bytes, log);
  } else {
    return std::nullopt;
  }
  return log;
}

}  // namespace heddle::congestion
