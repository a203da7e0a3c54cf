// SPDX-License-Identifier: BSD-3-Clause
// The machine and orders about links: left out of the topology before it is frozen, ports switched
// once the new tables stand, and told what became of each.
#include <algorithm>
#include <memory>
#include <utility>

#include "sm/machine.hpp"

namespace heddle::sm {
namespace {

// The same fate as before is no news.
bool is_news(const OrderOutcome& outcome, const OrderOutcomes& told) {
  return std::find(told.begin(), told.end(), outcome) == told.end();
}

bool is_in(const PortOrder& order, const PortOrders& list) {
  return std::find(list.begin(), list.end(), order) != list.end();
}

// Not if there is only less to switch on: that has been done.
bool alters(const PortOrders& before, const PortOrders& after) {
  const auto gone = [&](const PortOrder& order) {
    return order.order != LinkOrder::Enable && !is_in(order, after);
  };
  const auto is_new = [&](const PortOrder& order) { return !is_in(order, before); };
  return std::any_of(before.begin(), before.end(), gone) ||
         std::any_of(after.begin(), after.end(), is_new);
}

}  // namespace

void Core::Machine::on(const OrdersChanged& changed) {
  if (changed.orders == orders) return;
  const bool asks_for_something = alters(orders, changed.orders);
  orders = changed.orders;
  // An order that ended and is given again is told of again, or whoever gave it would wait for
  // ever. Until then it stays among what was told: that it is gone is yet to be published.
  for (OrderOutcome& told : told_outcomes) {
    if (!is_in(told.order, orders)) told = {told.order, false, {}};
  }
  if (asks_for_something) {
    due = "orders about links have changed";
  } else {
    tell_outcomes(told_outcomes);  // no sweep is going to
  }
}

std::vector<fabric::ObservedEnd> Core::Machine::left_out() {
  auto ends = held_back();
  order_plan = {};
  if (options.shadow || !picture.own) return ends;
  order_plan = plan_orders(orders, picture.observation, ends, *picture.own);
  ends.insert(ends.end(), order_plan.left_out.begin(), order_plan.left_out.end());
  return ends;
}

// After a sweep: what was written has been answered.
void Core::Machine::tell_orders() {
  if (election.state() != mad::SMState::Master) return;
  OrderOutcomes outcomes = order_plan.outcomes;
  for (OrderOutcome& outcome : outcomes) {
    const auto node = picture.observation.find(outcome.order.node);
    if (!node || !outcome.refusal.empty()) continue;
    const auto& ports = picture.observation[*node].ports;
    const auto& info = ports[outcome.order.port.value].info;
    const bool is_off = info && info->port_physical_state == mad::PortPhysicalState::Disabled;
    if (outcome.order.order == LinkOrder::Disable) outcome.carried_out = is_off;
    if (outcome.order.order == LinkOrder::Enable) outcome.carried_out = !is_off;
  }
  tell_outcomes(std::move(outcomes));
}

// Of orders that there still are: some may be over since the sweep began.
void Core::Machine::tell_outcomes(OrderOutcomes outcomes) {
  std::erase_if(outcomes,
                [&](const OrderOutcome& outcome) { return !is_in(outcome.order, orders); });
  if (outcomes == told_outcomes) return;
  for (const OrderOutcome& outcome : outcomes) {
    if (!is_news(outcome, told_outcomes)) continue;
    const auto node = picture.observation.find(outcome.order.node);
    const PortName port{node ? picture.name(*node) : NodeName{outcome.order.node, ""},
                        outcome.order.port};
    const std::string order(sm::name_of(outcome.order.order));
    if (outcome.carried_out) say(LinkOrderCarriedOut{port, order});
    if (!outcome.refusal.empty()) say(LinkOrderRefused{port, order, outcome.refusal});
  }
  told_outcomes = outcomes;
  outputs.emplace_back(PublishOrders{std::make_shared<const OrderOutcomes>(std::move(outcomes))});
}

}  // namespace heddle::sm
