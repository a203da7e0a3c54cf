// SPDX-License-Identifier: BSD-3-Clause
// The ways on which packets may approach every switch, for those who look at them again after some
// were chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/way_finder.hpp"

namespace heddle::routing {

// One bit for each channel and switch.
class WayOffers {
 public:
  WayOffers(const CompactChannels& channels, WayFinder& finder);

  // Whether packets for the target may leave by that channel.
  bool has(std::uint32_t channel, std::uint32_t target) const {
    return (lanes_[target / kLanes * channels_ + channel] >> target % kLanes & 1) != 0;
  }

 private:
  static constexpr std::uint32_t kLanes = WayFinder::kLanes;

  std::size_t channels_;
  std::vector<WayFinder::Lanes> lanes_;  // by (64 targets, channel)
};

}  // namespace heddle::routing
