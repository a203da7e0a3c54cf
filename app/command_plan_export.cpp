// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <map>
#include <memory>
#include <ostream>
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
#include "app/plan_routing.hpp"
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
// Tables of a large fabric are gigabytes of text: they go where they belong as they are made.
using Writer = std::function<void(std::ostream&)>;
using Text = base::Result<Writer>;

Text done(std::string text) {
  return {boost::system::in_place_value,
          [text = std::move(text)](std::ostream& out) { out << text; }};
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

Writer flits(const plan::Inventory& inventory, std::shared_ptr<const sm::Snapshot> fabric) {
  std::map<std::uint32_t, plan::Rate> rates;
  for (const auto& cable : inventory.cables) {
    for (const auto end : {cable.a, cable.b}) {
      const auto node = fabric->topology.find_node(inventory.nodes[end.node].guid);
      if (!node) continue;
      rates[fabric->topology.port_of(*node, mad::PortNumber{end.port}).value] = cable.rate;
    }
  }
  return [rates = std::move(rates), fabric = std::move(fabric)](std::ostream& out) {
    const auto& routes = fabric->routes->routes;
    plan::tell_flits(
        fabric->topology, fabric->lids, routes.tables, routes.lanes.vls,
        [&](fabric::PortIndex port) {
          const auto rate = rates.find(port.value);
          return rate == rates.end() ? plan::Rate{} : rate->second;
        },
        [&](const std::string& piece) { out << piece; });
  };
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
                 Prepared prepared, PlanProgress& progress) {
  PlannedFabric& fabric = prepared.fabric;
  progress.begin("routing");
  auto selected = routing::select_routes(fabric.topology, fabric.lids, prepared.policy,
                                         progress.watched(all_cores()));
  if (selected.has_error()) return selected.error();
  note_standing(prepared, fabric.topology, selected->routes.tables, progress);
  const auto snapshot = std::make_shared<sm::Snapshot>();
  snapshot->topology = std::move(fabric.topology);
  snapshot->lids = std::move(fabric.lids);
  snapshot->lmc = fabric.lmc;
  snapshot->routes = std::make_shared<const routing::Selected>(*std::move(selected));
  const std::string& format = arguments.format;
  if (format == "flits") return {boost::system::in_place_value, flits(inventory, snapshot)};
  const bool is_of_lanes = format == "sl2vl" || format == "path-sl";
  if (is_of_lanes && !has_lane_dumps(*snapshot)) {
    return base::error("these routes need one VL alone: every service level is on VL 0");
  }
  return {boost::system::in_place_value, [format, snapshot](std::ostream& out) {
            if (format == "lft") write_forwarding_dump(out, *snapshot);
            if (format == "fdbs") write_forwarding_list(out, *snapshot);
            if (format == "sl2vl") write_lane_maps(out, *snapshot);
            if (format == "path-sl") write_path_levels(out, *snapshot);
          }};
}

Text slurm_text(const std::string& format, const plan::Inventory& inventory) {
  const auto topology = plan::slurm_topology(inventory, plan::find_levels(inventory));
  for (const std::string& warning : topology.warnings) complain(warning);
  if (topology.switches.empty()) return base::error("no host hangs on a switch");
  if (format == "slurm-tree") return done(plan::slurm_tree(topology));
  return done(format == "slurm-block" ? plan::slurm_block(topology) : plan::slurm_yaml(topology));
}

// Formats that tell of nodes and cables alone; neither LIDs are given out for them nor routes made.
bool is_drawn(const std::string& format) {
  if (format == "csv" || format.starts_with("slurm-")) return true;
  return format != "json" && sim::parse_export_format(format).has_value();
}

Text drawn_text(const std::string& format, const sim::Blueprint& blueprint) {
  if (format.starts_with("slurm-")) return slurm_text(format, inventory_of(blueprint));
  return done(sim::export_fabric(blueprint,
                                 *sim::parse_export_format(format == "csv" ? "cabling" : format)));
}

Exit write_out(const PlanExportArguments& arguments, const Writer& writer, PlanProgress& progress) {
  if (arguments.output.empty()) return print_stream(writer, progress);
  progress.write(arguments.output.string());
  const auto written = replace_file(arguments.output, writer);
  return written.has_error() ? progress.fail(written.error(), Exit::Output) : Exit::Ok;
}

}  // namespace

Exit run_plan_export(const PlanExportArguments& arguments) {
  PlanProgress progress;
  const std::string& format = arguments.format;
  const auto end = [&](const Text& text) {
    return text.has_error() ? progress.fail(text.error(), Exit::Problems)
                            : write_out(arguments, *text, progress);
  };
  if (is_drawn(format)) {
    const auto loaded = load_plan_input(arguments.input, progress);
    if (loaded.has_error()) return progress.fail(loaded.error());
    return end(drawn_text(format, loaded->blueprint));
  }
  auto prepared = prepare(arguments.input, arguments.routing, progress);
  if (prepared.has_error()) return progress.fail(prepared.error());
  const plan::Inventory inventory = inventory_of(prepared->blueprint);
  if (format == "json") {
    return end(done(json_text(prepared->blueprint, inventory, prepared->fabric)));
  }
  if (format == "mcfdbs") {
    return end(multicast_text(arguments, std::move(prepared->fabric), progress));
  }
  return end(routed_text(arguments, inventory, *std::move(prepared), progress));
}

}  // namespace heddle::app
