// SPDX-License-Identifier: BSD-3-Clause
#include "config/opensm_lanes.hpp"

#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/opensm_options.hpp"

namespace heddle::config {
namespace {

struct Word {
  std::string_view theirs, ours;
};
constexpr std::array kWords{
    Word{"sl2vl", "sl2vl"},
    Word{"vlarb_high", "high"},
    Word{"vlarb_low", "low"},
    Word{"high_limit", "limit"},
};
constexpr std::uint64_t kMostVl = 15;
constexpr std::size_t kLevelCount = 16;

std::optional<std::string> number(std::string_view text, std::uint64_t most) {
  const auto value = opensm_number(text);
  return value && *value <= most ? std::optional(std::to_string(*value)) : std::nullopt;
}

std::optional<std::string> list(std::string_view text, bool weighed) {
  std::string out;
  for (const std::string_view piece : base::split(text, ',')) {
    const auto colon = piece.find(':');
    if (weighed != (colon != std::string_view::npos)) return std::nullopt;
    const auto vl = number(piece.substr(0, colon), weighed ? kMostVl - 1 : kMostVl);
    if (!vl) return std::nullopt;
    out += (out.empty() ? "" : ",") + *vl;
    if (!weighed) continue;
    const auto weight = number(piece.substr(colon + 1), 255);
    if (!weight) return std::nullopt;
    out += ':' + *weight;
  }
  return out;
}

const Word* word_of(std::string_view name) {
  for (const Word& word : kWords) {
    if (name.ends_with(word.theirs)) return &word;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> lane_word(std::string_view name, std::string_view value) {
  const Word* word = word_of(name);
  if (word == nullptr) return std::nullopt;
  std::optional<std::string> text;
  if (word->ours == "limit") {
    text = number(value, 255);
  } else if (word->ours == "sl2vl") {
    const bool whole = base::split(value, ',').size() == kLevelCount;
    if (whole) text = list(value, false);
  } else {
    text = list(value, true);
  }
  return text ? std::optional(fmt::format("{}={}", word->ours, *text)) : std::nullopt;
}

std::string lane_words(std::string_view name, const OpensmValue& value_of) {
  const Word* own = word_of(name);
  std::string text;
  if (own == nullptr) return text;
  const std::string_view ports = name.substr(0, name.size() - own->theirs.size());
  for (const Word& word : kWords) {
    const std::string each = fmt::format("{}{}", ports, word.theirs);
    const std::string value = value_of(each);
    if (value == find_opensm_option(each)->usual) continue;
    const auto words = lane_word(each, value);
    if (words) text += (text.empty() ? "" : " ") + *words;
  }
  return text;
}

}  // namespace heddle::config
