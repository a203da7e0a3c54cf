// SPDX-License-Identifier: BSD-3-Clause
// The one table of options. The checker of configuration files, the texts of `heddle sm --help`,
// the sample file and the reference in docs/configuration.md all come from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "config/config.hpp"

namespace heddle::config {

// Where the value lives; its type decides how it is written in the file:
// bool true/false; uint32 a number; uint64 a key or GUID, "0x..."; Duration "200ms", "10s", "5min";
// string a string; vectors an array of strings or of "0x..." strings.
using Member =
    std::variant<bool Config::*, std::uint32_t Config::*, std::uint64_t Config::*,
                 base::Duration Config::*, std::string Config::*,
                 std::vector<std::string> Config::*, std::vector<std::uint64_t> Config::*>;

struct Option {
  std::string_view section;
  std::string_view key;
  Member member;
  std::string_view meaning;  // one line, no trailing period
  std::string_view example;  // as written in the file
  // Inclusive; numbers as they are, durations in nanoseconds. Not used for the other types.
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::string_view unit{};                  // of a number, if it has one
  std::vector<std::string_view> choices{};  // if not empty, the only values that are taken
};

struct Section {
  std::string_view name;
  std::string_view meaning;
};

// In the order of the sample file; the options of a section are neighbours.
std::span<const Option> options();
std::span<const Section> sections();

// Null when there is no such option.
const Option* find_option(std::string_view section, std::string_view key);

// "section.key".
std::string qualified(const Option& option);

// A key of the fabric: it is shown to nobody, and a file with one in it is not for everybody.
bool is_secret(const Option& option);
// Any of them differs from its default, which everybody knows.
bool has_secrets(const Config& config);

// The value as it is written in the file: 10, "10s", ["minhop"].
std::string text_of(const Config& config, const Option& option);

// What the value may be, for a person: "0..15", "one of text, json", "\"0x...\" (64 bits)".
std::string range_text(const Option& option);

// Checked stores. The error says what is expected instead, without naming the option.
base::Result<void> store_number(Config& config, const Option& option, std::int64_t value);
base::Result<void> store_flag(Config& config, const Option& option, bool value);
base::Result<void> store_text(Config& config, const Option& option, std::string_view value);
base::Result<void> store_list(Config& config, const Option& option,
                              const std::vector<std::string>& values);

// The value as a person writes it on a command line: no quotes, lists separated by commas.
base::Result<void> store_from_command_line(Config& config, const Option& option,
                                           std::string_view text);

}  // namespace heddle::config
