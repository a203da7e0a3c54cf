// SPDX-License-Identifier: BSD-3-Clause
#include "api/handler.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto byte = base::parse_hex(text.substr(i + 1, 2));
      if (!byte || text.substr(i + 1, 2).starts_with("0x")) return std::nullopt;
      out += static_cast<char>(*byte);
      i += 2;
    }
  }
  return out;
}

bool parse_query(std::string_view text, std::map<std::string, std::string>& query) {
  if (text.empty()) return true;
  const auto pieces = base::split(text, '&');
  if (pieces.size() > kMaxParameters) return false;
  for (const std::string_view piece : pieces) {
    const std::size_t equals = std::min(piece.find('='), piece.size());
    auto name = decoded(piece.substr(0, equals), true);
    auto value = decoded(piece.substr(std::min(equals + 1, piece.size())), true);
    if (!name || !value || name->empty()) return false;
    query.insert_or_assign(std::move(*name), std::move(*value));
  }
  return true;
}

// A word in braces stands for any word.
bool fits(const Route& route, const Target& target) {
  const auto wanted = base::split(route.path.substr(1), '/');
  if (wanted.size() != target.path.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].starts_with('{') && wanted[i] != target.path[i]) return false;
  }
  return true;
}

std::optional<std::string_view> unknown_parameter(const Route& route, const Target& target) {
  for (const auto& [name, value] : target.query) {
    if (std::find(route.query.begin(), route.query.end(), name) == route.query.end()) return name;
  }
  return std::nullopt;
}

Response answer_by(const Route& route, const Request& request, const State& state,
                   const Target& target) {
  if (request.role < route.least) {
    if (request.role == Role::Nobody) return refusal(401, "a token is needed");
    return refusal(403, "you may look, but not change anything");
  }
  if (const auto unknown = unknown_parameter(route, target)) {
    return refusal(400, fmt::format("there is no parameter '{}' here", base::printable(*unknown)));
  }
  return route.answer(state, request, target);
}

// What clients of UFM call of it. They name its roots by how they log in, which is all one here.
std::vector<Route> ufm_routes() {
  const std::pair<std::string_view, Route> all[] = {
      {"app/ufm_version", {"GET", {}, {}, Role::Reader, &get_ufm_version}},
      {"app/smconf", {"GET", {}, {}, Role::Reader, &get_ufm_smconf}},
      {"resources/ports", {"GET", {}, {"sys_type"}, Role::Reader, &get_ufm_ports}},
      {"resources/pkeys", {"GET", {}, {"guids_data", "qos_conf"}, Role::Reader, &get_ufm_pkeys}},
      {"resources/pkeys/", {"GET", {}, {"guids_data", "qos_conf"}, Role::Reader, &get_ufm_pkeys}},
      {"resources/pkeys/last_updated", {"GET", {}, {}, Role::Reader, &get_ufm_last_updated}},
      {"resources/pkeys/{pkey}",
       {"GET", {}, {"guids_data", "qos_conf"}, Role::Reader, &get_ufm_pkey}},
      {"resources/pkeys", {"POST", {}, {}, Role::Writer, &post_ufm_pkeys}},
      {"resources/pkeys/", {"POST", {}, {}, Role::Writer, &post_ufm_pkeys}},
      {"resources/pkeys/add", {"POST", {}, {}, Role::Writer, &post_ufm_empty_pkey}},
      {"resources/pkeys/hosts", {"POST", {}, {}, Role::Writer, &post_ufm_hosts}},
      {"resources/pkeys/qos_conf", {"PUT", {}, {}, Role::Writer, &put_ufm_qos}},
      {"resources/pkeys/{pkey}/hosts/{hosts}", {"DELETE", {}, {}, Role::Writer, &delete_ufm_hosts}},
      {"resources/pkeys/{pkey}/guids/{guids}", {"DELETE", {}, {}, Role::Writer, &delete_ufm_guids}},
      {"actions/remove_guids_from_pkey", {"POST", {}, {}, Role::Writer, &post_ufm_remove_guids}},
      {"actions", {"POST", {}, {}, Role::Writer, &post_ufm_action}},
      {"jobs/{job}", {"GET", {}, {}, Role::Reader, &get_ufm_job}},
      {"app/unhealthy_ports", {"GET", {}, {}, Role::Reader, &get_ufm_unhealthy_ports}},
      {"app/unhealthy_ports", {"PUT", {}, {"force_set"}, Role::Writer, &put_ufm_unhealthy_ports}},
      {"resources/isolated_ports", {"GET", {}, {}, Role::Reader, &get_ufm_isolated_ports}},
  };
  static std::deque<std::string> paths;  // which the routes only point to
  std::vector<Route> table;
  for (const std::string_view root : {"ufmRest", "ufmRestV2", "ufmRestV3"}) {
    for (const auto& [path, route] : all) {
      table.push_back(route);
      table.back().path = paths.emplace_back(fmt::format("/{}/{}", root, path));
    }
  }
  return table;
}

std::vector<Route> own_routes() {
  return {
      // The page itself holds nothing of the fabric; what it asks for is guarded as for others.
      {"GET", "/", {}, Role::Nobody, &get_index},
      {"GET", "/ui/{file}", {}, Role::Nobody, &get_page},
      {"GET", "/v1/openapi.json", {}, Role::Nobody, &get_openapi},
      {"GET", "/v1/picture", {}, Role::Reader, &get_picture},
      {"GET", "/v1/picture/load", {}, Role::Reader, &get_load},
      {"GET", "/v1/what-if", {"cut", "from", "to"}, Role::Reader, &get_what_if},
      {"GET", "/healthz", {}, Role::Nobody, &get_health},
      {"GET", "/readyz", {}, Role::Nobody, &get_ready},
      {"GET", "/metrics", {}, Role::Reader, &get_metrics},
      {"GET", "/v1/status", {}, Role::Reader, &get_status},
      {"GET", "/v1/fabric", {}, Role::Reader, &get_fabric},
      {"GET", "/v1/nodes", {"type"}, Role::Reader, &get_nodes},
      {"GET", "/v1/nodes/{node}", {}, Role::Reader, &get_node},
      {"GET", "/v1/ports", {"node"}, Role::Reader, &get_ports},
      {"GET", "/v1/virtual-ports", {"node"}, Role::Reader, &get_virtual_ports},
      {"GET", "/v1/links", {"node"}, Role::Reader, &get_links},
      {"GET", "/v1/links/load", {"node", "only"}, Role::Reader, &get_links_load},
      {"GET", "/v1/links/health", {}, Role::Reader, &get_links_health},
      {"GET", "/v1/congestion", {}, Role::Reader, &get_congestion},
      {"GET", "/v1/counters", {"node", "only"}, Role::Reader, &get_counters},
      {"GET", "/v1/path", {"from", "to"}, Role::Reader, &get_path},
      {"GET", "/v1/routes", {"switch"}, Role::Reader, &get_routes},
      {"GET", "/v1/explain/path", {"from", "to"}, Role::Reader, &get_explain_path},
      {"GET", "/v1/explain/port", {"port"}, Role::Reader, &get_explain_port},
      {"GET", "/v1/explain/refusals", {"about"}, Role::Reader, &get_explain_refusals},
      {"GET", "/v1/partitions", {}, Role::Reader, &get_partitions},
      {"GET", "/v1/partitions/managed", {"wait"}, Role::Reader, &get_managed_partitions},
      {"POST",
       "/v1/partitions/managed",
       {"if_generation", "wait"},
       Role::Writer,
       &post_managed_changes},
      {"GET", "/v1/partitions/managed/{p_key}", {}, Role::Reader, &get_managed_partition},
      {"PUT",
       "/v1/partitions/managed/{p_key}",
       {"if_generation", "wait"},
       Role::Writer,
       &put_managed_partition},
      {"DELETE",
       "/v1/partitions/managed/{p_key}",
       {"if_generation", "wait"},
       Role::Writer,
       &delete_managed_partition},
      {"GET", "/v1/groups", {}, Role::Reader, &get_groups},
      {"GET", "/v1/sm", {}, Role::Reader, &get_manager},
      {"GET", "/v1/sa/load", {}, Role::Reader, &get_demand},
      {"GET", "/v1/sweeps", {}, Role::Reader, &get_sweeps},
      {"GET", "/v1/events", {"after", "limit"}, Role::Reader, &get_events},
      {"GET", "/v1/events/stream", {"after"}, Role::Reader, &get_event_stream},
      {"GET", "/v1/export/{format}", {}, Role::Reader, &get_export},
      {"POST", "/v1/resweep", {}, Role::Writer, &post_resweep},
      {"POST", "/v1/reload", {}, Role::Writer, &post_reload},
      {"POST", "/v1/log-level", {}, Role::Writer, &post_log_level},
      {"POST", "/v1/priority", {}, Role::Writer, &post_priority},
      {"POST", "/v1/hand-over", {}, Role::Writer, &post_hand_over},
      {"POST", "/v1/ports/disable", {}, Role::Writer, &post_port_disable},
      {"POST", "/v1/ports/enable", {}, Role::Writer, &post_port_enable},
      {"POST", "/v1/links/restore", {}, Role::Writer, &post_link_restore},
      {"POST", "/v1/losses/accept", {}, Role::Writer, &post_accept_losses},
  };
}

}  // namespace

Response refusal(unsigned status, const std::string& message) {
  Response response;
  response.status = status;
  response.body = dump({{"error", {{"status", status}, {"message", message}}}}) + "\n";
  return response;
}

std::optional<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/') || text.size() > kMaxTargetBytes) return std::nullopt;
  const std::size_t question = std::min(text.find('?'), text.size());
  Target target;
  for (const std::string_view word : base::split(text.substr(1, question - 1), '/')) {
    auto whole = decoded(word, false);
    if (!whole) return std::nullopt;
    target.path.push_back(std::move(*whole));
  }
  if (!parse_query(text.substr(std::min(question + 1, text.size())), target.query)) {
    return std::nullopt;
  }
  return target;
}

std::span<const Route> routes() {
  static const std::vector<Route> table = [] {
    std::vector<Route> all = own_routes();
    for (Route& route : ufm_routes()) all.push_back(std::move(route));
    return all;
  }();
  return table;
}

Response handle(const Request& request, const State& state) {
  const auto target = parse_target(request.target);
  if (!target) return refusal(400, "the target of the request is no path, or has too much in it");
  // What HEAD would get is asked for, and its body left out by whoever sends it.
  const bool is_head = request.method == "HEAD";
  const std::string_view method = is_head ? std::string_view("GET") : request.method;
  std::string allowed;
  for (const Route& route : routes()) {
    if (!fits(route, *target)) continue;
    if (route.method == method) return answer_by(route, request, state, *target);
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  if (request.role == Role::Nobody) return refusal(401, "a token is needed");
  if (allowed.empty()) return refusal(404, "there is nothing here");
  Response response = refusal(405, fmt::format("only {} is understood here", allowed));
  response.allow = std::move(allowed);
  return response;
}

}  // namespace heddle::api
