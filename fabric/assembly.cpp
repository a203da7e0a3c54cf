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
  Assembly assembly;
  assembly.topology_.take(std::move(roster));
  return assembly;
}

Assembly Assembly::of_the_nodes_of(const Topology& other) {
  Assembly assembly;
  assembly.topology_.take(other.roster_);
  return assembly;
}

void Assembly::join(PortIndex a, PortIndex b, std::uint8_t slowness) {
  Port& here = topology_.ports_[a.value];
  Port& there = topology_.ports_[b.value];
  const bool are_free = here.peer == kNoPort && there.peer == kNoPort;
  HEDDLE_CHECK(are_free || (here.peer == b && there.peer == a));
  topology_.link_count_ += are_free;
  here.peer = b;
  there.peer = a;
  here.slowness = there.slowness = slowness;
}

Topology Assembly::finish() && {
  find_channels();
  find_endports();
  return std::move(topology_);
}

void Assembly::find_channels() {
  Topology& t = topology_;
  t.channel_of_port_.assign(t.ports_.size(), kNoChannel);
  t.channels_.reserve(2 * t.link_count_);
  t.first_channel_.reserve(t.switch_count_ + 1);
  t.first_channel_.push_back(0);
  for (std::uint32_t s = 0; s < t.switch_count_; ++s) {
    for (std::uint32_t p = t.first_port_[s]; p < t.first_port_[s + 1]; ++p) {
      const PortIndex far = t.ports_[p].peer;
      if (far == kNoPort || !t.is_switch(t.node_of(far)) || t.node_of(far).value == s) continue;
      t.channel_of_port_[p].value = static_cast<std::uint32_t>(t.channels_.size());
      t.channels_.push_back({SwitchIndex{s}, SwitchIndex{t.node_of(far).value},
                             t.number_of(PortIndex{p}), t.number_of(far), kNoChannel,
                             t.ports_[p].slowness});
    }
    t.first_channel_.push_back(static_cast<std::uint32_t>(t.channels_.size()));
  }
  for (Channel& channel : t.channels_) {
    channel.reverse = t.channel_by_port(channel.to, channel.in);
  }
}

void Assembly::find_endports() {
  Topology& t = topology_;
  t.endports_.reserve(t.node_count());
  for (std::uint32_t n = 0; n < t.node_count(); ++n) {
    if (n < t.switch_count_) {
      t.endports_.push_back(PortIndex{t.first_port_[n]});
      continue;
    }
    for (std::uint32_t p = t.first_port_[n]; p < t.first_port_[n + 1]; ++p) {
      if (t.ports_[p].peer != kNoPort) t.endports_.push_back(PortIndex{p});
    }
  }
}

}  // namespace heddle::fabric
