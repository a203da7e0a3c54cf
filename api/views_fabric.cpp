// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/counters.hpp"
#include "api/lookup.hpp"
#include "api/path.hpp"
#include "api/views.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"
#include "mad/sa_rate.hpp"

namespace heddle::api {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using Picture = std::shared_ptr<const sm::Snapshot>;

// The pieces of one answer, as they are asked for.
class Table {
 public:
  Table(std::string head, std::size_t count, std::function<Json(std::size_t)> row)
      : head_(std::move(head)), count_(count), row_(std::move(row)) {}

  std::optional<std::string> next() {
    if (ended_) return std::nullopt;
    std::string piece = std::exchange(head_, {});
    for (std::size_t made = 0; made < kRowsAtOnce && at_ < count_; ++at_) {
      const Json row = row_(at_);
      if (row.is_null()) continue;
      piece += any_ ? ",\n" : "\n";
      piece += dump(row);
      any_ = true;
      ++made;
    }
    if (at_ == count_) {
      piece += "\n]}\n";
      ended_ = true;
    }
    return piece;
  }

 private:
  std::string head_;
  std::size_t count_;
  std::function<Json(std::size_t)> row_;
  std::size_t at_ = 0;
  bool any_ = false;
  bool ended_ = false;
};

Json path_end(const sm::Snapshot& fabric, PortIndex port) {
  Json row = end_row(fabric.topology, port);
  row["port_guid"] = base::hex(fabric.topology.port(port).guid.value);
  row["lid"] = lid_of(fabric, port).value;
  return row;
}

Json hop_row(const sm::Snapshot& fabric, const Hop& hop) {
  Json row{{"out", end_row(fabric.topology, hop.out)}, {"vl", hop.vl}};
  const PortIndex peer = fabric.topology.peer(hop.out);
  row["in"] = peer == fabric::kNoPort ? Json(nullptr) : end_row(fabric.topology, peer);
  return row;
}

Json record_json(const mad::PathRecord& record) {
  const auto rank = mad::rate_rank_of_code(record.rate);
  return {{"p_key", base::hex(record.p_key.value, 4)},
          {"service_level", record.sl.value},
          {"mtu", mad::mtu_bytes(record.mtu)},
          {"gigabits", rank ? Json(mad::kSARates[*rank].tenths / 10.0) : Json(nullptr)},
          {"reversible", record.reversible}};
}

Json path_json(const sm::Snapshot& fabric, const Path& path) {
  Json hops = Json::array();
  for (const Hop& hop : path.hops) hops.push_back(hop_row(fabric, hop));
  return {{"from", path_end(fabric, path.from)},
          {"to", path_end(fabric, path.to)},
          {"lid", path.lid.value},
          {"arrives", path.trouble.empty()},
          {"trouble", path.trouble.empty() ? Json(nullptr) : Json(path.trouble)},
          {"service_level", path.level.value},
          {"path_record", path.record ? record_json(*path.record) : Json(nullptr)},
          {"hops", std::move(hops)}};
}

std::optional<mad::NodeType> node_type(std::string_view word) {
  if (word == "switch") return mad::NodeType::Switch;
  if (word == "channel-adapter") return mad::NodeType::ChannelAdapter;
  if (word == "router") return mad::NodeType::Router;
  return std::nullopt;
}

bool is_unused_slot(const fabric::Topology& topology, PortIndex port) {
  return topology.number_of(port).value == 0 && !topology.is_switch(topology.node_of(port));
}

}  // namespace

const std::string* parameter(const Target& target, const char* name) {
  const auto found = target.query.find(name);
  return found == target.query.end() ? nullptr : &found->second;
}

base::Result<std::optional<NodeIndex>> wanted_node(const sm::Snapshot& fabric,
                                                   const Target& target) {
  const std::string* word = parameter(target, "node");
  if (word == nullptr) return std::optional<NodeIndex>();
  const auto node = find_node(fabric, *word);
  if (node.has_error()) return node.error();
  return std::optional(*node);
}

Response json_response(const Json& json, unsigned status) {
  Response response;
  response.status = status;
  response.body = dump(json) + "\n";
  return response;
}

Response not_yet() {
  return refusal(503, "the first sweep is not finished; nothing is known about the fabric");
}

Response table_response(std::uint64_t sweep, std::string_view name, std::size_t count,
                        std::function<Json(std::size_t)> row) {
  auto table = std::make_shared<Table>(fmt::format("{{\"sweep\": {}, \"{}\": [", sweep, name),
                                       count, std::move(row));
  Response response;
  response.pieces = [table] { return table->next(); };
  return response;
}

Json fabric_json(const sm::Snapshot& fabric) {
  const fabric::Topology& topology = fabric.topology;
  std::size_t routers = 0;
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    routers += topology.node(NodeIndex{i}).type == mad::NodeType::Router;
  }
  std::size_t lids = 0;
  if (fabric.lids.top() != mad::kNoLid) {
    for (const PortIndex port : topology.endports()) {
      if (fabric.lids.base(port) != mad::kNoLid) lids += fabric.lids.range(port).count();
    }
  }
  Json routing = nullptr;
  if (fabric.routes != nullptr) {
    const auto& proof = fabric.routes->proof;
    routing = {{"engine", fabric.routes->routes.engine}, {"routes", proof.routes},
               {"faulty_routes", proof.faulty_routes},   {"most_hops", proof.max_hops},
               {"mean_hops", proof.mean_hops},           {"deadlock_free", proof.deadlock_free()},
               {"vls", fabric.routes->routes.lanes.vls}, {"notes", fabric.routes->routes.notes}};
    // With the multicast trees; null where that is not known.
    routing["multicast_deadlock_free"] =
        fabric.unsafe_trees ? Json(proof.deadlock_free() && *fabric.unsafe_trees == 0) : Json();
  }
  return {{"sweep", fabric.sweep.number},
          {"switches", topology.switch_count()},
          {"channel_adapters", topology.node_count() - topology.switch_count() - routers},
          {"routers", routers},
          {"links", topology.link_count()},
          {"ports_active", fabric.active_ports},
          {"ports_not_active", fabric.inactive_ports},
          {"lids", lids},
          {"highest_lid", fabric.lids.top().value},
          {"lmc", fabric.lmc},
          {"routing", std::move(routing)},
          {"problems", fabric.problems}};
}

Response get_fabric(const State& state, const Request&, const Target&) {
  if (state.fabric == nullptr) return not_yet();
  return json_response(fabric_json(*state.fabric));
}

Response get_nodes(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  std::optional<mad::NodeType> type;
  if (const std::string* word = parameter(target, "type")) {
    type = node_type(*word);
    if (!type) return refusal(400, "type is one of switch, channel-adapter, router");
  }
  return table_response(state.fabric->sweep.number, "nodes", state.fabric->topology.node_count(),
                        [fabric = state.fabric, type](std::size_t i) -> Json {
                          const NodeIndex node{static_cast<std::uint32_t>(i)};
                          if (type && fabric->topology.node(node).type != *type) return nullptr;
                          return node_row(*fabric, node);
                        });
}

Response get_node(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  const sm::Snapshot& fabric = *state.fabric;
  const auto node = find_node(fabric, target.path.back());
  if (node.has_error()) return refusal(404, node.error().message);
  Json ports = Json::array();
  for (unsigned number = 0; number <= fabric.topology.node(*node).port_count; ++number) {
    const auto port =
        fabric.topology.port_of(*node, mad::PortNumber{static_cast<std::uint8_t>(number)});
    if (!is_unused_slot(fabric.topology, port))
      ports.push_back(counted_port_row(fabric, state.readings.get(), port));
  }
  Json row = node_row(fabric, *node);
  row["ports"] = std::move(ports);
  return json_response(row);
}

Response get_ports(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  const auto node = wanted_node(*state.fabric, target);
  if (node.has_error()) return refusal(404, node.error().message);
  return table_response(
      state.fabric->sweep.number, "ports", state.fabric->topology.port_count(),
      [fabric = state.fabric, readings = state.readings, node = *node](std::size_t i) -> Json {
        const PortIndex port{static_cast<std::uint32_t>(i)};
        if (is_unused_slot(fabric->topology, port)) return nullptr;
        if (node && fabric->topology.node_of(port) != *node) return nullptr;
        return counted_port_row(*fabric, readings.get(), port);
      });
}

Response get_links(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  const auto node = wanted_node(*state.fabric, target);
  if (node.has_error()) return refusal(404, node.error().message);
  return table_response(
      state.fabric->sweep.number, "links", state.fabric->topology.port_count(),
      [fabric = state.fabric, node = *node](std::size_t i) -> Json {
        const auto& topology = fabric->topology;
        const PortIndex port{static_cast<std::uint32_t>(i)};
        const PortIndex peer = topology.peer(port);
        if (peer == fabric::kNoPort || peer.value < port.value) return nullptr;
        if (node && topology.node_of(port) != *node && topology.node_of(peer) != *node) {
          return nullptr;
        }
        return link_row(*fabric, port);
      });
}

std::optional<Path> wanted_path(const sm::Snapshot& fabric, const Target& target,
                                Response& otherwise) {
  const auto refused = [&](unsigned status, const std::string& why) {
    otherwise = refusal(status, why);
    return std::nullopt;
  };
  const std::string* from_word = parameter(target, "from");
  const std::string* to_word = parameter(target, "to");
  if (from_word == nullptr || to_word == nullptr) {
    return refused(400, "from and to are wanted, each a name, a GUID or a LID");
  }
  const auto from = find_endport(fabric, *from_word);
  if (from.has_error()) return refused(404, from.error().message);
  const auto to = find_endport(fabric, *to_word);
  if (to.has_error()) return refused(404, to.error().message);
  mad::Lid lid = lid_of(fabric, *to);
  // With LMC a port has several LIDs, and a path to each.
  if (const auto named = base::parse_number(*to_word, mad::kLastUnicastLid.value);
      named && fabric.lids.owner(mad::Lid{static_cast<std::uint16_t>(*named)}) == *to) {
    lid = mad::Lid{static_cast<std::uint16_t>(*named)};
  }
  const Guests guests{find_guest(fabric, *from_word), find_guest(fabric, *to_word)};
  if (guests.to != nullptr) lid = guests.to->lid;
  if (lid == mad::kNoLid) return refused(404, fmt::format("'{}' has no LID", *to_word));
  return find_path(fabric, *from, *to, lid, guests);
}

Response get_path(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  Response otherwise;
  const auto path = wanted_path(*state.fabric, target, otherwise);
  if (!path) return otherwise;
  Json json = path_json(*state.fabric, *path);
  json["sweep"] = state.fabric->sweep.number;
  return json_response(json);
}

Response get_partitions(const State& state, const Request&, const Target&) {
  if (state.fabric == nullptr) return not_yet();
  if (state.fabric->view == nullptr) {
    return refusal(503, "this subnet manager is not master; partitions are the master's");
  }
  const auto memberships = state.fabric->view->subnet().memberships;
  const std::size_t count = memberships ? memberships->policy().partitions.size() : 0;
  return table_response(state.fabric->sweep.number, "partitions", count,
                        [fabric = state.fabric, memberships](std::size_t i) {
                          return partition_row(*fabric, *memberships,
                                               memberships->policy().partitions[i]);
                        });
}

Response get_groups(const State& state, const Request&, const Target&) {
  if (state.fabric == nullptr || state.groups == nullptr) return not_yet();
  return table_response(state.fabric->sweep.number, "groups", state.groups->size(),
                        [groups = state.groups](std::size_t i) { return group_row((*groups)[i]); });
}

Response get_export(const State& state, const Request&, const Target& target) {
  std::string names;
  for (const Export& format : state.exports) {
    if (format.name != target.path.back()) {
      names += (names.empty() ? "" : ", ") + std::string(format.name);
      continue;
    }
    if (state.fabric == nullptr) return not_yet();
    Response response;
    response.type = format.type;
    response.pieces = format.begin(state);
    return response;
  }
  return refusal(404, fmt::format("there are exports as {}", names));
}

}  // namespace heddle::api
