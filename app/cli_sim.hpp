// SPDX-License-Identifier: BSD-3-Clause
// `heddle sim` and its subcommands on the command line.
#pragma once

#include <functional>

#include "app/exit_codes.hpp"

namespace CLI {
class App;
}

namespace heddle::app {

// Adds the subcommand; `command` becomes what the user asked for once it was parsed.
void add_sim(CLI::App& app, std::function<Exit()>& command);

struct SimArguments;

// The fabric's chance and time, its script and its recording: `heddle sim` and `heddle sim run`.
void add_world_options(CLI::App& command, SimArguments& arguments);

// Adds `export` to it.
void add_sim_export(CLI::App& sim, std::function<Exit()>& command);

}  // namespace heddle::app
