// SPDX-License-Identifier: BSD-3-Clause
#include "sm/orders.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "routing/disjoint_sets.hpp"

namespace heddle::sm {
namespace {

using fabric::Observation;
using fabric::ObservedEnd;
using fabric::ObservedIndex;

using Key = std::pair<std::uint32_t, std::uint8_t>;

Key key(ObservedEnd end) {
  return {end.node.value, end.port.value};
}

std::optional<ObservedEnd> find(const Observation& observed, const PortOrder& order) {
  const auto node = observed.find(order.node);
  if (!node || order.port.value == 0 || order.port.value >= observed[*node].ports.size()) return {};
  return ObservedEnd{*node, order.port};
}

// The other end, by whichever of the two was seen to lead to the other.
std::optional<ObservedEnd> peer_of(const Observation& observed, ObservedEnd end) {
  const auto& port = observed.port(end);
  const bool is_up = port.info && port.info->port_state != mad::PortState::Down;
  if (!is_up) return std::nullopt;
  if (port.sighting) return port.sighting;
  for (std::uint32_t n = 0; n < observed.size(); ++n) {
    const auto& ports = observed[ObservedIndex{n}].ports;
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (ports[p].sighting == end) {
        return ObservedEnd{ObservedIndex{n}, {static_cast<std::uint8_t>(p)}};
      }
    }
  }
  return std::nullopt;
}

bool is_off(const Observation& observed, ObservedEnd end) {
  const auto& info = observed.port(end).info;
  return info && info->port_physical_state == mad::PortPhysicalState::Disabled;
}

// All links but these, joined.
routing::DisjointSets islands(const Observation& observed, const std::set<Key>& without) {
  routing::DisjointSets joined(observed.size());
  for (std::uint32_t n = 0; n < observed.size(); ++n) {
    const auto& ports = observed[ObservedIndex{n}].ports;
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const ObservedEnd here{ObservedIndex{n}, {static_cast<std::uint8_t>(p)}};
      const auto& there = ports[p].sighting;
      const bool is_up = ports[p].info && ports[p].info->port_state != mad::PortState::Down;
      if (!there || !is_up || without.count(key(here)) + without.count(key(*there)) != 0) continue;
      joined.unite(n, there->node.value);
    }
  }
  return joined;
}

class Planner {
 public:
  Planner(const Observation& observed, const std::vector<ObservedEnd>& held_back, ObservedEnd own)
      : observed_(observed), own_(own) {
    for (const ObservedEnd end : held_back) out_.insert(key(end));
  }

  OrderPlan plan(const PortOrders& orders) {
    // Everything that is ordered out is so until it turns out to be needed.
    std::set<Key> all = out_;
    for (const PortOrder& order : orders) {
      const auto end = find(observed_, order);
      if (end && order.order != LinkOrder::Enable) all.insert(key(*end));
    }
    joined_.emplace(islands(observed_, all));
    for (const PortOrder& order : orders) plan_.outcomes.push_back(outcome(order));
    // The first order of the list is the last that is looked at here.
    for (std::size_t i = orders.size(); i-- > 0;) decide(orders[i], plan_.outcomes[i]);
    return std::move(plan_);
  }

 private:
  static OrderOutcome outcome(const PortOrder& order) { return {order, false, {}}; }

  void decide(const PortOrder& order, OrderOutcome& outcome) {
    const auto end = find(observed_, order);
    if (!end) {
      outcome.refusal = "there is no such port";
      return;
    }
    if (order.order == LinkOrder::Enable) {
      if (is_off(observed_, *end)) plan_.switched_on.push_back(*end);
      outcome.carried_out = !is_off(observed_, *end);
      return;
    }
    const auto peer = peer_of(observed_, *end);
    if (peer) outcome.refusal = objection(order, *end, *peer);
    if (!outcome.refusal.empty()) return;
    plan_.left_out.push_back(*end);
    if (order.order == LinkOrder::Disable) {
      if (!is_off(observed_, *end)) plan_.switched_off.push_back(*end);
      outcome.carried_out = is_off(observed_, *end);
    } else {
      outcome.carried_out = true;
    }
  }

  // Why this link must stay; empty when it need not. One that must joins what it leads to.
  std::string objection(const PortOrder& order, ObservedEnd end, ObservedEnd peer) {
    if (end.node == peer.node) return {};
    const bool is_own = end.node == own_.node || peer.node == own_.node;
    const bool is_host = !observed_[end.node].is_switch() || !observed_[peer.node].is_switch();
    if (order.order == LinkOrder::Disable && !observed_[end.node].is_switch()) {
      return "only ports of switches are switched off";
    }
    if (joined_->find(end.node.value) == joined_->find(peer.node.value)) return {};
    if (is_host && order.may_isolate_host && !is_own) return {};
    joined_->unite(end.node.value, peer.node.value);
    if (is_own && is_host) return "the subnet manager is reached by this link alone";
    return is_host ? "a host is reached by this link alone"
                   : "a part of the fabric is reached by this link alone";
  }

  const Observation& observed_;
  ObservedEnd own_;
  std::set<Key> out_;
  std::optional<routing::DisjointSets> joined_;
  OrderPlan plan_;
};

}  // namespace

std::string_view name_of(LinkOrder order) {
  switch (order) {
    case LinkOrder::RouteAround:
      return "route-around";
    case LinkOrder::Disable:
      return "disable";
    case LinkOrder::Enable:
      break;
  }
  return "enable";
}

OrderPlan plan_orders(const PortOrders& orders, const Observation& observed,
                      const std::vector<ObservedEnd>& held_back, ObservedEnd own) {
  if (orders.empty()) return {};
  return Planner(observed, held_back, own).plan(orders);
}

}  // namespace heddle::sm
