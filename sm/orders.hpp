// SPDX-License-Identifier: BSD-3-Clause
// What has been ordered about links: by an operator, or by whoever judges how well they are. An
// order names one end of a link. It holds until the next list of orders; what it would part from
// the rest of the fabric decides, sweep after sweep, whether it can be carried out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/observation.hpp"

namespace heddle::sm {

enum class LinkOrder : std::uint8_t {
  RouteAround,  // no route uses the link
  Disable,      // and the port is switched off
  Enable,       // a port that was switched off is on again; nothing where it is on
};
// "route-around", "disable", "enable".
std::string_view name_of(LinkOrder order);

struct PortOrder {
  mad::Guid node{};
  mad::PortNumber port{};
  LinkOrder order{};
  // A host may be cut off by it. Switches never are, nor is the subnet manager.
  bool may_isolate_host = false;
  friend bool operator==(const PortOrder&, const PortOrder&) = default;
};
using PortOrders = std::vector<PortOrder>;

// An order, and what became of it in the last sweep.
struct OrderOutcome {
  PortOrder order;
  bool carried_out = false;
  std::string refusal;  // why not; empty when it was, or is yet to be
  friend bool operator==(const OrderOutcome&, const OrderOutcome&) = default;
};
using OrderOutcomes = std::vector<OrderOutcome>;

struct OrderPlan {
  std::vector<fabric::ObservedEnd> left_out;                   // of the topology
  std::vector<fabric::ObservedEnd> switched_off, switched_on;  // ports to write
  OrderOutcomes outcomes;                                      // as the orders, one each
};

// Earlier orders go first: of two links, one of which is needed, the latter stays. `held_back` are
// links that are out of the topology already; `own` is the port of the subnet manager.
OrderPlan plan_orders(const PortOrders& orders, const fabric::Observation& observed,
                      const std::vector<fabric::ObservedEnd>& held_back, fabric::ObservedEnd own);

}  // namespace heddle::sm
