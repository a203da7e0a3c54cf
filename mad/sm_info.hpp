// SPDX-License-Identifier: BSD-3-Clause
// SMInfo (IBA vol. 1, 14.2.5.13).
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct SMInfo {
  Guid guid{};  // of the port the SM sits on
  SMKey sm_key{};
  std::uint32_t act_count{};
  std::uint8_t priority{};  // 0..15, higher wins
  SMState sm_state{};
  friend bool operator==(const SMInfo&, const SMInfo&) = default;
};

template <>
struct Layout<SMInfo> {
  static constexpr std::string_view name = "SMInfo";
  static constexpr unsigned bits = 168;
  static constexpr auto rows = base::Pack{
      row<&SMInfo::guid, 0, 64>("GUID"),
      row<&SMInfo::sm_key, 64, 64>("SM_Key"),
      row<&SMInfo::act_count, 128, 32>("ActCount"),
      row<&SMInfo::priority, 160, 4>("Priority"),
      row<&SMInfo::sm_state, 164, 4>("SMState"),
  };
};

}  // namespace heddle::mad
