// SPDX-License-Identifier: BSD-3-Clause
// Configuration file and command line together: the line wins over the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/logging.hpp"
#include "app/perform.hpp"
#include "config/config.hpp"
#include "config/options.hpp"

namespace heddle::app {

// Where OpenSM keeps its files when nobody says otherwise; empty: nowhere.
struct OpensmHabits {
  std::filesystem::path memory_file, dump_dir, log_file;
};

// An opensm.conf instead of a file of ours.
struct OpensmSource {
  std::filesystem::path file;  // empty: the usual one, if it is there
  std::filesystem::path usual_file;
  std::string lines;  // what the command line says, in the same words; it wins
  OpensmHabits habits;
};

struct Sources {
  std::filesystem::path file;  // empty: defaults only
  // Already checked one by one against the table.
  std::vector<std::pair<const config::Option*, std::string>> overrides;
  std::optional<OpensmSource> opensm;  // then `file` is not read
  bool simulated = false;  // a simulated fabric has no LID memory unless the line names one
};

struct Settings {
  config::Config config;
  std::vector<std::string> problems;  // lines for a person; empty: the settings may be used
  std::vector<std::string> remarks;   // likewise: what of an opensm.conf has no effect here
  std::string opensm_conf = {};       // as config::opensm_values() has it; empty: there is none
};

// May be called again, to read a changed file.
Settings read_settings(const Sources& sources);

LogOptions log_options(const config::Config& config);

}  // namespace heddle::app
