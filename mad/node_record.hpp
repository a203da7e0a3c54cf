// SPDX-License-Identifier: BSD-3-Clause
// NodeRecord (IBA vol. 1, 15.2.5.2): one for each port that owns LIDs.
#pragma once

#include <cstdint>

#include "mad/node_info.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct NodeRecord {
  Lid lid{};
  NodeInfo node_info{};
  NodeDescription node_description{};
  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

template <>
struct Layout<NodeRecord> {
  static constexpr std::string_view name = "NodeRecord";
  static constexpr unsigned bits = 864;
  static constexpr auto rows = base::Pack{
      row<&NodeRecord::lid, 0, 16>("LID"),
      reserved<16, 16>,
      row<&NodeRecord::node_info, 32, 320>("NodeInfo"),
      row<&NodeRecord::node_description, 352, 512>("NodeDescription"),
  };
};

}  // namespace heddle::mad
