// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "api/lookup.hpp"
#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

Json agent_json(const State& state, const congestion::AgentReport& agent) {
  const auto node =
      state.fabric == nullptr ? std::nullopt : state.fabric->topology.find_node(agent.node);
  Json ports = Json::array(), levels = Json::array();
  for (unsigned port = 0; port < agent.ports.size(); ++port) {
    if (agent.ports[port]) ports.push_back(port);
  }
  for (unsigned level = 0; level < 16; ++level) {
    if ((agent.levels >> level & 1) != 0) levels.push_back(level);
  }
  const std::string why = congestion::explain(agent);
  return {{"node", node ? Json(state.fabric->topology.node(*node).description) : Json(nullptr)},
          {"guid", base::hex(agent.node.value)},
          {"port", agent.port.value},
          {"kind", agent.is_switch ? "switch" : "adapter"},
          {"state", congestion::name_of(agent.outcome)},
          {"why", why.empty() ? Json(nullptr) : Json(why)},
          {"writes", agent.writes},
          {"key_violations", agent.violations},
          {"table_room", agent.room},
          {"events", agent.events},
          {"marking_ports", std::move(ports)},
          {"notified_levels", std::move(levels)}};
}

Json lid_json(const State& state, mad::Lid lid) {
  if (state.fabric == nullptr || state.fabric->lids.top() == mad::kNoLid) return nullptr;
  const auto port = state.fabric->lids.owner(lid);
  if (port == fabric::kNoPort) return nullptr;
  return end_row(state.fabric->topology, port);
}

Json flow_json(const State& state, const Json& agent, const congestion::LogEntry& entry) {
  return {
      {"logged_by", {{"node", agent["node"]}, {"guid", agent["guid"]}, {"port", agent["port"]}}},
      {"from", lid_json(state, entry.from)},
      {"from_lid", entry.from.value},
      {"to", lid_json(state, entry.to)},
      {"to_lid", entry.to.value},
      {"service_level", entry.sl.value},
      {"time_stamp", entry.time_stamp}};
}

}  // namespace

Response get_congestion(const State& state, const Request&, const Target&) {
  Json agents = Json::array(), flows = Json::array();
  const congestion::Report* report = state.congestion.get();
  if (report != nullptr) {
    for (const congestion::AgentReport& each : report->agents) {
      Json agent = agent_json(state, each);
      for (const congestion::LogEntry& entry : each.flows) {
        flows.push_back(flow_json(state, agent, entry));
      }
      agents.push_back(std::move(agent));
    }
  }
  return json_response({{"acts", report != nullptr},
                        {"stopped", report != nullptr && report->stopped},
                        {"checks", report == nullptr ? 0 : report->checks},
                        {"agents", std::move(agents)},
                        {"flows", std::move(flows)}});
}

}  // namespace heddle::api
