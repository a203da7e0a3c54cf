// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/api_service.hpp"
#include "app/audit.hpp"
#include "app/commands.hpp"
#include "app/named_files.hpp"
#include "app/sharing.hpp"
#include "app/sm_options.hpp"
#include "app/text.hpp"
#include "config/load.hpp"
#include "config/reference.hpp"
#include "transport/ports.hpp"

namespace heddle::app {
namespace {

// What keeps a manager from starting, or its API from being open, and is in no table of options.
std::vector<std::string> refusals(const config::Config& config) {
  std::vector<std::string> all;
  const auto wish = transport::parse_port_wish(config.port);
  if (wish.has_error()) all.push_back("sm.port: " + wish.error().message);
  const auto shared = check_sharing(config);
  if (shared.has_error()) all.push_back(shared.error().message);
  if (!config.api_enabled) return all;
  const auto door = tcp_door(config);
  if (door.has_error()) {
    all.push_back(door.error().message);
  } else if (*door) {
    const auto open = api::Server::check(**door);
    if (open.has_error()) all.push_back(open.error().message);
  }
  return all;
}

}  // namespace

Exit run_config_check(const std::filesystem::path& file) {
  const config::Loaded loaded = config::load(file, vocabulary());
  for (const config::Problem& problem : loaded.problems) {
    std::cerr << config::text_of(problem) << "\n";
  }
  if (!loaded.problems.empty()) {
    complain(fmt::format("{} in {}", counted(loaded.problems.size(), "problem", "problems"),
                         file.string()));
    return Exit::Config;
  }
  const auto files = read_named_files(loaded.config);
  if (!files) {
    complain(files.error().message);
    return Exit::Config;
  }
  const auto wrong = files->troubles(), doubtful = files->doubts();
  for (const auto* sentences : {&wrong, &doubtful}) {
    for (const std::string& sentence : *sentences) std::cerr << sentence << "\n";
  }
  if (!wrong.empty()) {
    complain(fmt::format("{} in files that {} names", counted(wrong.size(), "problem", "problems"),
                         file.string()));
    return Exit::Config;
  }
  auto gaps = refusals(loaded.config);
  const auto wanted = profile_gaps(loaded.config, file.string());
  gaps.insert(gaps.end(), wanted.begin(), wanted.end());
  for (const std::string& gap : gaps) std::cerr << file.string() << ": " << gap << "\n";
  if (!gaps.empty()) return Exit::Config;
  std::cout << file.string() << " is fine";
  if (!doubtful.empty()) {
    std::cout << ", with " << counted(doubtful.size(), "doubt", "doubts")
              << " about files that it names";
  }
  std::cout << ".\n";
  return Exit::Ok;
}

Exit run_config_sample() {
  std::cout << config::sample_file();
  return Exit::Ok;
}

Exit run_config_reference() {
  std::cout << config::markdown_reference();
  return Exit::Ok;
}

void complain(const std::string& sentence) {
  std::cerr << "heddle: " << sentence << "\n";
}

}  // namespace heddle::app
