// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/topology.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "fabric/assembly.hpp"

namespace heddle::fabric {
namespace {

std::string name_of(mad::Guid guid) {
  return base::hex(guid.value);
}

base::Result<PortIndex> locate(const Topology& topology, NodeIndex index, mad::PortNumber number,
                               unsigned lowest) {
  const Node& of = topology.node(index);
  if (number.value < lowest || number.value > of.port_count) {
    return base::error(fmt::format("port {} of node {} \"{}\": its ports are {} to {}",
                                   number.value, name_of(of.guid), of.description, lowest,
                                   of.port_count));
  }
  return topology.port_of(index, number);
}

// An error if one of them is in a link that is not theirs.
std::optional<base::Error> join(Assembly& assembly, PortIndex a, PortIndex b,
                                std::uint8_t slowness) {
  const Topology& topology = assembly.so_far();
  const bool again = topology.peer(a) == b && topology.peer(b) == a;
  for (const PortIndex end : {a, b}) {
    if (again || topology.peer(end) == kNoPort) continue;
    const Node& of = topology.node(topology.node_of(end));
    return base::error(fmt::format("port {} of node {} \"{}\" is in two links",
                                   topology.number_of(end).value, name_of(of.guid),
                                   of.description));
  }
  assembly.join(a, b, slowness);
  return std::nullopt;
}

}  // namespace

std::optional<NodeIndex> Topology::find_node(mad::Guid node_guid) const {
  const auto others = guids_.begin() + static_cast<std::ptrdiff_t>(switch_count_);
  for (const auto& [first, last] : {std::pair(guids_.begin(), others), {others, guids_.end()}}) {
    const auto found = std::lower_bound(first, last, node_guid);
    if (found == last || *found != node_guid) continue;
    return NodeIndex{static_cast<std::uint32_t>(found - guids_.begin())};
  }
  return std::nullopt;
}

void Topology::take(std::shared_ptr<const Roster> roster) {
  nodes_ = roster->nodes;
  first_port_ = roster->first_port;
  owner_ = roster->owner;
  guids_ = roster->guids;
  switch_count_ = roster->switch_count;
  roster_ = std::move(roster);
}

void Topology::take(std::shared_ptr<const Wiring> wiring) {
  ports_ = wiring->ports;
  endports_ = wiring->endports;
  channels_ = wiring->channels;
  first_channel_ = wiring->first_channel;
  channel_of_port_ = wiring->channel_of_port;
  wiring_ = std::move(wiring);
}

void TopologyBuilder::add_node(Node node) {
  nodes_.push_back(std::move(node));
}

void TopologyBuilder::set_port_guid(End port, mad::Guid guid) {
  port_guids_.push_back({port, guid});
}

void TopologyBuilder::add_link(End a, End b, std::uint8_t slowness) {
  links_.push_back({a, b, std::clamp<std::uint8_t>(slowness, 1, kMostSlowness)});
}

base::Result<Topology> TopologyBuilder::build() && {
  std::vector<NodeIndex> places;
  auto assembly = Assembly::of(std::move(nodes_), places);
  if (!assembly) return assembly.error();
  const Topology& nodes = assembly->so_far();
  // Ports are named node by node mostly: a node is looked up once for all that follow each other.
  const auto locator = [&](unsigned lowest) {
    return [&, lowest, last = mad::Guid{},
            at = std::optional<NodeIndex>()](End end) mutable -> base::Result<PortIndex> {
      if (!at || end.node != last) at = nodes.find_node(last = end.node);
      if (at) return locate(nodes, *at, end.port, lowest);
      return base::error(fmt::format("port {} of node {}: no such node is known", end.port.value,
                                     name_of(end.node)));
    };
  };
  auto locate_any = locator(0), locate_a = locator(1), locate_b = locator(1);
  for (const PortGuid& given : port_guids_) {
    const auto port = locate_any(given.port);
    if (!port) return port.error();
    assembly->set_guid(*port, given.guid);
  }
  for (const Link& link : links_) {
    const auto a = locate_a(link.a);
    if (!a) return a.error();
    const auto b = locate_b(link.b);
    if (!b) return b.error();
    if (auto wrong = join(*assembly, *a, *b, link.slowness)) return *wrong;
  }
  return std::move(*assembly).finish();
}

}  // namespace heddle::fabric
