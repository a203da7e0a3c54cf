// SPDX-License-Identifier: BSD-3-Clause
#include "store/file_lines.hpp"

#include <string>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::store {

base::Error FileLine::wrong(std::size_t index, std::string_view wanted,
                            std::string_view between) const {
  const bool there = index < words.size();
  const auto at =
      there ? place.index_of(words[index]) : place.index_of(words.back()) + words.back().size();
  constexpr std::size_t kLongest = 64;
  const std::string found =
      there ? fmt::format("'{}' is none", base::printable(words[index].substr(0, kLongest)))
            : std::string("there is nothing");
  return place.wrong_at(at, fmt::format("{}{} is wanted here; {}", between, wanted, found));
}

base::Result<> each_line(std::string_view text, std::string_view title,
                         const std::function<base::Result<>(const FileLine&)>& take) {
  FileLine line{{title, 0, {}}, {}};
  for (const std::string_view raw : base::split(text, '\n')) {
    ++line.place.number;
    line.place.line = raw;
    line.words = base::words(raw);
    if (line.words.empty() || line.words[0].starts_with('#')) continue;
    const base::Result<> taken = take(line);
    if (taken.has_error()) return taken;
  }
  return {};
}

}  // namespace heddle::store
