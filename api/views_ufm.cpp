// SPDX-License-Identifier: BSD-3-Clause
// What clients of UFM call of it (docs/ufm.md), answered as they expect: ib-kubernetes, schedulers'
// prologs, inventories. Their calls become changes of the same partitions as those of /v1.
#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/lookup.hpp"
#include "api/partitions_json.hpp"
#include "api/ufm_words.hpp"
#include "api/views.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"
#include "mad/names.hpp"
#include "mad/sa_rate.hpp"

namespace heddle::api {
namespace {

using partitions::BaseKey;
using partitions::ManagedChange;
using partitions::ManagedPartition;
using partitions::Membership;

std::string ufm_key(BaseKey key) {
  return fmt::format("{:#x}", key.value);
}

// Of a node's description: most often the name of its host.
std::string_view first_word(std::string_view description) {
  return description.substr(0, description.find(' '));
}

Response wrong(const std::string& why) {
  return refusal(400, why);
}

// The change, answered with 200 when it is written down: the fabric follows, as with UFM.
Response carry_out(const State& state, const ManagedChange& change) {
  Response response = json_response(Json::object());
  if (auto refused = change_book(state, {change}, response.command)) return std::move(*refused);
  return response;
}

bool flag_in(const Json& body, const char* name, bool otherwise) {
  const auto found = body.find(name);
  return found != body.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::optional<BaseKey> key_in(const Json& body) {
  const auto found = body.find("pkey");
  return found == body.end() ? std::nullopt : base_key_of(*found);
}

// "full" unless the body says otherwise, for all or, in a list as long as that of GUIDs, for each.
std::optional<Membership> membership_in(const Json& body, std::size_t index) {
  const Json* word = nullptr;
  if (const auto one = body.find("membership"); one != body.end()) word = &*one;
  if (const auto each = body.find("memberships"); each != body.end()) {
    if (!each->is_array() || index >= each->size()) return std::nullopt;
    word = &(*each)[index];
  }
  if (word == nullptr || *word == "full") return Membership::Full;
  return *word == "limited" ? std::optional(Membership::Limited) : std::nullopt;
}

// The list of GUIDs; nothing if it is none, or holds what is no GUID.
std::optional<std::vector<mad::Guid>> guids_in(const Json& body) {
  const auto list = body.find("guids");
  if (list == body.end() || !list->is_array()) return std::nullopt;
  std::vector<mad::Guid> guids;
  for (const Json& each : *list) {
    const auto guid = each.is_string() ? guid_of(each.get<std::string>()) : std::nullopt;
    if (!guid) return std::nullopt;
    guids.push_back(*guid);
  }
  return guids;
}

ManagedPartition like(const Json& body, BaseKey key) {
  ManagedPartition partition;
  partition.ipoib = flag_in(body, "ip_over_ib", true);
  partition.index0 = key != partitions::kDefaultBaseKey && flag_in(body, "index0", false);
  const auto name = body.find("partition_name");
  partition.name = name != body.end() && name->is_string() ? name->get<std::string>()
                                                           : "api_pkey_" + ufm_key(key);
  return partition;
}

Response add(const State& state, const Json& body, const std::vector<mad::Guid>& guids) {
  const auto key = key_in(body);
  if (!key) return wrong("pkey is 0x1 to 0x7fff");
  partitions::AddMembers change{*key, {}, like(body, *key)};
  for (std::size_t i = 0; i < guids.size(); ++i) {
    const auto membership = membership_in(body, i);
    if (!membership) return wrong("a membership is full or limited, and memberships one for each");
    change.members[guids[i]] = *membership;
  }
  return carry_out(state, change);
}

// Ports of the hosts with these names, which commas part. An error names who is not there.
base::Result<std::vector<mad::Guid>> guids_of_hosts(const State& state, std::string_view names) {
  if (state.fabric == nullptr) return base::error("the fabric is not up yet");
  const fabric::Topology& topology = state.fabric->topology;
  // A host with several adapters is several nodes with the same first word.
  std::map<std::string_view, std::vector<mad::Guid>> hosts;
  for (const std::string_view name : base::split(names, ',')) hosts[base::trim(name)];
  for (const fabric::PortIndex port : topology.endports()) {
    const fabric::Node& node = topology.node(topology.node_of(port));
    if (node.type != mad::NodeType::ChannelAdapter) continue;
    const auto host = hosts.find(first_word(node.description));
    if (host != hosts.end()) host->second.push_back(topology.port(port).guid);
  }
  std::vector<mad::Guid> guids;
  for (const auto& [name, ports] : hosts) {
    if (ports.empty()) {
      return base::error(fmt::format("there is no host '{}'", base::printable(name)));
    }
    guids.insert(guids.end(), ports.begin(), ports.end());
  }
  return guids;
}

Json guids_json(const ManagedPartition& partition) {
  Json guids = Json::array();
  for (const auto& [guid, membership] : partition.members) {
    guids.push_back({{"guid", ufm_guid(guid)},
                     {"membership", membership == Membership::Full ? "full" : "limited"},
                     {"index0", partition.index0}});
  }
  return guids;
}

Json qos_json(const ManagedPartition& partition) {
  double gigabits = 0;
  for (const mad::SARate& rate : mad::kSARates) {
    if (rate.code == partition.rate) gigabits = rate.tenths / 10.0;
  }
  return {{"mtu_limit", mad::mtu_bytes(partition.mtu) / 1024},
          {"service_level", partition.sl},
          {"rate_limit", gigabits}};
}

// By the parameters guids_data and qos_conf, of which UFM takes one at a time.
Json partition_json(const ManagedPartition& partition, const Target& target) {
  const auto wants = [&](const char* name) {
    const std::string* word = parameter(target, name);
    return word != nullptr && *word != "false";
  };
  Json json{{"partition", partition.name}, {"ip_over_ib", partition.ipoib}};
  if (wants("guids_data")) json["guids"] = guids_json(partition);
  if (wants("qos_conf")) json["qos_conf"] = qos_json(partition);
  return json;
}

Json port_json(const sm::Snapshot& fabric, fabric::PortIndex port) {
  const fabric::Topology& topology = fabric.topology;
  const fabric::Node& node = topology.node(topology.node_of(port));
  const mad::PortInfo& info = fabric.registers->ports[port.value];
  const bool is_active = info.port_state == mad::PortState::Active;
  const bool is_up = info.port_physical_state == mad::PortPhysicalState::LinkUp;
  const auto number = topology.number_of(port).value;
  return {{"guid", ufm_guid(topology.port(port).guid)},
          {"name", ufm_port(topology, port)},
          {"number", number},
          {"systemID", ufm_guid(node.system_image_guid)},
          {"system_name", first_word(node.description)},
          {"node_description", node.description},
          {"dname", fmt::format("{}", number)},
          {"lid", lid_of(fabric, port).value},
          {"physical_state", is_up ? "Link Up" : "Link Down"},
          {"logical_state", is_active ? "Active" : std::string(mad::name_of(info.port_state))}};
}

}  // namespace

std::string ufm_guid(mad::Guid guid) {
  return fmt::format("{:016x}", guid.value);
}

std::string ufm_port(const fabric::Topology& topology, fabric::PortIndex port) {
  const auto node = topology.node_of(port);
  const mad::Guid guid =
      topology.is_switch(node) ? topology.node(node).guid : topology.port(port).guid;
  return fmt::format("{}_{}", ufm_guid(guid), topology.number_of(port).value);
}

Response get_ufm_version(const State& state, const Request&, const Target&) {
  return json_response({{"ufm_release_version", "6.0.0 heddle-" + state.identity.version}});
}

Response post_ufm_pkeys(const State& state, const Request& request, const Target&) {
  const auto body = body_of(request);
  if (!body) return wrong("the body is no JSON object");
  const auto guids = guids_in(*body);
  if (!guids) return wrong("guids is a list of GUIDs of 16 digits");
  return add(state, *body, *guids);
}

Response post_ufm_empty_pkey(const State& state, const Request& request, const Target&) {
  const auto body = body_of(request);
  return body ? add(state, *body, {}) : wrong("the body is no JSON object");
}

Response post_ufm_remove_guids(const State& state, const Request& request, const Target&) {
  const auto body = body_of(request);
  const auto key = body ? key_in(*body) : std::nullopt;
  const auto guids = body ? guids_in(*body) : std::nullopt;
  if (!key || !guids) return wrong("the body is {\"pkey\": \"0x1\", \"guids\": [...]}");
  return carry_out(state, partitions::RemoveMembers{*key, *guids});
}

Response post_ufm_hosts(const State& state, const Request& request, const Target&) {
  const auto body = body_of(request);
  const auto names = body ? body->find("hosts_names") : Json::const_iterator();
  if (!body || names == body->end() || !names->is_string()) {
    return wrong("the body is {\"pkey\": \"0x1\", \"hosts_names\": \"a,b\"}");
  }
  const auto guids = guids_of_hosts(state, names->get<std::string>());
  if (guids.has_error()) return refusal(404, guids.error().message);
  Response response = add(state, *body, *guids);
  if (response.status == 200) {
    // Prologs may wait until the fabric has it.
    const std::uint64_t generation = state.book->now().generation;
    response.body = json_response(ufm_job_of(state, generation)).body;
  }
  return response;
}

Response delete_ufm_hosts(const State& state, const Request&, const Target& target) {
  const auto key = base_key_of(std::string_view(target.path[3]));
  if (!key) return wrong("pkey is 0x1 to 0x7fff");
  const auto guids = guids_of_hosts(state, target.path.back());
  if (guids.has_error()) return refusal(404, guids.error().message);
  return carry_out(state, partitions::RemoveMembers{*key, *guids});
}

Response delete_ufm_guids(const State& state, const Request&, const Target& target) {
  const auto key = base_key_of(std::string_view(target.path[3]));
  partitions::RemoveMembers change;
  for (const std::string_view word : base::split(target.path.back(), ',')) {
    const auto guid = guid_of(base::trim(word));
    if (!guid) return wrong("a GUID has 16 digits");
    change.members.push_back(*guid);
  }
  if (!key) return wrong("pkey is 0x1 to 0x7fff");
  change.key = *key;
  return carry_out(state, change);
}

Response put_ufm_qos(const State& state, const Request& request, const Target&) {
  const auto body = body_of(request);
  const auto key = body ? key_in(*body) : std::nullopt;
  if (!key || !state.book) return wrong("the body is {\"pkey\": \"0x1\", \"mtu_limit\": 4, ...}");
  const auto found = state.book->now().partitions.find(*key);
  if (found == state.book->now().partitions.end()) return refusal(404, "there is no such pkey");
  // The words of /v1 for it.
  Json whole = json_of(*key, found->second);
  if (const auto limit = body->find("mtu_limit"); limit != body->end()) {
    if (*limit != 2 && *limit != 4) return wrong("mtu_limit is 2 or 4, in kilobytes");
    whole["mtu"] = *limit == 4 ? 4096 : 2048;
  }
  if (body->contains("service_level")) whole["service_level"] = (*body)["service_level"];
  if (body->contains("rate_limit")) whole["gigabits"] = (*body)["rate_limit"];
  const auto set = partition_of(whole);
  return set ? carry_out(state, *set) : wrong(set.error().message);
}

Response get_ufm_pkeys(const State& state, const Request&, const Target& target) {
  const bool bare = target.query.empty();
  Json all = bare ? Json::array() : Json::object();
  if (!state.book) return json_response(all);
  for (const auto& [key, partition] : state.book->now().partitions) {
    if (bare) {
      all.push_back(ufm_key(key));
    } else {
      all[ufm_key(key)] = partition_json(partition, target);
    }
  }
  return json_response(all);
}

Response get_ufm_pkey(const State& state, const Request&, const Target& target) {
  const auto key = base_key_of(std::string_view(target.path.back()));
  if (!key || !state.book) return refusal(404, "there is no such pkey");
  const auto found = state.book->now().partitions.find(*key);
  if (found == state.book->now().partitions.end()) return refusal(404, "there is no such pkey");
  return json_response(partition_json(found->second, target));
}

Response get_ufm_last_updated(const State& state, const Request&, const Target&) {
  const auto time =
      state.book && state.book->changed_at() ? *state.book->changed_at() : state.identity.started;
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  return json_response(
      {{"last_updated", fmt::format("{:%a %b %d %H:%M:%S UTC %Y}", fmt::gmtime(seconds))},
       {"last_updated_rfc3339", text(time)}});
}

Response get_ufm_ports(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  const std::string* type = parameter(target, "sys_type");
  if (type != nullptr && *type != "Computer") return wrong("sys_type is Computer");
  Json rows = Json::array();
  const fabric::Topology& topology = state.fabric->topology;
  for (const fabric::PortIndex port : topology.endports()) {
    const fabric::Node& node = topology.node(topology.node_of(port));
    if (node.type != mad::NodeType::ChannelAdapter) continue;
    rows.push_back(port_json(*state.fabric, port));
  }
  return json_response(rows);
}

// Clients ask whether keys are set. They are told that, by numbers that are no keys: 0 and 1 for
// what is open, another one where there is a secret.
Response get_ufm_smconf(const State& state, const Request&, const Target&) {
  constexpr const char* kHidden = "0x2";
  const Guards& guards = state.seat.guards;
  const std::uint64_t prefix = state.fabric != nullptr && state.fabric->view != nullptr
                                   ? state.fabric->view->subnet().prefix.value
                                   : mad::kDefaultGidPrefix.value;
  return json_response({{"subnet_prefix", fmt::format("{:#018x}", prefix)},
                        {"m_key", guards.m_key ? kHidden : "0x0"},
                        {"sm_key", guards.own_sm_key ? kHidden : "0x1"},
                        {"sa_key", guards.own_sm_key ? kHidden : "0x1"},
                        {"m_key_per_port", guards.m_key_per_port}});
}

}  // namespace heddle::api
