// SPDX-License-Identifier: BSD-3-Clause
#include "routing/way_offers.hpp"

#include <algorithm>
#include <span>

namespace heddle::routing {

WayOffers::WayOffers(const CompactChannels& channels, WayFinder& finder)
    : channels_(channels.count()),
      lanes_(channels_ * ((channels.first.size() + kLanes - 2) / kLanes)) {
  const auto switches = static_cast<std::uint32_t>(channels.first.size() - 1);
  std::vector<fabric::SwitchIndex> targets;
  for (std::uint32_t first = 0; first < switches; first += kLanes) {
    targets.clear();
    for (std::uint32_t s = first; s < std::min(switches, first + kLanes); ++s) {
      targets.push_back(fabric::SwitchIndex{s});
    }
    finder.offer(targets, channels,
                 std::span(lanes_).subspan(first / kLanes * channels_, channels_));
  }
}

}  // namespace heddle::routing
