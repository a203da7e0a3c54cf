// SPDX-License-Identifier: BSD-3-Clause
// A directed route: the ports to leave by, hop after hop, from the SM's own port (IBA vol. 1,
// 14.2.2). The empty route is the SM's own node.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mad/smp.hpp"
#include "mad/types.hpp"

namespace heddle::mad {

struct DirectedRoute {
  PortPath ports{};  // as in Smp::initial_path: 1..hop_count count, the rest is zero
  std::uint8_t hop_count{};

  // One hop further. hop_count must be below kMaxHops.
  DirectedRoute then(PortNumber out) const {
    DirectedRoute longer = *this;
    longer.ports[++longer.hop_count] = out;
    return longer;
  }

  // As the diagnostic tools write it: "0,1,22,3"; the own node is "0".
  std::string text() const {
    std::string written = "0";
    for (unsigned hop = 1; hop <= hop_count; ++hop) {
      written += ',';
      written += std::to_string(ports[hop].value);
    }
    return written;
  }

  friend bool operator==(const DirectedRoute&, const DirectedRoute&) = default;
};

}  // namespace heddle::mad
