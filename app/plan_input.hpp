// SPDX-License-Identifier: BSD-3-Clause
// The FABRIC of every `heddle plan` command: where it comes from, and what else is known of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "app/live_text.hpp"
#include "app/plan_progress.hpp"
#include "base/result.hpp"
#include "plan/inventory.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {

struct PlanInput {
  std::string fabric;                   // a generator's expression, a file, live or live:SOCKET
  std::string ibnl;                     // a folder of .ibnl files; empty: none beside the usual
  std::filesystem::path node_name_map;  // empty: nodes are called by their descriptions
};

// FABRIC, --ibnl and --node-name-map.
void add_plan_input(CLI::App& command, PlanInput& input);

struct LoadedInput {
  sim::Blueprint blueprint;
  std::optional<LivePicture> live;  // of a subnet manager that runs
};
// Prints what had to be guessed or dropped.
base::Result<LoadedInput> load_plan_input(const PlanInput& input, PlanProgress& progress);

plan::Rate rate_of(sim::Width width, sim::Speed speed);

// Nodes are called by their descriptions where no two are called the same, and by their GUIDs
// otherwise.
plan::Inventory inventory_of(const sim::Blueprint& blueprint);

}  // namespace heddle::app
