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

std::string route_footer() {
  return fmt::format(
      "Tries routing engines on a fabric, without a subnet manager: whether their tables are\n"
      "proven, how long they take, and with --metrics how good they are.\n"
      "Examples:\n"
      "  heddle plan route fat-tree:18,36 --routing ftree,updn --metrics\n"
      "  heddle plan route my-cluster.ibnetdiscover --metrics -o json\n"
      "  heddle plan route my-cluster.ibnetdiscover --routing ftree --job hosts --io servers\n"
      "  heddle plan route my-cluster.ibnetdiscover --tables opensm-lfts.dump --metrics\n\n"
      "Routing engines (all but file if --routing is not given; of a live fabric its own):\n{}\n"
      "What --metrics measures, between hosts:\n"
      "  MAX LOAD, P99, MEAN   routes of everyone to everyone over a link (edge forwarding index)\n"
      "  HOPS                  links between switches that a route passes, in the mean\n"
      "  SHIFT WORST, MEAN     host i sends to host i + k: most packets on one link, over all k\n"
      "  EBB                   share of its cable that a host gets when random pairs talk\n\n"
      "FABRIC (in quotes if it has a semicolon):\n{}\n"
      "Exit codes: 0 at least one engine's tables are proven, 1 internal, 2 command line, 5 no\n"
      "engine's are, 6 FABRIC or FILE cannot be read, 7 the output cannot be written.",
      engine_list(), sim::generator_help());
}

}  // namespace

void add_plan_route(CLI::App& plan, std::function<Exit()>& command) {
  CLI::App* route = plan.add_subcommand("route", "Compare routing engines on a fabric");
  auto arguments = std::make_shared<PlanRouteArguments>();
  arguments->routing.usual.engines = all_engines();
  arguments->routing.usual.max_vls = 4;
  add_plan_input(*route, arguments->input);
  add_plan_routing(*route, arguments->routing, "all");
  route
      ->add_option("--tables", arguments->tables,
                   "Judge the tables of this opensm-lfts.dump or opensm.fdbs too, as engine 'file'")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  route->add_flag("--metrics", arguments->metrics, "Measure the quality of the tables as well");
  route
      ->add_option("--job", arguments->job,
                   "Measure traffic among these hosts, one in a line, in the order of their ranks")
      ->option_text("FILE [all hosts]")
      ->check(CLI::ExistingFile);
  route->add_option("--io", arguments->io, "And traffic of all of them to these")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  route
      ->add_option("--worst", arguments->worst, "Name so many of the busiest links of each pattern")
      ->option_text("N [0; 5 with --job or --io]")
      ->check(CLI::Range(1, 10'000));
  route->add_option("-o,--output", arguments->format, "table for people, json and csv for programs")
      ->option_text("FORMAT [table]")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  route->add_option("--seed", arguments->seed, "Seed of the random pairs and shifts")
      ->option_text("N [1]");
  route->footer(route_footer());
  route->callback([arguments, &command] {
    check_plan_routing(arguments->routing);
    command = [arguments] { return run_plan_route(*arguments); };
  });
}

}  // namespace heddle::app
