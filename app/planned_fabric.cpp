// SPDX-License-Identifier: BSD-3-Clause
#include "app/planned_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/plan_input.hpp"
#include "base/text.hpp"
#include "plan/rate.hpp"
#include "sim/link_kind.hpp"
#include "sm/lid_assignment.hpp"

namespace heddle::app {
namespace {

// VLCap's codes 1 to 5; a node that says nothing has as many as the simulator's usual ones.
unsigned data_vls_of(const sim::PlannedNode& node) {
  switch (node.vl_cap) {
    case 1:
      return 1;
    case 2:
      return 2;
    case 3:
      return 4;
    case 5:
      return 15;
    default:
      return 8;
  }
}

fabric::Node as_node(const sim::PlannedNode& planned) {
  fabric::Node node;
  node.guid = planned.guid;
  node.system_image_guid = planned.system_image_guid;
  node.type = planned.type;
  node.port_count = planned.port_count;
  node.enhanced_port0 = planned.enhanced_port0;
  node.linear_fdb_cap = planned.linear_fdb_cap;
  node.multicast_fdb_cap = planned.multicast_fdb_cap;
  node.device_id = planned.device_id;
  node.vendor_id = planned.vendor_id;
  node.description = planned.description.empty() ? planned.name : planned.description;
  return node;
}

// Port 0 of a switch has the node's GUID.
mad::Guid port_guid(const sim::PlannedNode& node, std::uint8_t port) {
  const bool given = port < node.ports.size() && node.ports[port].guid != mad::Guid{};
  return given ? node.ports[port].guid : mad::Guid{node.guid.value + port};
}

// The builder would make one node of two, and every number would be wrong.
std::optional<base::Error> find_twins(const sim::Blueprint& blueprint) {
  std::unordered_map<std::uint64_t, const sim::PlannedNode*> known;
  for (const sim::PlannedNode& node : blueprint.nodes) {
    const auto [other, is_new] = known.emplace(node.guid.value, &node);
    if (is_new) continue;
    const auto where = [](const sim::PlannedNode& of) {
      return fmt::format("\"{}\"{}", base::printable(of.name),
                         of.line == 0 ? "" : fmt::format(" (line {})", of.line));
    };
    return base::error(fmt::format(
        "{}: {} and {} have the same node GUID {}, so the fabric cannot be routed; heddle plan "
        "check lists all that is wrong",
        blueprint.title, where(*other->second), where(node), base::hex(node.guid.value)));
  }
  return std::nullopt;
}

// How many times slower a cable is than both its ports say they can do, as of
// fabric/observation.cpp; a port that says nothing does not say that it could do more.
std::uint8_t slowness_of(const sim::Blueprint& blueprint, const sim::PlannedCable& cable) {
  const plan::Rate now = rate_of(cable.width, cable.speed);
  plan::Rate best{};
  for (const sim::PlannedEnd& end : {cable.a, cable.b}) {
    const auto& ports = blueprint.nodes[end.node].ports;
    if (end.port >= ports.size()) return 1;
    const sim::PlannedPort& port = ports[end.port];
    if (!port.width || !port.speed) return 1;
    best = plan::lesser(best, rate_of(*port.width, *port.speed));
  }
  const double times = plan::data_gigabits(best) / plan::data_gigabits(now);
  return static_cast<std::uint8_t>(
      std::clamp<double>(std::ceil(times - 0.001), 1, fabric::kMostSlowness));
}

base::Result<fabric::Topology> topology_of(const sim::Blueprint& blueprint) {
  fabric::TopologyBuilder builder;
  for (const sim::PlannedNode& node : blueprint.nodes) {
    builder.add_node(as_node(node));
    const bool is_switch = node.type == mad::NodeType::Switch;
    for (unsigned port = is_switch ? 0 : 1; port <= (is_switch ? 0u : node.port_count); ++port) {
      const auto number = static_cast<std::uint8_t>(port);
      builder.set_port_guid({node.guid, mad::PortNumber{number}}, port_guid(node, number));
    }
  }
  const auto end = [&](const sim::PlannedEnd& of) {
    return fabric::TopologyBuilder::End{blueprint.nodes[of.node].guid, mad::PortNumber{of.port}};
  };
  for (const sim::PlannedCable& cable : blueprint.cables) {
    builder.add_link(end(cable.a), end(cable.b), slowness_of(blueprint, cable));
  }
  return std::move(builder).build();
}

// Of each port with a cable. The words for the unit are those of a cable that has it.
void note_rates(const sim::Blueprint& blueprint, PlannedFabric& planned) {
  std::vector<plan::LinkRates::Known> known;
  for (const sim::PlannedCable& cable : blueprint.cables) {
    const double gigabits = plan::data_gigabits(rate_of(cable.width, cable.speed));
    for (const sim::PlannedEnd& end : {cable.a, cable.b}) {
      known.push_back({blueprint.nodes[end.node].guid, mad::PortNumber{end.port}, gigabits});
    }
  }
  planned.rates = plan::LinkRates(known, planned.topology);
  for (const sim::PlannedCable& cable : blueprint.cables) {
    const double gigabits = plan::data_gigabits(rate_of(cable.width, cable.speed));
    if (gigabits != planned.rates.unit()) continue;
    planned.rate_unit = fmt::format("{} {}", sim::name_of(cable.width), sim::name_of(cable.speed));
    return;
  }
}

mad::Lid held_lid(const sim::PlannedNode& node, std::uint8_t port) {
  return port < node.ports.size() ? node.ports[port].lid : mad::kNoLid;
}

}  // namespace

base::Result<PlannedFabric> plan_fabric(const sim::Blueprint& blueprint, std::uint8_t lmc,
                                        bool lmc_on_enhanced_port0) {
  if (const auto twins = find_twins(blueprint)) return *twins;
  auto topology = topology_of(blueprint);
  if (topology.has_error()) return topology.error();
  PlannedFabric planned;
  std::vector<const sim::PlannedNode*> node_at(topology->node_count());
  unsigned last = mad::kLastUnicastLid.value;
  planned.data_vls = 15;
  for (const sim::PlannedNode& node : blueprint.nodes) {
    if (const auto index = topology->find_node(node.guid)) node_at[index->value] = &node;
    if (node.type != mad::NodeType::Switch) continue;
    last = std::min<unsigned>(last, std::max<unsigned>(node.linear_fdb_cap, 1) - 1);
    planned.data_vls = std::min(planned.data_vls, data_vls_of(node));
  }
  std::vector<sm::LidRequest> requests;
  for (const fabric::PortIndex port : topology->endports()) {
    const auto owner = topology->node_of(port);
    const auto number = topology->number_of(port);
    const bool one_lid = topology->is_switch(owner) &&
                         !(lmc_on_enhanced_port0 && topology->node(owner).enhanced_port0);
    requests.push_back({port, topology->port(port).guid, one_lid ? std::uint8_t{0} : lmc,
                        held_lid(*node_at[owner.value], number.value)});
  }
  auto assigned = sm::assign_lids(topology->port_count(), requests, {},
                                  mad::Lid{static_cast<std::uint16_t>(last)}, &*topology);
  if (!assigned.left_out.empty()) {
    return base::error(
        fmt::format("{} of {} ports get no LID: with LMC {} there are too few up to {}",
                    assigned.left_out.size(), requests.size(), lmc, last));
  }
  planned.lids = std::move(assigned.map);
  planned.topology = *std::move(topology);
  planned.lmc = lmc;
  note_rates(blueprint, planned);
  return planned;
}

}  // namespace heddle::app
