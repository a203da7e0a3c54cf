// SPDX-License-Identifier: BSD-3-Clause
#include "api/state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::api {
namespace {

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void complain_of_routes(const sm::Snapshot& fabric, std::vector<std::string>& out) {
  if (fabric.topology.switch_count() == 0) return;
  if (fabric.routes == nullptr) {
    out.push_back("the fabric is not routed");
  } else if (!fabric.routes->proof.reaches_all()) {
    out.push_back(plural(fabric.routes->proof.faulty_routes, "route does", "routes do") +
                  " not arrive");
  }
}

bool is_ordered(const State& state, const LostLink::End& end) {
  if (state.care == nullptr) return false;
  const auto& orders = state.care->orders;
  return std::any_of(orders.begin(), orders.end(), [&](const sm::OrderOutcome& each) {
    return each.carried_out && each.order.order != sm::LinkOrder::Enable &&
           each.order.node == end.node && each.order.port == end.port;
  });
}

// Between switches; what was taken out by order is where it should be.
std::size_t lost_without_order(const State& state) {
  const auto& links = state.losses.links();
  return static_cast<std::size_t>(std::count_if(
      links.begin(), links.end(),
      [&](const LostLink& link) { return link.between_switches && !is_ordered(state, link); }));
}

}  // namespace

bool is_ordered(const State& state, const LostLink& link) {
  return is_ordered(state, link.a) || is_ordered(state, link.b);
}

void State::take(std::shared_ptr<const sm::Snapshot> snapshot, WallTime time) {
  fabric = std::move(snapshot);
  // One that sees no subnet, or leaves it to another, says nothing of what is missing there.
  if (fabric->view != nullptr && role == mad::SMState::Master) {
    losses.renew(fabric->view->subnet().topology, time);
  }
}

void State::take(const sm::Event& event, WallTime time) {
  journal->add(event, time);
  demand.take(event, time);
  if (const auto* changed = std::get_if<sm::StateChanged>(&event.value)) role = changed->to;
  if (const auto* swept = std::get_if<sm::SweepFinished>(&event.value)) {
    const sm::SweepStatistics& sweep = swept->statistics;
    const std::uint64_t sent = sweep.gets_sent + sweep.sets_sent;
    traffic.sent += sent;
    traffic.answered +=
        sent + sweep.late - std::min(sent + sweep.late, sweep.retries + sweep.unanswered);
  }
}

void State::take(std::shared_ptr<const perf::Readings> counted, WallTime time) {
  readings = std::move(counted);
  measured = time;
}

std::vector<std::string> complaints(const State& state) {
  // Also of one that stands by: it is what it would be master with.
  std::vector<std::string> out = state.seat.files;
  if (state.fabric == nullptr) {
    out.push_back("the first sweep is not finished");
    return out;
  }
  const sm::Snapshot& fabric = *state.fabric;
  if (state.identity.shadow) {
    out.insert(out.end(), fabric.problems.begin(), fabric.problems.end());
    return out;
  }
  // It polls a master, and would stand by no longer if that were silent; what it saw of the fabric
  // is from before.
  if (state.role == mad::SMState::Standby) return out;
  if (state.role != mad::SMState::Master) {
    out.push_back("this subnet manager is not master, and stands by for none");
  }
  if (fabric.inactive_ports > 0) {
    out.push_back(plural(fabric.inactive_ports, "port has", "ports have") +
                  " a link and may not be used");
  }
  complain_of_routes(fabric, out);
  const std::size_t lost = lost_without_order(state);
  if (lost > 0) out.push_back(plural(lost, "link", "links") + " between switches lost");
  out.insert(out.end(), fabric.problems.begin(), fabric.problems.end());
  return out;
}

}  // namespace heddle::api
