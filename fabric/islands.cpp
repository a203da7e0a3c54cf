// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/islands.hpp"

#include <algorithm>

namespace heddle::fabric {

Islands::Islands(const Topology& topology) {
  constexpr std::uint32_t kUnseen = 0xFFFF'FFFF;
  island_.assign(topology.switch_count(), kUnseen);
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    if (island_[s] != kUnseen) continue;
    const auto number = static_cast<std::uint32_t>(members_.size());
    std::vector<SwitchIndex> found{SwitchIndex{s}};
    island_[s] = number;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const Channel& channel : topology.channels_from(found[i])) {
        if (island_[channel.to.value] != kUnseen) continue;
        island_[channel.to.value] = number;
        found.push_back(channel.to);
      }
    }
    std::sort(found.begin(), found.end());
    members_.push_back(std::move(found));
  }
}

}  // namespace heddle::fabric
