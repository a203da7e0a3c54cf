// SPDX-License-Identifier: BSD-3-Clause
#include "api/losses.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::api {
namespace {

bool has_cable(const fabric::Topology& topology, const LostLink::End& end) {
  const auto node = topology.find_node(end.node);
  if (!node || end.port.value > topology.node(*node).port_count) return false;
  return topology.peer(topology.port_of(*node, end.port)) != fabric::kNoPort;
}

}  // namespace

std::vector<Losses::Link> Losses::links_of(const fabric::Topology& topology) {
  std::vector<Link> links;
  links.reserve(topology.link_count());
  for (std::uint32_t i = 0; i < topology.port_count(); ++i) {
    const fabric::PortIndex port{i};
    const fabric::PortIndex peer = topology.peer(port);
    if (peer == fabric::kNoPort || peer.value < i) continue;
    const End a{topology.node(topology.node_of(port)).guid, topology.number_of(port)};
    const End b{topology.node(topology.node_of(peer)).guid, topology.number_of(peer)};
    links.push_back(a < b ? Link{a, b} : Link{b, a});
  }
  std::sort(links.begin(), links.end());
  return links;
}

LostLink Losses::lose(const Link& link, WallTime now) const {
  LostLink lost{{link.a.node, link.a.port, {}}, {link.b.node, link.b.port, {}}, true, now};
  for (LostLink::End* end : {&lost.a, &lost.b}) {
    const auto node = before_->find_node(end->node);
    if (!node) continue;
    end->name = before_->node(*node).description;
    lost.between_switches &= before_->is_switch(*node);
  }
  return lost;
}

void Losses::renew(std::shared_ptr<const fabric::Topology> topology, WallTime now) {
  std::vector<Link> links = links_of(*topology);
  std::vector<Link> gone;
  std::set_difference(known_.begin(), known_.end(), links.begin(), links.end(),
                      std::back_inserter(gone));
  for (const Link& link : gone) lost_.push_back(lose(link, now));
  std::erase_if(lost_, [&](const LostLink& lost) {
    return has_cable(*topology, lost.a) || has_cable(*topology, lost.b);
  });
  std::sort(lost_.begin(), lost_.end(), [](const LostLink& a, const LostLink& b) {
    return std::pair(a.a.node, a.a.port) < std::pair(b.a.node, b.a.port);
  });
  known_ = std::move(links);
  before_ = std::move(topology);
}

void Losses::accept() {
  lost_.clear();
}

std::size_t Losses::between_switches() const {
  return static_cast<std::size_t>(std::count_if(
      lost_.begin(), lost_.end(), [](const LostLink& link) { return link.between_switches; }));
}

}  // namespace heddle::api
