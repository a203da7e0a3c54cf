// SPDX-License-Identifier: BSD-3-Clause
// Where something stands in a file: errors begin with "file:line:column: ".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace heddle::base {

struct FilePlace {
  std::string_view file;
  std::size_t number = 0;  // of the line, from 1
  std::string_view line;

  // `word` is a part of the line; where it is empty, what is missing would stand behind the line.
  base::Error wrong(std::string_view word, std::string_view what) const {
    return wrong_at(word.empty() ? line.size() : index_of(word), what);
  }
  // `index` from 0.
  base::Error wrong_at(std::size_t index, std::string_view what) const {
    return base::error(std::string(file) + ':' + std::to_string(number) + ':' +
                       std::to_string(index + 1) + ": " + std::string(what));
  }
  std::size_t index_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - line.data());
  }
};

}  // namespace heddle::base
