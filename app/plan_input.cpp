// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_input.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "app/api_client.hpp"
#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "app/files.hpp"
#include "app/node_names.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"
#include "sim/link_kind.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kToldWarnings = 8;  // from the begin and the end of a longer list

// What a node can hold is in no fabric file: there the blueprint's values are the simulator's.
void note_capabilities(const sim::PlannedNode& planned, plan::Inventory::Node& node) {
  node.linear_fdb_cap = planned.linear_fdb_cap;
  node.multicast_fdb_cap = planned.multicast_fdb_cap;
  node.data_vls = mad::data_vl_count(planned.vl_cap);
  node.p_key_cap = planned.p_key_cap;
}

plan::Inventory::Node as_node(const sim::PlannedNode& planned) {
  plan::Inventory::Node node;
  node.description = planned.description.empty() ? planned.name : planned.description;
  node.type = planned.type;
  node.guid = planned.guid;
  node.system_image_guid = planned.system_image_guid;
  node.port_count = planned.port_count;
  node.key = planned.name;
  node.line = planned.line;
  for (const sim::PlannedPort& port : planned.ports) {
    plan::Inventory::Port own{port.guid, port.lid, port.lmc, {}};
    if (port.width && port.speed) own.best = rate_of(*port.width, *port.speed);
    node.ports.push_back(own);
  }
  return node;
}

void name_nodes(const sim::Blueprint& blueprint, plan::Inventory& inventory) {
  std::unordered_map<std::string_view, std::size_t> called;
  for (const auto& node : inventory.nodes) ++called[node.description];
  for (std::size_t i = 0; i < inventory.nodes.size(); ++i) {
    auto& node = inventory.nodes[i];
    node.name = called[node.description] == 1 ? node.description : blueprint.nodes[i].name;
  }
}

// A file of that name is ./live.
bool is_live(std::string_view fabric) {
  return fabric == "live" || fabric.starts_with("live:");
}

// The fabric of a subnet manager that runs, as it sees it now.
base::Result<LoadedInput> load_live(std::string_view fabric) {
  const auto socket = find_api_socket(fabric.substr(std::min(fabric.size(), std::size_t{5})));
  if (socket.has_error()) return socket.error();
  const auto answer = ask_api(*socket, "GET", "/v1/export/live");
  if (answer.has_error()) return answer.error();
  if (!answer->ok()) return base::error(answer->complaint());
  auto read = parse_live(answer->body, fabric);
  if (read.has_error()) return read.error();
  return LoadedInput{std::move(read->blueprint), std::move(read->picture)};
}

base::Result<LoadedInput> load_file(const PlanInput& input) {
  auto blueprint = sim::load_fabric(input.fabric, fabric_load_options(input.ibnl));
  if (blueprint.has_error()) return blueprint.error();
  return LoadedInput{std::move(*blueprint), {}};
}

}  // namespace

plan::Rate rate_of(sim::Width width, sim::Speed speed) {
  constexpr std::array<std::uint8_t, 5> kLanes{1, 2, 4, 8, 12};
  return {kLanes[static_cast<std::size_t>(width)],
          static_cast<plan::LaneSpeed>(static_cast<unsigned>(speed) + 1)};
}

void add_plan_input(CLI::App& command, PlanInput& input) {
  command
      .add_option("FABRIC", input.fabric,
                  "A generator's expression, a file, or live[:SOCKET]: the fabric of the "
                  "subnet manager that runs here")
      ->required()
      ->option_text(" ");
  command
      .add_option("--node-name-map", input.node_name_map,
                  "Call nodes as this file does: GUID and name in a line, as OpenSM's")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  add_ibnl_option(command, input.ibnl);
}

base::Result<LoadedInput> load_plan_input(const PlanInput& input, PlanProgress& progress) {
  progress.begin("reading " + input.fabric);
  auto loaded = is_live(input.fabric) ? load_live(input.fabric) : load_file(input);
  if (loaded.has_error()) return loaded;
  progress.clear();
  const auto& warnings = loaded->blueprint.warnings;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    // Of many alike the first say enough; the last speak of the whole.
    if (i == kToldWarnings && warnings.size() > 2 * kToldWarnings) {
      const std::size_t left_out = warnings.size() - 2 * kToldWarnings;
      complain(fmt::format("... {} more; heddle plan check lists them", left_out));
      i += left_out;
    }
    complain(warnings[i]);
  }
  if (input.node_name_map.empty()) return loaded;
  const auto map = read_text_file(input.node_name_map);
  if (map.has_error()) return map.error();
  const auto renamed = rename_nodes(*map, input.node_name_map.string(), loaded->blueprint);
  if (renamed.has_error()) return renamed.error();
  return loaded;
}

plan::Inventory inventory_of(const sim::Blueprint& blueprint) {
  plan::Inventory inventory;
  inventory.title = blueprint.title;
  const bool from_file = std::any_of(blueprint.nodes.begin(), blueprint.nodes.end(),
                                     [](const sim::PlannedNode& node) { return node.line != 0; });
  for (const sim::PlannedNode& planned : blueprint.nodes) {
    inventory.nodes.push_back(as_node(planned));
    if (!from_file) note_capabilities(planned, inventory.nodes.back());
  }
  name_nodes(blueprint, inventory);
  for (const sim::PlannedCable& cable : blueprint.cables) {
    inventory.cables.push_back({{cable.a.node, cable.a.port},
                                {cable.b.node, cable.b.port},
                                rate_of(cable.width, cable.speed),
                                cable.line});
  }
  return inventory;
}

}  // namespace heddle::app
