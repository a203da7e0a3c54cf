// SPDX-License-Identifier: BSD-3-Clause
// LedInfo (IBA vol. 1, 14.2.5.15): a node's beacon.
#pragma once

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct LedInfo {
  bool led_mask{};  // true: lit
  friend bool operator==(const LedInfo&, const LedInfo&) = default;
};

template <>
struct Layout<LedInfo> {
  static constexpr std::string_view name = "LedInfo";
  static constexpr unsigned bits = 32;
  static constexpr auto rows =
      base::Pack{row<&LedInfo::led_mask, 0, 1>("LedMask"), reserved<1, 31>};
};

}  // namespace heddle::mad
