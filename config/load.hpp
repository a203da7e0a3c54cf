// SPDX-License-Identifier: BSD-3-Clause
// Configuration text (TOML) to a checked Config. Every problem is found at once and says where it
// stands; a file whose TOML is broken shows only its first error, because nothing behind it can be
// trusted.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/options.hpp"

namespace heddle::config {

struct Problem {
  std::string file;
  unsigned line = 0;  // from 1; 0 when the file as a whole is meant
  unsigned column = 0;
  std::string message;  // a sentence that says what to do, without a trailing period
  friend bool operator==(const Problem&, const Problem&) = default;
};

// "file:line:column: message".
std::string text_of(const Problem& problem);

// Words that this room cannot know, because they belong to rooms above it.
struct Vocabulary {
  std::vector<std::string_view> engines;  // names of routing engines; empty: not checked
  // What is wrong with a threshold of a counter; empty: nothing. Null: not checked.
  std::string (*wrong_threshold)(std::string_view threshold) = nullptr;
  // The same of what is done about a condition.
  std::string (*wrong_health_action)(std::string_view action) = nullptr;
  // The same of a text of [qos].
  std::string (*wrong_lanes)(std::string_view text) = nullptr;
  // Whether such a text has packets of a service level dropped.
  bool (*drops_level)(std::string_view text, unsigned level) = nullptr;
  // What is wrong with a text of [congestion], by its key.
  std::string (*wrong_congestion)(std::string_view key, std::string_view text) = nullptr;
};

struct Loaded {
  Config config;                  // what is not in the file, or wrong there, has its default
  std::vector<Problem> problems;  // in the order of the file
};

// Two options that are fine alone and wrong together. `second` may be null.
struct Contradiction {
  const Option* first = nullptr;
  const Option* second = nullptr;
  std::string message;
};
std::vector<Contradiction> contradictions(const Config& config, const Vocabulary& vocabulary);

// `file` is what problems call the text.
Loaded parse(std::string_view text, std::string_view file, const Vocabulary& vocabulary);

// A file that is missing, unreadable, not a regular file or larger than 1 MiB is one problem.
Loaded load(const std::filesystem::path& file, const Vocabulary& vocabulary);

}  // namespace heddle::config
