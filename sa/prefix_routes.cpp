// SPDX-License-Identifier: BSD-3-Clause
#include "sa/prefix_routes.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"

namespace heddle::sa {
namespace {

constexpr std::size_t kLongestQuote = 40;  // of what was not understood
constexpr std::uint64_t kMulticastPrefix = 0xFF;

struct Word {
  std::size_t column = 0;  // one-based
  std::string_view text;
};

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  for (const std::string_view word : base::words(line.substr(0, line.find('#')))) {
    words.push_back({static_cast<std::size_t>(word.data() - line.data()) + 1, word});
  }
  return words;
}

class Reader {
 public:
  explicit Reader(std::string_view file_name) : file_name_(file_name) {}

  // Nothing for a line without words.
  base::Result<std::optional<PrefixRoute>> read(std::size_t line, std::string_view text) {
    line_ = line;
    const auto words = words_of(text);
    if (words.empty()) return std::optional<PrefixRoute>{};
    if (words.size() == 1) return wrong(words[0], "a prefix without the GUID of a router's port");
    if (words.size() > 2) return wrong(words[2], "expected the end of the line");
    PrefixRoute route;
    for (const bool first : {true, false}) {
      const Word& word = words[first ? 0 : 1];
      if (word.text == "*") continue;
      const auto number = base::parse_hex(word.text);
      if (!number) {
        return wrong(word, first ? "a GID prefix is up to 16 hexadecimal digits, or *"
                                 : "a port GUID is up to 16 hexadecimal digits, or *");
      }
      if (first && *number >> 56 == kMulticastPrefix) {
        return wrong(word, "this is the prefix of multicast GIDs, which no router is asked for");
      }
      if (first) {
        route.prefix = mad::GidPrefix{*number};
      } else {
        route.router = mad::Guid{*number};
      }
    }
    return std::optional(route);
  }

 private:
  base::Error wrong(const Word& word, std::string_view what) const {
    return base::error(std::string(file_name_) + ":" + std::to_string(line_) + ":" +
                       std::to_string(word.column) + ": " + std::string(what) + ", not '" +
                       base::printable(word.text.substr(0, kLongestQuote)) + "'");
  }

  std::string_view file_name_;
  std::size_t line_ = 0;
};

}  // namespace

base::Result<PrefixRoutes> parse_prefix_routes(std::string_view text, std::string_view file_name) {
  PrefixRoutes routes;
  Reader reader(file_name);
  std::size_t number = 0;
  for (const std::string_view line : base::split(text, '\n')) {
    if (++number > kMaxPrefixRouteLines) {
      return base::error(std::string(file_name) + ":" + std::to_string(number) +
                         ":1: a file has no more than " + std::to_string(kMaxPrefixRouteLines) +
                         " lines");
    }
    const auto route = reader.read(number, line);
    if (!route) return route.error();
    if (*route) routes.push_back(**route);
  }
  return routes;
}

std::string to_text(const PrefixRoutes& routes) {
  std::string text;
  for (const PrefixRoute& route : routes) {
    text += route.prefix ? base::hex(route.prefix->value) : std::string("*");
    text += ' ';
    text += route.router ? base::hex(route.router->value) : std::string("*");
    text += '\n';
  }
  return text;
}

}  // namespace heddle::sa
