// SPDX-License-Identifier: BSD-3-Clause
// Another way for a branch of a tree, in one layer: over new channels as far as the target, or as a
// way of the tree that is in this layer, too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/ordered_forest.hpp"

namespace heddle::routing {

// Holds scratch memory.
class BranchWays {
 public:
  // All outlive this.
  BranchWays(const CompactChannels& channels, const LayerOrders& orders,
             const OrderedForest& forest)
      : channels_(channels),
        orders_(orders),
        forest_(forest),
        came_from_(channels.count(), kNoWay),
        depth_(channels.count()) {}

  // One with fewest hops, at most so many of them new and at most so many in all, over channels
  // that may be used. False if there is none.
  template <class MayUse>
  bool find(std::uint32_t tree, std::uint32_t from, unsigned layer, std::uint32_t most_new,
            std::uint32_t most_hops, const MayUse& may_use);
  // The new channels of the latest one, the last one first: in this order they can be grafted.
  std::span<const std::uint32_t> way() const { return way_; }
  std::size_t looked_at() const { return found_.size(); }

 private:
  template <class MayUse>
  std::uint32_t hops_if_joined(std::uint32_t tree, std::uint32_t from, std::uint32_t channel,
                               unsigned layer, const MayUse& may_use) const;

  const CompactChannels& channels_;
  const LayerOrders& orders_;
  const OrderedForest& forest_;
  std::vector<std::uint32_t> came_from_;  // by channel, in a search; kNoWay between searches
  std::vector<std::uint32_t> depth_;      // by channel, in a search
  std::vector<std::uint32_t> found_, way_;
};

// The hops that are left if a way in this layer goes on along the tree; kNoWay if it cannot.
template <class MayUse>
std::uint32_t BranchWays::hops_if_joined(std::uint32_t tree, std::uint32_t from,
                                         std::uint32_t channel, unsigned layer,
                                         const MayUse& may_use) const {
  std::uint32_t at = channels_.to[channel];
  if (at == forest_.target(tree)) return 0;
  const std::uint32_t next = forest_.next(tree, at);
  if (next == kNoWay) return kNoWay;
  const auto both = forest_.layers(tree, at) & orders_.admit(channel, next);
  if ((both >> layer & 1) == 0) return kNoWay;
  std::uint32_t hops = 0;
  for (; at != forest_.target(tree); ++hops) {
    const std::uint32_t onward = forest_.next(tree, at);
    if (at == from || !may_use(onward)) return kNoWay;
    at = channels_.to[onward];
  }
  return hops;
}

template <class MayUse>
bool BranchWays::find(std::uint32_t tree, std::uint32_t from, unsigned layer,
                      std::uint32_t most_new, std::uint32_t most_hops, const MayUse& may_use) {
  found_.clear();
  way_.clear();
  std::uint32_t last = kNoWay, fewest = most_hops + 1;
  const auto note = [&](std::uint32_t channel, std::uint32_t by, std::uint32_t depth) {
    came_from_[channel] = by;
    depth_[channel] = depth;
    found_.push_back(channel);
    const std::uint32_t onward = hops_if_joined(tree, from, channel, layer, may_use);
    if (onward == kNoWay || depth + onward >= fewest) return;
    fewest = depth + onward;
    last = channel;
  };
  for (std::uint32_t c = channels_.first[from]; c < channels_.first[from + 1]; ++c) {
    if (may_use(c)) note(c, c, 1);
  }
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const std::uint32_t held = found_[i], at = channels_.to[held], depth = depth_[held];
    if (depth >= most_new || depth + 1 >= fewest) break;
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (came_from_[c] != kNoWay || (orders_.admit(held, c) >> layer & 1) == 0) continue;
      if (may_use(c)) note(c, held, depth + 1);
    }
  }
  for (std::uint32_t at = last; at != kNoWay; at = came_from_[at] == at ? kNoWay : came_from_[at]) {
    way_.push_back(at);
  }
  for (const std::uint32_t channel : found_) came_from_[channel] = kNoWay;
  return last != kNoWay;
}

}  // namespace heddle::routing
