// SPDX-License-Identifier: BSD-3-Clause
// Which switches a query about switches means.
#pragma once

#include <cstdint>

#include "sa/view.hpp"

namespace heddle::sa {

struct SwitchRange {
  std::uint32_t begin{}, end{};  // switch indices
};

// All, or the one that owns `*lid`, which becomes its base LID; none when that is no switch's.
inline SwitchRange switches_of(const View& view, mad::Lid* lid) {
  if (lid == nullptr) return {0, static_cast<std::uint32_t>(view.topology().switch_count())};
  const fabric::PortIndex port = view.find(*lid);
  if (port == fabric::kNoPort) return {};
  const fabric::NodeIndex node = view.topology().node_of(port);
  if (!view.topology().is_switch(node)) return {};
  *lid = view.lid(port);
  return {node.value, node.value + 1};
}

inline mad::Lid lid_of(const View& view, fabric::SwitchIndex index) {
  return view.lids().base(view.topology().port_of(index, mad::PortNumber{0}));
}

}  // namespace heddle::sa
