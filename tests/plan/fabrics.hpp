// SPDX-License-Identifier: BSD-3-Clause
// Small inventories to break.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plan/finding.hpp"
#include "plan/inventory.hpp"

namespace heddle::plan {

inline constexpr Rate kHdr{4, LaneSpeed::HDR};

inline std::uint32_t add_node(Inventory& fabric, std::string name, mad::NodeType type,
                              std::uint8_t ports) {
  Inventory::Node node;
  node.name = node.description = std::move(name);
  node.type = type;
  node.guid = node.system_image_guid = mad::Guid{0x1000 * (fabric.nodes.size() + 1)};
  node.port_count = ports;
  node.linear_fdb_cap = 49152;
  node.multicast_fdb_cap = 4096;
  node.data_vls = 8;
  node.p_key_cap = 128;
  node.ports.resize(ports + std::size_t{1});
  node.line = static_cast<unsigned>(fabric.nodes.size() + 1);
  fabric.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(fabric.nodes.size() - 1);
}

// leaf-1.. with hosts in ports 1.. and spine-1.. in the ports behind those; a spine's port is the
// leaf's number. Leaves come first, then spines, then hosts. Cables: hosts first, then by leaf.
inline Inventory two_levels(std::uint8_t leaves, std::uint8_t spines, std::uint8_t hosts) {
  Inventory fabric;
  fabric.title = "two-levels";
  for (unsigned i = 1; i <= leaves; ++i) {
    add_node(fabric, "leaf-" + std::to_string(i), mad::NodeType::Switch, 36);
  }
  for (unsigned i = 1; i <= spines; ++i) {
    add_node(fabric, "spine-" + std::to_string(i), mad::NodeType::Switch, 36);
  }
  unsigned line = 100;
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::uint8_t i = 1; i <= hosts; ++i) {
      const auto host =
          add_node(fabric, "host-" + std::to_string(leaf + 1) + "-" + std::to_string(i) + " mlx5_0",
                   mad::NodeType::ChannelAdapter, 1);
      fabric.cables.push_back({{leaf, i}, {host, 1}, kHdr, ++line});
    }
  }
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::uint8_t i = 0; i < spines; ++i) {
      fabric.cables.push_back({{leaf, static_cast<std::uint8_t>(hosts + 1 + i)},
                               {leaves + std::uint32_t{i}, static_cast<std::uint8_t>(leaf + 1)},
                               kHdr,
                               ++line});
    }
  }
  return fabric;
}

// The cable in this port of this node.
inline Inventory::Cable& cable_at(Inventory& fabric, const std::string& name) {
  return *std::find_if(fabric.cables.begin(), fabric.cables.end(), [&](const auto& cable) {
    return name_of(fabric, cable.a) == name || name_of(fabric, cable.b) == name;
  });
}

inline std::vector<std::string> codes(const std::vector<Finding>& findings) {
  std::vector<std::string> codes;
  for (const Finding& finding : findings) codes.push_back(finding.code);
  return codes;
}

// Only what is wrong.
inline std::vector<Finding> trouble(Findings findings) {
  auto taken = std::move(findings).take();
  std::erase_if(taken, [](const Finding& f) { return f.severity == Severity::Info; });
  return taken;
}

}  // namespace heddle::plan
