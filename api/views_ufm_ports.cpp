// SPDX-License-Identifier: BSD-3-Clause
// What clients of UFM do about ports (docs/ufm.md): they declare them unhealthy, whole devices too,
// and ask what became of it. An unhealthy port is one that no route uses: an order of an operator
// as in /v1/links/health.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/lookup.hpp"
#include "api/partitions_json.hpp"
#include "api/ufm_words.hpp"
#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using What = CareForLink::What;

Response wrong(const std::string& why) {
  return refusal(400, why);
}

// Names of ports, found with one look at all of them.
base::Result<std::vector<PortIndex>> ports_named(const fabric::Topology& topology,
                                                 const Json& names) {
  std::map<std::string, PortIndex> wanted;
  for (const Json& name : names) {
    if (!name.is_string()) return base::error("ports are named GUID_NUMBER");
    std::string text = name.get<std::string>();
    if (text.starts_with("0x")) text.erase(0, 2);
    wanted.emplace(std::move(text), fabric::kNoPort);
  }
  for (std::uint32_t i = 0; i < topology.port_count(); ++i) {
    const auto found = wanted.find(ufm_port(topology, PortIndex{i}));
    if (found != wanted.end()) found->second = PortIndex{i};
  }
  std::vector<PortIndex> ports;
  for (const auto& [name, port] : wanted) {
    if (port == fabric::kNoPort) {
      return base::error(fmt::format("there is no port '{}'", base::printable(name)));
    }
    ports.push_back(port);
  }
  return ports;
}

// The ports with links of these devices, by their GUIDs.
base::Result<std::vector<PortIndex>> ports_of_devices(const fabric::Topology& topology,
                                                      const Json& guids) {
  std::vector<PortIndex> ports;
  for (const Json& each : guids) {
    const auto guid = each.is_string() ? guid_of(each.get<std::string>()) : std::nullopt;
    const auto node = guid ? topology.find_node(*guid) : std::nullopt;
    if (!node) return base::error("there is no such device: " + each.dump());
    for (unsigned n = 1; n <= topology.node(*node).port_count; ++n) {
      const PortIndex port = topology.port_of(*node, mad::PortNumber{static_cast<std::uint8_t>(n)});
      if (topology.peer(port) != fabric::kNoPort) ports.push_back(port);
    }
  }
  return ports;
}

// The order about these ports, or why there can be none.
base::Result<CareForLink> care_for(const fabric::Topology& topology,
                                   const std::vector<PortIndex>& ports, What what, bool by_force) {
  CareForLink care{what, {}, by_force};
  std::set<std::pair<mad::Guid, mad::PortNumber>> known;  // both ends may have been named
  for (const PortIndex port : ports) {
    const auto end = switch_end(topology, port);
    if (!end) return base::error(ufm_port(topology, port) + " has no switch at its other end");
    if (known.emplace(end->node, end->port).second) care.ends.push_back(*end);
  }
  if (care.ends.empty()) return base::error("no port with a link is named");
  return care;
}

std::optional<Response> cannot_act(const State& state) {
  if (state.fabric == nullptr) return not_yet();
  if (state.role == mad::SMState::Master) return std::nullopt;
  return refusal(503, "this subnet manager is not master; the fabric is the master's");
}

// Unhealthy by order; nothing for what the fabric no longer has.
std::optional<PortIndex> unhealthy(const State& state, const sm::OrderOutcome& outcome) {
  const sm::PortOrder& order = outcome.order;
  if (state.fabric == nullptr || order.order == sm::LinkOrder::Enable) return std::nullopt;
  const auto node = state.fabric->topology.find_node(order.node);
  if (!node || order.port.value > state.fabric->topology.node(*node).port_count) {
    return std::nullopt;
  }
  return state.fabric->topology.port_of(*node, order.port);
}

template <class Visit>
void for_each_unhealthy(const State& state, const Visit& visit) {
  if (state.care == nullptr) return;
  for (const sm::OrderOutcome& outcome : state.care->orders) {
    if (const auto port = unhealthy(state, outcome)) visit(*port, outcome);
  }
}

// As seen from both ends: a client looks for its port as the peer of another one.
Json unhealthy_json(const fabric::Topology& topology, PortIndex port, PortIndex peer,
                    const sm::OrderOutcome& outcome) {
  Json row{{"Name", ufm_port(topology, port)},
           {"GUID", ufm_guid(topology.node(topology.node_of(port)).guid)},
           {"PortDname", fmt::format("{}", topology.number_of(port).value)},
           {"Description", topology.node(topology.node_of(port)).description},
           {"Status", outcome.carried_out ? "UNHEALTHY" : "PENDING"},
           {"Action", outcome.order.order == sm::LinkOrder::Disable ? "no_discover" : "isolate"},
           {"Refusal", outcome.refusal},
           {"PeerGUID", nullptr},
           {"PeerPortDname", nullptr},
           {"PeerDescription", nullptr}};
  if (peer == fabric::kNoPort) return row;
  const fabric::Node& node = topology.node(topology.node_of(peer));
  row["PeerGUID"] = ufm_guid(node.guid);
  row["PeerPortDname"] = fmt::format("{}", topology.number_of(peer).value);
  row["PeerDescription"] = node.description;
  return row;
}

// A link that no route uses is none of the topology: it is missed, until that is accepted.
PortIndex peer_of(const State& state, PortIndex port, const sm::PortOrder& order) {
  const fabric::Topology& topology = state.fabric->topology;
  if (topology.peer(port) != fabric::kNoPort) return topology.peer(port);
  for (const LostLink& link : state.losses.links()) {
    for (const auto& [here, there] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (here.node != order.node || here.port != order.port) continue;
      const auto node = topology.find_node(there.node);
      if (node && there.port.value <= topology.node(*node).port_count) {
        return topology.port_of(*node, there.port);
      }
    }
  }
  return fabric::kNoPort;
}

constexpr std::string_view kPartitionJob = "partitions-";
constexpr std::string_view kUnhealthyJob = "unhealthy-";
constexpr std::string_view kHealthyJob = "healthy-";

Json job_json(std::string_view id, std::string_view status, std::string_view summary) {
  return {{"ID", id},
          {"Status", status},
          {"Progress", status == "Running" ? 0 : 100},
          {"Summary", summary}};
}

// Of a name like unhealthy-GUID-GUID. Done when there are orders about them, of which each has been
// carried out or refused; of healthy ones when there is none.
std::optional<Json> device_job(const State& state, std::string_view id) {
  const bool healthy = id.starts_with(kHealthyJob);
  if (!healthy && !id.starts_with(kUnhealthyJob)) return std::nullopt;
  std::set<mad::Guid> devices;
  id.remove_prefix(healthy ? kHealthyJob.size() : kUnhealthyJob.size());
  for (const std::string_view word : base::split(id, '-')) {
    const auto guid = guid_of(word);
    if (!guid) return std::nullopt;
    devices.insert(*guid);
  }
  std::string refusals;
  std::size_t orders = 0;
  bool waits = false;
  for_each_unhealthy(state, [&](PortIndex, const sm::OrderOutcome& outcome) {
    if (devices.count(outcome.order.node) == 0) return;
    ++orders;
    if (outcome.carried_out) return;
    if (outcome.refusal.empty()) waits = true;
    refusals += fmt::format("port {}: {}; ", outcome.order.port.value, outcome.refusal);
  });
  if (waits || (orders == 0) != healthy) return job_json(id, "Running", {});
  return refusals.empty() ? job_json(id, "Completed", {})
                          : job_json(id, "Completed With Errors", refusals);
}

}  // namespace

Response get_ufm_unhealthy_ports(const State& state, const Request&, const Target&) {
  Json rows = Json::array();
  for_each_unhealthy(state, [&](PortIndex port, const sm::OrderOutcome& outcome) {
    const fabric::Topology& topology = state.fabric->topology;
    const PortIndex peer = peer_of(state, port, outcome.order);
    rows.push_back(unhealthy_json(topology, port, peer, outcome));
    if (peer != fabric::kNoPort) rows.push_back(unhealthy_json(topology, peer, port, outcome));
  });
  return json_response(rows);
}

Response get_ufm_isolated_ports(const State& state, const Request&, const Target&) {
  Json names = Json::array();
  for_each_unhealthy(state, [&](PortIndex port, const sm::OrderOutcome& outcome) {
    if (outcome.carried_out) names.push_back(ufm_port(state.fabric->topology, port));
  });
  return json_response({{"isolated_ports", std::move(names)}});
}

// {"ports": ["GUID_NUMBER"], "ports_policy": "UNHEALTHY", "action": "isolate"}, or "devices"
// instead of ports.
Response put_ufm_unhealthy_ports(const State& state, const Request& request, const Target& target) {
  if (auto cannot = cannot_act(state)) return std::move(*cannot);
  constexpr const char* kShape =
      "the body is {\"ports\": [...], \"ports_policy\": \"UNHEALTHY\", \"action\": \"isolate\"}";
  const auto body = body_of(request);
  const bool by_name = body && body->contains("ports") && (*body)["ports"].is_array();
  const bool by_device = body && body->contains("devices") && (*body)["devices"].is_array();
  if (by_name == by_device || !body->contains("ports_policy")) return wrong(kShape);
  const bool healthy = (*body)["ports_policy"] == "HEALTHY";
  const Json action = body->value("action", Json("isolate"));
  if (!healthy && (*body)["ports_policy"] != "UNHEALTHY") return wrong(kShape);
  if (!healthy && action != "isolate" && action != "no_discover") return wrong(kShape);
  const fabric::Topology& topology = state.fabric->topology;
  const auto ports = by_name ? ports_named(topology, (*body)["ports"])
                             : ports_of_devices(topology, (*body)["devices"]);
  if (ports.has_error()) return refusal(404, ports.error().message);
  const std::string* force = parameter(target, "force_set");
  const What what = healthy               ? What::Restore
                    : action == "isolate" ? What::RouteAround
                                          : What::Disable;
  auto care = care_for(topology, *ports, what, force != nullptr && *force == "true");
  if (care.has_error()) return wrong(care.error().message);
  Response response = json_response(Json::object());
  response.command = std::move(*care);
  return response;
}

// {"action": "mark_device_unhealthy", "object_ids": ["GUID", ...]}. The job's name says of which
// devices it is, so that nothing need be kept for those who never ask.
Response post_ufm_action(const State& state, const Request& request, const Target& target) {
  if (auto cannot = cannot_act(state)) return std::move(*cannot);
  const auto body = body_of(request);
  const Json action = body ? body->value("action", Json()) : Json();
  const bool healthy = action == "mark_device_healthy";
  if (!healthy && action != "mark_device_unhealthy") {
    return wrong("the action is mark_device_unhealthy or mark_device_healthy");
  }
  const Json devices = body->value("object_ids", Json());
  constexpr std::size_t kMost = 64;
  if (!devices.is_array() || devices.empty() || devices.size() > kMost) {
    return wrong(fmt::format("object_ids has 1 to {} GUIDs", kMost));
  }
  const fabric::Topology& topology = state.fabric->topology;
  const auto ports = ports_of_devices(topology, devices);
  if (ports.has_error()) return refusal(404, ports.error().message);
  auto care = care_for(topology, *ports, healthy ? What::Restore : What::RouteAround, false);
  if (care.has_error()) return wrong(care.error().message);
  std::string id(healthy ? kHealthyJob : kUnhealthyJob);
  for (const Json& device : devices) {
    if (!id.ends_with('-')) id += '-';
    id += ufm_guid(*guid_of(device.get<std::string>()));
  }
  Response response = json_response(job_json(id, "Running", {}), 202);
  response.location = fmt::format("/{}/jobs/{}", target.path.front(), id);
  response.command = std::move(*care);
  return response;
}

Response get_ufm_job(const State& state, const Request&, const Target& target) {
  const std::string_view id = target.path.back();
  if (auto job = device_job(state, id)) {
    (*job)["ID"] = id;
    return json_response(*job);
  }
  const auto generation = id.starts_with(kPartitionJob)
                              ? base::parse_number(id.substr(kPartitionJob.size()))
                              : std::nullopt;
  if (!generation || !state.book || *generation > state.book->now().generation) {
    return refusal(404, "there is no such job");
  }
  return json_response(ufm_job_of(state, *generation));
}

Json ufm_job_of(const State& state, std::uint64_t generation) {
  const auto reached = programmed_generation(state);
  const bool done = reached && *reached >= generation;
  return job_json(fmt::format("{}{}", kPartitionJob, generation), done ? "Completed" : "Running",
                  {});
}

}  // namespace heddle::api
