// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli_plan.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "app/plan_routing.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {
namespace {

std::string export_footer() {
  return fmt::format(
      "Formats:\n"
      "  slurm-tree, slurm-block  topology.conf of Slurm's plugins; slurm-yaml: topology.yaml\n"
      "  ibnetdiscover, ibsim, lst, topo, csv, dot, svg   as of `heddle sim export`\n"
      "  json      nodes with their LIDs, and cables (docs/plan-fabric.schema.json)\n"
      "  lft       opensm-lfts.dump with the tables that heddle sm would write; fdbs: opensm.fdbs\n"
      "  sl2vl, path-sl   of routes on several VLs (--vls), as ibdmchk reads them\n"
      "  mcfdbs    opensm.mcfdbs: multicast, all hosts in one group, or --groups\n"
      "  flits     for simulators of single flits (docs/plan.md)\n"
      "Examples:\n"
      "  heddle plan export my.ibnetdiscover --format slurm-yaml -o topology.yaml\n"
      "  heddle plan export fat-tree:18,36 --format lft --routing ftree\n\n"
      "FABRIC (in quotes if it has a semicolon):\n{}\n"
      "Exit codes: 0 fine, 1 internal, 2 command line, 5 the fabric cannot be told in this\n"
      "format, 6 FABRIC or FILE cannot be read, 7 the output cannot be written.",
      sim::generator_help());
}

}  // namespace

void add_plan_export(CLI::App& plan, std::function<Exit()>& command) {
  CLI::App* out = plan.add_subcommand("export", "Write a fabric for other programs");
  auto arguments = std::make_shared<PlanExportArguments>();
  add_plan_input(*out, arguments->input);
  add_plan_routing(*out, arguments->routing);
  out->add_option("--format", arguments->format, "See below")
      ->required()
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"slurm-tree", "slurm-block", "slurm-yaml", "ibnetdiscover", "ibsim",
                             "lst", "topo", "csv", "dot", "svg", "json", "lft", "fdbs", "sl2vl",
                             "path-sl", "flits", "mcfdbs"}));
  out->add_option("-o,--output", arguments->output, "Write here, not to standard output")
      ->option_text("FILE");
  out->add_option("--groups", arguments->groups,
                  "Multicast groups: lines 'group 0xC001', and below each its hosts, one in a line")
      ->option_text("FILE [all hosts]")
      ->check(CLI::ExistingFile);
  out->footer(export_footer());
  out->callback([arguments, &command] {
    check_plan_routing(arguments->routing);
    command = [arguments] { return run_plan_export(*arguments); };
  });
}

}  // namespace heddle::app
