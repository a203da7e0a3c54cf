// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's command line as OpenSM takes it: long names behind one dash or two, cut short as long as
// they are unambiguous, values behind a blank or '=', short options in one word.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace heddle::app {

struct OpensmLine {
  std::filesystem::path config;         // empty: where OpenSM has it, if it is there
  std::filesystem::path create_config;  // not empty: write one there and end
  std::filesystem::path pid_file;
  bool once = false;
  bool daemon = false;
  bool help = false;
  bool version = false;
  // What it says about the subnet, as lines of an opensm.conf.
  std::string lines;
  std::vector<std::string> remarks;  // what has no effect here, and why
};

// The words behind the program's name. Errors name the word, and what it may have meant.
base::Result<OpensmLine> parse_opensm_line(std::span<const std::string> words);

// Every option with its letter, for people.
std::string opensm_line_help();

// Options of opensm.conf that the command line can name; for tests.
std::vector<std::string_view> opensm_line_keys();

}  // namespace heddle::app
