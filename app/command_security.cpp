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
namespace {

bool anybody_reads(const std::string& file) {
  struct stat found {};
  return !file.empty() && ::stat(file.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
}

}  // namespace

Exit run_security_audit(const AuditArguments& arguments) {
  ConfigurationSeen seen;
  struct stat found {};
  if (!arguments.config.empty()) {
    seen.path = arguments.config.string();
  } else if (::stat(kUsualConfiguration, &found) == 0) {
    seen.path = kUsualConfiguration;
  }
  if (!seen.path.empty()) {
    config::Loaded loaded = config::load(seen.path, vocabulary());
    if (!loaded.problems.empty()) {
      for (const auto& problem : loaded.problems) complain(config::text_of(problem));
      return Exit::Config;
    }
    seen.config = std::move(loaded.config);
  }
  const config::Config usual;
  const bool has_keys = seen.config.m_key != usual.m_key || seen.config.sm_key != usual.sm_key;
  if (has_keys && anybody_reads(seen.path)) seen.open_to_all.push_back(seen.path);
  for (const std::string& file : {seen.config.api_tokens, seen.config.api_key}) {
    if (anybody_reads(file)) seen.open_to_all.push_back(file);
  }
  const auto all = audit(seen, *security_profile(arguments.profile));
  std::cout << (arguments.shape == Shape::Json ? diagnosis_json(all) : diagnosis_text(all))
            << std::flush;
  const bool falls_short = std::any_of(
      all.begin(), all.end(), [](const Diagnosis& one) { return one.health == Health::Wrong; });
  return falls_short ? Exit::Problems : Exit::Ok;
}

}  // namespace heddle::app
