// SPDX-License-Identifier: BSD-3-Clause
#include "app/lane_dumps.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

namespace heddle::app {
namespace {

using fabric::SwitchIndex;

// The switch on which each channel adapter or router hangs; nothing for those that hang on none.
std::optional<SwitchIndex> home_of(const fabric::Topology& topology, fabric::NodeIndex node) {
  for (unsigned port = 1; port <= topology.node(node).port_count; ++port) {
    const auto peer =
        topology.peer(topology.port_of(node, mad::PortNumber{static_cast<std::uint8_t>(port)}));
    if (peer == fabric::kNoPort) continue;
    const auto other = topology.node_of(peer);
    if (topology.is_switch(other)) return SwitchIndex{other.value};
  }
  return std::nullopt;
}

bool is_linked(const fabric::Topology& topology, SwitchIndex at, unsigned port) {
  const mad::PortNumber number{static_cast<std::uint8_t>(port)};
  return port == 0 || topology.peer(topology.port_of(at, number)) != fabric::kNoPort;
}

// Two service levels in each byte.
std::string map_text(const fabric::VlMap& map) {
  std::string text;
  for (std::size_t level = 0; level < map.size(); level += 2) {
    text += fmt::format(" 0x{:x}{:x}", map[level], map[level + 1]);
  }
  return text;
}

}  // namespace

bool has_lane_dumps(const sm::Snapshot& snapshot) {
  if (snapshot.routes == nullptr || snapshot.routes->routes.lanes.vls < 2) return false;
  const fabric::Topology& topology = snapshot.topology;
  const std::uint64_t hosts = topology.node_count() - topology.switch_count();
  std::uint64_t maps = 0;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const std::uint64_t ports = topology.node(SwitchIndex{s}).port_count;
    maps += (ports + 1) * (ports + 1);
  }
  return hosts * snapshot.lids.top().value <= kMaxLaneDumpLines && maps <= kMaxLaneDumpLines;
}

void write_path_levels(std::ostream& out, const sm::Snapshot& snapshot) {
  const fabric::Topology& topology = snapshot.topology;
  const auto& levels = snapshot.routes->routes.lanes.levels;
  for (std::size_t n = topology.switch_count(); n < topology.node_count(); ++n) {
    const fabric::NodeIndex node{static_cast<std::uint32_t>(n)};
    const auto home = home_of(topology, node);
    if (!home) continue;
    for (std::uint32_t lid = 1; lid <= snapshot.lids.top().value; ++lid) {
      const mad::Lid number{static_cast<std::uint16_t>(lid)};
      if (snapshot.lids.owner(number) == fabric::kNoPort) continue;
      out << fmt::format("0x{:016x} {} {}\n", topology.node(node).guid.value, lid,
                         levels.level(*home, snapshot.lids.host_lid(number)));
    }
  }
}

void write_lane_maps(std::ostream& out, const sm::Snapshot& snapshot) {
  const fabric::Topology& topology = snapshot.topology;
  const auto& maps = snapshot.routes->routes.lanes.maps;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const SwitchIndex at{s};
    const unsigned ports = topology.node(at).port_count;
    for (unsigned in = 0; in <= ports; ++in) {
      const mad::PortNumber from{static_cast<std::uint8_t>(in)};
      const bool from_switch = in > 0 && topology.channel_by_port(at, from) != fabric::kNoChannel;
      for (unsigned to = 0; to <= ports; ++to) {
        if (!is_linked(topology, at, in) || !is_linked(topology, at, to)) continue;
        const auto& map = maps.at(at, from_switch ? from : mad::PortNumber{0},
                                  mad::PortNumber{static_cast<std::uint8_t>(to)});
        out << fmt::format("0x{:016x} {} {}{}\n", topology.node(at).guid.value, in, to,
                           map_text(map));
      }
    }
  }
}

}  // namespace heddle::app
