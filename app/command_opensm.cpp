// SPDX-License-Identifier: BSD-3-Clause
// `heddle opensm`: takes OpenSM's place where scripts and units start it by its own command line.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/opensm_line.hpp"
#include "config/opensm_import.hpp"

namespace heddle::app {
namespace {

constexpr const char* kUsualConfig = "/etc/opensm/opensm.conf";

bool may_write_into(const std::filesystem::path& directory) {
  return ::access(directory.c_str(), W_OK | X_OK) == 0;
}

std::string from_environment(const char* name, const char* usual) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : usual;
}

// Where OpenSM would write, as long as that may be written to.
OpensmHabits habits() {
  OpensmHabits out;
  const std::filesystem::path cache = from_environment("OSM_CACHE_DIR", "/var/cache/opensm");
  std::error_code ignored;
  std::filesystem::create_directories(cache, ignored);
  if (may_write_into(cache)) out.memory_file = cache / "guid2lid";
  const std::filesystem::path dumps = from_environment("OSM_TMP_DIR", "/var/log");
  if (may_write_into(dumps)) out.dump_dir = dumps;
  if (may_write_into("/var/log")) out.log_file = "/var/log/opensm.log";
  return out;
}

Exit create_config(const OpensmLine& line) {
  std::ofstream out(line.create_config);
  out << "# Options of OpenSM as heddle opensm takes them (docs/migrating.md).\n" << line.lines;
  for (const config::OpensmOption& option : config::opensm_options()) {
    const bool is_given =
        ("\n" + line.lines).find(fmt::format("\n{} ", option.name)) != std::string::npos;
    if (!is_given) out << fmt::format("{} {}\n", option.name, option.usual);
  }
  if (out.flush()) return Exit::Ok;
  complain(fmt::format("cannot write {}", line.create_config.string()));
  return Exit::Output;
}

bool write_pid(const std::filesystem::path& file) {
  if (file.empty()) return true;
  std::ofstream out(file);
  out << ::getpid() << "\n";
  if (out.flush()) return true;
  complain(fmt::format("cannot write the process id to {}", file.string()));
  return false;
}

}  // namespace

Exit run_opensm(std::span<const std::string> words) {
  const auto line = parse_opensm_line(words);
  if (line.has_error()) {
    complain(line.error().message);
    return Exit::Usage;
  }
  if (line->help) {
    std::cout << "heddle opensm takes OpenSM's options (docs/migrating.md says what becomes of "
                 "each):\n"
              << opensm_line_help();
    return Exit::Ok;
  }
  if (line->version) {
    std::cout << "Heddle " HEDDLE_VERSION ", in the place of OpenSM\n";
    return Exit::Ok;
  }
  if (!line->create_config.empty()) return create_config(*line);
  SmArguments arguments;
  arguments.once = line->once;
  arguments.sources.opensm = OpensmSource{line->config, kUsualConfig, line->lines, habits()};
  for (const std::string& remark : line->remarks) std::cerr << remark << "\n";
  for (const std::string& remark : read_settings(arguments.sources).remarks) {
    std::cerr << remark << "\n";
  }
  // Before anything has a thread.
  if (line->daemon && ::daemon(/*nochdir=*/1, /*noclose=*/0) != 0) {
    complain("cannot go into the background");
    return Exit::Internal;
  }
  if (!write_pid(line->pid_file)) return Exit::Output;
  const Exit outcome = run_sm(arguments);
  std::error_code ignored;
  if (!line->pid_file.empty()) std::filesystem::remove(line->pid_file, ignored);
  return outcome;
}

}  // namespace heddle::app
