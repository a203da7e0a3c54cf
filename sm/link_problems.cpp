// SPDX-License-Identifier: BSD-3-Clause
#include "sm/link_problems.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "fabric/changed_ports.hpp"
#include "mad/link.hpp"

namespace heddle::sm {
namespace {

using fabric::kNoPort;
using fabric::PortIndex;
using fabric::Registers;
using fabric::Topology;

bool is_active(const mad::PortInfo& held) {
  return held.port_state == mad::PortState::Active;
}

// It runs as its devices have chosen: nobody tells them what else to choose.
bool runs_unknown(const mad::PortInfo& held) {
  return !mad::active_width(held) || !mad::active_speed(held);
}

// Changing the MTU under traffic would lose packets, so that is left to a person. Told of the
// lower end.
bool has_two_mtus(const Topology& topology, const Registers& registers, PortIndex port) {
  const PortIndex peer = topology.peer(port);
  if (peer < port) return false;
  const mad::PortInfo &here = registers.ports[port.value], &there = registers.ports[peer.value];
  return is_active(there) && here.neighbor_mtu != there.neighbor_mtu;
}

std::vector<std::string> problems_of(const Picture& picture, const Topology& topology,
                                     const Registers& registers, PortIndex port) {
  const PortIndex peer = topology.peer(port);
  if (peer == kNoPort) return {};
  const mad::PortInfo& here = registers.ports[port.value];
  if (!is_active(here)) return {text(picture.name(port)) + " has a link but is not ACTIVE"};
  std::vector<std::string> problems;
  if (runs_unknown(here)) {
    problems.push_back(
        text(picture.name(port)) +
        " runs at a width or speed that is not known; paths by it are told as the slowest");
  }
  if (has_two_mtus(topology, registers, port)) {
    problems.push_back("the link " + text(picture.name(port)) + " - " + text(picture.name(peer)) +
                       " is ACTIVE with another MTU at each end; take it down and up");
  }
  return problems;
}

}  // namespace

std::vector<PortIndex> LinkProblems::doubtful(const Topology& topology,
                                              const Registers& registers) const {
  std::vector<PortIndex> ports;
  if (topology_ == nullptr || !topology.shares_nodes_with(*topology_)) {
    for (std::uint32_t p = 0; p < topology.port_count(); ++p) ports.push_back({p});
    return ports;
  }
  const auto changed = fabric::changed_ports(topology, registers, *topology_, *registers_);
  std::set_union(told_.begin(), told_.end(), changed.begin(), changed.end(),
                 std::back_inserter(ports));
  return ports;
}

void LinkProblems::tell(Picture& picture) {
  const auto& topology = picture.frozen.topology;
  auto registers = picture.registers.of(picture.observation, picture.frozen);
  const auto ports = doubtful(*topology, *registers);
  told_.clear();
  for (const PortIndex port : ports) {
    auto problems = problems_of(picture, *topology, *registers, port);
    if (problems.empty()) continue;
    told_.push_back(port);
    for (auto& problem : problems) picture.problems.push_back(std::move(problem));
  }
  topology_ = topology;
  registers_ = std::move(registers);
}

}  // namespace heddle::sm
