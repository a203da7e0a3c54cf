// SPDX-License-Identifier: BSD-3-Clause
// `heddle config diff`: in which options two configurations differ.
#pragma once

#include <filesystem>
#include <string>

#include "app/exit_codes.hpp"
#include "config/config.hpp"

namespace heddle::app {

// A line for each option: "sweep.interval: "10s" -> "30s"". Of keys it only says that they differ.
// Empty when nothing does.
std::string configuration_difference(const config::Config& from, const config::Config& to);

// Without an `other`, from the defaults to the file. Exit::Problems when they differ.
Exit run_config_diff(const std::filesystem::path& file, const std::filesystem::path& other);

}  // namespace heddle::app
