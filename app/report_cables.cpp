// SPDX-License-Identifier: BSD-3-Clause
#include "app/report_cables.hpp"

#include <map>
#include <string>

#include <fmt/format.h>

#include "app/plan_input.hpp"
#include "plan/rate.hpp"
#include "sim/link_kind.hpp"

namespace heddle::app {

void describe_cables(const sim::Blueprint& blueprint, const plan::LinkRates& rates,
                     plan::Report& report) {
  const fabric::Topology& topology = report.topology;
  report.capacities = rates.capacities(topology);
  std::map<std::string, std::uint8_t> kinds;
  report.kind_of_port.resize(topology.port_count());
  for (const sim::PlannedCable& cable : blueprint.cables) {
    const std::string kind =
        fmt::format("{} {}", sim::name_of(cable.width), sim::name_of(cable.speed));
    const auto [place, added] = kinds.emplace(kind, static_cast<std::uint8_t>(kinds.size()));
    if (added) {
      report.link_kinds.push_back(kind);
      report.kind_capacities.push_back(
          rates.capacity(plan::data_gigabits(rate_of(cable.width, cable.speed))));
    }
    for (const sim::PlannedEnd& end : {cable.a, cable.b}) {
      const auto node = topology.find_node(blueprint.nodes[end.node].guid);
      if (!node || end.port > topology.node(*node).port_count) continue;
      const auto port = topology.port_of(*node, mad::PortNumber{end.port});
      report.kind_of_port[port.value] = place->second;
    }
  }
}

}  // namespace heddle::app
