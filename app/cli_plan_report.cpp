// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli_plan.hpp"
#include "app/plan_commands.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {
namespace {

std::string footer() {
  return fmt::format(
      "Writes one HTML file that needs no network: the fabric as a picture (levels of a tree, the\n"
      "grid of a torus, groups of a dragonfly), the load of every cable, search, the way between\n"
      "two hosts, and tables of engines, loads and budgets. With --svg the picture alone as well.\n"
      "Examples:\n"
      "  heddle plan report fat-tree:18,36 -o report.html\n"
      "  heddle plan report my-cluster.ibnetdiscover --routing ftree,updn,minhop -o report.html\n"
      "  heddle plan report torus:6x6x6,hosts=4 --svg torus.svg\n\n"
      "FABRIC (in quotes if it has a semicolon):\n{}\n"
      "Exit codes: 0 at least one engine's tables are proven, 1 internal, 2 command line, 5 no\n"
      "engine's are (the files are written), 6 FABRIC cannot be read, 7 a file cannot be written.",
      sim::generator_help());
}

}  // namespace

void add_plan_report(CLI::App& plan, std::function<Exit()>& command) {
  CLI::App* report = plan.add_subcommand("report", "Write a fabric and its routing as one page");
  auto arguments = std::make_shared<PlanReportArguments>();
  arguments->routing.usual.max_vls = 4;
  add_plan_input(*report, arguments->input);
  add_plan_routing(*report, arguments->routing);
  auto* output = report->add_option("-o,--output", arguments->output, "The page to write")
                     ->option_text("FILE.html");
  auto* svg =
      report->add_option("--svg", arguments->svg, "Write the picture as SVG too, or only it")
          ->option_text("FILE.svg");
  report
      ->add_option("--paths", arguments->paths,
                   "Ways between hosts are those of this engine's tables")
      ->option_text("ENGINE [first proven]");
  report
      ->add_option("--samples", arguments->samples,
                   "Measure so many shifts and random bisections of all hosts")
      ->option_text("N [100]")
      ->check(CLI::Range(0, 100'000));
  report->add_option("--seed", arguments->seed, "Seed of the random pairs and shifts")
      ->option_text("N [1]");
  report->footer(footer());
  report->callback([arguments, output, svg, &command] {
    if (output->count() == 0 && svg->count() == 0) {
      throw CLI::ValidationError("plan report", "say where to write: -o FILE.html or --svg FILE");
    }
    check_plan_routing(arguments->routing);
    command = [arguments] { return run_plan_report(*arguments); };
  });
}

}  // namespace heddle::app
