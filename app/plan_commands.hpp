// SPDX-License-Identifier: BSD-3-Clause
// What each subcommand of `heddle plan` does once the command line was understood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/plan_input.hpp"
#include "mad/types.hpp"

namespace heddle::app {

// `heddle plan route FABRIC`: what routing engines make of a fabric, proven and measured.
struct PlanRouteArguments {
  PlanInput input;
  std::vector<std::string> engines;  // names of engines that exist
  std::filesystem::path tables;      // opensm-lfts.dump to judge as well; empty: none
  std::vector<mad::Guid> root_guids;
  std::filesystem::path torus_config;  // empty: torus-2QoS finds axes and origin
  std::string format = "table";        // or json, csv
  bool metrics = false;
  std::uint8_t lmc = 0;
  unsigned vls = 4;
  std::uint64_t seed = 1;
};
// Exit::Problems when no engine's tables are proven.
Exit run_plan_route(const PlanRouteArguments& arguments);

// `heddle plan check FABRIC`: what is wrong with a fabric, or not as it was planned.
struct PlanCheckArguments {
  PlanInput input;
  std::string plan;              // a cabling CSV or JSON, or another FABRIC; empty: none
  std::string match = "auto";    // or guid, name
  std::string format = "table";  // or json, csv
  std::uint8_t lmc = 0;
};
// Exit::Problems when there is a warning or an error.
Exit run_plan_check(const PlanCheckArguments& arguments);

}  // namespace heddle::app
