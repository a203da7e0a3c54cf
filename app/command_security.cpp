// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "app/audit.hpp"
#include "app/commands.hpp"
#include "app/operate_commands.hpp"
#include "app/sm_options.hpp"
#include "app/text.hpp"
#include "config/load.hpp"

namespace heddle::app {
Exit run_security_audit(const AuditArguments& arguments) {
  std::string path;
  config::Config config;
  struct stat found {};
  if (!arguments.config.empty()) {
    path = arguments.config.string();
  } else if (::stat(kUsualConfiguration, &found) == 0) {
    path = kUsualConfiguration;
  }
  if (!path.empty()) {
    config::Loaded loaded = config::load(path, vocabulary());
    if (!loaded.problems.empty()) {
      for (const auto& problem : loaded.problems) complain(config::text_of(problem));
      return Exit::Config;
    }
    config = std::move(loaded.config);
  }
  // Who promises nothing still wants to know what is missing.
  const std::string promised =
      config.security_profile == "open" ? "standard" : config.security_profile;
  const std::string profile = arguments.profile.empty() ? promised : arguments.profile;
  const auto all = audit(configuration_seen(std::move(config), path), *security_profile(profile));
  std::cout << (arguments.shape == Shape::Json ? diagnosis_json(all) : diagnosis_text(all))
            << std::flush;
  const bool falls_short = std::any_of(
      all.begin(), all.end(), [](const Diagnosis& one) { return one.health == Health::Wrong; });
  return falls_short ? Exit::Problems : Exit::Ok;
}

}  // namespace heddle::app
