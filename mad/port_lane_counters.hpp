// SPDX-License-Identifier: BSD-3-Clause
// Counters per virtual lane (IBA vol. 1, 16.1.4.5 to 16.1.4.8).
#pragma once

#include "mad/perf_attribute.hpp"

namespace heddle::mad {

namespace detail {

struct PortVLOpPacketsKind : PerfArrayKind<std::uint16_t, 16, 16> {
  static constexpr std::string_view kName = "PortVLOpPackets";
  static constexpr std::string_view kRow = "PortVLOpPackets";
};

struct PortVLOpDataKind : PerfArrayKind<std::uint32_t, 16, 32> {
  static constexpr std::string_view kName = "PortVLOpData";
  static constexpr std::string_view kRow = "PortVLOpData";
};

struct PortVLXmitFlowCtlUpdateErrorsKind : PerfArrayKind<std::uint8_t, 16, 2> {
  static constexpr std::string_view kName = "PortVLXmitFlowCtlUpdateErrors";
  static constexpr std::string_view kRow = "PortVLXmitFlowCtlUpdateErrors";
};

struct PortVLXmitWaitCountersKind : PerfArrayKind<std::uint16_t, 16, 16> {
  static constexpr std::string_view kName = "PortVLXmitWaitCounters";
  static constexpr std::string_view kRow = "PortVLXmitWait";
};

}  // namespace detail

using PortVLOpPackets = PerfCounterArray<detail::PortVLOpPacketsKind>;  // received
using PortVLOpData = PerfCounterArray<detail::PortVLOpDataKind>;  // received, words of four bytes
using PortVLXmitFlowCtlUpdateErrors = PerfCounterArray<detail::PortVLXmitFlowCtlUpdateErrorsKind>;
using PortVLXmitWaitCounters =
    PerfCounterArray<detail::PortVLXmitWaitCountersKind>;  // ticks with data and no credits

}  // namespace heddle::mad
