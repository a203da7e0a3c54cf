// SPDX-License-Identifier: BSD-3-Clause
#include "sim/patterns.hpp"

#include <array>

#include "base/prng.hpp"
#include "sim/counters.hpp"
#include "sim/overload.hpp"

namespace heddle::sim {
namespace {

constexpr std::array<std::pair<std::string_view, Pattern>, 5> kPatterns{
    {{"all-to-all", Pattern::AllToAll},
     {"shift", Pattern::Shift},
     {"ring", Pattern::Ring},
     {"permutation", Pattern::Permutation},
     {"incast", Pattern::Incast}}};

void count_link(Devices& devices, PortIndex out, const WalkStep& step, const Flow& flow,
                std::uint64_t packets, std::uint64_t words) {
  const PortIndex in = devices.lines[out].peer;
  devices.traffic[out].xmit_data += words;
  devices.traffic[out].xmit_packets += packets;
  devices.traffic[in].rcv_data += words;
  devices.traffic[in].rcv_packets += packets;
  count(devices, out, element(Counter::PortXmitDataSL, flow.sl.value & 0xF), words);
  count(devices, in, element(Counter::PortRcvDataSL, flow.sl.value & 0xF), words);
  count(devices, in, element(Counter::PortVLOpPackets, step.lane), packets);
  count(devices, in, element(Counter::PortVLOpData, step.lane), words);
}

// What the node that dropped the packets tells of it (IBA vol. 1, 16.1.3.5 and 16.1.4).
void count_stop(Devices& devices, const WalkStep& at, WalkEnd why, std::uint64_t packets) {
  const PortIndex in = devices.port_at(at.node, at.in_port);
  const bool has_out = at.out_port <= devices.nodes[at.node].port_count;
  const PortIndex out = has_out ? devices.port_at(at.node, at.out_port) : in;
  switch (why) {
    case WalkEnd::PKeyInbound:
    case WalkEnd::PKeyAtDestination:
      return count(devices, in, Counter::PortRcvConstraintErrors, packets);
    case WalkEnd::PKeyOutbound:
      return count(devices, out, Counter::PortXmitConstraintErrors, packets);
    case WalkEnd::PortNotActive:
      count(devices, out, Counter::PortInactiveDiscards, packets);
      return count(devices, out, Counter::PortXmitDiscards, packets);
    case WalkEnd::LaneDropped:
    case WalkEnd::HopLimit:
      return count(devices, out, Counter::PortXmitDiscards, packets);
    case WalkEnd::NoRoute:
      count(devices, in, Counter::PortDLIDMappingErrors, packets);
      return count(devices, in, Counter::PortRcvSwitchRelayErrors, packets);
    case WalkEnd::BadPort:
    case WalkEnd::Loop:
    case WalkEnd::NotForHere:
      return count(devices, in, Counter::PortRcvSwitchRelayErrors, packets);
    case WalkEnd::Arrived:
    case WalkEnd::SourceNotActive:
    case WalkEnd::PKeyAtSource:
      return;
  }
}

}  // namespace

std::optional<Pattern> parse_pattern(std::string_view name) {
  for (const auto& [known, pattern] : kPatterns) {
    if (name == known) return pattern;
  }
  return std::nullopt;
}

std::vector<PortIndex> active_hosts(const Devices& devices) {
  std::vector<PortIndex> hosts;
  for (PortIndex port = 0; port < devices.lines.size(); ++port) {
    const Line& line = devices.lines[port];
    if (devices.nodes[line.node].type != mad::NodeType::ChannelAdapter) continue;
    if (line.number == 0 || line.state != mad::PortState::Active) continue;
    if (devices.ports[port].info.lid != mad::kNoLid) hosts.push_back(port);
  }
  return hosts;
}

namespace {

// To which of `count` hosts host i sends; a permutation starts from itself.
std::size_t target_of(std::size_t i, std::size_t count, Pattern pattern, std::uint64_t number) {
  switch (pattern) {
    case Pattern::Incast:
      return static_cast<std::size_t>((number + count - 1) % count);
    case Pattern::Shift:
      return (i + static_cast<std::size_t>(number % count)) % count;
    case Pattern::Ring:
      return (i + 1) % count;
    case Pattern::Permutation:
    case Pattern::AllToAll:
      break;
  }
  return i;
}

}  // namespace

std::vector<Flow> flows_of(const Devices& devices, const std::vector<PortIndex>& hosts,
                           Pattern pattern, std::uint64_t number) {
  constexpr std::size_t kMostFlows = 10'000'000;
  std::vector<Flow> flows;
  const std::size_t count = hosts.size();
  const auto add = [&](std::size_t from, std::size_t to) {
    if (from == to || flows.size() >= kMostFlows) return;
    flows.push_back({hosts[from], devices.ports[hosts[to]].info.lid, {}, kDefaultPKey});
  };
  std::vector<std::size_t> target(count);
  for (std::size_t i = 0; i < count; ++i) target[i] = target_of(i, count, pattern, number);
  if (pattern == Pattern::Permutation) {
    base::Prng prng(number);
    prng.shuffle(target);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (pattern != Pattern::AllToAll) {
      add(i, target[i]);
      continue;
    }
    for (std::size_t j = 0; j < count && flows.size() < kMostFlows; ++j) add(i, j);
  }
  return flows;
}

Driven drive(Devices& devices, const std::vector<Flow>& flows, std::uint64_t packets,
             std::uint32_t words, base::Instant now) {
  constexpr std::size_t kMostNamed = 100;
  const auto way_of = [&](const Flow& flow) {
    return walk(devices, flow.from, {flow.dlid, flow.sl, flow.p_key, 64});
  };
  Driven driven;
  Overload overload(devices, flows, packets, words, now);
  for (const Flow& flow : flows) {
    const Walk way = way_of(flow);
    overload.add(devices, flow, way);
    for (std::size_t i = 0; i + 1 < way.steps.size(); ++i) {
      // A sending switch has no port of its own; its first step leaves like any other.
      const PortIndex out = devices.port_at(way.steps[i].node, way.steps[i].out_port);
      count_link(devices, out, way.steps[i], flow, packets, packets * words);
    }
    if (way.arrived()) {
      driven.arrived += packets;
      continue;
    }
    driven.lost += packets;
    count_stop(devices, way.steps.back(), way.end, packets);
    if (driven.stopped.size() < kMostNamed) driven.stopped.push_back(flow);
  }
  if (!overload.exists()) return driven;
  // Ways are gone again rather than kept: ten million of them would be.
  for (const Flow& flow : flows) driven.marked += overload.mark(devices, flow, way_of(flow));
  overload.settle(devices);
  driven.worst = overload.worst();
  return driven;
}

}  // namespace heddle::sim
