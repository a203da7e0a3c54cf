// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli_plan.hpp"

#include <CLI/CLI.hpp>

namespace heddle::app {

void add_plan(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* plan = app.add_subcommand("plan", "Try things out on a fabric that need not exist");
  plan->require_subcommand(1);
  add_plan_check(*plan, command);
  add_plan_export(*plan, command);
  add_plan_report(*plan, command);
  add_plan_route(*plan, command);
  add_plan_what_if(*plan, command);
}

}  // namespace heddle::app
