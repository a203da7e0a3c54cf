// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/dumps.hpp"
#include "app/files.hpp"
#include "app/lane_dumps.hpp"
#include "app/parallel.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "app/planned_fabric.hpp"
#include "base/text.hpp"
#include "fabric/islands.hpp"
#include "multicast/trees.hpp"
#include "plan/check.hpp"
#include "plan/flits.hpp"
#include "plan/multicast_plan.hpp"
#include "plan/slurm.hpp"
#include "routing/selection.hpp"
#include "sim/export.hpp"
#include "sim/link_kind.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {
namespace {

using Json = nlohmann::ordered_json;
using Text = base::Result<std::string>;

Text done(std::string text) {
  return {boost::system::in_place_value, std::move(text)};
}

std::string_view type_word(mad::NodeType type) {
  if (type == mad::NodeType::Switch) return "switch";
  return type == mad::NodeType::Router ? "router" : "ca";
}

Json port_json(const PlannedFabric& fabric, fabric::NodeIndex node, std::uint8_t number) {
  const auto port = fabric.topology.port_of(node, mad::PortNumber{number});
  const auto range = fabric.lids.range(port);
  return {{"port", number},
          {"guid", base::hex(fabric.topology.port(port).guid.value)},
          {"lid", range.base == mad::kNoLid ? Json() : Json(range.base.value)},
          {"lmc", range.lmc}};
}

Json node_json(const PlannedFabric& fabric, const plan::Inventory::Node& node) {
  Json ports = Json::array();
  const auto index = fabric.topology.find_node(node.guid);
  const unsigned last = is_switch(node) ? 0 : node.port_count;
  for (unsigned port = is_switch(node) ? 0 : 1; index && port <= last; ++port) {
    ports.push_back(port_json(fabric, *index, static_cast<std::uint8_t>(port)));
  }
  return {{"name", node.name},
          {"description", node.description},
          {"type", type_word(node.type)},
          {"guid", base::hex(node.guid.value)},
          {"system_image_guid", base::hex(node.system_image_guid.value)},
          {"port_count", node.port_count},
          {"ports", std::move(ports)}};
}

// docs/plan-fabric.schema.json.
std::string json_text(const sim::Blueprint& blueprint, const plan::Inventory& inventory,
                      const PlannedFabric& fabric) {
  Json nodes = Json::array(), cables = Json::array();
  for (const auto& node : inventory.nodes) nodes.push_back(node_json(fabric, node));
  const auto end = [&](const sim::PlannedEnd& of) {
    return Json{{"node", inventory.nodes[of.node].name}, {"port", of.port}};
  };
  for (const sim::PlannedCable& cable : blueprint.cables) {
    cables.push_back({{"a", end(cable.a)},
                      {"b", end(cable.b)},
                      {"width", sim::name_of(cable.width)},
                      {"speed", sim::name_of(cable.speed)}});
  }
  const Json whole{{"format", "heddle-fabric"},
                   {"version", 1},
                   {"title", blueprint.title},
                   {"nodes", std::move(nodes)},
                   {"cables", std::move(cables)}};
  return whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string flits(const plan::Inventory& inventory, const PlannedFabric& fabric,
                  const routing::Selected& selected) {
  std::map<std::uint32_t, plan::Rate> rates;
  for (const auto& cable : inventory.cables) {
    for (const auto end : {cable.a, cable.b}) {
      const auto node = fabric.topology.find_node(inventory.nodes[end.node].guid);
      if (!node) continue;
      rates[fabric.topology.port_of(*node, mad::PortNumber{end.port}).value] = cable.rate;
    }
  }
  return plan::flits_text(fabric.topology, fabric.lids, selected.routes.tables,
                          selected.routes.lanes.vls, [&](fabric::PortIndex port) {
                            const auto rate = rates.find(port.value);
                            return rate == rates.end() ? plan::Rate{} : rate->second;
                          });
}

Text multicast_text(const PlanExportArguments& arguments, PlannedFabric fabric,
                    PlanProgress& progress) {
  auto members = plan::broadcast_members(fabric.topology, fabric.lids);
  if (!arguments.groups.empty()) {
    const auto text = read_text_file(arguments.groups);
    if (text.has_error()) return text.error();
    auto read = plan::parse_groups(*text, arguments.groups.string(), fabric.topology, fabric.lids);
    if (read.has_error()) return read.error();
    members = *std::move(read);
  }
  progress.begin("growing trees");
  const auto topology = std::make_shared<const fabric::Topology>(std::move(fabric.topology));
  multicast::Trees trees(topology);
  trees.apply(members);
  progress.clear();
  for (const mad::Lid mlid : trees.mlids()) {
    const auto left = trees.unserved(mlid).size();
    if (left > 0) complain(fmt::format("group 0x{:04X}: {} members get nothing", mlid.value, left));
  }
  const fabric::Islands islands(*topology);
  if (islands.count() > 1) {
    complain(fmt::format("the switches are {} islands, with a tree each", islands.count()));
  }
  return done(plan::multicast_list(*topology, trees.tables()));
}

// Formats that need tables: those of the subnet manager's own choice.
Text routed_text(const PlanExportArguments& arguments, const plan::Inventory& inventory,
                 PlannedFabric fabric, PlanProgress& progress) {
  const auto policy = policy_of(arguments.routing, fabric);
  if (policy.has_error()) return policy.error();
  progress.begin("routing");
  auto selected =
      routing::select_routes(fabric.topology, fabric.lids, *policy, progress.watched(all_cores()));
  if (selected.has_error()) return selected.error();
  if (arguments.format == "flits") return done(flits(inventory, fabric, *selected));
  sm::Snapshot snapshot;
  snapshot.topology = std::move(fabric.topology);
  snapshot.lids = std::move(fabric.lids);
  snapshot.lmc = arguments.routing.lmc;
  snapshot.routes = std::make_shared<const routing::Selected>(*std::move(selected));
  std::ostringstream out;
  if (arguments.format == "lft") write_forwarding_dump(out, snapshot);
  if (arguments.format == "fdbs") write_forwarding_list(out, snapshot);
  if (arguments.format != "sl2vl" && arguments.format != "path-sl") return done(out.str());
  if (!has_lane_dumps(snapshot)) {
    return base::error("these routes need one VL alone: every service level is on VL 0");
  }
  if (arguments.format == "sl2vl") write_lane_maps(out, snapshot);
  if (arguments.format == "path-sl") write_path_levels(out, snapshot);
  return done(out.str());
}

Text slurm_text(const std::string& format, const plan::Inventory& inventory) {
  const auto topology = plan::slurm_topology(inventory, plan::find_levels(inventory));
  for (const std::string& warning : topology.warnings) complain(warning);
  if (topology.switches.empty()) return base::error("no host hangs on a switch");
  if (format == "slurm-tree") return done(plan::slurm_tree(topology));
  return done(format == "slurm-block" ? plan::slurm_block(topology) : plan::slurm_yaml(topology));
}

Text text_of(const PlanExportArguments& arguments, const sim::Blueprint& blueprint,
             PlanProgress& progress) {
  const std::string& format = arguments.format;
  const plan::Inventory inventory = inventory_of(blueprint);
  if (format.starts_with("slurm-")) return slurm_text(format, inventory);
  if (format != "json") {
    const auto drawn = sim::parse_export_format(format == "csv" ? "cabling" : format);
    if (drawn) return done(sim::export_fabric(blueprint, *drawn));
  }
  auto fabric = plan_fabric(blueprint, arguments.routing.lmc);
  if (fabric.has_error()) return fabric.error();
  if (format == "json") return done(json_text(blueprint, inventory, *fabric));
  if (format == "mcfdbs") return multicast_text(arguments, *std::move(fabric), progress);
  return routed_text(arguments, inventory, *std::move(fabric), progress);
}

}  // namespace

Exit run_plan_export(const PlanExportArguments& arguments) {
  PlanProgress progress;
  const auto blueprint = load_plan_input(arguments.input, progress);
  if (blueprint.has_error()) return progress.fail(blueprint.error());
  const auto text = text_of(arguments, *blueprint, progress);
  if (text.has_error()) return progress.fail(text.error(), Exit::Problems);
  if (arguments.output.empty()) return print_whole(*text, progress);
  progress.write(arguments.output.string());
  const auto written = replace_file(arguments.output, [&](std::ostream& out) { out << *text; });
  return written.has_error() ? progress.fail(written.error(), Exit::Output) : Exit::Ok;
}

}  // namespace heddle::app
