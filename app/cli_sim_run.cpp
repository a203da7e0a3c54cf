// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli_sim_run.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli_sim.hpp"
#include "app/commands.hpp"
#include "app/fabric_options.hpp"

namespace heddle::app {
namespace {

void add_where(CLI::App& command, std::vector<std::string>& at, std::filesystem::path& directory) {
  command
      .add_option("--at", at, "The node whose programs run; again for a host of several adapters")
      ->option_text("NODE[:PORT] [the first host]")
      ->allow_extra_args(false);
  command.add_option("--dir", directory, "Where the fabric's sockets are")
      ->option_text("DIR [$XDG_RUNTIME_DIR/heddle]")
      ->envname("HEDDLE_SIM_DIR");
}

void add_door(CLI::App& command, std::string& door) {
  command
      .add_option("--door", door,
                  "device files by FUSE, or a preload library that needs neither /dev/fuse nor\n"
                  "namespaces and is faster")
      ->option_text("device|ring [device]")
      ->check(CLI::IsMember({kDeviceDoor, kRingDoor}))
      ->envname("HEDDLE_SIM_DOOR");
}

void add_command(CLI::App& command, std::vector<std::string>& words) {
  command.add_option("COMMAND", words, "The program and its arguments, behind --")
      ->required()
      ->option_text(" ");
}

}  // namespace

void add_sim_run(CLI::App& sim, std::function<Exit()>& command) {
  CLI::App* run =
      sim.add_subcommand("run", "Run one command on a node of a fabric, through device files");
  auto arguments = std::make_shared<SimRunArguments>();
  run->add_option("FABRIC", arguments->fabric, "A generator's expression or a file")
      ->required()
      ->option_text(" ");
  add_command(*run, arguments->command);
  add_where(*run, arguments->at, arguments->directory);
  add_door(*run, arguments->door);
  run->add_option("--name", arguments->name, "How 'heddle sim enter' and 'ctl' find this fabric")
      ->option_text("NAME [run-PID]");
  add_ibnl_option(*run, arguments->ibnl);
  add_world_options(*run, *arguments);
  run->footer(
      "The command sees /dev/infiniband and /sys/class/infiniband of the node; root is not needed\n"
      "where user namespaces are allowed, and never with --door ring. $HEDDLE_SIM is the fabric's\n"
      "name.\n\n"
      "Examples:\n"
      "  heddle sim run fat-tree:4,8 -- sh -c 'opensm -o; ibnetdiscover; saquery'\n"
      "  heddle sim run net.txt --at host-2 -- heddle sm --once\n"
      "  heddle sim run pair -- sh -c 'heddle sim enter $HEDDLE_SIM --at host-2 -- ibstat'\n\n"
      "Exit codes: the command's own, 128 and the signal's number if one ended it; 6 FABRIC "
      "cannot\n"
      "be built, 7 the recording cannot be written, 8 the node cannot be entered or the name is\n"
      "taken, 126 and 127 as shells have them.");
  run->callback([arguments, &command] {
    command = [arguments] { return static_cast<Exit>(run_sim_run(*arguments)); };
  });
}

void add_sim_enter(CLI::App& sim, std::function<Exit()>& command) {
  CLI::App* enter = sim.add_subcommand(
      "enter", "Run a command on a node of a running fabric, through device files");
  auto arguments = std::make_shared<SimEnterArguments>();
  enter->add_option("NAME", arguments->name, "The fabric's name")->required()->option_text(" ");
  add_command(*enter, arguments->command);
  add_where(*enter, arguments->at, arguments->directory);
  add_door(*enter, arguments->door);
  enter->footer(
      "Exit codes: the command's own; 8 no such fabric runs, or the node cannot be entered,\n"
      "126 and 127 as shells have them.");
  enter->callback([arguments, &command] {
    command = [arguments] { return static_cast<Exit>(run_sim_enter(*arguments)); };
  });
}

}  // namespace heddle::app
