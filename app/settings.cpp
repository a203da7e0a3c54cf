// SPDX-License-Identifier: BSD-3-Clause
#include "app/settings.hpp"

#include <fmt/format.h>

#include "app/audit.hpp"
#include "app/sm_options.hpp"
#include "config/load.hpp"
#include "transport/ports.hpp"

namespace heddle::app {

Settings read_settings(const Sources& sources) {
  Settings settings;
  const config::Vocabulary words = vocabulary();
  if (!sources.file.empty()) {
    const config::Loaded loaded = config::load(sources.file, words);
    settings.config = loaded.config;
    for (const config::Problem& problem : loaded.problems) {
      settings.problems.push_back(config::text_of(problem));
    }
  }
  if (!settings.problems.empty()) return settings;
  if (sources.simulated) {
    settings.config.memory_file.clear();
    // The summary tells what the log would, and the log's times are virtual.
    if (sources.file.empty()) settings.config.log_level = "warning";
  }
  for (const auto& [option, text] : sources.overrides) {
    const auto stored = config::store_from_command_line(settings.config, *option, text);
    if (stored.has_error()) {
      settings.problems.push_back(
          fmt::format("{} {}, not '{}'", qualified(*option), stored.error().message, text));
    }
  }
  const auto wish = transport::parse_port_wish(settings.config.port);
  if (wish.has_error()) settings.problems.push_back("sm.port: " + wish.error().message);
  for (const auto& contradiction : config::contradictions(settings.config, words)) {
    settings.problems.push_back(contradiction.message);
  }
  const auto gaps = profile_gaps(settings.config, sources.file.string());
  settings.problems.insert(settings.problems.end(), gaps.begin(), gaps.end());
  return settings;
}

LogOptions log_options(const config::Config& config) {
  return {config.log_level, config.log_format, config.log_file, config.log_limit};
}

OutputFiles output_files(const config::Config& config) {
  return {config.memory_file, config.dump_dir};
}

}  // namespace heddle::app
