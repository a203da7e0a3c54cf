// SPDX-License-Identifier: BSD-3-Clause
#include "routing/hop_counts.hpp"

namespace heddle::routing {

HopCounts::HopCounts(const CompactChannels& channels)
    : switches_(channels.first.size() - 1), hops_(switches_ * switches_, kFar) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t target = 0; target < switches_; ++target) {
    std::uint16_t* const hops = hops_.data() + target * switches_;
    found.assign(1, target);
    hops[target] = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint32_t at = found[i];
      for (std::uint32_t c = channels.first[at]; c < channels.first[at + 1]; ++c) {
        if (hops[channels.to[c]] != kFar) continue;
        hops[channels.to[c]] = static_cast<std::uint16_t>(hops[at] + 1);
        found.push_back(channels.to[c]);
      }
    }
  }
}

}  // namespace heddle::routing
