// SPDX-License-Identifier: BSD-3-Clause
#include "app/link_care.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "mad/link.hpp"

namespace heddle::app {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using perf::Finding;
using perf::LinkEnd;
using perf::LinkEnds;

LinkEnd end_at(const fabric::Topology& topology, PortIndex port) {
  return {topology.node(topology.node_of(port)).guid, topology.number_of(port)};
}

// Below what both ends support. FDR10 is not known from PortInfo, so it is never held against.
bool is_degraded(const sm::Snapshot& fabric, PortIndex a, PortIndex b) {
  const mad::PortInfo& one = fabric.registers->ports[a.value];
  const mad::PortInfo& other = fabric.registers->ports[b.value];
  const auto width = mad::active_width(one);
  const auto speed = fabric::link_speed(*fabric.registers, a);
  const auto best_width = mad::best_common_width(one, other);
  const auto best_speed = mad::best_common_speed(one, other);
  return (width && best_width && *width < *best_width) ||
         (speed && best_speed && *speed < *best_speed);
}

std::string name_of_end(const sm::Snapshot* fabric, LinkEnd end) {
  const auto node = fabric == nullptr ? std::nullopt : fabric->topology.find_node(end.node);
  const std::string name =
      node ? fabric->topology.node(*node).description : fmt::format("{:#018x}", end.node.value);
  return fmt::format("{}/{}", name, end.port.value);
}

}  // namespace

perf::HealthPolicy health_policy(const config::Config& config) {
  perf::HealthPolicy policy;
  policy.act = !config.health_dry_run;
  policy.losses = config.health_losses;
  policy.reboots = config.health_reboots;
  policy.silences = config.health_silences;
  policy.window = config.health_window;
  policy.most_links = config.health_most_links;
  policy.most_share = config.health_most_share / 100.0;
  for (const std::string& text : config.health_actions) {
    const auto action = perf::parse_health_action(text);
    if (action) policy.actions[static_cast<std::size_t>(action->first)] = action->second;
  }
  return policy;
}

LinkCare::LinkCare(perf::HealthPolicy policy, Tell tell, Log& log)
    : tell_(std::move(tell)), log_(log) {
  health_.set_policy(policy);
}

void LinkCare::see(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
                   base::Instant now) {
  const bool is_master = state == mad::SMState::Master && fabric != nullptr &&
                         fabric->view != nullptr && fabric->sm_port != fabric::kNoPort;
  if (!is_master || fabric == fabric_) return;
  fabric_ = fabric;
  const fabric::Topology& topology = fabric->topology;
  std::vector<perf::LinkFact> links;
  for (std::uint32_t i = 0; i < topology.port_count(); ++i) {
    const PortIndex port{i}, peer = topology.peer(port);
    if (peer == fabric::kNoPort || !(port < peer)) continue;
    links.push_back({perf::link_of(end_at(topology, port), end_at(topology, peer)),
                     is_degraded(*fabric, port, peer)});
  }
  std::vector<mad::Guid> nodes;
  for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
    nodes.push_back(topology.node(NodeIndex{n}).guid);
  }
  health_.see(now, std::move(links), std::move(nodes));
  renew(now);
}

void LinkCare::see(const perf::Readings& readings, base::Instant now) {
  health_.see(readings);
  renew(now);
}

void LinkCare::hear(const sm::Event& event) {
  if (const auto* noisy = std::get_if<sm::NoisyPortDamped>(&event.value)) {
    health_.see_noise(noisy->node.guid, true);
  } else if (const auto* worse = std::get_if<sm::NoisyPortQuarantined>(&event.value)) {
    health_.see_noise(worse->node.guid, true);
  } else if (const auto* calm = std::get_if<sm::NoisyPortHeardAgain>(&event.value)) {
    health_.see_noise(calm->node.guid, false);
  }
}

void LinkCare::hear(std::shared_ptr<const sm::OrderOutcomes> outcomes) {
  outcomes_ = std::move(outcomes);
  // What was to be switched on is on: that order is over.
  for (const sm::OrderOutcome& outcome : *outcomes_) {
    const LinkEnd at{outcome.order.node, outcome.order.port};
    const auto found = by_hand_.find(at);
    const bool is_it = found != by_hand_.end() && found->second == outcome.order;
    if (is_it && outcome.carried_out && outcome.order.order == sm::LinkOrder::Enable) {
      by_hand_.erase(found);
    }
  }
  collect();
  tell();
}

void LinkCare::obey(const api::CareForLink& command, base::Instant now) {
  using What = api::CareForLink::What;
  const bool by_force = command.may_isolate_host;
  for (const auto& [node, port] : command.ends) {
    const LinkEnd end{node, port};
    switch (command.what) {
      case What::Disable:
        by_hand_[end] = {node, port, sm::LinkOrder::Disable, by_force};
        break;
      case What::RouteAround:
        by_hand_[end] = {node, port, sm::LinkOrder::RouteAround, by_force};
        break;
      case What::Enable:
        by_hand_[end] = {node, port, sm::LinkOrder::Enable};
        break;
      case What::Restore:
        restore(end);
        break;
    }
  }
  renew(now);
}

// By either end. A port that was switched off is switched on, whoever had it done.
void LinkCare::restore(LinkEnd end) {
  std::vector<LinkEnd> ends{end};
  for (const auto& [link, finding] : health_.findings()) {
    if (link.a == end || link.b == end) ends = {link.a, link.b};
  }
  health_.restore(end);
  for (const sm::PortOrder& order : orders_) {
    const LinkEnd at{order.node, order.port};
    if (std::find(ends.begin(), ends.end(), at) == ends.end()) continue;
    by_hand_.erase(at);
    if (order.order == sm::LinkOrder::Disable) {
      by_hand_[at] = {at.node, at.port, sm::LinkOrder::Enable};
    }
  }
}

void LinkCare::change(const perf::HealthPolicy& policy, base::Instant now) {
  health_.set_policy(policy);
  renew(now);
}

std::optional<sm::PortOrders> LinkCare::take_orders() {
  if (!std::exchange(changed_, false)) return std::nullopt;
  return orders_;
}

// At the end that is a switch's; of two switches at the first.
sm::PortOrder LinkCare::order_for(const perf::LinkHealth::Wish& wish) const {
  const auto is_switch = [&](LinkEnd end) {
    const auto node = fabric_ == nullptr ? std::nullopt : fabric_->topology.find_node(end.node);
    return node && fabric_->topology.is_switch(*node);
  };
  const LinkEnd end = is_switch(wish.link.a) || !is_switch(wish.link.b) ? wish.link.a : wish.link.b;
  const auto order =
      wish.action == perf::Action::Disable ? sm::LinkOrder::Disable : sm::LinkOrder::RouteAround;
  return {end.node, end.port, order, wish.action == perf::Action::Isolate};
}

void LinkCare::renew(base::Instant now) {
  const auto before = health_.findings();
  health_.judge(now);
  log_changes(before);
  const bool has_other_orders = collect();
  if (has_other_orders || before != health_.findings()) tell();
}

bool LinkCare::collect() {
  sm::PortOrders orders;
  for (const auto& [end, order] : by_hand_) orders.push_back(order);
  const auto wishes =
      health_.policy().act ? health_.wishes() : std::vector<perf::LinkHealth::Wish>{};
  for (const auto& wish : wishes) {
    sm::PortOrder order = order_for(wish);
    // One that was given keeps its end, whatever has left the picture since.
    for (const sm::PortOrder& given : orders_) {
      const LinkEnd at{given.node, given.port};
      if (at != wish.link.a && at != wish.link.b) continue;
      order.node = given.node;
      order.port = given.port;
    }
    if (by_hand_.count({order.node, order.port}) == 0) orders.push_back(order);
  }
  if (orders == orders_) return false;
  orders_ = std::move(orders);
  changed_ = true;
  return true;
}

std::string LinkCare::name_of(const LinkEnds& link) const {
  return name_of_end(fabric_.get(), link.a) + " - " + name_of_end(fabric_.get(), link.b);
}

// What all links have (a kind of cable, a setting) fills no log: the first are named, the others
// counted. What is done about a link is always told.
void LinkCare::log_changes(const std::map<LinkEnds, Finding>& before) {
  constexpr std::size_t kMostTold = 20;
  std::size_t told = 0;
  for (const auto& [link, finding] : health_.findings()) {
    const auto was = before.find(link);
    const bool is_worse =
        was == before.end() || (finding.conditions & ~was->second.conditions) != 0 ||
        (finding.wanted && !was->second.wanted) || (finding.capped && !was->second.capped);
    if (!is_worse || finding.conditions == 0) continue;
    if (!finding.wanted && !finding.capped && ++told > kMostTold) continue;
    const bool acts = health_.policy().act;
    const std::string what = text_of_conditions(finding);
    const std::string_view action = perf::name_of(finding.action);
    std::string then;
    if (finding.capped) {
      then = fmt::format("; {} is put off, enough is being done", action);
    } else if (finding.wanted) {
      then = fmt::format("; {}: {}", acts ? "ordered" : "would be done", action);
    }
    log_.say(sm::Severity::Warning, "LinkUnwell",
             fmt::format("The link {} is not well: {}{}", name_of(link), what, then),
             {{"link", name_of(link)},
              {"conditions", what},
              {"action", std::string(action)},
              {"ordered", finding.wanted && acts ? "true" : "false"}});
  }
  if (told > kMostTold) {
    const std::string more = std::to_string(told - kMostTold);
    log_.say(sm::Severity::Warning, "LinkUnwell",
             fmt::format("{} more links are not well: heddle show health", more), {{"more", more}});
  }
  for (const auto& [link, finding] : before) {
    if (health_.findings().count(link) != 0) continue;
    log_.say(sm::Severity::Info, "LinkWellAgain", fmt::format("The link {} is well", name_of(link)),
             {{"link", name_of(link)}});
  }
}

void LinkCare::tell() {
  if (!tell_) return;
  auto report = std::make_shared<api::LinkCare>();
  report->acts = health_.policy().act;
  for (const auto& [link, finding] : health_.findings()) report->findings.push_back(finding);
  if (outcomes_ != nullptr) report->orders = *outcomes_;
  tell_(std::move(report));
}

}  // namespace heddle::app
