// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/mgid.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "mad/mgid.hpp"

namespace heddle::multicast {
namespace {

constexpr std::size_t kWords = 8;
using Words = std::array<std::uint16_t, kWords>;

Words words_of(const mad::Gid& gid) {
  Words words{};
  for (std::size_t i = 0; i < kWords / 2; ++i) {
    words[i] = static_cast<std::uint16_t>(gid.prefix.value >> (48 - 16 * i));
    words[i + 4] = static_cast<std::uint16_t>(gid.guid.value >> (48 - 16 * i));
  }
  return words;
}

// The longest run of two or more zeros, the first of equals: what "::" stands for.
struct Run {
  std::size_t first = kWords;
  std::size_t length = 1;
};
Run longest_zeros(const Words& words) {
  Run best;
  for (std::size_t i = 0; i < kWords; ++i) {
    std::size_t end = i;
    while (end < kWords && words[end] == 0) ++end;
    if (end - i > best.length) best = {i, end - i};
  }
  return best;
}

}  // namespace

std::optional<std::string> fault_of(const mad::Gid& mgid) {
  if (!mad::is_multicast(mgid)) return "does not begin with ff";
  if (flags_of(mgid) > 1) return "has reserved flags";
  if (scope_of(mgid) == 0) return "has no scope";
  const mad::Gid all_ones{mad::GidPrefix{~0ull}, mad::Guid{~0ull}};
  if (mgid == all_ones) return "is all ones";
  return std::nullopt;
}

std::string text_of(const mad::Gid& gid) {
  const Words words = words_of(gid);
  const Run zeros = longest_zeros(words);
  std::string text;
  for (std::size_t i = 0; i < kWords; ++i) {
    if (i == zeros.first) {
      text += "::";
      i += zeros.length - 1;
      continue;
    }
    const bool first = text.empty() || text.back() == ':';
    text += fmt::format("{}{:x}", first ? "" : ":", words[i]);
  }
  return text;
}

}  // namespace heddle::multicast
