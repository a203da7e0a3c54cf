// SPDX-License-Identifier: BSD-3-Clause
// What is true of each option of the configuration file, row by row: its section and name, where it
// goes, what it is for, and what it may be. Everything else about options is made from these.
#pragma once

#include <span>
#include <vector>

#include "config/options.hpp"

namespace heddle::config {

std::span<const Section> section_rows();
std::vector<Option> option_rows();

}  // namespace heddle::config
