// SPDX-License-Identifier: BSD-3-Clause
#include "app/config_diff.hpp"

#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/sm_options.hpp"
#include "config/load.hpp"

namespace heddle::app {
namespace {

std::optional<config::Config> load(const std::filesystem::path& file) {
  const config::Loaded loaded = config::load(file, vocabulary());
  for (const config::Problem& problem : loaded.problems) complain(config::text_of(problem));
  if (!loaded.problems.empty()) return std::nullopt;
  return loaded.config;
}

}  // namespace

std::string configuration_difference(const config::Config& from, const config::Config& to) {
  std::string text;
  for (const config::Option& option : config::options()) {
    const std::string before = config::text_of(from, option), after = config::text_of(to, option);
    if (before == after) continue;
    text += is_secret(option) ? fmt::format("{}: another one\n", qualified(option))
                              : fmt::format("{}: {} -> {}\n", qualified(option), before, after);
  }
  return text;
}

Exit run_config_diff(const std::filesystem::path& file, const std::filesystem::path& other) {
  const auto first = load(file);
  const auto second = other.empty() ? std::optional<config::Config>() : load(other);
  if (!first || (!other.empty() && !second)) return Exit::Config;
  const std::string text = other.empty() ? configuration_difference(config::Config{}, *first)
                                         : configuration_difference(*first, *second);
  std::cout << (text.empty() ? "No difference.\n" : text);
  return text.empty() ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
