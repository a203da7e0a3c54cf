// SPDX-License-Identifier: BSD-3-Clause
// Files of which each line is a few words: those that OpenSM keeps in its cache folder.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "base/file_place.hpp"
#include "base/result.hpp"

namespace heddle::store {

// A line that says something, and where it stands.
struct FileLine {
  base::FilePlace place;
  std::vector<std::string_view> words;  // at least one

  // What is wrong with the word of this index, which may be missing; `wanted` is a noun and what
  // is said of it. `between` stands behind the place.
  base::Error wrong(std::size_t index, std::string_view wanted,
                    std::string_view between = {}) const;
};

// All but empty lines and those that begin with #, until one of them is refused.
base::Result<> each_line(std::string_view text, std::string_view title,
                         const std::function<base::Result<>(const FileLine&)>& take);

}  // namespace heddle::store
