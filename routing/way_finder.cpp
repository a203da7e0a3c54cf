// SPDX-License-Identifier: BSD-3-Clause
#include "routing/way_finder.hpp"

#include <algorithm>

namespace heddle::routing {

Ways::Ways(const fabric::Topology& topology)
    : count_(topology.switch_count()), choices_(topology.channels().size()) {
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    first_.push_back(topology.first_channel(fabric::SwitchIndex{s}).value);
  }
  nearest_first_.reserve(topology.switch_count());
}

void Ways::clear() {
  nearest_first_.clear();
  std::fill(count_.begin(), count_.end(), std::uint8_t{0});
}

CompactChannels::CompactChannels(const fabric::Topology& topology) {
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    first.push_back(topology.first_channel(fabric::SwitchIndex{s}).value);
  }
  first.push_back(static_cast<std::uint32_t>(topology.channels().size()));
  for (const fabric::Channel& channel : topology.channels()) {
    to.push_back(channel.to.value);
    reverse_local.push_back(
        static_cast<std::uint8_t>(channel.reverse.value - first[channel.to.value]));
  }
}

}  // namespace heddle::routing
