// SPDX-License-Identifier: BSD-3-Clause
// The smallest subnet manager that can bring a known fabric up: it reads the cabling from the
// blueprint and does everything else by SMPs. LIDs are node index + 1 (times 2^LMC), ports of one
// adapter after another; tables are shortest paths, the lowest port first.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "tests/sim/probe.hpp"

namespace heddle::sim {

class TinyManager {
 public:
  TinyManager(World& world, EndpointId at, std::uint8_t lmc = 0)
      : probe(world, at), lmc_(lmc), devices_(world.devices()) {
    explore();
  }

  void bring_up() {
    std::uint16_t next = static_cast<std::uint16_t>(1u << lmc_);
    for (const auto& [port, route] : routes) {
      lids[port] = mad::Lid{next};
      next = static_cast<std::uint16_t>(next + (1u << lmc_));
    }
    for (const auto& [port, route] : routes) address(port, route);
    for (const auto& [port, route] : routes) {
      if (devices_.lines[port].number == 0) program(port, route);
    }
    for (const auto state : {mad::PortState::Armed, mad::PortState::Active}) {
      for (const auto& [port, route] : routes) activate(port, route, state);
    }
  }

  // By endpoint: port 0 of switches, ports of adapters.
  std::map<PortIndex, Route> routes;
  std::map<PortIndex, mad::Lid> lids;
  Probe probe;

 private:
  bool up(PortIndex port) const {
    return devices_.lines[port].peer != kNone && devices_.lines[port].state != mad::PortState::Down;
  }

  void explore() {
    std::deque<PortIndex> open{probe.at};
    routes[probe.at] = {};
    while (!open.empty()) {
      const PortIndex here = open.front();
      open.pop_front();
      const NodeIndex node = devices_.lines[here].node;
      const bool is_switch = devices_.is_switch(node);
      if (!is_switch && here != probe.at) continue;
      const PortIndex last = is_switch ? here + devices_.nodes[node].port_count : here;
      for (PortIndex port = here; port <= last; ++port) {
        if (!up(port)) continue;
        const PortIndex peer = devices_.management_port(devices_.lines[port].peer);
        Route route = routes[here];
        route.push_back(devices_.lines[port].number);
        if (routes.emplace(peer, route).second) open.push_back(peer);
      }
    }
  }

  void address(PortIndex port, const Route& route) {
    EXPECT_EQ(probe.change_port(route, devices_.lines[port].number,
                                [&](mad::PortInfo& info) {
                                  info.lid = lids[port];
                                  info.lmc = lmc_;
                                  info.master_sm_lid = lids[probe.at];
                                }),
              mad::kStatusOk);
  }

  // Distances of all switches to the switch or host that has the LID.
  std::map<NodeIndex, unsigned> distances(PortIndex owner) const {
    std::map<NodeIndex, unsigned> distance;
    std::deque<NodeIndex> open;
    if (devices_.lines[owner].number == 0) {
      open.push_back(devices_.lines[owner].node);
    } else if (up(owner)) {
      open.push_back(devices_.lines[devices_.lines[owner].peer].node);
    }
    if (!open.empty()) distance[open.front()] = 0;
    while (!open.empty()) {
      const NodeIndex node = open.front();
      open.pop_front();
      const Device& device = devices_.nodes[node];
      if (!devices_.is_switch(node)) continue;
      for (unsigned number = 1; number <= device.port_count; ++number) {
        const PortIndex port = device.first_port + number;
        if (!up(port)) continue;
        const NodeIndex next = devices_.lines[devices_.lines[port].peer].node;
        if (devices_.is_switch(next) && distance.emplace(next, distance[node] + 1).second) {
          open.push_back(next);
        }
      }
    }
    return distance;
  }

  std::uint8_t best_port(NodeIndex node, PortIndex owner) {
    const auto [known, is_new] = distances_.try_emplace(owner);
    if (is_new) known->second = distances(owner);
    const auto& distance = known->second;
    if (devices_.nodes[node].first_port == owner) return 0;
    for (unsigned number = 1; number <= devices_.nodes[node].port_count; ++number) {
      const PortIndex port = devices_.nodes[node].first_port + number;
      if (!up(port)) continue;
      const PortIndex peer = devices_.lines[port].peer;
      if (peer == owner) return static_cast<std::uint8_t>(number);
      const auto next = distance.find(devices_.lines[peer].node);
      const bool closer = next != distance.end() && distance.count(node) != 0 &&
                          devices_.is_switch(next->first) && next->second < distance.at(node);
      if (closer) return static_cast<std::uint8_t>(number);
    }
    return mad::kNoPortNumber.value;
  }

  void program(PortIndex port, const Route& route) {
    const NodeIndex node = devices_.lines[port].node;
    std::uint16_t top = 0;
    std::map<std::uint32_t, mad::SmpData> blocks;
    for (const auto& [owner, lid] : lids) {
      for (unsigned offset = 0; offset < 1u << lmc_; ++offset) {
        const unsigned value = lid.value + offset;
        auto [block, is_new] = blocks.try_emplace(value / 64);
        if (is_new) block->second.fill(std::byte{0xFF});
        block->second[value % 64] = std::byte{best_port(node, owner)};
        top = std::max(top, static_cast<std::uint16_t>(value));
      }
    }
    for (const auto& [block, data] : blocks) {
      const auto answer = probe.set(mad::AttributeId::LinearForwardingTable, route, block, data);
      EXPECT_EQ(answer->status, mad::kStatusOk);
    }
    EXPECT_EQ(probe.change_switch(route,
                                  [&](mad::SwitchInfo& info) {
                                    info.linear_fdb_top = top;
                                    info.port_state_change = true;
                                  }),
              mad::kStatusOk);
  }

  void activate(PortIndex endpoint, const Route& route, mad::PortState state) {
    const NodeIndex node = devices_.lines[endpoint].node;
    const bool is_switch = devices_.is_switch(node);
    const PortIndex last = is_switch ? endpoint + devices_.nodes[node].port_count : endpoint;
    for (PortIndex port = endpoint; port <= last; ++port) {
      if (!up(port)) continue;
      EXPECT_EQ(probe.set_state(route, devices_.lines[port].number, state), mad::kStatusOk);
    }
  }

  std::uint8_t lmc_;
  const Devices& devices_;
  std::map<PortIndex, std::map<NodeIndex, unsigned>> distances_;
};

}  // namespace heddle::sim
