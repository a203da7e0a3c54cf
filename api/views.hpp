// SPDX-License-Identifier: BSD-3-Clause
// One function for each route (api/handler.cpp has the table).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/handler.hpp"
#include "api/path.hpp"
#include "api/rows.hpp"

namespace heddle::api {

// --- the fabric (views_fabric.cpp)
Response get_fabric(const State&, const Request&, const Target&);
Response get_nodes(const State&, const Request&, const Target&);
Response get_node(const State&, const Request&, const Target&);
Response get_ports(const State&, const Request&, const Target&);
Response get_links(const State&, const Request&, const Target&);
Response get_path(const State&, const Request&, const Target&);
Response get_routes(const State&, const Request&, const Target&);
Response get_partitions(const State&, const Request&, const Target&);
Response get_groups(const State&, const Request&, const Target&);
Response get_export(const State&, const Request&, const Target&);

// --- virtual ports (views_virtual.cpp)
Response get_virtual_ports(const State&, const Request&, const Target&);

// --- what its ports counted (views_counters.cpp)
Response get_counters(const State&, const Request&, const Target&);
Response get_links_load(const State&, const Request&, const Target&);

// --- what is wrong with links, and done about it (views_links.cpp)
Response get_links_health(const State&, const Request&, const Target&);
Response post_port_disable(const State&, const Request&, const Target&);
Response post_port_enable(const State&, const Request&, const Target&);
Response post_link_restore(const State&, const Request&, const Target&);

// --- what is done about congestion (views_congestion.cpp)
Response get_congestion(const State&, const Request&, const Target&);

// --- the subnet manager (views_manager.cpp)
Response get_health(const State&, const Request&, const Target&);
Response get_ready(const State&, const Request&, const Target&);
Response get_metrics(const State&, const Request&, const Target&);
Response get_status(const State&, const Request&, const Target&);
Response get_manager(const State&, const Request&, const Target&);
Response get_demand(const State&, const Request&, const Target&);
Response get_sweeps(const State&, const Request&, const Target&);
Response get_events(const State&, const Request&, const Target&);
Response get_event_stream(const State&, const Request&, const Target&);
Response post_resweep(const State&, const Request&, const Target&);
Response post_reload(const State&, const Request&, const Target&);
Response post_log_level(const State&, const Request&, const Target&);
Response post_priority(const State&, const Request&, const Target&);
Response post_hand_over(const State&, const Request&, const Target&);
Response post_accept_losses(const State&, const Request&, const Target&);

// --- partitions that programs change (views_partitions.cpp)
Response get_managed_partitions(const State&, const Request&, const Target&);
Response get_managed_partition(const State&, const Request&, const Target&);
Response put_managed_partition(const State&, const Request&, const Target&);
Response delete_managed_partition(const State&, const Request&, const Target&);
Response post_managed_changes(const State&, const Request&, const Target&);

// --- the same, as clients of UFM ask for it (views_ufm.cpp)
Response get_ufm_version(const State&, const Request&, const Target&);
Response get_ufm_pkeys(const State&, const Request&, const Target&);
Response get_ufm_pkey(const State&, const Request&, const Target&);
Response get_ufm_last_updated(const State&, const Request&, const Target&);
Response get_ufm_ports(const State&, const Request&, const Target&);
Response get_ufm_smconf(const State&, const Request&, const Target&);
Response post_ufm_pkeys(const State&, const Request&, const Target&);
Response post_ufm_empty_pkey(const State&, const Request&, const Target&);
Response post_ufm_remove_guids(const State&, const Request&, const Target&);
Response post_ufm_hosts(const State&, const Request&, const Target&);
Response delete_ufm_hosts(const State&, const Request&, const Target&);
Response delete_ufm_guids(const State&, const Request&, const Target&);
Response put_ufm_qos(const State&, const Request&, const Target&);
// --- and what they do about ports (views_ufm_ports.cpp)
Response get_ufm_unhealthy_ports(const State&, const Request&, const Target&);
Response get_ufm_isolated_ports(const State&, const Request&, const Target&);
Response put_ufm_unhealthy_ports(const State&, const Request&, const Target&);
Response post_ufm_action(const State&, const Request&, const Target&);
Response get_ufm_job(const State&, const Request&, const Target&);

// --- why things are as they are (views_explain.cpp)
Response get_explain_path(const State&, const Request&, const Target&);
Response get_explain_port(const State&, const Request&, const Target&);
Response get_explain_refusals(const State&, const Request&, const Target&);

// --- the dashboard (views_dashboard.cpp)
Response get_index(const State&, const Request&, const Target&);
Response get_page(const State&, const Request&, const Target&);
Response get_openapi(const State&, const Request&, const Target&);
Response get_picture(const State&, const Request&, const Target&);
Response get_load(const State&, const Request&, const Target&);
Response get_what_if(const State&, const Request&, const Target&);

// --- what they share
const std::string* parameter(const Target& target, const char* name);
// The node that the parameter `node` names; nothing when there is no such parameter.
base::Result<std::optional<fabric::NodeIndex>> wanted_node(const sm::Snapshot& fabric,
                                                           const Target& target);
// Ports are switched at the switch's end of a cable: the other could not be switched on again.
// Nothing where there is no switch.
std::optional<CareForLink::End> switch_end(const fabric::Topology& topology,
                                           fabric::PortIndex port);
// From the port that the parameter `from` names to that of `to`, on the LID if that is one. Nothing
// when a word is missing or names nobody; `otherwise` says so then.
std::optional<Path> wanted_path(const sm::Snapshot& fabric, const Target& target,
                                Response& otherwise);
Response json_response(const Json& json, unsigned status = 200);
Response accepted(Command command, std::string_view what);
// The body as an object; an empty one if there is none, nothing if it is something else.
std::optional<Json> body_of(const Request& request);
// What is said of nearly everything before the first sweep is over.
Response not_yet();
// What the fabric has reached. Nothing while this subnet manager is not master: partitions are the
// master's.
std::optional<std::uint64_t> programmed_generation(const State& state);
// All of the changes are written down, and the command is what has the subnet manager use them; no
// command if nothing is different. Otherwise the answer says why not: this is not the master, the
// generation is not the wanted one, a change is wrong, or the disk is full.
std::optional<Response> change_book(const State& state,
                                    const std::vector<partitions::ManagedChange>& changes,
                                    std::optional<Command>& command,
                                    std::optional<std::uint64_t> generation = {});

// {"sweep": N, "NAME": [rows]}, made as it is sent: row(i) for i below `count`; a row that is null
// is left out.
Response table_response(std::uint64_t sweep, std::string_view name, std::size_t count,
                        std::function<Json(std::size_t)> row);

// Also of /v1/status.
Json manager_json(const State& state);
Json fabric_json(const sm::Snapshot& fabric);

}  // namespace heddle::api
