// SPDX-License-Identifier: BSD-3-Clause
// SwitchInfoRecord (IBA vol. 1, 15.2.5.5).
#pragma once

#include <cstdint>

#include "mad/switch_info.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct SwitchInfoRecord {
  Lid lid{};
  SwitchInfo switch_info{};
  friend bool operator==(const SwitchInfoRecord&, const SwitchInfoRecord&) = default;
};

template <>
struct Layout<SwitchInfoRecord> {
  static constexpr std::string_view name = "SwitchInfoRecord";
  static constexpr unsigned bits = 192;
  static constexpr auto rows = base::Pack{
      row<&SwitchInfoRecord::lid, 0, 16>("LID"),
      reserved<16, 16>,
      row<&SwitchInfoRecord::switch_info, 32, 160>("SwitchInfo"),
  };
};

}  // namespace heddle::mad
