// SPDX-License-Identifier: BSD-3-Clause
#include "sm/lid_turns.hpp"

#include "routing/target_order.hpp"
#include "routing/tree_levels.hpp"

namespace heddle::sm {

using fabric::PortIndex;

std::vector<std::uint32_t> lid_turns(const fabric::Topology& topology) {
  constexpr std::uint32_t kPortsOfASwitch = 256;
  constexpr std::uint32_t kOnNoSwitch = 0xFFFF'FFFF;
  const auto order = routing::order_targets(topology, routing::count_hosts(topology));
  std::vector<std::uint32_t> first(topology.switch_count());
  for (std::uint32_t i = 0; i < order.targets.size(); ++i) {
    first[order.targets[i].value] = i * kPortsOfASwitch;
  }
  std::vector<std::uint32_t> turns(topology.port_count(), kOnNoSwitch);
  for (const PortIndex port : topology.endports()) {
    const auto place = topology.attachment(port);
    if (place) turns[port.value] = first[place->at.value] + place->out.value;
  }
  return turns;
}

}  // namespace heddle::sm
