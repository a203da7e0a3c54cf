// SPDX-License-Identifier: BSD-3-Clause
// Ways as whoever balances them sees them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/way_finder.hpp"

namespace heddle::routing {

struct OfferedWays {
  OfferedWays(const fabric::Topology& topology, const Ways& ways)
      : choices(topology.switch_count()) {
    ways.farthest_first([&](fabric::SwitchIndex at, std::span<const std::uint8_t> offered) {
      farthest_first.push_back(at);
      choices[at.value].assign(offered.begin(), offered.end());
    });
  }
  friend bool operator==(const OfferedWays&, const OfferedWays&) = default;

  std::vector<fabric::SwitchIndex> farthest_first;  // without the target
  std::vector<std::vector<std::uint8_t>> choices;   // by switch
};

}  // namespace heddle::routing
