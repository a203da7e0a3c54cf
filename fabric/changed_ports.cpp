// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/changed_ports.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/check.hpp"

namespace heddle::fabric {

std::vector<PortIndex> changed_ports(const Topology& topology, const Registers& registers,
                                     const Topology& topology_before,
                                     const Registers& registers_before) {
  HEDDLE_CHECK(topology.shares_nodes_with(topology_before));
  // Marked first: all may have changed, and sorting them would take longer than looking at each.
  std::vector<std::uint8_t> is_changed(topology.port_count());
  const auto mark = [&](PortIndex port) {
    if (port != kNoPort) is_changed[port.value] = 1;
  };
  constexpr std::size_t kPage = decltype(registers.ports)::kPageSize;
  for (std::size_t first = 0; first < topology.port_count(); first += kPage) {
    const bool is_shared = registers.ports.shares_page(first / kPage, registers_before.ports);
    const std::size_t end = std::min(first + kPage, topology.port_count());
    for (std::size_t p = first; p < end; ++p) {
      const PortIndex port{static_cast<std::uint32_t>(p)};
      const PortIndex now = topology.peer(port), before = topology_before.peer(port);
      if (is_shared && now == before) continue;
      mark(port);
      mark(now);  // who was there before has another end now, too
    }
  }
  std::vector<PortIndex> changed;
  for (std::uint32_t p = 0; p < is_changed.size(); ++p) {
    if (is_changed[p] != 0) changed.push_back({p});
  }
  return changed;
}

}  // namespace heddle::fabric
