// SPDX-License-Identifier: BSD-3-Clause
// The header of the reliable multi-packet protocol (IBA vol. 1, 13.6.2), behind the common header
// of the classes that use it.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

enum class RMPPType : std::uint8_t { None = 0, Data = 1, Ack = 2, Stop = 3, Abort = 4 };

inline constexpr std::uint8_t kRmppVersion = 1;
inline constexpr std::uint8_t kRmppActive = 1u << 0;
inline constexpr std::uint8_t kRmppFirst = 1u << 1;
inline constexpr std::uint8_t kRmppLast = 1u << 2;

struct RMPPHeader {
  std::uint8_t version{};
  RMPPType type{};
  std::uint8_t response_time{};  // 4.096 us * 2^value; 31: none given
  std::uint8_t flags{};
  std::uint8_t status{};
  std::uint32_t data1{};  // Data and Ack: segment number
  std::uint32_t data2{};  // Data: payload length; Ack: last segment of the new window
  friend bool operator==(const RMPPHeader&, const RMPPHeader&) = default;
};

template <>
struct Layout<RMPPHeader> {
  static constexpr std::string_view name = "RMPPHeader";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      row<&RMPPHeader::version, 0, 8>("RMPPVersion"),
      row<&RMPPHeader::type, 8, 8>("RMPPType"),
      row<&RMPPHeader::response_time, 16, 5>("RRespTime"),
      row<&RMPPHeader::flags, 21, 3>("RMPPFlags", Show::Hex),
      row<&RMPPHeader::status, 24, 8>("RMPPStatus"),
      row<&RMPPHeader::data1, 32, 32>("Data1"),
      row<&RMPPHeader::data2, 64, 32>("Data2"),
  };
};

}  // namespace heddle::mad
