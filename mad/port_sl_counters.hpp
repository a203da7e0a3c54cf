// SPDX-License-Identifier: BSD-3-Clause
// Data per service level, in words of four bytes (IBA vol. 1, A13.6.4).
#pragma once

#include "mad/perf_attribute.hpp"

namespace heddle::mad {

namespace detail {

struct PortXmitDataSLKind : PerfArrayKind<std::uint32_t, 16, 32> {
  static constexpr std::string_view kName = "PortXmitDataSL";
  static constexpr std::string_view kRow = "PortXmitDataSL";
};

struct PortRcvDataSLKind : PerfArrayKind<std::uint32_t, 16, 32> {
  static constexpr std::string_view kName = "PortRcvDataSL";
  static constexpr std::string_view kRow = "PortRcvDataSL";
};

}  // namespace detail

using PortXmitDataSL = PerfCounterArray<detail::PortXmitDataSLKind>;
using PortRcvDataSL = PerfCounterArray<detail::PortRcvDataSLKind>;

}  // namespace heddle::mad
