// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shortest_trees.hpp"

#include <algorithm>

namespace heddle::routing {

ShortestTrees::ShortestTrees(const CompactChannels& channels)
    : channels_(channels),
      hops_(channels.first.size() - 1),
      ways_(channels.count()),
      end_(hops_.size()),
      cost_(hops_.size()),
      chosen_(hops_.size()),
      next_(hops_.size()),
      out_(hops_.size()) {
  for (std::uint32_t c = 0; c < channels.count(); ++c) reverse_.push_back(channels.reverse(c));
}

void ShortestTrees::approach(fabric::SwitchIndex target) {
  target_ = target;
  std::fill(hops_.begin(), hops_.end(), kNoWay);
  std::copy_n(channels_.first.begin(), end_.size(), end_.begin());
  std::fill(next_.begin(), next_.end(), kNoWay);
  nearest_first_.resize(hops_.size());
  nearest_first_[0] = target.value;
  hops_[target.value] = 0;
  std::size_t found = 1;
  // At hand, or all of it would be read again after each store.
  const std::uint32_t* const first = channels_.first.data();
  const std::uint32_t* const to = channels_.to.data();
  const std::uint32_t* const reverse = reverse_.data();
  std::uint32_t* const order = nearest_first_.data();
  std::uint32_t* const hops = hops_.data();
  std::uint32_t* const ends = end_.data();
  Way* const ways = ways_.data();
  for (std::size_t i = 0; i < found; ++i) {
    const std::uint32_t at = order[i];
    const std::uint32_t farther = hops[at] + 1;
    for (std::uint32_t c = first[at], end = first[at + 1]; c < end; ++c) {
      const std::uint32_t from = to[c];
      if (hops[from] < farther) continue;
      if (hops[from] == kNoWay) {
        hops[from] = farther;
        order[found++] = from;
      }
      ways[ends[from]++] = {at, reverse[c]};
    }
  }
  nearest_first_.resize(found);
}

void ShortestTrees::choose(const ChannelLoads& loads, bool in_turns) {
  in_turns_ = in_turns;
  cost_[target_.value] = 0;
  for (std::size_t i = 1; i < nearest_first_.size(); ++i) choose_from(nearest_first_[i], loads);
}

// What costs more now than it did does not become the best way, so the one that was goes on being
// it for as long as it costs what it did.
void ShortestTrees::choose_again(const ChannelLoads& loads) {
  for (std::size_t i = 1; i < nearest_first_.size(); ++i) {
    const std::uint32_t at = nearest_first_[i];
    if (cost_of(ways_[chosen_[at]], loads) != cost_[at]) choose_from(at, loads);
  }
}

void ShortestTrees::choose_from(std::uint32_t at, const ChannelLoads& loads) {
  const std::uint32_t begin = channels_.first[at], end = end_[at];
  const std::uint32_t count = end - begin;
  const std::uint32_t turn = count == 1 || !in_turns_ ? 0 : target_.value % count;
  const Choice first = least(begin + turn, end, loads);
  const Choice rest = least(begin, begin + turn, loads);
  const Choice& best = rest.cost < first.cost ? rest : first;
  cost_[at] = best.cost;
  chosen_[at] = best.way;
  next_[at] = ways_[best.way].channel;
  out_[at] = channels_.out[next_[at]];
}

ShortestTrees::Choice ShortestTrees::least(std::uint32_t begin, std::uint32_t end,
                                           const ChannelLoads& loads) const {
  Choice best{begin, ~std::uint64_t{0}};
  for (std::uint32_t way = begin; way < end; ++way) {
    const std::uint64_t cost = cost_of(ways_[way], loads);
    best.way = cost < best.cost ? way : best.way;
    best.cost = std::min(cost, best.cost);
  }
  return best;
}

void add_flow(const CompactChannels& channels, std::span<const std::uint32_t> order,
              std::span<const std::uint32_t> next, std::span<const std::uint32_t> sent,
              ChannelLoads& loads, bool take_off) {
  std::vector<std::uint64_t> carried(sent.begin(), sent.end());
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::uint32_t at = order[i];
    if (carried[at] == 0) continue;
    const std::uint64_t load = carried[at] * counts_for(channels, next[at]);
    loads[next[at]] += take_off ? -load : load;
    carried[channels.to[next[at]]] += carried[at];
  }
}

}  // namespace heddle::routing
