// SPDX-License-Identifier: BSD-3-Clause
// SMInfoRecord (IBA vol. 1, 15.2.5.10): one for each subnet manager that was seen.
#pragma once

#include <cstdint>

#include "mad/sm_info.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct SMInfoRecord {
  Lid lid{};
  SMInfo sm_info{};
  friend bool operator==(const SMInfoRecord&, const SMInfoRecord&) = default;
};

template <>
struct Layout<SMInfoRecord> {
  static constexpr std::string_view name = "SMInfoRecord";
  static constexpr unsigned bits = 200;
  static constexpr auto rows = base::Pack{
      row<&SMInfoRecord::lid, 0, 16>("LID"),
      reserved<16, 16>,
      row<&SMInfoRecord::sm_info, 32, 168>("SMInfo"),
  };
};

}  // namespace heddle::mad
