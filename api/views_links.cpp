// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/lookup.hpp"
#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

using fabric::PortIndex;

// Of the fabric as it is, or by its GUID alone where it is not there.
Json end_json(const State& state, mad::Guid guid, mad::PortNumber port) {
  const auto node = state.fabric == nullptr ? std::nullopt : state.fabric->topology.find_node(guid);
  return {{"node", node ? Json(state.fabric->topology.node(*node).description) : Json(nullptr)},
          {"guid", base::hex(guid.value)},
          {"port", port.value}};
}

const char* state_word(const perf::Finding& finding, bool acts) {
  if (finding.restored) return "restored";
  if (finding.capped) return "put-off";
  if (!finding.wanted) return "reported";
  return acts ? "ordered" : "dry-run";
}

Json finding_json(const State& state, const perf::Finding& finding) {
  Json conditions = Json::array(), counters = Json::array();
  for (std::size_t i = 0; i < perf::kConditionCount; ++i) {
    const auto condition = static_cast<perf::Condition>(i);
    if (has(finding, condition)) conditions.push_back(perf::name_of(condition));
  }
  for (std::size_t i = 0; i < perf::kCounterCount; ++i) {
    if ((finding.counters >> i & 1) == 0) continue;
    counters.push_back(perf::name_of(static_cast<perf::Counter>(i)));
  }
  return {{"a", end_json(state, finding.link.a.node, finding.link.a.port)},
          {"b", end_json(state, finding.link.b.node, finding.link.b.port)},
          {"conditions", std::move(conditions)},
          {"counters", std::move(counters)},
          {"action", perf::name_of(finding.action)},
          {"state", state_word(finding, state.care->acts)}};
}

Json order_json(const State& state, const sm::OrderOutcome& outcome) {
  Json row = end_json(state, outcome.order.node, outcome.order.port);
  row["order"] = sm::name_of(outcome.order.order);
  row["carried_out"] = outcome.carried_out;
  row["refusal"] = outcome.refusal.empty() ? Json(nullptr) : Json(outcome.refusal);
  return row;
}

struct Named {
  fabric::NodeIndex node{};
  mad::PortNumber port{};
  bool force = false;
};

// What the body names, if the fabric has it.
base::Result<Named> named(const sm::Snapshot& fabric, const Request& request) {
  const auto body = body_of(request);
  const bool sound = body && body->contains("node") && (*body)["node"].is_string() &&
                     body->contains("port") && (*body)["port"].is_number_unsigned();
  if (!sound) return base::error("the body is {\"node\": \"...\", \"port\": N}");
  const auto node = find_node(fabric, (*body)["node"].get<std::string>());
  if (node.has_error()) return node.error();
  const auto number = (*body)["port"].get<std::uint64_t>();
  const fabric::Node& there = fabric.topology.node(*node);
  if (number == 0 || number > there.port_count) {
    return base::error(fmt::format("{} has ports 1 to {}", there.description, there.port_count));
  }
  const bool force = body->contains("force") && (*body)["force"] == true;
  return Named{*node, mad::PortNumber{static_cast<std::uint8_t>(number)}, force};
}

Response care(const State& state, const Request& request, CareForLink::What what,
              std::string_view said) {
  if (state.fabric == nullptr) return not_yet();
  const fabric::Topology& topology = state.fabric->topology;
  if (state.role != mad::SMState::Master) {
    return refusal(503, "this subnet manager is not master; the fabric is the master's");
  }
  auto end = named(*state.fabric, request);
  if (end.has_error()) return refusal(400, end.error().message);
  const auto at = switch_end(topology, topology.port_of(end->node, end->port));
  if (!at) return refusal(400, "name the switch's end of the link");
  return accepted(CareForLink{what, {*at}, end->force}, said);
}

}  // namespace

std::optional<CareForLink::End> switch_end(const fabric::Topology& topology, PortIndex port) {
  if (!topology.is_switch(topology.node_of(port))) port = topology.peer(port);
  if (port == fabric::kNoPort || !topology.is_switch(topology.node_of(port))) return std::nullopt;
  return CareForLink::End{topology.node(topology.node_of(port)).guid, topology.number_of(port)};
}

Response get_links_health(const State& state, const Request&, const Target&) {
  Json findings = Json::array(), orders = Json::array();
  if (state.care != nullptr) {
    for (const perf::Finding& finding : state.care->findings) {
      findings.push_back(finding_json(state, finding));
    }
    for (const sm::OrderOutcome& outcome : state.care->orders) {
      orders.push_back(order_json(state, outcome));
    }
  }
  return json_response({{"acts", state.care != nullptr && state.care->acts},
                        {"findings", std::move(findings)},
                        {"orders", std::move(orders)}});
}

Response post_port_disable(const State& state, const Request& request, const Target&) {
  return care(state, request, CareForLink::What::Disable, "port-disable");
}

Response post_port_enable(const State& state, const Request& request, const Target&) {
  return care(state, request, CareForLink::What::Enable, "port-enable");
}

Response post_link_restore(const State& state, const Request& request, const Target&) {
  return care(state, request, CareForLink::What::Restore, "link-restore");
}

}  // namespace heddle::api
