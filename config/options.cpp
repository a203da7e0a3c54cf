// SPDX-License-Identifier: BSD-3-Clause
#include "config/options.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/duration.hpp"
#include "config/option_rows.hpp"

namespace heddle::config {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

template <class T>
constexpr bool member_is(const Member& member) {
  return std::holds_alternative<T Config::*>(member);
}

std::string choices_text(const Option& option) {
  return fmt::format("one of {}", fmt::join(option.choices, ", "));
}

bool is_choice(const Option& option, std::string_view value) {
  return option.choices.empty() ||
         std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
}

base::Error expected(const Option& option) {
  return base::error(fmt::format("must be {}", range_text(option)));
}

base::Result<void> store_duration(Config& config, const Option& option, std::string_view value) {
  const auto duration = parse_duration(value);
  if (!duration) return expected(option);
  const auto count = static_cast<std::uint64_t>(duration->count());
  if (count < option.min || count > option.max) return expected(option);
  config.*std::get<base::Duration Config::*>(option.member) = *duration;
  return {};
}

// GUIDs and keys need their 0x: a bare number in a file would be read as decimal by one person and
// as hexadecimal by the next.
std::optional<std::uint64_t> parse_key(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return base::parse_hex(text);
}

}  // namespace

std::span<const Option> options() {
  static const std::vector<Option> table = option_rows();
  return table;
}

std::span<const Section> sections() {
  return section_rows();
}

const Option* find_option(std::string_view section, std::string_view key) {
  for (const Option& option : options()) {
    if (option.section == section && option.key == key) return &option;
  }
  return nullptr;
}

std::string qualified(const Option& option) {
  return fmt::format("{}.{}", option.section, option.key);
}

// By their type and name: numbers and lists of numbers that are called keys.
bool is_secret(const Option& option) {
  const bool is_number = member_is<std::uint64_t>(option.member) ||
                         member_is<std::vector<std::uint64_t>>(option.member);
  return is_number &&
         (option.key == "key" || option.key.ends_with("_key") || option.key.ends_with("_keys"));
}

bool has_secrets(const Config& config) {
  const Config usual;
  const auto all = options();
  return std::any_of(all.begin(), all.end(), [&](const Option& option) {
    return is_secret(option) && text_of(config, option) != text_of(usual, option);
  });
}

std::string text_of(const Config& config, const Option& option) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = config.*member;
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::uint32_t>) {
          return fmt::format("{}", value);
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          return quoted(base::hex(value));
        } else if constexpr (std::is_same_v<T, base::Duration>) {
          return quoted(duration_text(value));
        } else if constexpr (std::is_same_v<T, std::string>) {
          return quoted(value);
        } else {
          std::vector<std::string> items;
          for (const auto& item : value) {
            if constexpr (std::is_same_v<T, std::vector<std::string>>) {
              items.push_back(quoted(item));
            } else {
              items.push_back(quoted(base::hex(item)));
            }
          }
          return fmt::format("[{}]", fmt::join(items, ", "));
        }
      },
      option.member);
}

std::string range_text(const Option& option) {
  if (!option.choices.empty()) return choices_text(option);
  if (member_is<bool>(option.member)) return "true or false";
  if (member_is<std::uint32_t>(option.member)) {
    return fmt::format("a number from {} to {}", option.min, option.max);
  }
  if (member_is<std::uint64_t>(option.member)) return "a string \"0x...\" of up to 64 bits";
  if (member_is<base::Duration>(option.member)) {
    const auto limit = [](std::uint64_t count) {
      return duration_text(base::Duration{static_cast<std::int64_t>(count)});
    };
    return fmt::format("a duration such as \"200ms\" or \"10s\", from {} to {}", limit(option.min),
                       limit(option.max));
  }
  if (member_is<std::string>(option.member)) return "a string";
  if (member_is<std::vector<std::string>>(option.member)) return "an array of strings";
  return "an array of strings \"0x...\" of up to 64 bits";
}

base::Result<void> store_number(Config& config, const Option& option, std::int64_t value) {
  const auto* member = std::get_if<std::uint32_t Config::*>(&option.member);
  if (member == nullptr || value < 0) return expected(option);
  const auto number = static_cast<std::uint64_t>(value);
  if (number < option.min || number > option.max) return expected(option);
  if (!is_choice(option, fmt::format("{}", number))) return expected(option);
  config.** member = static_cast<std::uint32_t>(number);
  return {};
}

base::Result<void> store_flag(Config& config, const Option& option, bool value) {
  const auto* member = std::get_if<bool Config::*>(&option.member);
  if (member == nullptr) return expected(option);
  config.** member = value;
  return {};
}

base::Result<void> store_text(Config& config, const Option& option, std::string_view value) {
  if (member_is<base::Duration>(option.member)) return store_duration(config, option, value);
  if (const auto* key = std::get_if<std::uint64_t Config::*>(&option.member)) {
    const auto number = parse_key(value);
    if (!number) return expected(option);
    config.** key = *number;
    return {};
  }
  const auto* member = std::get_if<std::string Config::*>(&option.member);
  if (member == nullptr || !is_choice(option, value)) return expected(option);
  config.** member = std::string(value);
  return {};
}

base::Result<void> store_list(Config& config, const Option& option,
                              const std::vector<std::string>& values) {
  if (const auto* words = std::get_if<std::vector<std::string> Config::*>(&option.member)) {
    config.** words = values;
    return {};
  }
  const auto* guids = std::get_if<std::vector<std::uint64_t> Config::*>(&option.member);
  if (guids == nullptr) return expected(option);
  std::vector<std::uint64_t> numbers;
  for (const std::string& value : values) {
    const auto number = parse_key(value);
    if (!number) return expected(option);
    numbers.push_back(*number);
  }
  config.** guids = std::move(numbers);
  return {};
}

base::Result<void> store_from_command_line(Config& config, const Option& option,
                                           std::string_view text) {
  if (member_is<std::uint32_t>(option.member)) {
    const auto number = base::parse_number(text, std::numeric_limits<std::uint32_t>::max());
    if (!number) return expected(option);
    return store_number(config, option, static_cast<std::int64_t>(*number));
  }
  if (member_is<bool>(option.member)) {
    if (text != "true" && text != "false") return expected(option);
    return store_flag(config, option, text == "true");
  }
  if (member_is<std::vector<std::string>>(option.member) ||
      member_is<std::vector<std::uint64_t>>(option.member)) {
    std::vector<std::string> values;
    for (const std::string_view piece : base::split(text, ',')) {
      values.emplace_back(base::trim(piece));
    }
    return store_list(config, option, values);
  }
  return store_text(config, option, text);
}

}  // namespace heddle::config
