// SPDX-License-Identifier: BSD-3-Clause
#include "app/settings.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/audit.hpp"
#include "app/files.hpp"
#include "app/sm_options.hpp"
#include "base/text.hpp"
#include "config/load.hpp"
#include "config/opensm_import.hpp"
#include "transport/ports.hpp"

namespace heddle::app {

namespace {

bool exists(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// One line of the file, or of what the command line says.
std::string place_of(unsigned line, const std::string& file, unsigned lines_of_file) {
  if (line > lines_of_file) return "command line";
  return fmt::format("{}:{}", file, line);
}

void put_remark(const config::Imported::Remark& remark, const std::string& place,
                Settings& settings) {
  using Outcome = config::Imported::Outcome;
  const std::string about = fmt::format("{}: {}", place, base::printable(remark.option));
  const std::string text = base::printable(remark.text);
  if (remark.outcome == Outcome::Wrong) {
    settings.problems.push_back(fmt::format("{} is wrong: {}", about, text));
  } else if (remark.outcome == Outcome::Missing) {
    settings.remarks.push_back(fmt::format("{} has no effect: {}", about, text));
  } else if (remark.outcome == Outcome::Unknown) {
    settings.remarks.push_back(fmt::format("{} is no option of OpenSM{}{}{}", about,
                                           text.empty() ? "" : "; is ", text,
                                           text.empty() ? "" : " meant?"));
  }
}

void read_opensm(const OpensmSource& source, Settings& settings) {
  const std::filesystem::path& file = source.file.empty() ? source.usual_file : source.file;
  std::error_code ignored;
  const auto found = std::filesystem::status(file, ignored).type();
  std::string text;
  // The usual one need not be there; one that may not be read is there, and would be in force.
  if (!source.file.empty() || found != std::filesystem::file_type::not_found) {
    auto read = read_text_file(file);
    if (read.has_error()) {
      settings.problems.push_back(read.error().message);
      return;
    }
    text = std::move(*read);
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  const auto lines = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
  const config::Imported imported = config::import_opensm(text + source.lines, exists);
  settings.config = imported.config;
  settings.opensm_conf = config::opensm_values(text + source.lines);
  for (const auto& remark : imported.remarks) {
    put_remark(remark, place_of(remark.line, file.string(), lines), settings);
  }
  config::Config& config = settings.config;
  const config::Config usual;
  if (config.memory_file == usual.memory_file) config.memory_file = source.habits.memory_file;
  if (config.dump_dir.empty()) config.dump_dir = source.habits.dump_dir;
  if (config.log_file.empty()) config.log_file = source.habits.log_file;
  config.log_format = "opensm";
  if (config.log_file == "stdout") config.log_file = "/dev/stdout";
}

}  // namespace

Settings read_settings(const Sources& sources) {
  Settings settings;
  const config::Vocabulary words = vocabulary();
  if (sources.opensm) {
    read_opensm(*sources.opensm, settings);
  } else if (!sources.file.empty()) {
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

}  // namespace heddle::app
