// SPDX-License-Identifier: BSD-3-Clause
// Requests to congestion control agents, and their answers, as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mad/congestion_control.hpp"
#include "mad/datagram.hpp"
#include "mad/mad_header.hpp"

namespace heddle::congestion {

inline constexpr std::size_t kDataBytes = 192;
using Data = std::array<std::byte, kDataBytes>;

struct CongestionMad {
  mad::MADHeader header;
  mad::CCKey key{};
  Data data{};  // of attributes other than the log
};

// Nothing for what is shorter, or of another class.
std::optional<CongestionMad> from_datagram(const mad::Datagram& datagram);
mad::Datagram to_datagram(const CongestionMad& mad, mad::Lid lid, mad::ServiceLevel sl);
CongestionMad request(mad::Method method, mad::CongestionAttributeId attribute,
                      std::uint32_t modifier, std::uint32_t transaction, mad::CCKey key);

// What a CongestionLog says, from either kind of device.
struct LogEntry {
  mad::Lid from{};
  mad::Lid to{};
  mad::ServiceLevel sl{};
  std::uint32_t time_stamp{};  // of the device's clock
  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};
struct Log {
  bool is_switch = false;
  std::uint16_t events = 0;  // since it was asked before
  std::uint32_t time_stamp{};
  std::uint16_t levels = 0;         // of adapters: service levels that were notified
  std::vector<std::uint8_t> ports;  // of switches: ports that marked, ascending
  std::vector<LogEntry> entries;    // the newest last
};
// Nothing when it is neither kind.
std::optional<Log> log_of(const mad::Datagram& answer);

// Bytes of a described struct within those of an attribute.
template <class T>
T decode_at(std::span<const std::byte> bytes, std::size_t offset) {
  return mad::decode<T>(
      std::span<const std::byte, mad::kBytes<T>>(bytes.data() + offset, mad::kBytes<T>));
}
template <class T>
void encode_at(std::span<std::byte> bytes, std::size_t offset, const T& value) {
  mad::encode(value, std::span<std::byte, mad::kBytes<T>>(bytes.data() + offset, mad::kBytes<T>));
}

}  // namespace heddle::congestion
