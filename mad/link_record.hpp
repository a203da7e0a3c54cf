// SPDX-License-Identifier: BSD-3-Clause
// LinkRecord (IBA vol. 1, 15.2.5.13): one for each direction of a link.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct LinkRecord {
  Lid from_lid{};  // of a switch: of its port 0
  PortNumber from_port{};
  PortNumber to_port{};
  Lid to_lid{};
  friend bool operator==(const LinkRecord&, const LinkRecord&) = default;
};

template <>
struct Layout<LinkRecord> {
  static constexpr std::string_view name = "LinkRecord";
  static constexpr unsigned bits = 48;
  static constexpr auto rows = base::Pack{
      row<&LinkRecord::from_lid, 0, 16>("FromLID"),
      row<&LinkRecord::from_port, 16, 8>("FromPort"),
      row<&LinkRecord::to_port, 24, 8>("ToPort"),
      row<&LinkRecord::to_lid, 32, 16>("ToLID"),
  };
};

}  // namespace heddle::mad
