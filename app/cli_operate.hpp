// SPDX-License-Identifier: BSD-3-Clause
// The command line of `heddle status`, `show`, `ctl` and `watch`.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "app/exit_codes.hpp"

namespace heddle::app {

void add_operate(CLI::App& app, std::function<Exit()>& command);

}  // namespace heddle::app
