// SPDX-License-Identifier: BSD-3-Clause
// What somebody who shall help wants to see, in one tar file, without secrets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace heddle::app {

struct BundleFile {
  std::string name;  // below the bundle's folder
  std::string text;
};

// A tar archive (POSIX ustar) of one folder. `time` is in seconds since 1970. Names have at most 90
// bytes with the folder.
std::string tar_of(const std::string& folder, const std::vector<BundleFile>& files,
                   std::int64_t time);

// The options that are not at their defaults, as a file. Keys are told to be set, never what they
// are.
std::string configuration_without_keys(const config::Config& config);

}  // namespace heddle::app
