// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/gid_text.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::partitions {
namespace {

constexpr std::size_t kGroups = 8;  // of 16 bits

// Appends the groups between colons; false if one is none or there are too many.
bool read_groups(std::string_view text, std::array<std::uint16_t, kGroups>& groups,
                 std::size_t& count) {
  if (text.empty()) return true;
  for (const std::string_view piece : base::split(text, ':')) {
    const auto value = piece.size() <= 4 ? base::parse_hex(piece) : std::nullopt;
    if (!value || count == kGroups) return false;
    groups[count++] = static_cast<std::uint16_t>(*value);
  }
  return true;
}

}  // namespace

std::optional<mad::Gid> gid_of(std::string_view text) {
  constexpr std::size_t kLongest = 39;  // eight groups of four digits and their colons
  constexpr std::string_view kPossible = "0123456789abcdefABCDEF:";
  if (text.size() > kLongest || text.find_first_not_of(kPossible) != text.npos) return std::nullopt;
  std::array<std::uint16_t, kGroups> groups{};
  std::array<std::uint16_t, kGroups> tail{};
  std::size_t count = 0;
  std::size_t tail_count = 0;
  const std::size_t gap = text.find("::");
  if (!read_groups(text.substr(0, gap), groups, count)) return std::nullopt;
  if (gap == std::string_view::npos) {
    if (count != kGroups) return std::nullopt;
  } else {
    if (!read_groups(text.substr(gap + 2), tail, tail_count)) return std::nullopt;
    if (count + tail_count >= kGroups) return std::nullopt;
    for (std::size_t i = 0; i < tail_count; ++i) groups[kGroups - tail_count + i] = tail[i];
  }
  mad::Gid gid;
  for (std::size_t i = 0; i < kGroups; ++i) {
    std::uint64_t& half = i < kGroups / 2 ? gid.prefix.value : gid.guid.value;
    half = half << 16 | groups[i];
  }
  return gid;
}

std::string gid_text(const mad::Gid& gid) {
  std::string text;
  for (const std::uint64_t half : {gid.prefix.value, gid.guid.value}) {
    for (unsigned shift = 64; shift > 0; shift -= 16) {
      text += fmt::format("{}{:x}", text.empty() ? "" : ":", half >> (shift - 16) & 0xffff);
    }
  }
  return text;
}

}  // namespace heddle::partitions
