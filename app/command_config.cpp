// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include <fmt/format.h>

#include "app/audit.hpp"
#include "app/commands.hpp"
#include "app/named_files.hpp"
#include "app/sm_options.hpp"
#include "app/text.hpp"
#include "config/load.hpp"
#include "config/reference.hpp"

namespace heddle::app {

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
  const auto gaps = profile_gaps(loaded.config, file.string());
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
