// SPDX-License-Identifier: BSD-3-Clause
// `heddle sim run` and `heddle sim enter` on the command line.
#pragma once

#include <functional>

#include "app/exit_codes.hpp"

namespace CLI {
class App;
}

namespace heddle::app {

// Add the subcommands to `sim`; `command` becomes what the user asked for.
void add_sim_run(CLI::App& sim, std::function<Exit()>& command);
void add_sim_enter(CLI::App& sim, std::function<Exit()>& command);

}  // namespace heddle::app
