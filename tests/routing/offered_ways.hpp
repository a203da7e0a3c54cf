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

  // The same of a lane, as WayFinder::offer() gives them.
  bool are_offered(const CompactChannels& channels, std::span<const WayFinder::Lanes> offers,
                   std::size_t lane) const {
    for (std::size_t s = 0; s < choices.size(); ++s) {
      std::vector<std::uint8_t> offered;
      for (std::uint32_t c = channels.first[s]; c < channels.first[s + 1]; ++c) {
        if ((offers[c] >> lane & 1) == 0) continue;
        offered.push_back(static_cast<std::uint8_t>(c - channels.first[s]));
      }
      if (offered != choices[s]) return false;
    }
    return true;
  }

  std::vector<fabric::SwitchIndex> farthest_first;  // without the target
  std::vector<std::vector<std::uint8_t>> choices;   // by switch
};

}  // namespace heddle::routing
