// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace heddle::base {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::optional<std::uint64_t> parse_in_base(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || failure != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool has_hex_prefix(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string hex(std::uint64_t value, unsigned digits) {
  std::string text(digits + 2, '0');
  text[1] = 'x';
  for (unsigned i = 0; i < digits; ++i) {
    text[digits + 1 - i] = kDigits[value & 0xf];
    value >>= 4;
  }
  return text;
}

std::string hex_bytes(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 0xf];
  }
  return text;
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t max) {
  const auto value =
      has_hex_prefix(text) ? parse_in_base(text.substr(2), 16) : parse_in_base(text, 10);
  if (!value || *value > max) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (has_hex_prefix(text)) text.remove_prefix(2);
  return parse_in_base(text, 16);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlank, at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<std::string_view> closest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = word.size() / 3 + 2;  // further away is not a misspelling
  for (const auto candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string printable(std::string_view text) {
  std::string safe(text.substr(0, text.find('\0')));
  for (char& c : safe) {
    if (c < 0x20 || c == 0x7f) c = '?';  // char is signed here: bytes above 0x7f are negative
  }
  return safe;
}

}  // namespace heddle::base
