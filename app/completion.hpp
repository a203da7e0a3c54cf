// SPDX-License-Identifier: BSD-3-Clause
// Completion for shells, made from the command line as it is defined: nothing to keep in step.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace heddle::app {

// Scripts for the shell to read. Commands and options that --help hides are left out.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace heddle::app
