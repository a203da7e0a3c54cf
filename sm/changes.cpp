// SPDX-License-Identifier: BSD-3-Clause
#include "sm/changes.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "base/prefetch.hpp"
#include "fabric/counterparts.hpp"
#include "mad/link.hpp"
#include "sm/subnet.hpp"

namespace heddle::sm {
namespace {

using fabric::kNoPort;
using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::Topology;

// Calls on_node and on_link for what `topology` has and `other` has not.
template <class OnNode, class OnLink>
void for_each_extra(const Topology& topology, const Topology& other, OnNode on_node,
                    OnLink on_link) {
  const fabric::Counterparts there(topology, other);
  for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
    if (!there.node(NodeIndex{n})) on_node(NodeIndex{n});
  }
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const PortIndex peer = topology.peer(PortIndex{p});
    if (peer == kNoPort || peer.value < p) continue;  // each link once
    const PortIndex a = there.port(PortIndex{p}), b = there.port(peer);
    const bool same = a != kNoPort && b != kNoPort && other.peer(a) == b;
    if (!same) on_link(PortIndex{p}, peer);
  }
}

NodeName name_in(const Topology& topology, NodeIndex node) {
  return {topology.node(node).guid, topology.node(node).description};
}
PortName name_in(const Topology& topology, PortIndex port) {
  return {name_in(topology, topology.node_of(port)), topology.number_of(port)};
}

}  // namespace

std::optional<fabric::ObservedIndex> end_of_way(const Picture& picture,
                                                const mad::DirectedRoute& route) {
  fabric::ObservedIndex at = picture.own->node;
  for (unsigned hop = 1; hop <= route.hop_count; ++hop) {
    const auto ports = picture.observation.ports(at);
    const std::size_t out = route.ports[hop].value;
    if (out >= ports.size() || !ports[out].sighting) return std::nullopt;
    // Whoever asks for one host's way asks next for that of the host beside it, mostly.
    if (out + 2 < ports.size()) base::prefetch(&ports[out + 2].sighting);
    at = ports[out].sighting->node;
  }
  return at;
}

std::vector<Way> ways_to_devices(const Picture& picture, const Transactions& transactions) {
  std::vector<Way> ways;
  for (std::uint32_t n = 0; n < picture.observation.size(); ++n) {
    const auto& node = picture.observation[fabric::ObservedIndex{n}];
    for (const auto& device : picture.devices.of({n})) {
      if (!device) continue;
      for (const auto& route : transactions.routes(*device)) {
        ways.push_back({route, node.info.node_guid, node.is_switch()});
      }
    }
  }
  return ways;
}

bool still_lead_there(const Picture& picture, const std::vector<Way>& ways) {
  return std::all_of(ways.begin(), ways.end(), [&](const Way& way) {
    const auto end = end_of_way(picture, way.route);
    if (!end) return !way.to_switch;
    return picture.observation[*end].info.node_guid == way.node;
  });
}

std::vector<Way> dead_ways(const Picture& picture, const std::vector<Way>& ways) {
  if (!picture.own) return ways;
  std::vector<Way> dead;
  std::copy_if(ways.begin(), ways.end(), std::back_inserter(dead),
               [&](const Way& way) { return !end_of_way(picture, way.route); });
  return dead;
}

bool lead_elsewhere(const Picture& picture, const std::vector<Way>& ways) {
  return std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
    const auto end = end_of_way(picture, way.route);
    return end && picture.observation[*end].info.node_guid != way.node;
  });
}

void report_differences(Context& context, const Topology& old) {
  const Topology& now = *context.picture.frozen.topology;
  for_each_extra(
      old, now, [&](NodeIndex node) { context.events.say(NodeDisappeared{name_in(old, node)}); },
      [&](PortIndex a, PortIndex b) {
        context.events.say(LinkDisappeared{name_in(old, a), name_in(old, b)});
      });
  for_each_extra(
      now, old,
      [&](NodeIndex node) {
        context.events.say(NodeAppeared{name_in(now, node), now.node(node).type});
      },
      [&](PortIndex a, PortIndex b) {
        context.events.say(LinkAppeared{name_in(now, a), name_in(now, b)});
      });
}

std::shared_ptr<Snapshot> take_picture(const Picture& picture,
                                       std::shared_ptr<const fabric::Registers> registers,
                                       const SweepStatistics& statistics, const Options& options) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->sweep = statistics;
  snapshot->lmc = options.lmc;
  snapshot->problems = picture.all_problems();
  snapshot->sm_port = picture.sm_port;
  snapshot->routes = picture.routes;
  snapshot->unsafe_trees = picture.unsafe_trees;
  if (picture.lids) snapshot->lids = *picture.lids;
  if (!picture.frozen.topology) return snapshot;
  const Topology& topology = snapshot->topology = *picture.frozen.topology;
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    if (topology.peer(PortIndex{p}) == kNoPort) continue;
    const bool active = registers->ports[p].port_state == mad::PortState::Active;
    ++(active ? snapshot->active_ports : snapshot->inactive_ports);
  }
  snapshot->registers = std::move(registers);
  for (const OtherSM& other : picture.other_sms) {
    snapshot->other_managers.push_back({other.guid, other.priority, other.state,
                                        port_of(picture, other.device),
                                        may_take_part(options, other.guid)});
  }
  return snapshot;
}

}  // namespace heddle::sm
