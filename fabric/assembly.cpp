// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/assembly.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text.hpp"

namespace heddle::fabric {
namespace {

bool is_switch_type(const Node& node) {
  return node.type == mad::NodeType::Switch;
}

// Switches first, both groups by GUID; of equal GUIDs the one given last stays.
std::vector<Node> in_order(std::vector<Node> nodes, std::vector<NodeIndex>& places_of) {
  struct Place {
    mad::Guid guid;
    std::uint32_t given;
    bool is_switch;
  };
  std::vector<Place> places;
  places.reserve(nodes.size());
  for (const Node& node : nodes) {
    places.push_back({node.guid, static_cast<std::uint32_t>(places.size()), is_switch_type(node)});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(a.guid, a.given) < std::tuple(b.guid, b.given);
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
        places_of[places[j - 1].given] = place;
      }
      ordered.push_back(std::move(nodes[places[i].given]));
    }
  }
  return ordered;
}

}  // namespace

base::Result<Assembly> Assembly::of(std::vector<Node> nodes, std::vector<NodeIndex>& places) {
  auto roster = std::make_shared<Topology::Roster>();
  roster->nodes = in_order(std::move(nodes), places);
  roster->guids.reserve(roster->nodes.size());
  roster->first_port.reserve(roster->nodes.size() + 1);
  roster->first_port.push_back(0);
  for (std::uint32_t i = 0; i < roster->nodes.size(); ++i) {
    const Node& node = roster->nodes[i];
    if (node.port_count == 0 || node.port_count > kMaxPortCount) {
      return base::error(fmt::format("node {} \"{}\" claims {} ports, 1 to {} are possible",
                                     base::hex(node.guid.value), node.description, node.port_count,
                                     kMaxPortCount));
    }
    roster->guids.push_back(node.guid);
    roster->switch_count += is_switch_type(node);
    roster->owner.insert(roster->owner.end(), node.port_count + 1u, NodeIndex{i});
    roster->first_port.push_back(static_cast<std::uint32_t>(roster->owner.size()));
  }
  std::vector<Port> ports(roster->owner.size());
  return Assembly(std::move(roster), std::move(ports));
}

Assembly::Assembly(std::shared_ptr<const Topology::Roster> roster, std::vector<Port> ports)
    : wiring_(std::make_shared<Topology::Wiring>()) {
  wiring_->ports = std::move(ports);
  topology_.take(std::move(roster));
  topology_.take(wiring_);
}

Assembly Assembly::of_the_nodes_of(const Topology& other) {
  return {other.roster_, std::vector<Port>(other.port_count())};
}

Assembly Assembly::going_on_with(const Topology& other) {
  Assembly assembly(other.roster_, {other.ports_.begin(), other.ports_.end()});
  assembly.topology_.link_count_ = other.link_count_;
  return assembly;
}

void Assembly::join(PortIndex a, PortIndex b, std::uint8_t slowness) {
  Port& here = wiring_->ports[a.value];
  Port& there = wiring_->ports[b.value];
  const bool are_free = here.peer == kNoPort && there.peer == kNoPort;
  HEDDLE_CHECK(are_free || (here.peer == b && there.peer == a));
  topology_.link_count_ += are_free;
  here.peer = b;
  there.peer = a;
  here.slowness = there.slowness = slowness;
}

void Assembly::part(PortIndex port) {
  Port& here = wiring_->ports[port.value];
  if (here.peer == kNoPort) return;
  Port& there = wiring_->ports[here.peer.value];
  --topology_.link_count_;
  here.peer = there.peer = kNoPort;
  here.slowness = there.slowness = Port{}.slowness;
}

Topology Assembly::finish() && {
  find_channels();
  find_endports();
  topology_.take(std::move(wiring_));
  return std::move(topology_);
}

void Assembly::find_channels() {
  const Topology& t = topology_;
  Topology::Wiring& w = *wiring_;
  w.channel_of_port.assign(t.ports_.size(), kNoChannel);
  w.channels.reserve(2 * t.link_count_);
  w.first_channel.reserve(t.switch_count_ + 1);
  w.first_channel.push_back(0);
  for (std::uint32_t s = 0; s < t.switch_count_; ++s) {
    for (std::uint32_t p = t.first_port_[s]; p < t.first_port_[s + 1]; ++p) {
      const PortIndex far = t.ports_[p].peer;
      if (far == kNoPort || !t.is_switch(t.node_of(far)) || t.node_of(far).value == s) continue;
      w.channel_of_port[p].value = static_cast<std::uint32_t>(w.channels.size());
      w.channels.push_back({SwitchIndex{s}, SwitchIndex{t.node_of(far).value},
                            t.number_of(PortIndex{p}), t.number_of(far), kNoChannel,
                            t.ports_[p].slowness});
    }
    w.first_channel.push_back(static_cast<std::uint32_t>(w.channels.size()));
  }
  for (Channel& channel : w.channels) {
    channel.reverse = w.channel_of_port[t.port_of(channel.to, channel.in).value];
  }
}

void Assembly::find_endports() {
  const Topology& t = topology_;
  Topology::Wiring& w = *wiring_;
  w.endports.reserve(t.node_count());
  for (std::uint32_t n = 0; n < t.node_count(); ++n) {
    if (n < t.switch_count_) {
      w.endports.push_back(PortIndex{t.first_port_[n]});
      continue;
    }
    for (std::uint32_t p = t.first_port_[n]; p < t.first_port_[n + 1]; ++p) {
      if (t.ports_[p].peer != kNoPort) w.endports.push_back(PortIndex{p});
    }
  }
}

}  // namespace heddle::fabric
