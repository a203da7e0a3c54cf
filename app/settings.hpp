// SPDX-License-Identifier: BSD-3-Clause
// Configuration file and command line together: the line wins over the file.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/logging.hpp"
#include "app/perform.hpp"
#include "config/config.hpp"
#include "config/options.hpp"

namespace heddle::app {

struct Sources {
  std::filesystem::path file;  // empty: defaults only
  // Already checked one by one against the table.
  std::vector<std::pair<const config::Option*, std::string>> overrides;
  bool simulated = false;  // a simulated fabric has no LID memory unless the line names one
};

struct Settings {
  config::Config config;
  std::vector<std::string> problems;  // lines for a person; empty: the settings may be used
};

// May be called again, to read a changed file.
Settings read_settings(const Sources& sources);

LogOptions log_options(const config::Config& config);
OutputFiles output_files(const config::Config& config);

}  // namespace heddle::app
