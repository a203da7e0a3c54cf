// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/settings.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::congestion {
namespace {

constexpr unsigned kCTMultiplierBits = 14;
constexpr std::uint64_t kMostMultiplier = (1u << kCTMultiplierBits) - 1;
constexpr std::uint64_t kMostShift = 3;
constexpr unsigned kMostPort = 254;

base::Error wrong(std::string_view word, std::string_view instead) {
  return base::error(fmt::format("'{}' is not {}", base::printable(word), instead));
}

struct Word {
  std::string_view all, name, value;
};

base::Result<Word> split_word(std::string_view word, std::span<const std::string_view> names) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string known;
    for (const std::string_view each : names) {
      known += (known.empty() ? "" : ", ") + std::string(each) + '=';
    }
    return wrong(word, "one of " + known);
  }
  if (equals == word.size()) return wrong(word, fmt::format("'{}=' and a value", name));
  return Word{word, name, word.substr(equals + 1)};
}

template <class T>
base::Result<> take_number(const Word& word, std::uint64_t most, T& into) {
  const auto number = base::parse_number(word.value, most);
  if (!number)
    return wrong(word.all, fmt::format("'{}=' and a number from 0 to {}", word.name, most));
  into = static_cast<T>(*number);
  return {};
}

std::optional<std::uint16_t> table_entry(std::string_view shift, std::string_view multiplier) {
  const auto high = base::parse_number(shift, kMostShift);
  const auto low = base::parse_number(multiplier, kMostMultiplier);
  if (!high || !low) return std::nullopt;
  return static_cast<std::uint16_t>(*high << kCTMultiplierBits | *low);
}

std::optional<std::uint16_t> table_entry(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return table_entry(text.substr(0, colon), text.substr(colon + 1));
}

constexpr std::string_view kEntryForm =
    "an entry such as 1:200, a shift from 0 to 3 and a multiplier from 0 to 16383";

void set_bit(mad::PortMask& mask, unsigned port) {
  const std::size_t byte = mask.size() - 1 - port / 8;
  mask[byte] = static_cast<std::uint8_t>(mask[byte] | 1u << (port % 8));
}

// Up to 64 digits behind "0x".
std::optional<mad::PortMask> hex_mask(std::string_view digits) {
  mad::PortMask mask{};
  if (digits.empty() || digits.size() > 2 * mask.size()) return std::nullopt;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const auto digit = base::parse_hex(digits.substr(digits.size() - 1 - i, 1));
    if (!digit) return std::nullopt;
    std::uint8_t& byte = mask[mask.size() - 1 - i / 2];
    byte = static_cast<std::uint8_t>(byte | *digit << (i % 2 * 4));
  }
  return mask;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> range_of(std::string_view text,
                                                                std::uint64_t most) {
  const std::size_t dash = text.find('-');
  const auto first = base::parse_number(text.substr(0, dash), most);
  const auto last =
      dash == std::string_view::npos ? first : base::parse_number(text.substr(dash + 1), most);
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair{*first, *last};
}

// "hosts", "switches", "all", "none", "0x7ffe", "1-36,40".
base::Result<Ports> parse_ports(const Word& word) {
  Ports ports;
  for (const std::string_view piece : base::split(word.value, ',')) {
    if (piece == "none") continue;
    if (piece == "hosts" || piece == "all") ports.hosts = true;
    if (piece == "switches" || piece == "all") ports.switches = true;
    if (piece == "hosts" || piece == "all" || piece == "switches") continue;
    if (piece.starts_with("0x")) {
      const auto mask = hex_mask(piece.substr(2));
      if (!mask) return wrong(piece, "a mask of up to 64 hexadecimal digits");
      for (std::size_t i = 0; i < ports.mask.size(); ++i) {
        ports.mask[i] = static_cast<std::uint8_t>(ports.mask[i] | (*mask)[i]);
      }
      continue;
    }
    const auto range = range_of(piece, kMostPort);
    if (!range) return wrong(word.all, "ports: hosts, switches, all, none, 1-36, or a mask 0x...");
    for (auto port = range->first; port <= range->second; ++port) {
      set_bit(ports.mask, static_cast<unsigned>(port));
    }
  }
  return ports;
}

constexpr std::array<std::string_view, 7> kSwitchWords{
    "threshold",    "packet_size",          "marking_rate",     "victims",
    "credit_watch", "starvation_threshold", "starvation_delay",
};

base::Result<> take_switch_word(const Word& word, SwitchSetting& setting) {
  mad::SwitchCongestionSetting& value = setting.value;
  if (word.name == "threshold" || word.name == "packet_size") {
    value.control_map |= mad::kThresholdValid;
    return word.name == "threshold" ? take_number(word, 15, value.threshold)
                                    : take_number(word, 255, value.packet_size);
  }
  if (word.name == "marking_rate") {
    value.control_map |= mad::kMarkingRateValid;
    return take_number(word, 65535, value.marking_rate);
  }
  if (word.name == "starvation_threshold" || word.name == "starvation_delay") {
    value.control_map |= mad::kStarvationValid;
    if (word.name == "starvation_threshold") return take_number(word, 15, value.cs_threshold);
    const auto entry = table_entry(word.value);
    if (!entry) return wrong(word.all, kEntryForm);
    value.cs_return_delay = *entry;
    return {};
  }
  auto ports = parse_ports(word);
  if (ports.has_error()) return ports.error();
  const bool is_victims = word.name == "victims";
  value.control_map |= is_victims ? mad::kVictimMaskValid : mad::kCreditMaskValid;
  (is_victims ? setting.victims : setting.credit_watch) = *ports;
  return {};
}

base::Result<PortRule> parse_where(std::string_view where) {
  PortRule rule;
  if (where == "all") return rule;
  rule.where = where == "hosts" ? PortRule::Where::Hosts : PortRule::Where::Switches;
  if (where == "hosts" || where == "switches") return rule;
  const std::size_t slash = std::min(where.find('/'), where.size());
  const auto guid = base::parse_hex(where.substr(0, slash));
  const auto port = base::parse_number(where.substr(std::min(slash + 1, where.size())), kMostPort);
  if (!guid || !port) return wrong(where, "all, hosts, switches or GUID/PORT");
  rule.where = PortRule::Where::One;
  rule.node = mad::Guid{*guid};
  rule.port = mad::PortNumber{static_cast<std::uint8_t>(*port)};
  return rule;
}

constexpr std::array<std::string_view, 4> kPortWords{"threshold", "packet_size", "marking_rate",
                                                     "about"};

base::Result<> take_port_word(const Word& word, mad::SwitchPortCongestionSettingElement& element) {
  if (word.name == "threshold") return take_number(word, 15, element.threshold);
  if (word.name == "packet_size") return take_number(word, 255, element.packet_size);
  if (word.name == "marking_rate") return take_number(word, 65535, element.marking_rate);
  if (word.value != "congestion" && word.value != "starvation") {
    return wrong(word.all, "about=congestion or about=starvation");
  }
  element.control_type = word.value == "starvation";
  return {};
}

constexpr std::array<std::string_view, 4> kLevelWords{"timer", "increase", "trigger", "min"};

base::Result<> take_level_word(const Word& word, mad::CACongestionEntry& entry) {
  if (word.name == "timer") return take_number(word, 65535, entry.ccti_timer);
  if (word.name == "increase") return take_number(word, 255, entry.ccti_increase);
  if (word.name == "trigger") return take_number(word, 255, entry.trigger_threshold);
  return take_number(word, 255, entry.ccti_min);
}

}  // namespace

base::Result<std::optional<SwitchSetting>> parse_switch_setting(std::string_view text) {
  std::optional<SwitchSetting> setting;
  for (const std::string_view each : base::words(text)) {
    if (!setting) setting.emplace();
    const auto word = split_word(each, kSwitchWords);
    if (word.has_error()) return word.error();
    const auto taken = take_switch_word(*word, *setting);
    if (taken.has_error()) return taken.error();
  }
  return setting;
}

base::Result<PortRule> parse_port_rule(std::string_view text) {
  const auto words = base::words(text);
  if (words.size() < 2) {
    return wrong(text, "a rule such as \"hosts threshold=15 packet_size=8\" or \"all none\"");
  }
  auto rule = parse_where(words[0]);
  if (rule.has_error()) return rule;
  if (words.size() == 2 && words[1] == "none") return rule;
  rule->element.valid = true;
  for (const std::string_view each : std::span(words).subspan(1)) {
    const auto word = split_word(each, kPortWords);
    if (word.has_error()) return word.error();
    const auto taken = take_port_word(*word, rule->element);
    if (taken.has_error()) return taken.error();
  }
  return rule;
}

base::Result<Level> parse_level(std::string_view text) {
  const auto words = base::words(text);
  if (words.empty()) return wrong(text, "a line such as \"all timer=150 increase=4\"");
  Level level;
  const auto range = words[0] == "all"
                         ? std::pair<std::uint64_t, std::uint64_t>{0, kServiceLevels - 1}
                         : range_of(words[0], kServiceLevels - 1).value_or(std::pair{1ull, 0ull});
  if (range.second < range.first) return wrong(words[0], "a service level 0 to 15, 0-3, or all");
  for (auto sl = range.first; sl <= range.second; ++sl) {
    level.levels = static_cast<std::uint16_t>(level.levels | 1u << sl);
  }
  for (const std::string_view each : std::span(words).subspan(1)) {
    const auto word = split_word(each, kLevelWords);
    if (word.has_error()) return word.error();
    const auto taken = take_level_word(*word, level.entry);
    if (taken.has_error()) return taken.error();
  }
  return level;
}

base::Result<std::vector<std::uint16_t>> parse_table(const std::vector<std::string>& entries) {
  std::vector<std::uint16_t> table;
  for (const std::string& each : entries) {
    const std::string_view text = base::trim(each);
    const std::size_t dots = text.find("..");
    const auto first = table_entry(text.substr(0, dots));
    const auto last = dots == std::string_view::npos || !first
                          ? first
                          : table_entry(text.substr(0, std::min(text.find(':'), text.size())),
                                        text.substr(dots + 2));
    if (!first || !last || *last < *first) {
      return wrong(text, fmt::format("{}, or a run of them such as 0:0..127", kEntryForm));
    }
    for (std::uint32_t entry = *first; entry <= *last; ++entry) {
      table.push_back(static_cast<std::uint16_t>(entry));
    }
    if (table.size() > kMostEntries) {
      return base::error(fmt::format("a table has at most {} entries", kMostEntries));
    }
  }
  return table;
}

}  // namespace heddle::congestion
