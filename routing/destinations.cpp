// SPDX-License-Identifier: BSD-3-Clause
#include "routing/destinations.hpp"

#include <algorithm>

namespace heddle::routing {

Destinations::Destinations(const fabric::Topology& topology, const fabric::LidMap& lids)
    : by_switch(topology.switch_count()), hosts(topology.switch_count()) {
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto& node = topology.node(fabric::SwitchIndex{s});
    const std::size_t links = topology.channels_from(fabric::SwitchIndex{s}).size();
    by_switch[s].reserve(node.port_count - links + 1);
  }
  for (const fabric::PortIndex endport : topology.endports()) {
    const auto range = lids.range(endport);
    const auto attachment = topology.attachment(endport);
    if (!attachment || range.base == mad::kNoLid) continue;
    by_switch[attachment->at.value].push_back({range.base, range.lmc, attachment->out});
    if (attachment->out.value != 0) ++hosts[attachment->at.value];
  }
  for (auto& group : by_switch) {
    std::sort(group.begin(), group.end(), [](const Destination& a, const Destination& b) {
      return a.is_host() != b.is_host() ? a.is_host() : a.out < b.out;
    });
  }
}

}  // namespace heddle::routing
