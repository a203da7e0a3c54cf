// SPDX-License-Identifier: BSD-3-Clause
// What `heddle plan what-if` found out, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/what_if.hpp"

namespace heddle::app {

struct WhatIfReport {
  struct Case {
    std::string loss;                 // described
    std::optional<std::size_t> size;  // of a series; of moves which step
    plan::WhatIf answer;
    // Of moves: the line of their file, "out" or "in", and what plan::MoveAnswer says.
    unsigned line = 0;
    std::string phase = {};
    std::uint64_t parted = 0;
  };
  std::string fabric;
  std::string engine;
  std::uint64_t seed = 1;
  std::string seeded;  // what the seed chose; empty: nothing
  bool with_bandwidth = true;
  bool writes = false;
  plan::Figures before;
  std::vector<Case> cases;
  // Of links: whether all are as fast, and what counts as 1 (plan/link_rates.hpp).
  bool alike = true;
  std::string unit;
  std::vector<std::string> warnings;
  std::string moves;  // their file; empty: these are losses
};

std::string what_if_table(const WhatIfReport& report);
// {"fabric", "engine", "seed", "before": {...}, "cases": [{"loss", "pairs_lost", ..., "writes":
// [{"switch", "guid", "blocks": [...]}]}]}
std::string what_if_json(const WhatIfReport& report);
std::string what_if_csv(const WhatIfReport& report);
// Of a series.
std::string what_if_plot(const WhatIfReport& report);

}  // namespace heddle::app
