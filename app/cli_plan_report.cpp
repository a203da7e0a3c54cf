// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli_plan_report.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/fabric_options.hpp"
#include "base/text.hpp"
#include "routing/engine.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {
namespace {

std::string check_reported_engine(const std::string& name) {
  if (name != "file" && routing::find_engine(name) != nullptr) return {};
  return fmt::format(
      "'{}' is no routing engine that works without a file; heddle plan route "
      "--help lists them",
      name);
}

std::string check_root(const std::string& text) {
  return base::parse_hex(text) ? std::string()
                               : fmt::format("'{}' is no GUID (16 hexadecimal digits)", text);
}

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

void add_routing_options(CLI::App& report, PlanReportArguments& arguments,
                         std::vector<std::string>& roots) {
  report.add_option("--lmc", arguments.lmc, "Give each host port 2^N LIDs")
      ->option_text("N [0]")
      ->check(CLI::Range(0, 7));
  report
      .add_option("--vls", arguments.vls,
                  "Data VLs that engines may use, if all switches have them")
      ->option_text("N [4]")
      ->check(CLI::Range(1, 15));
  report.add_option("--roots", roots, "Node GUIDs of a tree's top switches, separated by commas")
      ->option_text("GUIDS [found]")
      ->delimiter(',')
      ->check(check_root);
  report
      .add_option("--torus-config", arguments.torus_config,
                  "What torus-2QoS shall take for x, y and z, as OpenSM's torus-2QoS.conf")
      ->option_text("FILE [found]")
      ->check(CLI::ExistingFile);
}

}  // namespace

void add_plan_report(CLI::App& plan, std::function<Exit()>& command) {
  CLI::App* report = plan.add_subcommand("report", "Write a fabric and its routing as one page");
  auto arguments = std::make_shared<PlanReportArguments>();
  auto roots = std::make_shared<std::vector<std::string>>();
  report->add_option("FABRIC", arguments->fabric, "A generator's expression or a file")
      ->required()
      ->option_text(" ");
  report->add_option("--routing", arguments->engines, "Engines to try, separated by commas")
      ->option_text("LIST [auto]")
      ->delimiter(',')
      ->check(check_reported_engine);
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
  add_routing_options(*report, *arguments, *roots);
  add_ibnl_option(*report, arguments->ibnl);
  report->footer(footer());
  report->callback([arguments, roots, output, svg, &command] {
    if (output->count() == 0 && svg->count() == 0) {
      throw CLI::ValidationError("plan report", "say where to write: -o FILE.html or --svg FILE");
    }
    const auto& engines = arguments->engines;
    if (!arguments->paths.empty() &&
        std::find(engines.begin(), engines.end(), arguments->paths) == engines.end()) {
      throw CLI::ValidationError(
          "--paths", fmt::format("'{}' is not among the engines to try", arguments->paths));
    }
    for (const std::string& text : *roots) {
      arguments->root_guids.push_back(mad::Guid{*base::parse_hex(text)});
    }
    command = [arguments] { return run_plan_report(*arguments); };
  });
}

}  // namespace heddle::app
