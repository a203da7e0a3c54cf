// SPDX-License-Identifier: BSD-3-Clause
// What must be reached at each switch.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {

// The LIDs of one endport: base .. base + 2^lmc - 1.
struct Destination {
  mad::Lid base{};
  std::uint8_t lmc = 0;
  mad::PortNumber out{};  // where they leave the switch; 0: the switch's own

  bool is_host() const { return out.value != 0; }
  unsigned lid_count() const { return 1u << lmc; }
};

// Endports without LIDs, and those that hang on no switch, are left out.
struct Destinations {
  Destinations(const fabric::Topology& topology, const fabric::LidMap& lids);
  // Hosts first, by port; the switch's own LIDs last.
  std::vector<std::vector<Destination>> by_switch;
  std::vector<std::uint32_t> hosts;  // by switch: how many of these are hosts
};

}  // namespace heddle::routing
