// SPDX-License-Identifier: BSD-3-Clause
#include "sm/islands.hpp"

#include <algorithm>

namespace heddle::sm {
namespace {

using fabric::Observation;
using fabric::ObservedEnd;
using fabric::ObservedPort;

CutEnd cut_end(const Observation& observation, ObservedEnd end) {
  return {observation[end.node].info.node_guid, end.port.value};
}

bool is_the_same_cable(const Observation& before, const ObservedPort& then, const Observation& now,
                       const ObservedPort& port) {
  if (!then.sighting || cut_end(before, *then.sighting) != cut_end(now, *port.sighting)) {
    return false;
  }
  return !then.info || !port.info || port.info->port_state >= then.info->port_state;
}

}  // namespace

std::set<mad::Guid> manager_nodes(const Picture& picture) {
  std::set<mad::Guid> nodes;
  const auto add = [&](DeviceId device) {
    const auto end = picture.end_of(device);
    if (end) nodes.insert(picture.observation[end->node].info.node_guid);
  };
  for (const OtherSM& other : picture.other_sms) add(other.device);
  for (const auto& [device, looks] : picture.silent_sms) add(device);
  return nodes;
}

CutEnds fallen_since(const Observation& before, const Observation& now) {
  CutEnds cut;
  for (std::uint32_t n = 0; n < now.size(); ++n) {
    const auto& node = now[{n}];
    const auto known = before.find(node.info.node_guid);
    if (!known) continue;
    const auto& old_ports = before[*known].ports;
    for (std::size_t p = 1; p < std::min(node.ports.size(), old_ports.size()); ++p) {
      const ObservedPort& port = node.ports[p];
      if (!port.sighting || is_the_same_cable(before, old_ports[p], now, port)) continue;
      cut.insert(cut_end(now, {{n}, {static_cast<std::uint8_t>(p)}}));
      cut.insert(cut_end(now, *port.sighting));
    }
  }
  return cut;
}

bool is_any_cut_off(const Picture& picture, const std::set<mad::Guid>& nodes, const CutEnds& cut) {
  if (nodes.empty() || cut.empty()) return false;
  const Observation& observation = picture.observation;
  const Ways ways(picture, &cut);
  return std::any_of(nodes.begin(), nodes.end(), [&](mad::Guid guid) {
    const auto at = observation.find(guid);
    if (!at) return false;
    const auto& node = observation[*at];
    if (node.is_switch()) return !ways.reaches(*at);
    for (std::size_t p = 1; p < node.ports.size(); ++p) {
      const ObservedEnd end{*at, {static_cast<std::uint8_t>(p)}};
      const auto& there = node.ports[p].sighting;
      const bool held = there && cut.count(cut_end(observation, end)) == 0;
      if (held && !ways.reaches(there->node)) return true;
    }
    return false;
  });
}

}  // namespace heddle::sm
