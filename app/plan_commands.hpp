// SPDX-License-Identifier: BSD-3-Clause
// What each subcommand of `heddle plan` does once the command line was understood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/plan_input.hpp"
#include "app/plan_routing.hpp"

namespace heddle::app {

// `heddle plan route FABRIC`: what routing engines make of a fabric, proven and measured.
struct PlanRouteArguments {
  PlanInput input;
  PlanRouting routing;
  std::filesystem::path tables;  // opensm-lfts.dump to judge as well; empty: none
  std::string format = "table";  // or json, csv
  bool metrics = false;
  // Traffic among the hosts of a job, in the order of the file, and to I/O nodes; of all hosts
  // without a job. Nothing is measured if neither is given and `worst` is 0.
  std::filesystem::path job;
  std::filesystem::path io;
  std::size_t worst = 0;  // busiest links to name, of each pattern
  std::uint64_t seed = 1;
};
// Exit::Problems when no engine's tables are proven.
Exit run_plan_route(const PlanRouteArguments& arguments);

// `heddle plan check FABRIC`: what is wrong with a fabric, or not as it was planned.
struct PlanCheckArguments {
  PlanInput input;
  std::string plan;                 // a cabling CSV or JSON, or another FABRIC; empty: none
  std::string match = "auto";       // or guid, name
  std::string format = "table";     // or json, csv
  std::optional<std::uint8_t> lmc;  // none: what ports hold
};
// Exit::Problems when there is a warning or an error.
Exit run_plan_check(const PlanCheckArguments& arguments);

// `heddle plan what-if FABRIC`: what losses would do.
struct PlanWhatIfArguments {
  PlanInput input;
  PlanRouting routing;
  std::vector<std::string> cut;  // lost together; see plan::parse_loss
  std::string random;            // "links=3": as many more, lost together
  std::string each;              // "links=100", "switches=all": one loss after another, each alone
  std::string series;            // "links=1..20": growing losses
  std::filesystem::path moves;   // steps of an upgrade (plan::parse_moves); excludes losses
  std::filesystem::path plot;    // an SVG of the series; empty: none
  std::string format = "table";  // or json, csv
  bool writes = false;           // list them in the table
  std::uint64_t seed = 1;
  std::size_t bisections = 20;
};
// Exit::Problems when something leaves pairs of hosts apart or no tables are proven. Of moves: when
// a step parts hosts whose own cables stay, or pairs are lost at the end.
Exit run_plan_what_if(const PlanWhatIfArguments& arguments);

// `heddle plan report FABRIC`: a fabric and what engines make of it, as one HTML file.
struct PlanReportArguments {
  PlanInput input;
  PlanRouting routing;
  std::string paths;             // whose tables the report carries; empty: it chooses
  std::filesystem::path output;  // HTML; empty: none is wanted
  std::filesystem::path svg;     // empty: none is wanted
  std::size_t samples = 100;     // shifts and bisections to measure; 0: neither
  std::uint64_t seed = 1;
};
// Exit::Problems when no engine's tables are proven; the files are written all the same.
Exit run_plan_report(const PlanReportArguments& arguments);

// `heddle plan export FABRIC`: a fabric for other programs.
struct PlanExportArguments {
  PlanInput input;
  std::string format;
  std::filesystem::path output;  // empty: standard output
  std::filesystem::path groups;  // of multicast (plan::parse_groups); empty: all hosts in one
  PlanRouting routing;
};
// Exit::Problems when the fabric cannot be told in this format.
Exit run_plan_export(const PlanExportArguments& arguments);

}  // namespace heddle::app
