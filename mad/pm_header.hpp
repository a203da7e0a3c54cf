// SPDX-License-Identifier: BSD-3-Clause
// The header of performance management MADs (IBA vol. 1, 16.1.1): 64 bytes before the 192 of data.
#pragma once

#include "mad/mad_header.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct PMHeader {
  MADHeader mad{};
  friend bool operator==(const PMHeader&, const PMHeader&) = default;
};

template <>
struct Layout<PMHeader> {
  static constexpr std::string_view name = "PMHeader";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{
      row<&PMHeader::mad, 0, 192>("MADHeader"),
      reserved<192, 320>,
  };
};

}  // namespace heddle::mad
