// SPDX-License-Identifier: BSD-3-Clause
#include "tests/multicast/floods.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace heddle::multicast::testing {
namespace {

struct Arrival {
  fabric::SwitchIndex at{};
  mad::PortNumber in{};
};

fabric::PortIndex endport_of(const fabric::Topology& topology, mad::Guid guid) {
  for (const fabric::PortIndex endport : topology.endports()) {
    if (topology.port(endport).guid == guid) return endport;
  }
  return fabric::kNoPort;
}

}  // namespace

bool Flood::doubled() const {
  return std::any_of(copies.begin(), copies.end(),
                     [](const auto& entry) { return entry.second > 1; });
}

Flood flood(const fabric::Topology& topology, const Tables& tables, mad::Lid mlid,
            mad::Guid sender) {
  Flood result;
  const auto start = topology.attachment(endport_of(topology, sender));
  if (!start) return result;
  std::set<fabric::SwitchIndex> seen{start->at};
  std::deque<Arrival> pending{{start->at, start->out}};
  while (!pending.empty()) {
    const auto [at, in] = pending.front();
    pending.pop_front();
    tables.entry(at, mlid).for_each([&, at = at, in = in](mad::PortNumber port) {
      if (port == in || port.value > topology.node(at).port_count) return;
      const fabric::PortIndex near = topology.port_of(at, port);
      const fabric::PortIndex far = port.value == 0 ? near : topology.peer(near);
      if (far == fabric::kNoPort) return;
      const auto node = topology.node_of(far);
      if (port.value == 0 || !topology.is_switch(node)) {
        ++result.copies[topology.port(far).guid];
        return;
      }
      const fabric::SwitchIndex next{node.value};
      if (seen.insert(next).second) {
        pending.push_back({next, topology.number_of(far)});
      } else {
        result.looped = true;
      }
    });
  }
  return result;
}

bool all_served(const fabric::Topology& topology, const Tables& tables, mad::Lid mlid,
                const std::map<mad::Guid, Role>& members) {
  for (const auto& [sender, sender_role] : members) {
    const Flood result = flood(topology, tables, mlid, sender);
    if (result.looped || result.doubled()) return false;
    std::size_t expected = 0;
    for (const auto& [member, role] : members) {
      if (member == sender || role != Role::Receiver) continue;
      ++expected;
      if (!result.copies.contains(member)) return false;
    }
    if (result.copies.size() != expected) return false;
  }
  return true;
}

}  // namespace heddle::multicast::testing
