// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli_plan.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {
namespace {

std::string check_footer() {
  return fmt::format(
      "Looks for what is wrong with a fabric, or is not as it was planned: LIDs, GUIDs, cables\n"
      "in the wrong place, slow links, oversubscription, switches unlike those beside them, "
      "rails.\n"
      "Examples:\n"
      "  heddle plan check my-cluster.ibnetdiscover\n"
      "  heddle plan check my-cluster.ibnetdiscover --plan cabling.csv -o json\n"
      "  heddle plan check today.ibnetdiscover --plan last-week.ibnetdiscover\n\n"
      "FABRIC (in quotes if it has a semicolon):\n{}\n"
      "Exit codes: 0 nothing is wrong, 1 internal, 2 command line, 5 there are warnings or "
      "errors,\n"
      "6 FABRIC or FILE cannot be read, 7 the output cannot be written.",
      sim::generator_help());
}

}  // namespace

void add_plan_check(CLI::App& plan, std::function<Exit()>& command) {
  CLI::App* check = plan.add_subcommand("check", "Find what is wrong, or not as planned");
  auto arguments = std::make_shared<PlanCheckArguments>();
  add_plan_input(*check, arguments->input);
  check
      ->add_option("--plan", arguments->plan,
                   "How it should be cabled: CSV or JSON as of `heddle sim export`, or a FABRIC")
      ->option_text("FILE|FABRIC");
  check
      ->add_option("--match", arguments->match,
                   "Find the plan's devices by guid, by name, or auto: by name if there is no GUID")
      ->option_text("HOW [auto]")
      ->check(CLI::IsMember({"auto", "guid", "name"}));
  check->add_option("--lmc", arguments->lmc, "LMC of host ports that the LIDs must be enough for")
      ->option_text("N [what ports hold]")
      ->check(CLI::Range(0, 7));
  check->add_option("-o,--output", arguments->format, "table for people, json and csv for programs")
      ->option_text("FORMAT [table]")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  check->footer(check_footer());
  check->callback(
      [arguments, &command] { command = [arguments] { return run_plan_check(*arguments); }; });
}

}  // namespace heddle::app
