// SPDX-License-Identifier: BSD-3-Clause
#include "doors/control/words.hpp"

#include <fmt/format.h>

namespace heddle::doors::control {
namespace {

constexpr std::string_view kBetween = " \t\r\n[]";

}  // namespace

Words split_words(std::string_view line) {
  Words result;
  const auto fail = [&result](std::string error, std::size_t at) {
    result.error = std::move(error);
    result.column = at + 1;
    return result;
  };
  if (line.size() > kLongestLine) {
    return fail(fmt::format("a line has at most {} bytes", kLongestLine), kLongestLine);
  }
  std::size_t at = 0;
  for (;;) {
    at = line.find_first_not_of(kBetween, at);
    if (at == std::string_view::npos || line[at] == '#') return result;
    if (result.words.size() == kMostWords) {
      return fail(fmt::format("a line has at most {} words", kMostWords), at);
    }
    if (line[at] == '"') {
      const std::size_t end = line.find('"', at + 1);
      if (end == std::string_view::npos) return fail("a quotation mark is missing", at);
      result.words.push_back({std::string(line.substr(at + 1, end - at - 1)), at + 1});
      at = end + 1;
      continue;
    }
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    result.words.push_back({std::string(line.substr(at, end - at)), at + 1});
    at = end;
  }
}

std::string join_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\r\n[]#\"") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : '"' + word + '"');
  }
  return line;
}

}  // namespace heddle::doors::control
