// SPDX-License-Identifier: BSD-3-Clause
// Where something stands in a file: errors begin with "file:line:column: ".
#pragma once

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "base/result.hpp"

namespace heddle::routing {

struct FilePlace {
  std::string_view file;
  std::size_t number = 0;  // of the line, from 1
  std::string_view line;

  // `word` is a part of the line; where it is empty, what is missing would stand behind the line.
  base::Error wrong(std::string_view word, std::string_view what) const {
    const auto before =
        word.empty() ? line.size() : static_cast<std::size_t>(word.data() - line.data());
    return base::error(fmt::format("{}:{}:{}: {}", file, number, before + 1, what));
  }
};

}  // namespace heddle::routing
