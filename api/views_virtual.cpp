// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports behind the ports of adapters, those that work (sm/virtual_ports.hpp).
#include <nlohmann/json.hpp>

#include "api/rows.hpp"
#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

Json virtual_row(const sm::Snapshot& fabric, const sa::VirtualPort& guest) {
  Json row = end_row(fabric.topology, guest.host);
  row["index"] = guest.index;
  row["name"] = base::printable(guest.description);
  row["port_guid"] = base::hex(guest.guid.value);
  row["node_guid"] = base::hex(guest.node_guid.value);
  row["lid"] = guest.lid.value;
  row["own_lid"] = guest.own_lid;
  Json keys = Json::array();
  for (const mad::PKeyTable& block : guest.p_key_table) {
    for (const mad::PKey key : block.p_keys) {
      if (key != mad::PKey{}) keys.push_back(base::hex(key.value, 4));
    }
  }
  row["p_keys"] = std::move(keys);
  return row;
}

}  // namespace

Response get_virtual_ports(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  if (state.fabric->view == nullptr) {
    return refusal(503, "this subnet manager is not master; virtual ports are the master's");
  }
  const auto node = wanted_node(*state.fabric, target);
  if (node.has_error()) return refusal(404, node.error().message);
  const auto& guests = state.fabric->view->subnet().virtual_ports;
  return table_response(
      state.fabric->sweep.number, "virtual_ports", guests == nullptr ? 0 : guests->all().size(),
      [fabric = state.fabric, guests, node = *node](std::size_t i) -> Json {
        const sa::VirtualPort& guest = guests->all()[i];
        const bool wanted = !node || fabric->topology.node_of(guest.host) == *node;
        return wanted ? virtual_row(*fabric, guest) : Json(nullptr);
      });
}

}  // namespace heddle::api
