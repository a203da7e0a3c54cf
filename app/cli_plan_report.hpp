// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan report`: a fabric and what routing engines make of it, as one HTML file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "mad/types.hpp"

namespace CLI {
class App;
}

namespace heddle::app {

struct PlanReportArguments {
  std::string fabric;
  std::string ibnl;                          // a folder of .ibnl files; empty: none
  std::vector<std::string> engines{"auto"};  // names of engines that exist
  std::string paths;                         // whose tables the report carries; empty: it chooses
  std::filesystem::path output;              // HTML; empty: none is wanted
  std::filesystem::path svg;                 // empty: none is wanted
  std::vector<mad::Guid> root_guids;
  std::filesystem::path torus_config;  // empty: torus-2QoS finds axes and origin
  std::size_t samples = 100;           // shifts and bisections to measure; 0: neither
  std::uint8_t lmc = 0;
  unsigned vls = 4;
  std::uint64_t seed = 1;
};
// Exit::Problems when no engine's tables are proven; the files are written all the same.
Exit run_plan_report(const PlanReportArguments& arguments);

// Adds the subcommand to `plan`.
void add_plan_report(CLI::App& plan, std::function<Exit()>& command);

}  // namespace heddle::app
