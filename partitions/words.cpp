// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/words.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::partitions {
namespace {

constexpr std::size_t kMaxQuoted = 40;      // of a word in a message
constexpr std::size_t kMaxMisspelled = 24;  // longer words are not compared

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || failure != std::errc{} || stop != end) return std::nullopt;
  return value;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

Word trimmed(Word word) {
  const std::string_view text = base::trim(word.text);
  if (text.empty()) return {text, word.place};
  word.place.column += static_cast<std::size_t>(text.data() - word.text.data());
  return {text, word.place};
}

Word part(const Word& word, std::size_t begin, std::size_t end) {
  return trimmed({word.text.substr(begin, end == std::string_view::npos ? end : end - begin),
                  {word.place.line, word.place.column + begin}});
}

Setting setting(const Word& word) {
  const std::size_t at = word.text.find('=');
  if (at == std::string_view::npos) return {trimmed(word), std::nullopt};
  return {part(word, 0, at), part(word, at + 1)};
}

std::optional<std::uint64_t> c_number(std::string_view text, std::uint64_t max) {
  std::optional<std::uint64_t> value;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    value = number(text.substr(2), 16);
  } else if (text.starts_with('0')) {
    value = number(text, 8);
  } else if (!text.starts_with('-')) {
    value = number(text, 10);
  }
  return value && *value <= max ? value : std::nullopt;
}

std::string quoted(std::string_view text) {
  const bool cut = text.size() > kMaxQuoted;
  std::string shown(text.substr(0, kMaxQuoted));
  for (char& c : shown) {
    if (c < 0x20 || c == 0x7f) c = '?';
  }
  return fmt::format("'{}{}'", shown, cut ? "..." : "");
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() < 2 || word.size() > kMaxMisspelled) return {};
  const auto same = std::find_if(candidates.begin(), candidates.end(), [&](std::string_view one) {
    return same_but_for_case(one, word);
  });
  const std::optional<std::string_view> meant =
      same != candidates.end() ? std::optional(*same) : base::closest(word, candidates);
  return meant ? fmt::format("; did you mean '{}'?", *meant) : std::string{};
}

}  // namespace heddle::partitions
