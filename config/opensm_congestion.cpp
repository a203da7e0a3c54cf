// SPDX-License-Identifier: BSD-3-Clause
#include "config/opensm_congestion.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/opensm_options.hpp"

namespace heddle::config {
namespace {

constexpr std::string_view kSwitches = "cc_sw_cong_setting_";
constexpr std::string_view kLevels = "cc_ca_cong_setting_";
constexpr unsigned kMostLevel = 15;

struct SwitchWord {
  std::string_view theirs, ours;
  unsigned bit = 0;  // of the control map
};
constexpr std::array kSwitchWords{
    SwitchWord{"victim_mask", "victims", 0},
    SwitchWord{"credit_mask", "credit_watch", 1},
    SwitchWord{"threshold", "threshold", 2},
    SwitchWord{"packet_size", "packet_size", 2},
    SwitchWord{"credit_starvation_threshold", "starvation_threshold", 3},
    SwitchWord{"credit_starvation_return_delay", "starvation_delay", 3},
    SwitchWord{"marking_rate", "marking_rate", 4},
};

struct LevelWord {
  std::string_view theirs, ours;
};
constexpr std::array kLevelWords{
    LevelWord{"ccti_timer", "timer"},
    LevelWord{"ccti_increase", "increase"},
    LevelWord{"trigger_threshold", "trigger"},
    LevelWord{"ccti_min", "min"},
};

std::uint64_t map_of_switches(const OpensmValue& value_of) {
  return opensm_number(value_of(fmt::format("{}control_map", kSwitches))).value_or(0);
}

// Masks and table entries are written the same way here.
std::optional<std::string> value_for(const SwitchWord& word, const std::string& text) {
  if (word.bit < 2 || word.theirs.ends_with("delay")) return text;
  const auto number = opensm_number(text);
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

}  // namespace

std::optional<std::string> congestion_switches(const OpensmValue& value_of) {
  std::string text;
  const std::uint64_t map = map_of_switches(value_of);
  for (const SwitchWord& word : kSwitchWords) {
    if ((map >> word.bit & 1) == 0) continue;
    const auto value = value_for(word, value_of(fmt::format("{}{}", kSwitches, word.theirs)));
    if (!value) return std::nullopt;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", word.ours, *value);
  }
  return text;
}

bool is_set_at_switches(std::string_view name, const OpensmValue& value_of) {
  const std::uint64_t map = map_of_switches(value_of);
  return std::any_of(kSwitchWords.begin(), kSwitchWords.end(), [&](const SwitchWord& word) {
    return name == fmt::format("{}{}", kSwitches, word.theirs) && (map >> word.bit & 1) != 0;
  });
}

bool is_of_level(std::string_view name) {
  return std::any_of(kLevelWords.begin(), kLevelWords.end(), [&](const LevelWord& word) {
    return name == fmt::format("{}{}", kLevels, word.theirs);
  });
}

std::optional<OfLevel> parse_of_level(std::string_view text) {
  const std::size_t blank = std::min(text.find_first_of(" \t"), text.size());
  const auto level = opensm_number(text.substr(0, blank));
  const auto value = opensm_number(base::trim(text.substr(blank)));
  if (!level || !value || *level > kMostLevel) return std::nullopt;
  return OfLevel{static_cast<unsigned>(*level), *value};
}

std::string congestion_levels(std::uint64_t control_map,
                              const std::map<unsigned, LevelValues>& values) {
  std::string text;
  for (unsigned level = 0; level <= kMostLevel; ++level) {
    if ((control_map >> level & 1) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ",", level);
    const auto given = values.find(level);
    if (given == values.end()) continue;
    for (const LevelWord& word : kLevelWords) {
      const auto value = given->second.find(fmt::format("{}{}", kLevels, word.theirs));
      if (value != given->second.end()) text += fmt::format(" {}={}", word.ours, value->second);
    }
  }
  return text;
}

}  // namespace heddle::config
