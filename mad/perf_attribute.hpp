// SPDX-License-Identifier: BSD-3-Clause
// What the attributes of performance management share (IBA vol. 1, 16.1): their numbers, the bits
// of ClassPortInfo that announce them, and the shape of those that count one thing per virtual lane
// or service level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

enum class PerfAttributeId : std::uint16_t {
  ClassPortInfo = 0x0001,
  PortSamplesControl = 0x0010,
  PortSamplesResult = 0x0011,
  PortCounters = 0x0012,
  PortRcvErrorDetails = 0x0015,
  PortXmitDiscardDetails = 0x0016,
  PortOpRcvCounters = 0x0017,
  PortFlowCtlCounters = 0x0018,
  PortVLOpPackets = 0x0019,
  PortVLOpData = 0x001A,
  PortVLXmitFlowCtlUpdateErrors = 0x001B,
  PortVLXmitWaitCounters = 0x001C,
  PortCountersExtended = 0x001D,
  PortExtendedSpeedsCounters = 0x001F,
  SwPortVLCongestion = 0x0030,
  PortRcvConCtrl = 0x0031,
  PortSLRcvFECN = 0x0032,
  PortSLRcvBECN = 0x0033,
  PortXmitConCtrl = 0x0034,
  PortVLXmitTimeCong = 0x0035,
  PortXmitDataSL = 0x0036,
  PortRcvDataSL = 0x0037,
};

inline constexpr std::size_t kPerfDataOffset = 64;
inline constexpr std::size_t kPerfDataBytes = 192;
using PerfData = std::array<std::byte, kPerfDataBytes>;

inline constexpr std::uint8_t kPerfClassVersion = 1;
inline constexpr std::uint8_t kAllPorts = 0xFF;  // PortSelect

// Bits of ClassPortInfo.CapabilityMask and CapabilityMask2 in this class.
inline constexpr std::uint16_t kPerfAllPortSelect = 1u << 8;
inline constexpr std::uint16_t kPerfExtendedWidth = 1u << 9;
inline constexpr std::uint16_t kPerfExtendedWidthNoIETF = 1u << 10;  // without kinds of packets
inline constexpr std::uint16_t kPerfXmitWait = 1u << 12;
inline constexpr std::uint16_t kPerfRSFECMode = 1u << 14;
inline constexpr std::uint16_t kPerfQP1Dropped = 1u << 15;
inline constexpr std::uint32_t kPerfAdditionalExtended = 1u << 1;

// A row of equal counters. Bit i of CounterSelect selects counter i. Kind says:
//   Element, kCount   the type of a counter and how many there are
//   kBits             bits of one on the wire
//   kName, kRow       the attribute's and the row's names
template <class Kind>
struct PerfCounterArray {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::array<typename Kind::Element, Kind::kCount> counters{};
  friend bool operator==(const PerfCounterArray&, const PerfCounterArray&) = default;
};

template <class Kind>
struct Layout<PerfCounterArray<Kind>> {
  using T = PerfCounterArray<Kind>;
  static constexpr std::string_view name = Kind::kName;
  static constexpr unsigned bits = 32 + Kind::kCount * Kind::kBits;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&T::port_select, 8, 8>("PortSelect"),
      row<&T::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&T::counters, 32, Kind::kCount * Kind::kBits>(Kind::kRow),
  };
};

namespace detail {

template <class Element_, unsigned Count, unsigned Bits>
struct PerfArrayKind {
  using Element = Element_;
  static constexpr unsigned kCount = Count;
  static constexpr unsigned kBits = Bits;
};

}  // namespace detail

}  // namespace heddle::mad
