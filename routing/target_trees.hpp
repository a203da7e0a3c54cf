// SPDX-License-Identifier: BSD-3-Clause
// Trees of ways, of which each leads to one switch, and what flows over all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/shortest_trees.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Trees of ways, by number; those toward one switch stand side by side.
struct TargetTrees {
  static constexpr std::uint8_t kNone = 0xFF;

  std::vector<std::uint32_t> target;  // by tree: a switch
  std::vector<std::uint32_t> weight;  // by tree: each host sends so much there
  // By (switch, tree): the channel to leave by, as a place among those that leave the switch; kNone
  // at the target, and at what does not reach it.
  std::vector<std::uint8_t> next;

  std::size_t count() const { return target.size(); }
  std::uint8_t* at(std::uint32_t one) { return next.data() + one * count(); }
  const std::uint8_t* at(std::uint32_t one) const { return next.data() + one * count(); }
};

struct TreeFlows {
  ChannelLoads loads;                         // by channel, as `channels` counts
  std::vector<std::uint64_t> sent, received;  // by switch: what is not for its own hosts
};
// finder: one whose ways the trees take. hosts: by switch.
TreeFlows add_up(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
                 const TargetTrees& trees, WayFinder& finder);

// The same for any trees, at more expense.
TreeFlows add_up(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
                 const TargetTrees& trees);

// What some channel carries at least, whatever the trees: the mean; and a switch has but its own
// channels for what its hosts send and receive.
std::uint64_t least_peak(const CompactChannels& channels, const TreeFlows& flows);

}  // namespace heddle::routing
