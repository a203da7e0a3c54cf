// SPDX-License-Identifier: BSD-3-Clause
// What clients of UFM do about ports (docs/ufm.md): they declare them unhealthy, whole devices too,
// and ask what became of it. An unhealthy port is one that no route uses: an order of an operator
// as in /v1/links/health.
#include <algorithm>
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
using End = CareForLink::End;
using What = CareForLink::What;

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

PortIndex port_at(const fabric::Topology& topology, const End& end) {
  const auto node = topology.find_node(end.node);
  if (!node || end.port.value > topology.node(*node).port_count) return fabric::kNoPort;
  return topology.port_of(*node, end.port);
}

// What is unhealthy by order.
template <class Visit>
void for_each_unhealthy(const State& state, const Visit& visit) {
  if (state.care == nullptr || state.fabric == nullptr) return;
  for (const sm::OrderOutcome& outcome : state.care->orders) {
    if (outcome.order.order == sm::LinkOrder::Enable) continue;
    const PortIndex port =
        port_at(state.fabric->topology, {outcome.order.node, outcome.order.port});
    if (port != fabric::kNoPort) visit(port, outcome);  // or the fabric has it no longer
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

// At the other end of the cable. A link that no route uses is none of the topology: it is missed,
// until that is accepted; and a host behind it is none of the fabric.
std::optional<End> far_end(const State& state, PortIndex port, const sm::PortOrder& order) {
  const fabric::Topology& topology = state.fabric->topology;
  const PortIndex peer = topology.peer(port);
  if (peer != fabric::kNoPort) {
    return End{topology.node(topology.node_of(peer)).guid, topology.number_of(peer)};
  }
  for (const LostLink& link : state.losses.links()) {
    for (const auto& [here, there] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (here.node == order.node && here.port == order.port) return End{there.node, there.port};
    }
  }
  return std::nullopt;
}

// Whom a client means: ports by their names, or whole devices.
struct Meant {
  std::set<std::string> ports;
  std::set<mad::Guid> devices;

  bool has(const fabric::Topology& topology, const End& end) const {
    if (devices.count(end.node) != 0) return true;
    const PortIndex port = port_at(topology, end);
    return port != fabric::kNoPort && ports.count(ufm_port(topology, port)) != 0;
  }
};

// What was done about them is undone: what the fabric shows of their links, and what is out of it
// by order, which the topology no longer tells of.
CareForLink heal(const State& state, const Meant& meant, const std::vector<PortIndex>& ports) {
  CareForLink care{What::Restore, {}, false};
  std::set<std::pair<mad::Guid, mad::PortNumber>> known;
  const auto add = [&](const End& end) {
    if (known.emplace(end.node, end.port).second) care.ends.push_back(end);
  };
  const fabric::Topology& topology = state.fabric->topology;
  for (const PortIndex port : ports) {
    if (const auto end = switch_end(topology, port)) add(*end);
  }
  for_each_unhealthy(state, [&](PortIndex port, const sm::OrderOutcome& outcome) {
    const End near{outcome.order.node, outcome.order.port};
    const auto far = far_end(state, port, outcome.order);
    if (meant.has(topology, near) || (far && meant.has(topology, *far))) add(near);
  });
  return care;
}

base::Result<Meant> meant_ports(const Json& names) {
  Meant meant;
  for (const Json& name : names) {
    if (!name.is_string()) return base::error("ports are named GUID_NUMBER");
    std::string text = name.get<std::string>();
    if (text.starts_with("0x")) text.erase(0, 2);
    meant.ports.insert(std::move(text));
  }
  return meant;
}

constexpr std::size_t kMostDevices = 64;

base::Result<Meant> meant_devices(const Json& guids) {
  Meant meant;
  if (!guids.is_array() || guids.empty() || guids.size() > kMostDevices) {
    return base::error(fmt::format("devices are 1 to {} GUIDs", kMostDevices));
  }
  for (const Json& each : guids) {
    const auto guid = each.is_string() ? guid_of(each.get<std::string>()) : std::nullopt;
    if (!guid) return base::error("devices are named by their GUIDs");
    meant.devices.insert(*guid);
  }
  return meant;
}

// The ports of the topology that are meant: by name all, found with one look at all of them; of
// devices those with links. An error names whom nobody knows, not by order either.
base::Result<std::vector<PortIndex>> ports_of(const State& state, const Meant& meant) {
  const fabric::Topology& topology = state.fabric->topology;
  std::vector<PortIndex> ports;
  std::set<std::string> unknown = meant.ports;
  for (std::uint32_t i = 0; i < topology.port_count() && !unknown.empty(); ++i) {
    if (unknown.erase(ufm_port(topology, PortIndex{i})) != 0) ports.push_back(PortIndex{i});
  }
  if (!unknown.empty()) {
    return base::error(fmt::format("there is no port '{}'", base::printable(*unknown.begin())));
  }
  std::set<mad::Guid> out_by_order;
  for_each_unhealthy(state, [&](PortIndex port, const sm::OrderOutcome& outcome) {
    if (const auto far = far_end(state, port, outcome.order)) out_by_order.insert(far->node);
  });
  for (const mad::Guid guid : meant.devices) {
    const auto node = topology.find_node(guid);
    if (!node && out_by_order.count(guid) == 0) {
      return base::error("there is no such device: " + ufm_guid(guid));
    }
    for (unsigned n = 1; node && n <= topology.node(*node).port_count; ++n) {
      const PortIndex port = topology.port_of(*node, mad::PortNumber{static_cast<std::uint8_t>(n)});
      if (topology.peer(port) != fabric::kNoPort) ports.push_back(port);
    }
  }
  return ports;
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
  for_each_unhealthy(state, [&](PortIndex port, const sm::OrderOutcome& outcome) {
    // Orders about the link of a host stand at its switch.
    const auto far = far_end(state, port, outcome.order);
    const bool concerns =
        devices.count(outcome.order.node) != 0 || (far && devices.count(far->node) != 0);
    if (!concerns) return;
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
    const auto far = far_end(state, port, outcome.order);
    const PortIndex peer = far ? port_at(topology, *far) : fabric::kNoPort;
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
  if (by_name == by_device || !body->contains("ports_policy")) return refusal(400, kShape);
  if (by_name && (*body)["ports"].empty()) return refusal(400, "no port is named");
  const bool healthy = (*body)["ports_policy"] == "HEALTHY";
  const Json action = body->value("action", Json("isolate"));
  if (!healthy && (*body)["ports_policy"] != "UNHEALTHY") return refusal(400, kShape);
  if (!healthy && action != "isolate" && action != "no_discover") return refusal(400, kShape);
  const auto meant = by_name ? meant_ports((*body)["ports"]) : meant_devices((*body)["devices"]);
  if (meant.has_error()) return refusal(400, meant.error().message);
  const auto ports = ports_of(state, *meant);
  if (ports.has_error()) return refusal(404, ports.error().message);
  const std::string* force = parameter(target, "force_set");
  Response response = json_response(Json::object());
  auto care = healthy ? base::Result<CareForLink>(heal(state, *meant, *ports))
                      : care_for(state.fabric->topology, *ports,
                                 action == "isolate" ? What::RouteAround : What::Disable,
                                 force != nullptr && *force == "true");
  if (care.has_error()) return refusal(400, care.error().message);
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
    return refusal(400, "the action is mark_device_unhealthy or mark_device_healthy");
  }
  const auto meant = meant_devices(body->value("object_ids", Json()));
  if (meant.has_error()) return refusal(400, "object_ids: " + meant.error().message);
  const auto ports = ports_of(state, *meant);
  if (ports.has_error()) return refusal(404, ports.error().message);
  auto care = healthy ? base::Result<CareForLink>(heal(state, *meant, *ports))
                      : care_for(state.fabric->topology, *ports, What::RouteAround, false);
  if (care.has_error()) return refusal(400, care.error().message);
  std::string id(healthy ? kHealthyJob : kUnhealthyJob);
  for (const mad::Guid guid : meant->devices) {
    if (!id.ends_with('-')) id += '-';
    id += ufm_guid(guid);
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
