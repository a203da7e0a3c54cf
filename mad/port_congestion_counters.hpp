// SPDX-License-Identifier: BSD-3-Clause
// What congestion control counts, per lane or service level (IBA vol. 1, A10.5).
#pragma once

#include "mad/perf_attribute.hpp"

namespace heddle::mad {

namespace detail {

struct SwPortVLCongestionKind : PerfArrayKind<std::uint16_t, 16, 16> {
  static constexpr std::string_view kName = "SwPortVLCongestion";
  static constexpr std::string_view kRow = "SWPortVLCongestion";
};

struct PortSLRcvFECNKind : PerfArrayKind<std::uint32_t, 16, 32> {
  static constexpr std::string_view kName = "PortSLRcvFECN";
  static constexpr std::string_view kRow = "PortSLRcvFECN";
};

struct PortSLRcvBECNKind : PerfArrayKind<std::uint32_t, 16, 32> {
  static constexpr std::string_view kName = "PortSLRcvBECN";
  static constexpr std::string_view kRow = "PortSLRcvBECN";
};

struct PortVLXmitTimeCongKind : PerfArrayKind<std::uint32_t, 15, 32> {
  static constexpr std::string_view kName = "PortVLXmitTimeCong";
  static constexpr std::string_view kRow = "PortVLXmitTimeCong";
};

}  // namespace detail

using SwPortVLCongestion = PerfCounterArray<detail::SwPortVLCongestionKind>;  // switches only
using PortSLRcvFECN = PerfCounterArray<detail::PortSLRcvFECNKind>;
using PortSLRcvBECN = PerfCounterArray<detail::PortSLRcvBECNKind>;
using PortVLXmitTimeCong = PerfCounterArray<detail::PortVLXmitTimeCongKind>;  // 1.024 us

struct PortRcvConCtrl {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint32_t packets_rcv_fecn{};
  std::uint32_t packets_rcv_becn{};
  friend bool operator==(const PortRcvConCtrl&, const PortRcvConCtrl&) = default;
};

template <>
struct Layout<PortRcvConCtrl> {
  static constexpr std::string_view name = "PortRcvConCtrl";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortRcvConCtrl::port_select, 8, 8>("PortSelect"),
      row<&PortRcvConCtrl::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortRcvConCtrl::packets_rcv_fecn, 32, 32>("PortPktRcvFECN"),
      row<&PortRcvConCtrl::packets_rcv_becn, 64, 32>("PortPktRcvBECN"),
  };
};

struct PortXmitConCtrl {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint32_t xmit_time_cong{};
  friend bool operator==(const PortXmitConCtrl&, const PortXmitConCtrl&) = default;
};

template <>
struct Layout<PortXmitConCtrl> {
  static constexpr std::string_view name = "PortXmitConCtrl";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortXmitConCtrl::port_select, 8, 8>("PortSelect"),
      row<&PortXmitConCtrl::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortXmitConCtrl::xmit_time_cong, 32, 32>("PortXmitTimeCong"),
  };
};

}  // namespace heddle::mad
