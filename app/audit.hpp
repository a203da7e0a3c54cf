// SPDX-License-Identifier: BSD-3-Clause
// `heddle security audit`: whether a configuration keeps those out whom it should
// (docs/security.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/doctor.hpp"
#include "config/config.hpp"

namespace heddle::app {

// Whom the fabric is for. Each wants what the one before wants, and more.
enum class SecurityProfile {
  Open,         // friends alone: a laboratory
  Standard,     // one owner, whose hosts may break but are not broken into
  MultiTenant,  // hosts belong to others, who may try
};
std::optional<SecurityProfile> security_profile(std::string_view name);

struct ConfigurationSeen {
  config::Config config;
  std::string path;                      // empty: the defaults
  std::vector<std::string> open_to_all;  // of the files with secrets, those that anybody can read
};

// What the profile wants and does not get is wrong; what only a stricter one wants is doubtful.
std::vector<Diagnosis> audit(const ConfigurationSeen& seen, SecurityProfile profile);

// The configuration of this file, empty for the defaults, and who may read what it names.
ConfigurationSeen configuration_seen(config::Config config, std::string path);
// What its own profile ([security] profile) wants and does not get, a line each for a person.
std::vector<std::string> profile_gaps(const config::Config& config, const std::string& path);

}  // namespace heddle::app
