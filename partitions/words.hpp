// SPDX-License-Identifier: BSD-3-Clause
// How the language of partitions.conf writes words and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::partitions {

// From 1; columns in bytes.
struct Place {
  std::size_t line{};
  std::size_t column{};
};

// A piece of a line, without blanks around it.
struct Word {
  std::string_view text;
  Place place;
};

// NAME or NAME=VALUE; a value may be empty.
struct Setting {
  Word name;
  std::optional<Word> value;
};

Word trimmed(Word word);
// The part of `word` from byte `begin` on, up to `end`, trimmed.
Word part(const Word& word, std::size_t begin, std::size_t end = std::string_view::npos);
Setting setting(const Word& word);

// May `word` stand for `full`? Every beginning of it does, of at least one letter.
constexpr bool abbreviates(std::string_view word, std::string_view full) {
  return !word.empty() && full.starts_with(word);
}

// As C reads numbers: 0x hexadecimal, 0 octal, else decimal; nothing above `max`, no sign.
std::optional<std::uint64_t> c_number(std::string_view text, std::uint64_t max = ~0ull);

// For messages: in quotation marks, printable, cut short.
std::string quoted(std::string_view text);

// "; did you mean 'X'?" when a candidate is nearly the word, else empty.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace heddle::partitions
