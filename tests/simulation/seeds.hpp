// SPDX-License-Identifier: BSD-3-Clause
// Which seeds a test of chaos plays: from HEDDLE_FIRST_SEED (1) on, HEDDLE_SEEDS of them.
// scripts/soak plays ones that nobody has seen.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/text.hpp"

namespace heddle::test {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t end = 1;  // the first that is not played
  std::uint64_t count() const { return end - first; }
};

inline Seeds seeds(std::uint64_t usual) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : base::parse_number(text).value_or(otherwise);
  };
  const std::uint64_t first = number("HEDDLE_FIRST_SEED", 1);
  return {first, first + number("HEDDLE_SEEDS", usual)};
}

}  // namespace heddle::test
