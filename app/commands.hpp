// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `heddle`, after their arguments have been understood. Results go to standard
// output; logs, progress and errors to standard error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/settings.hpp"

namespace heddle::app {

struct SmArguments {
  std::optional<std::string> fabric;  // simulate this one; otherwise a local port
  std::string at;                     // NODE or NODE:PORT of the simulated fabric; empty: the first
  std::uint64_t seed = 1;
  bool once = false;
  std::filesystem::path record;  // empty: nothing is recorded
  Sources sources;
};
Exit run_sm(const SmArguments& arguments);

enum class Format { Table, Json };
Exit run_ports(Format format);

Exit run_config_check(const std::filesystem::path& file);
Exit run_config_sample();
Exit run_config_reference();

// Plays what --record wrote again: "same", or the first difference and Exit::Internal.
Exit run_replay(const std::filesystem::path& file);

// "heddle: " and the sentence, on standard error.
void complain(const std::string& sentence);

}  // namespace heddle::app
