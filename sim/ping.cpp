// SPDX-License-Identifier: BSD-3-Clause
#include "sim/ping.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::sim {
namespace {

bool has(const std::vector<PortIndex>& sorted, PortIndex port) {
  return std::binary_search(sorted.begin(), sorted.end(), port);
}

Walk way(const Devices& devices, PortIndex from, PortIndex to, const PingOptions& options) {
  Packet packet;
  packet.dlid = devices.ports[devices.management_port(to)].info.lid;
  packet.sl = options.sl;
  packet.p_key = options.p_key;
  return walk(devices, from, packet);
}

}  // namespace

Ping ping(const Devices& devices, PortIndex from, PortIndex to, const PingOptions& options) {
  Ping result;
  if (options.group) {
    Packet question;
    question.dlid = *options.group;
    question.sl = options.sl;
    question.p_key = options.p_key;
    result.question = spread(devices, from, question);
    result.heard = has(result.question->reached, to);
  }
  result.there = way(devices, from, to, options);
  result.back = way(devices, to, from, options);
  return result;
}

std::string describe(const Devices& devices, const Ping& ping) {
  std::string text;
  if (ping.question) {
    text += fmt::format("broadcast: {} end ports over {} links; the other {}\n",
                        ping.question->reached.size(), ping.question->links,
                        ping.heard ? "heard it" : "did not hear it");
    for (const Spread::Stop& stop : ping.question->stops) {
      text += fmt::format("  stopped at {} (in {}, out {}): {}\n",
                          devices.plan.nodes[stop.at.node].name, stop.at.in_port, stop.at.out_port,
                          text_of(stop.why));
    }
    for (const NodeIndex node : ping.question->loops) {
      text += fmt::format("  came twice to {}\n", devices.plan.nodes[node].name);
    }
  }
  text += "there\n" + describe(devices, ping.there) + "back\n" + describe(devices, ping.back);
  return text;
}

GroupReach reach_of(const Devices& devices, mad::Lid group, std::size_t most) {
  constexpr std::size_t kMostNamed = 100;
  GroupReach reach;
  Packet packet;
  packet.dlid = group;
  for (PortIndex port = 0; port < devices.lines.size(); ++port) {
    if (is_member(devices, port, group)) reach.members.push_back(port);
  }
  const std::size_t count = reach.members.size();
  const std::size_t step =
      std::max<std::size_t>(1, (count + most - 1) / std::max<std::size_t>(most, 1));
  for (std::size_t i = 0; i < count; i += step) {
    const PortIndex from = reach.members[i];
    const Spread heard = spread(devices, from, packet);
    ++reach.asked;
    reach.doubled += heard.twice.size();
    reach.loops.insert(reach.loops.end(), heard.loops.begin(), heard.loops.end());
    for (const PortIndex to : reach.members) {
      if (to == from || has(heard.reached, to)) continue;
      if (++reach.missed <= kMostNamed) reach.misses.push_back({from, to});
    }
  }
  std::sort(reach.loops.begin(), reach.loops.end());
  reach.loops.erase(std::unique(reach.loops.begin(), reach.loops.end()), reach.loops.end());
  return reach;
}

}  // namespace heddle::sim
