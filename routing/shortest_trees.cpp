// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shortest_trees.hpp"

#include <algorithm>

namespace heddle::routing {

ShortestTrees::ShortestTrees(const CompactChannels& channels)
    : channels_(channels),
      hops_(channels.first.size() - 1),
      ways_(channels.count()),
      count_(hops_.size()),
      cost_(hops_.size()),
      next_(hops_.size()) {}

void ShortestTrees::approach(fabric::SwitchIndex target) {
  target_ = target;
  std::fill(hops_.begin(), hops_.end(), kNoWay);
  std::fill(count_.begin(), count_.end(), 0u);
  std::fill(next_.begin(), next_.end(), kNoWay);
  nearest_first_.assign(1, target.value);
  hops_[target.value] = 0;
  for (std::size_t i = 0; i < nearest_first_.size(); ++i) {
    const std::uint32_t at = nearest_first_[i];
    const std::uint32_t farther = hops_[at] + 1;
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      const std::uint32_t from = channels_.to[c];
      if (hops_[from] < farther) continue;
      if (hops_[from] == kNoWay) {
        hops_[from] = farther;
        nearest_first_.push_back(from);
      }
      const std::uint32_t base = channels_.first[from];
      ways_[base + count_[from]++] = {at, base + channels_.reverse_local[c]};
    }
  }
}

void ShortestTrees::choose(const ChannelLoads& loads, bool in_turns) {
  cost_[target_.value] = 0;
  for (std::size_t i = 1; i < nearest_first_.size(); ++i) {
    const std::uint32_t at = nearest_first_[i];
    const Way* ways = ways_.data() + channels_.first[at];
    const std::uint32_t count = count_[at];
    const Way* best = ways;
    std::uint64_t least = ~std::uint64_t{0};
    const auto consider = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t w = begin; w < end; ++w) {
        const std::uint64_t cost = cost_[ways[w].to] + loads[ways[w].channel];
        if (cost >= least) continue;
        least = cost;
        best = ways + w;
      }
    };
    const std::uint32_t turn = count == 1 || !in_turns ? 0 : target_.value % count;
    consider(turn, count);
    consider(0, turn);
    cost_[at] = least;
    next_[at] = best->channel;
  }
}

void add_flow(const CompactChannels& channels, std::span<const std::uint32_t> order,
              std::span<const std::uint32_t> next, std::span<const std::uint32_t> sent,
              ChannelLoads& loads, bool take_off) {
  std::vector<std::uint64_t> carried(sent.begin(), sent.end());
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::uint32_t at = order[i];
    if (carried[at] == 0) continue;
    const std::uint64_t counts_for =
        channels.counts_for.empty() ? 1 : channels.counts_for[next[at]];
    const std::uint64_t load = carried[at] * counts_for;
    loads[next[at]] += take_off ? -load : load;
    carried[channels.to[next[at]]] += carried[at];
  }
}

}  // namespace heddle::routing
