// SPDX-License-Identifier: BSD-3-Clause
// A fabric as a sweep may have heard of it, put together by hand.
#pragma once

#include <cstdint>
#include <vector>

#include "base/prng.hpp"
#include "fabric/observation.hpp"

namespace heddle::fabric {

inline mad::NodeInfo info_of(std::uint64_t guid, mad::NodeType type, std::uint8_t ports) {
  mad::NodeInfo info;
  info.node_guid = info.port_guid = mad::Guid{guid};
  info.node_type = type;
  info.num_ports = ports;
  return info;
}

inline ObservedEnd end(std::uint32_t node, unsigned port) {
  return {{node}, {static_cast<std::uint8_t>(port)}};
}

// That told enough to be managed.
inline ObservedIndex add_switch(Observation& observation, std::uint64_t guid, std::uint8_t ports) {
  const auto index = observation.add(info_of(guid, mad::NodeType::Switch, ports));
  ObservedNode& node = observation.change(index);
  node.switch_info.emplace().linear_fdb_cap = 64;
  for (auto& port : node.ports) port.info.emplace();
  return index;
}

inline void see(Observation& observation, ObservedEnd from, ObservedEnd there) {
  observation.change(from).sighting = there;
}

// Up to three cables of switches with three ports each, put in or taken out.
inline void move_cables(Observation& observation, base::Prng& prng) {
  const auto any = [&] {
    return end(static_cast<std::uint32_t>(prng.below(observation.size())),
               static_cast<unsigned>(1 + prng.below(3)));
  };
  for (unsigned cables = 0; cables < 3; ++cables) {
    const ObservedEnd a = any(), b = any();
    prng.chance(0.3) ? observation.change(a).sighting.reset() : see(observation, a, b);
    if (prng.chance(0.6)) see(observation, b, a);
  }
}

// Something that a node says of itself, or whether there is one at all.
inline void change_a_node(Observation& observation, base::Prng& prng) {
  const ObservedIndex any{static_cast<std::uint32_t>(prng.below(observation.size()))};
  ObservedNode& node = observation.change(any);
  switch (prng.below(6)) {
    case 0:
      node.description += "!";
      break;
    case 1:
      node.info.system_image_guid = mad::Guid{prng()};
      break;
    case 2:
      if (node.is_switch()) node.switch_info->linear_fdb_cap ^= 0x80;
      break;
    case 3:
      node.switch_info.reset();
      break;
    case 4:
      add_switch(observation, 1000 + prng.below(1u << 30), 3);
      break;
    default:
      std::vector<bool> keep(observation.size(), true);
      keep[prng.below(keep.size())] = false;
      observation.keep_only(keep);
  }
}

// What is read of a port.
inline void change_a_port(Observation& observation, base::Prng& prng) {
  const auto node = static_cast<std::uint32_t>(prng.below(observation.size()));
  const auto ports = static_cast<unsigned>(observation.ports({node}).size());
  ObservedPort& port = observation.change(end(node, static_cast<unsigned>(prng.below(ports))));
  if (port.info && prng.chance(0.1)) return port.info.reset();
  if (!port.info) port.info.emplace();
  port.info->port_state = prng.chance(0.5) ? mad::PortState::Active : mad::PortState::Init;
  port.info->mtu_cap = prng.chance(0.5) ? mad::Mtu::Bytes4096 : mad::Mtu::Bytes2048;
  port.info->vl_cap = static_cast<std::uint8_t>(1 + prng.below(5));
  port.info->neighbor_mtu = prng.chance(0.5) ? mad::Mtu::Bytes4096 : mad::Mtu::Bytes1024;
  port.info->link_width_active = 2;
  port.info->link_speed_active = prng.chance(0.5) ? 4 : 1;
  port.vendor.emplace().link_speed_active = prng.chance(0.5) ? mad::kFdr10 : 0;
}

}  // namespace heddle::fabric
