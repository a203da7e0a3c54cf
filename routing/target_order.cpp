// SPDX-License-Identifier: BSD-3-Clause
#include "routing/target_order.hpp"

#include <algorithm>

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using fabric::Topology;

constexpr std::size_t kSwitchesPerBatch = 96;
constexpr std::size_t kMostBatches = 16;
constexpr std::uint32_t kNoNumber = 0xFFFF'FFFF;

// Distance of each switch from the nearest one with hosts; kNoNumber where there is none.
std::vector<std::uint32_t> heights(const Topology& topology,
                                   const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> height(hosts.size(), kNoNumber);
  std::vector<std::uint32_t> reached;
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    if (hosts[s] == 0) continue;
    height[s] = 0;
    reached.push_back(s);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& channel : topology.channels_from(SwitchIndex{reached[i]})) {
      if (height[channel.to.value] != kNoNumber) continue;
      height[channel.to.value] = height[reached[i]] + 1;
      reached.push_back(channel.to.value);
    }
  }
  return height;
}

// For each switch the lowest index among the switches of that height that it reaches by climbing
// only: the same for all switches of a subtree.
std::vector<std::uint32_t> ancestors(const Topology& topology,
                                     const std::vector<std::uint32_t>& height,
                                     std::uint32_t of_height) {
  std::vector<std::uint32_t> lowest(height.size(), kNoNumber);
  for (std::uint32_t s = 0; s < height.size(); ++s) {
    if (height[s] == of_height) lowest[s] = s;
  }
  for (std::uint32_t level = of_height; level-- > 0;) {
    for (std::uint32_t s = 0; s < height.size(); ++s) {
      if (height[s] != level) continue;
      for (const auto& channel : topology.channels_from(SwitchIndex{s})) {
        if (height[channel.to.value] == level + 1) {
          lowest[s] = std::min(lowest[s], lowest[channel.to.value]);
        }
      }
    }
  }
  return lowest;
}

// Cuts at the subtree boundary after each equal share, unless it is more than half a share away.
std::vector<std::size_t> cut(const std::vector<SwitchIndex>& targets,
                             const std::vector<std::uint32_t>& subtree) {
  const std::size_t count = targets.size();
  const std::size_t batches = std::clamp<std::size_t>(count / kSwitchesPerBatch, 1, kMostBatches);
  std::vector<std::size_t> first{0};
  for (std::size_t b = 1; b < batches; ++b) {
    const std::size_t wanted = std::max(count * b / batches, first.back());
    std::size_t at = wanted;
    while (at > 0 && at < count && subtree[targets[at].value] == subtree[targets[at - 1].value]) {
      ++at;
    }
    first.push_back(at - wanted <= count / batches / 2 ? at : wanted);
  }
  first.push_back(count);
  return first;
}

}  // namespace

TargetOrder order_targets(const Topology& topology, const std::vector<std::uint32_t>& hosts) {
  const auto height = heights(topology, hosts);
  std::uint32_t top = 0;
  for (const std::uint32_t one : height) top = one == kNoNumber ? top : std::max(top, one);
  TargetOrder order;
  for (std::uint32_t s = 0; s < hosts.size(); ++s) order.targets.push_back(SwitchIndex{s});
  order.subtree.assign(hosts.size(), kNoNumber);
  for (std::uint32_t level = 1; level <= top; ++level) {
    const auto key = ancestors(topology, height, level);
    std::stable_sort(order.targets.begin(), order.targets.end(),
                     [&](SwitchIndex a, SwitchIndex b) { return key[a.value] < key[b.value]; });
    if (level == 1) order.subtree = key;
  }
  order.first = cut(order.targets, order.subtree);
  return order;
}

}  // namespace heddle::routing
