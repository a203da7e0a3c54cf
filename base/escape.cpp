// SPDX-License-Identifier: BSD-3-Clause
#include "base/escape.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace heddle::base {
namespace {

constexpr std::string_view kFormulaStarts = "=+-@";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// How many bytes the character at the front of the text has; 0 if it is not UTF-8 (RFC 3629:
// shortest form, no surrogates, nothing above U+10FFFF).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  std::uint32_t value = first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[]{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  const bool is_no_character = (value & 0xFFFE) == 0xFFFE;  // XML has none of these
  const bool is_wrong = value < kLeast[size] || value > 0x10FFFF || is_surrogate;
  return is_wrong || is_no_character ? 0 : size;
}

std::string_view entity(char c) {
  switch (c) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool looks_like_formula(std::string_view text) {
  return !text.empty() && kFormulaStarts.find(text.front()) != kFormulaStarts.npos;
}

}  // namespace

std::string markup(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    const std::string_view special = entity(text.front());
    if (size == 0 || is_control(text.front())) {
      safe += '?';
    } else {
      safe += special.empty() ? text.substr(0, size) : special;
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return safe;
}

std::string csv_field(std::string_view text) {
  std::string field;
  // An apostrophe of its own before such a sign is doubled, so that csv_plain can tell.
  const bool guarded =
      looks_like_formula(text) || (text.starts_with('\'') && csv_plain(text) != text);
  if (guarded) field += '\'';
  for (const char c : text) {
    if (c == '"') field += '"';
    field += is_control(c) ? '?' : c;
  }
  // Lines that begin with '#' are comments to some readers, ours among them.
  const bool is_plain = field.find_first_of(",\"") == field.npos && !field.starts_with('#');
  return is_plain ? field : "\"" + field + "\"";
}

std::string_view csv_plain(std::string_view field) {
  if (!field.starts_with('\'')) return field;
  const std::size_t sign = field.find_first_not_of('\'');
  return looks_like_formula(field.substr(std::min(sign, field.size()))) ? field.substr(1) : field;
}

}  // namespace heddle::base
