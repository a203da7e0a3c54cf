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

std::string what_if_footer() {
  return fmt::format(
      "Tells what a loss would do, with the tables that the subnet manager would choose then:\n"
      "pairs of hosts that part, entries and blocks it would write, load and bandwidth.\n"
      "Examples:\n"
      "  heddle plan what-if my.ibnetdiscover --cut 'leaf-1:7 - spine-2:3' --writes\n"
      "  heddle plan what-if my.ibnetdiscover --cut spine-2 --cut '0x0002c90300a1b2c3'\n"
      "  heddle plan what-if my.ibnetdiscover --each links=100 -o csv\n"
      "  heddle plan what-if my.ibnetdiscover --series links=1..20 --plot losses.svg\n"
      "  heddle plan what-if my.ibnetdiscover --moves saturday.txt --writes\n\n"
      "FABRIC (in quotes if it has a semicolon):\n{}\n"
      "Exit codes: 0 all hosts still reach each other, 1 internal, 2 command line, 5 some do not\n"
      "or no tables are proven, 6 FABRIC or FILE cannot be read or has not what is\n"
      "named, 7 the output cannot be written. Ctrl-C ends it at once (130 in a shell).",
      sim::generator_help());
}

}  // namespace

void add_plan_what_if(CLI::App& plan, std::function<Exit()>& command) {
  CLI::App* what_if = plan.add_subcommand("what-if", "Tell what a loss would do");
  auto arguments = std::make_shared<PlanWhatIfArguments>();
  add_plan_input(*what_if, arguments->input);
  add_plan_routing(*what_if, arguments->routing);
  what_if
      ->add_option("--cut", arguments->cut,
                   "What is lost: a cable 'A:1 - B:2' or 'A:1', a node, a pattern with * and ?")
      ->option_text("WHAT");
  what_if->add_option("--random", arguments->random, "And so many, chosen by the seed")
      ->option_text("links|switches|hosts=K");
  what_if
      ->add_option("--each", arguments->each,
                   "So many losses (or =all) chosen by the seed, each of them alone")
      ->option_text("links|switches|hosts=K");
  what_if->add_option("--series", arguments->series, "A to B of them, more and more")
      ->option_text("links|switches|hosts=A..B");
  what_if->add_option("--seed", arguments->seed, "Seed of all that is chosen by chance")
      ->option_text("N [1]");
  what_if
      ->add_option("--bisections", arguments->bisections,
                   "Random bisections for the bandwidth; 0: it is not measured")
      ->option_text("N [20]")
      ->check(CLI::Range(0, 100'000));
  what_if
      ->add_option("--moves", arguments->moves,
                   "Steps of an upgrade, one in a line: out A:1, in A:1 - B:2, move A:1 -> B:2,\n"
                   "swap A:1 <-> B:2; told before and after each")
      ->option_text("FILE")
      ->check(CLI::ExistingFile)
      ->excludes("--cut", "--random", "--each", "--series");
  what_if->add_flag("--writes", arguments->writes, "List what would be written, in order");
  what_if->add_option("--plot", arguments->plot, "Draw a series as SVG into this file")
      ->option_text("FILE");
  what_if
      ->add_option("-o,--output", arguments->format, "table for people, json and csv for programs")
      ->option_text("FORMAT [table]")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  what_if->footer(what_if_footer());
  what_if->callback([arguments, &command] {
    check_plan_routing(arguments->routing);
    command = [arguments] { return run_plan_what_if(*arguments); };
  });
}

}  // namespace heddle::app
