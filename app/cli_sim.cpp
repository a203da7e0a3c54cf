// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli_sim.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli_sim_run.hpp"
#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "config/duration.hpp"
#include "doors/fabric_host.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {
namespace {

std::string sim_footer() {
  return fmt::format(
      "Tools find the fabric by its name:\n"
      "  heddle sim fat-tree:18,36 --name lab &\n"
      "  IBSIM_SOCKNAME=lab SIM_HOST=host-0001 LD_PRELOAD=libumad2sim.so ibnetdiscover\n"
      "  heddle sim ctl lab link down leaf-01 1\n"
      "  heddle sim ctl lab quit\n\n"
      "FABRIC (in quotes if it has a semicolon; ./NAME for a file called like a subcommand):\n{}\n"
      "Signals: SIGTERM and SIGINT end it, with a summary.\n"
      "Exit codes: 0 fine, 1 internal, 2 command line, 6 FABRIC cannot be built, 7 an output file\n"
      "cannot be written, 8 the name is taken or a socket cannot be made.",
      sim::generator_help());
}

CLI::Option* add_time(CLI::App& command, const std::string& name, base::Duration& value,
                      const std::string& meaning) {
  const auto take = [&value](const std::string& text) {
    value = config::parse_duration(text).value_or(value);
  };
  return command.add_option_function<std::string>(name, take, meaning)
      ->option_text("TIME [0]")
      ->check([](const std::string& text) {
        return config::parse_duration(text)
                   ? std::string()
                   : fmt::format("'{}' is no time; write a number and a unit: 50us, 2ms", text);
      });
}

}  // namespace

void add_world_options(CLI::App& sim, SimArguments& arguments) {
  sim.add_option("--seed", arguments.seed, "Seed of the fabric's chance")->option_text("N [1]");
  add_time(sim, "--hop-delay", arguments.hop_delay, "Time on each cable");
  add_time(sim, "--agent-delay", arguments.agent_delay, "Time a device takes to answer");
  sim.add_option("--loss", arguments.loss, "Chance that a MAD is lost on a cable, 0 to 1")
      ->option_text("P [0]")
      ->check(CLI::Range(0.0, 1.0));
  sim.add_option("--time", arguments.time,
                 "How the fabric's time goes: as on the wall, over all pauses, or so much faster")
      ->option_text("real|virtual|FACTORx [real]")
      ->check([](const std::string& text) {
        return doors::parse_pace(text)
                   ? std::string()
                   : fmt::format("'{}' is not real, virtual or a factor such as 10x", text);
      });
  sim.add_option("--script", arguments.script, "Verbs with times to carry out (docs/simulator.md)")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  sim.add_option("--record", arguments.record,
                 "Write every MAD with its time as JSON lines, for 'heddle sim replay'")
      ->option_text("FILE");
}

namespace {

void add_sim_options(CLI::App& sim, SimArguments& arguments) {
  // Not required: a subcommand may stand in its place. The callback looks.
  sim.add_option("FABRIC", arguments.fabric, "A generator's expression or a file")
      ->option_text(" ");
  add_ibnl_option(sim, arguments.ibnl);
  sim.add_option("--name", arguments.name, "How tools and 'heddle sim ctl' find this fabric")
      ->option_text("NAME [$IBSIM_SOCKNAME or sim]");
  sim.add_option("--socket-name", arguments.socket_name,
                 "Base of the abstract sockets, if it is not NAME")
      ->option_text("BASE");
  sim.add_option("--listen", arguments.listen, "Serve clients by UDP as well, as 'ibsim -r' does")
      ->option_text("[ADDRESS:]PORT");
  sim.add_option("--dir", arguments.directory, "Where the control socket is made")
      ->option_text("DIR [$XDG_RUNTIME_DIR/heddle]");
  add_world_options(sim, arguments);
  add_time(sim, "--attention", arguments.attention,
           "How long a client on a socket is asked for more before the door sleeps; 0: never")
      ->option_text("TIME [50us]");
  sim.add_flag("--console", arguments.console,
               "Read verbs from standard input even if it is no terminal");
  sim.add_flag("-q,--quiet", arguments.quiet, "No banner and no summary");
}

// What every question to a running fabric needs.
void add_fabric_name(CLI::App& command, SimCtlArguments& arguments) {
  command.add_option("NAME", arguments.name, "The fabric's name")->required()->option_text(" ");
  command.add_option("--dir", arguments.directory, "Where the control socket is")
      ->option_text("DIR [$XDG_RUNTIME_DIR/heddle]")
      ->envname("HEDDLE_SIM_DIR");
  command.add_flag("--json", arguments.json, "Print the answer as it came, in JSON");
}

void add_sim_ping(CLI::App& sim, std::function<Exit()>& command) {
  CLI::App* ping = sim.add_subcommand("ping", "Say whether IP would work between two hosts");
  auto arguments = std::make_shared<SimCtlArguments>();
  add_fabric_name(*ping, *arguments);
  ping->add_option("NODES", arguments->words,
                   "From, to, and as you like the MLID of the broadcast group and the P_Key")
      ->required()
      ->expected(2, 4)
      ->option_text("NODE NODE [MLID [P_KEY]]");
  ping->footer(
      "ARP over the group, the answer, a packet there and one back, by the switches' own tables;\n"
      "short for 'heddle sim ctl NAME ping ...'.\n"
      "Exit codes: 0 it would, 2 it would not (the answer says where it ends), 8 no such fabric\n"
      "runs.");
  ping->callback([arguments, &command] {
    arguments->words.insert(arguments->words.begin(), "ping");
    command = [arguments] { return run_sim_ctl(*arguments); };
  });
}

void add_sim_ctl(CLI::App& sim, std::function<Exit()>& command) {
  CLI::App* ctl = sim.add_subcommand("ctl", "Send one verb to a running fabric");
  auto arguments = std::make_shared<SimCtlArguments>();
  add_fabric_name(*ctl, *arguments);
  ctl->add_option("VERB", arguments->words, "The verb and its arguments; 'help' lists them")
      ->required()
      ->option_text(" ");
  ctl->footer("Exit codes: 0 done, 2 the verb was refused, 8 no such fabric runs.");
  ctl->callback(
      [arguments, &command] { command = [arguments] { return run_sim_ctl(*arguments); }; });
}

void add_sim_replay(CLI::App& sim, std::function<Exit()>& command) {
  CLI::App* replay = sim.add_subcommand("replay", "Play a recording of --record again and compare");
  auto file = std::make_shared<std::string>();
  replay->add_option("FILE", *file, "The recording")->required()->option_text(" ");
  replay->footer(
      "Exit codes: 0 the same came out, 1 something else did (it is shown), 2 it is no recording,\n"
      "6 its FABRIC cannot be built.");
  replay->callback([file, &command] { command = [file] { return run_sim_replay(*file); }; });
}

}  // namespace

void add_sim(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* sim = app.add_subcommand("sim", "Simulate a fabric for other programs' tools");
  auto arguments = std::make_shared<SimArguments>();
  add_sim_options(*sim, *arguments);
  sim->footer(sim_footer());
  add_sim_ctl(*sim, command);
  add_sim_ping(*sim, command);
  add_sim_export(*sim, command);
  add_sim_replay(*sim, command);
  add_sim_run(*sim, command);
  add_sim_enter(*sim, command);
  // Runs after the callback of a subcommand, which has the last word.
  sim->callback([sim, arguments, &command] {
    if (!sim->get_subcommands().empty()) return;
    if (arguments->fabric.empty()) throw CLI::RequiredError("FABRIC or a subcommand");
    command = [arguments] { return run_sim(*arguments); };
  });
}

}  // namespace heddle::app
