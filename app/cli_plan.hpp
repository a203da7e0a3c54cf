// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan` and its subcommands on the command line.
#pragma once

#include <functional>

#include "app/exit_codes.hpp"

namespace CLI {
class App;
}

namespace heddle::app {

// Adds the subcommand; `command` becomes what the user asked for once it was parsed.
void add_plan(CLI::App& app, std::function<Exit()>& command);

// --- one per subcommand, each in a file of its own: cli_plan_NAME.cpp ---------------------------

void add_plan_check(CLI::App& plan, std::function<Exit()>& command);
void add_plan_export(CLI::App& plan, std::function<Exit()>& command);
void add_plan_report(CLI::App& plan, std::function<Exit()>& command);
void add_plan_route(CLI::App& plan, std::function<Exit()>& command);
void add_plan_what_if(CLI::App& plan, std::function<Exit()>& command);

}  // namespace heddle::app
