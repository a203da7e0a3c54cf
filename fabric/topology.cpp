// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/topology.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::fabric {
namespace {

std::string name_of(mad::Guid guid) {
  return base::hex(guid.value);
}

bool is_switch_type(const Node& node) {
  return node.type == mad::NodeType::Switch;
}

// Switches first, both groups by GUID; of equal GUIDs the one added last stays.
std::vector<Node> in_order(std::vector<Node> nodes, std::vector<NodeIndex>& places_of) {
  struct Place {
    mad::Guid guid;
    std::uint32_t added;
    bool is_switch;
  };
  std::vector<Place> places;
  places.reserve(nodes.size());
  for (const Node& node : nodes) {
    places.push_back({node.guid, static_cast<std::uint32_t>(places.size()), is_switch_type(node)});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(a.guid, a.added) < std::tuple(b.guid, b.added);
  });
  std::vector<Node> ordered;
  ordered.reserve(nodes.size());
  places_of.resize(nodes.size());
  for (const bool switches : {true, false}) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool superseded = i + 1 < places.size() && places[i + 1].guid == places[i].guid;
      if (places[i].is_switch != switches || superseded) continue;
      const NodeIndex place{static_cast<std::uint32_t>(ordered.size())};
      for (std::size_t j = i + 1; j > 0 && places[j - 1].guid == places[i].guid; --j) {
        places_of[places[j - 1].added] = place;
      }
      ordered.push_back(std::move(nodes[places[i].added]));
    }
  }
  return ordered;
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

std::optional<Topology::Attachment> Topology::attachment(PortIndex endport) const {
  const NodeIndex node = node_of(endport);
  if (is_switch(node)) {
    if (number_of(endport).value != 0) return std::nullopt;
    return Attachment{SwitchIndex{node.value}, mad::PortNumber{0}};
  }
  const PortIndex far = peer(endport);
  if (far == kNoPort || !is_switch(node_of(far))) return std::nullopt;
  return Attachment{SwitchIndex{node_of(far).value}, number_of(far)};
}

std::optional<base::Error> Topology::place_nodes(std::vector<Node> nodes,
                                                 std::vector<NodeIndex>& places) {
  nodes_ = in_order(std::move(nodes), places);
  guids_.reserve(nodes_.size());
  first_port_.reserve(nodes_.size() + 1);
  first_port_.push_back(0);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.port_count == 0 || node.port_count > kMaxPortCount) {
      return base::error(fmt::format("node {} \"{}\" claims {} ports, 1 to {} are possible",
                                     name_of(node.guid), node.description, node.port_count,
                                     kMaxPortCount));
    }
    guids_.push_back(node.guid);
    switch_count_ += is_switch_type(node);
    owner_.insert(owner_.end(), node.port_count + 1u, NodeIndex{i});
    first_port_.push_back(static_cast<std::uint32_t>(owner_.size()));
  }
  ports_.resize(owner_.size());
  return std::nullopt;
}

base::Result<PortIndex> Topology::locate(NodeIndex index, mad::PortNumber number,
                                         unsigned lowest) const {
  const Node& of = node(index);
  if (number.value < lowest || number.value > of.port_count) {
    return base::error(fmt::format("port {} of node {} \"{}\": its ports are {} to {}",
                                   number.value, name_of(of.guid), of.description, lowest,
                                   of.port_count));
  }
  return port_of(index, number);
}

std::optional<base::Error> Topology::join(PortIndex a, PortIndex b) {
  if (ports_[a.value].peer == b && ports_[b.value].peer == a) return std::nullopt;
  for (const PortIndex end : {a, b}) {
    if (ports_[end.value].peer == kNoPort) continue;
    const Node& of = node(node_of(end));
    return base::error(fmt::format("port {} of node {} \"{}\" is in two links",
                                   number_of(end).value, name_of(of.guid), of.description));
  }
  ports_[a.value].peer = b;
  ports_[b.value].peer = a;
  ++link_count_;
  return std::nullopt;
}

void Topology::find_channels() {
  channel_of_port_.assign(ports_.size(), kNoChannel);
  first_channel_.push_back(0);
  for (std::uint32_t s = 0; s < switch_count_; ++s) {
    for (std::uint32_t p = first_port_[s]; p < first_port_[s + 1]; ++p) {
      const PortIndex far = ports_[p].peer;
      if (far == kNoPort || !is_switch(node_of(far)) || node_of(far).value == s) continue;
      channel_of_port_[p].value = static_cast<std::uint32_t>(channels_.size());
      channels_.push_back({SwitchIndex{s}, SwitchIndex{node_of(far).value}, number_of(PortIndex{p}),
                           number_of(far), kNoChannel, ports_[p].slowness});
    }
    first_channel_.push_back(static_cast<std::uint32_t>(channels_.size()));
  }
  for (Channel& channel : channels_) {
    channel.reverse = channel_by_port(channel.to, channel.in);
  }
}

void Topology::find_endports() {
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    if (n < switch_count_) {
      endports_.push_back(PortIndex{first_port_[n]});
      continue;
    }
    for (std::uint32_t p = first_port_[n]; p < first_port_[n + 1]; ++p) {
      if (ports_[p].peer != kNoPort) endports_.push_back(PortIndex{p});
    }
  }
}

void TopologyBuilder::expect(std::size_t nodes, std::size_t ports) {
  nodes_.reserve(nodes);
  port_guids_.reserve(ports);
  links_.reserve(ports / 2);
}

TopologyBuilder::Added TopologyBuilder::add_node(Node node) {
  nodes_.push_back(std::move(node));
  return {static_cast<std::uint32_t>(nodes_.size() - 1)};
}

void TopologyBuilder::set_port_guid(End port, mad::Guid guid) {
  port_guids_.push_back({port, guid});
}

void TopologyBuilder::add_link(End a, End b, std::uint8_t slowness) {
  links_.push_back({a, b, std::clamp<std::uint8_t>(slowness, 1, kMostSlowness)});
}

base::Result<Topology> TopologyBuilder::build() && {
  std::vector<NodeIndex> places;
  return std::move(*this).build(places);
}

base::Result<Topology> TopologyBuilder::build(std::vector<NodeIndex>& places) && {
  Topology topology;
  if (auto wrong = topology.place_nodes(std::move(nodes_), places)) return *wrong;
  // Ports are named node by node mostly: a node is looked up once for all that follow each other.
  const auto locator = [&](unsigned lowest) {
    return [&, lowest, last = mad::Guid{},
            at = std::optional<NodeIndex>()](End end) mutable -> base::Result<PortIndex> {
      if (end.added) return topology.locate(places[end.added->value], end.port, lowest);
      if (!at || end.node != last) at = topology.find_node(last = end.node);
      if (at) return topology.locate(*at, end.port, lowest);
      return base::error(fmt::format("port {} of node {}: no such node is known", end.port.value,
                                     name_of(end.node)));
    };
  };
  auto locate = locator(0), locate_a = locator(1), locate_b = locator(1);
  for (const PortGuid& given : port_guids_) {
    const auto port = locate(given.port);
    if (!port) return port.error();
    topology.ports_[port->value].guid = given.guid;
  }
  for (const Link& link : links_) {
    const auto a = locate_a(link.a);
    if (!a) return a.error();
    const auto b = locate_b(link.b);
    if (!b) return b.error();
    if (auto wrong = topology.join(*a, *b)) return *wrong;
    for (const PortIndex end : {*a, *b}) topology.ports_[end.value].slowness = link.slowness;
  }
  topology.find_channels();
  topology.find_endports();
  return topology;
}

}  // namespace heddle::fabric
