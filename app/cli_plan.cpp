// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli_plan.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli_plan_report.hpp"
#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "base/text.hpp"
#include "mad/types.hpp"
#include "routing/engine.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {
namespace {

std::string engine_list() {
  std::string list;
  for (const routing::Engine* engine : routing::engines()) {
    list += fmt::format("  {:<10} {}\n", engine->name(), engine->summary());
  }
  return list;
}

std::vector<std::string> all_engines() {
  std::vector<std::string> names;
  for (const routing::Engine* engine : routing::engines()) {
    if (engine->name() != "file") names.emplace_back(engine->name());  // that is --tables
  }
  return names;
}

std::string check_engine(const std::string& name) {
  if (routing::find_engine(name) != nullptr) return {};
  return fmt::format("'{}' is no routing engine; there are {}", name,
                     CLI::detail::join(all_engines(), ", "));
}

std::string check_guid(const std::string& text) {
  return base::parse_hex(text) ? std::string()
                               : fmt::format("'{}' is no GUID (16 hexadecimal digits)", text);
}

std::string route_footer() {
  return fmt::format(
      "Tries routing engines on a fabric, without a subnet manager: whether their tables are\n"
      "proven, how long they take, and with --metrics how good they are.\n"
      "Examples:\n"
      "  heddle plan route fat-tree:18,36 --routing ftree,updn --metrics\n"
      "  heddle plan route my-cluster.ibnetdiscover --metrics -o json\n"
      "  heddle plan route my-cluster.ibnetdiscover --tables opensm-lfts.dump --metrics\n\n"
      "Routing engines (all of them if --routing is not given):\n{}\n"
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

void add_route(CLI::App& plan, std::function<Exit()>& command) {
  CLI::App* route = plan.add_subcommand("route", "Compare routing engines on a fabric");
  auto arguments = std::make_shared<PlanRouteArguments>();
  arguments->engines = all_engines();
  auto roots = std::make_shared<std::vector<std::string>>();
  route->add_option("FABRIC", arguments->fabric, "A generator's expression or a file")
      ->required()
      ->option_text(" ");
  route->add_option("--routing", arguments->engines, "Engines to try, separated by commas")
      ->option_text("LIST [all]")
      ->delimiter(',')
      ->check(check_engine);
  route
      ->add_option("--tables", arguments->tables,
                   "Judge the tables of this opensm-lfts.dump too, as engine 'file'")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  route->add_flag("--metrics", arguments->metrics, "Measure the quality of the tables as well");
  route->add_option("-o,--output", arguments->format, "table for people, json and csv for programs")
      ->option_text("FORMAT [table]")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  route->add_option("--lmc", arguments->lmc, "Give each host port 2^N LIDs")
      ->option_text("N [0]")
      ->check(CLI::Range(0, 7));
  route
      ->add_option("--vls", arguments->vls,
                   "Data VLs that engines may use, if all switches have them")
      ->option_text("N [4]")
      ->check(CLI::Range(1, 15));
  route->add_option("--roots", *roots, "Node GUIDs of a tree's top switches, separated by commas")
      ->option_text("GUIDS [found]")
      ->delimiter(',')
      ->check(check_guid);
  route
      ->add_option("--torus-config", arguments->torus_config,
                   "What torus-2QoS shall take for x, y and z, as OpenSM's torus-2QoS.conf")
      ->option_text("FILE [found]")
      ->check(CLI::ExistingFile);
  route->add_option("--seed", arguments->seed, "Seed of the random pairs and shifts")
      ->option_text("N [1]");
  add_ibnl_option(*route, arguments->ibnl);
  route->footer(route_footer());
  route->callback([arguments, roots, &command] {
    for (const std::string& text : *roots) {
      arguments->root_guids.push_back(mad::Guid{*base::parse_hex(text)});
    }
    command = [arguments] { return run_plan_route(*arguments); };
  });
}

}  // namespace

void add_plan(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* plan = app.add_subcommand("plan", "Try things out on a fabric that need not exist");
  plan->require_subcommand(1);
  add_route(*plan, command);
  add_plan_report(*plan, command);
}

}  // namespace heddle::app
