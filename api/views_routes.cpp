// SPDX-License-Identifier: BSD-3-Clause
// The unicast table of a switch, entry by entry.
#include <nlohmann/json.hpp>

#include "api/lookup.hpp"
#include "api/views.hpp"

namespace heddle::api {
namespace {

using fabric::PortIndex;

// Null for a LID that nobody has and that leads nowhere.
Json route_row(const sm::Snapshot& fabric, const fabric::ForwardingTables& tables,
               fabric::NodeIndex from, mad::Lid lid) {
  const fabric::Topology& topology = fabric.topology;
  const PortIndex owner = fabric.lids.owner(lid);
  const mad::PortNumber out = tables.out_port(fabric::SwitchIndex{from.value}, lid);
  const bool leads = out.value <= topology.node(from).port_count;  // 255 does not
  if (owner == fabric::kNoPort && !leads) return nullptr;
  Json row{{"lid", lid.value},
           {"owner", owner == fabric::kNoPort ? Json(nullptr) : end_row(topology, owner)},
           {"port", leads ? Json(out.value) : Json(nullptr)},
           {"to", nullptr}};
  if (!leads || out.value == 0) return row;
  const PortIndex peer = topology.peer(topology.port_of(from, out));
  if (peer != fabric::kNoPort) row["to"] = end_row(topology, peer);
  return row;
}

}  // namespace

Response get_routes(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  const std::string* word = parameter(target, "switch");
  if (word == nullptr) return refusal(400, "switch is wanted: a name or a GUID");
  const auto node = find_node(*state.fabric, *word);
  if (node.has_error()) return refusal(404, node.error().message);
  if (!state.fabric->topology.is_switch(*node)) {
    return refusal(404, "'" + *word + "' is no switch: it has no table");
  }
  if (tables_of(*state.fabric) == nullptr) return not_yet();
  return table_response(state.fabric->sweep.number, "routes", state.fabric->lids.top().value,
                        [fabric = state.fabric, at = *node](std::size_t i) {
                          const mad::Lid lid{static_cast<std::uint16_t>(i + 1)};
                          return route_row(*fabric, *tables_of(*fabric), at, lid);
                        });
}

}  // namespace heddle::api
