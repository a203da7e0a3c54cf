// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names as people write them. Locale-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::base {

// "0x" and exactly `digits` lower-case hexadecimal digits (1..16).
std::string hex(std::uint64_t value, unsigned digits = 16);

// Bytes as lower-case pairs without separators.
std::string hex_bytes(std::span<const std::byte> bytes);

// The whole text as decimal or 0x hexadecimal, not above `max`; nothing else is accepted.
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t max = ~0ull);

// The whole text as 1..16 hexadecimal digits, with or without 0x.
std::optional<std::uint64_t> parse_hex(std::string_view text);

// Without blanks, tabs, CR and LF at both ends.
std::string_view trim(std::string_view text);

// The pieces between separators, empty ones included; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

// What stands between blanks: spaces, tabs and the ends of lines and pages.
std::vector<std::string_view> words(std::string_view text);

// The candidate that is most like `word`, if one is close enough to be a likely misspelling.
std::optional<std::string_view> closest(std::string_view word,
                                        std::span<const std::string_view> candidates);

// Text from the wire made safe to print: control bytes and bytes outside ASCII become '?',
// and it ends at the first NUL.
std::string printable(std::string_view text);

}  // namespace heddle::base
