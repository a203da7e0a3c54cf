// SPDX-License-Identifier: BSD-3-Clause
#include "routing/ordered_trees.hpp"

#include <algorithm>
#include <functional>

namespace heddle::routing {

OrderedTrees::OrderedTrees(const CompactChannels& channels, const LayerOrders& orders)
    : channels_(channels),
      orders_(orders),
      fewest_(channels.first.size() - 1),
      next_(fewest_.size()),
      hops_(fewest_.size()),
      layers_(fewest_.size()),
      cost_(fewest_.size()),
      place_(fewest_.size()),
      roused_(fewest_.size()),
      is_fixed_(fewest_.size()) {}

void OrderedTrees::measure(std::uint32_t target) {
  target_ = target;
  std::fill(fewest_.begin(), fewest_.end(), kNoWay);
  by_distance_.assign(1, target);
  fewest_[target] = 0;
  for (std::size_t i = 0; i < by_distance_.size(); ++i) {
    const std::uint32_t at = by_distance_[i];
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (fewest_[channels_.to[c]] != kNoWay) continue;
      fewest_[channels_.to[c]] = fewest_[at] + 1;
      by_distance_.push_back(channels_.to[c]);
    }
  }
  for (std::uint32_t i = 0; i < by_distance_.size(); ++i) place_[by_distance_[i]] = i;
}

void OrderedTrees::begin(std::uint32_t target, std::span<const LayerSet> wanted) {
  if (target != target_) measure(target);
  wanted_ = wanted;
  std::fill(hops_.begin(), hops_.end(), kNoWay);
  std::fill(next_.begin(), next_.end(), kNoWay);
  order_.assign(1, target);
  hops_[target] = 0;
  cost_[target] = 0;
  layers_[target] = orders_.all();
}

bool OrderedTrees::grow(std::uint32_t target, std::span<const LayerSet> wanted,
                        const ChannelLoads& loads, std::size_t reachable) {
  begin(target, wanted);
  spread(loads);
  return order_.size() == reachable;
}

void OrderedTrees::grow_anyway(std::uint32_t target, std::span<const LayerSet> wanted,
                               const ChannelLoads& loads) {
  begin(target, wanted);
  spread(loads);
  finish_anyway(loads);
}

// What finds no way is led along the given tree from the start, and so is all on that way. At worst
// that is all of the tree.
std::size_t OrderedTrees::grow_on(std::uint32_t target, std::span<const std::uint32_t> given,
                                  std::span<const LayerSet> wanted, const ChannelLoads& loads) {
  fixed_.clear();
  std::fill(is_fixed_.begin(), is_fixed_.end(), std::uint8_t{0});
  is_fixed_[target] = 1;
  while (true) {
    begin(target, wanted);
    for (const std::uint32_t at : fixed_) {
      settle(at, given[at]);
      cost_[at] = cost_[channels_.to[given[at]]] + loads[given[at]];
    }
    spread(loads);
    if (stuck_.empty()) return fixed_.size();
    for (const std::uint32_t lost : stuck_) fix_way(lost, given);
  }
}

void OrderedTrees::fix_way(std::uint32_t from, std::span<const std::uint32_t> given) {
  way_.clear();
  for (std::uint32_t at = from; is_fixed_[at] == 0; at = channels_.to[given[at]]) {
    is_fixed_[at] = 1;
    way_.push_back(at);
  }
  fixed_.insert(fixed_.end(), way_.rbegin(), way_.rend());
}

void OrderedTrees::adopt(std::uint32_t target, std::span<const std::uint32_t> given) {
  begin(target, {});
  for (std::uint32_t s = 0; s < given.size(); ++s) {
    std::uint32_t at = s;
    for (way_.clear(); hops_[at] == kNoWay && given[at] != kNoWay; at = channels_.to[given[at]]) {
      way_.push_back(at);
    }
    if (hops_[at] == kNoWay) continue;  // leads nowhere
    for (; !way_.empty(); way_.pop_back()) settle(way_.back(), given[way_.back()]);
  }
}

void OrderedTrees::complete(std::uint32_t target, std::span<const std::uint32_t> given,
                            std::span<const LayerSet> wanted, const ChannelLoads& loads) {
  adopt(target, given);
  wanted_ = wanted;
  for (const std::uint32_t at : nearest_first().subspan(1)) {
    cost_[at] = cost_[channels_.to[next_[at]]] + loads[next_[at]];
  }
  stuck_.clear();
  for (const std::uint32_t at : by_distance_) {
    if (hops_[at] == kNoWay) stuck_.push_back(at);
  }
  finish_anyway(loads);
}

// Whatever is not settled yet, nearest first.
void OrderedTrees::spread(const ChannelLoads& loads) {
  stuck_.clear();
  for (const std::uint32_t at : by_distance_) {
    if (hops_[at] == kNoWay && !attach(at, Wish::Shortest, loads)) stuck_.push_back(at);
  }
  resume(loads);
}

// Who found no shortest way may find another one, by a switch that was reached later. All are asked
// in turns; who finds none is asked no more until somebody next to it has found one.
void OrderedTrees::resume(const ChannelLoads& loads) {
  if (stuck_.empty()) return;
  rouse_all({Wish::Longer});
  while (attach_next(Wish::Longer, loads)) {
  }
  forget_settled();
}

// There is always somebody next to what is reached. One at a time: others may find a way then.
void OrderedTrees::finish_anyway(const ChannelLoads& loads) {
  if (stuck_.empty()) return;
  rouse_all({Wish::Longer, Wish::AnyLayer, Wish::NoMatter});
  while (attach_next(Wish::Longer, loads) || attach_next(Wish::AnyLayer, loads) ||
         attach_next(Wish::NoMatter, loads)) {
  }
  forget_settled();
}

void OrderedTrees::rouse_all(std::initializer_list<Wish> wishes) {
  for (const std::uint32_t at : stuck_) roused_[at] = 0;
  for (auto& places : awake_) places.clear();
  asks_.assign(wishes);
  for (const std::uint32_t at : stuck_) {
    for (const Wish wish : asks_) rouse(at, wish, 0);
  }
}

// turn: in which it is asked.
void OrderedTrees::rouse(std::uint32_t at, Wish wish, std::uint64_t turn) {
  const auto which = static_cast<unsigned>(wish);
  if ((roused_[at] >> which & 1) != 0) return;
  roused_[at] = static_cast<std::uint8_t>(roused_[at] | 1u << which);
  awake_[which].push_back(turn << kPlaceBits | place_[at]);
  std::push_heap(awake_[which].begin(), awake_[which].end(), std::greater<>());
}

// The first one that finds a way with this wish; false if there is none.
bool OrderedTrees::attach_next(Wish wish, const ChannelLoads& loads) {
  const auto which = static_cast<unsigned>(wish);
  auto& places = awake_[which];
  while (!places.empty()) {
    std::pop_heap(places.begin(), places.end(), std::greater<>());
    const std::uint64_t turn = places.back() >> kPlaceBits;
    const std::uint32_t at = by_distance_[places.back() & ((std::uint64_t{1} << kPlaceBits) - 1)];
    places.pop_back();
    roused_[at] = static_cast<std::uint8_t>(roused_[at] & ~(1u << which));
    if (hops_[at] != kNoWay || !attach(at, wish, loads)) continue;
    rouse_neighbours(at, wish == Wish::Longer ? turn : kNewTurns);
    return true;
  }
  return false;
}

// turn: in which that one was asked. Those before it are asked in the next one.
void OrderedTrees::rouse_neighbours(std::uint32_t of, std::uint64_t turn) {
  for (std::uint32_t c = channels_.first[of]; c < channels_.first[of + 1]; ++c) {
    const std::uint32_t at = channels_.to[c];
    if (hops_[at] != kNoWay) continue;
    const std::uint64_t next = turn == kNewTurns ? 0 : turn + (place_[at] < place_[of] ? 1 : 0);
    for (const Wish wish : asks_) rouse(at, wish, wish == Wish::Longer ? next : 0);
  }
}

void OrderedTrees::forget_settled() {
  const auto is_settled = [&](std::uint32_t at) { return hops_[at] != kNoWay; };
  stuck_.erase(std::remove_if(stuck_.begin(), stuck_.end(), is_settled), stuck_.end());
}

LayerSet OrderedTrees::layers_by(std::uint32_t channel) const {
  const std::uint32_t to = channels_.to[channel];
  if (to == target_) return orders_.all();
  return static_cast<LayerSet>(layers_[to] & orders_.admit(channel, next_[to]));
}

bool OrderedTrees::is_granted(std::uint32_t at, Wish wish, LayerSet layers) const {
  switch (wish) {
    case Wish::Shortest:
    case Wish::Longer:
      return wanted_[at] == 0 || (layers & wanted_[at]) != 0;
    case Wish::AnyLayer:
      return layers != 0;
    case Wish::NoMatter:
      break;
  }
  return true;
}

bool OrderedTrees::attach(std::uint32_t at, Wish wish, const ChannelLoads& loads) {
  std::uint32_t best = kNoWay, fewest = kNoWay;
  std::uint64_t least = ~std::uint64_t{0};
  const auto consider = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t c = begin; c < end; ++c) {
      const std::uint32_t to = channels_.to[c];
      if (hops_[to] == kNoWay || hops_[to] > fewest) continue;
      if (wish != Wish::Longer && fewest_[to] >= fewest_[at]) continue;
      const std::uint64_t cost = cost_[to] + loads[c];
      if (hops_[to] == fewest && cost >= least) continue;
      if (!is_granted(at, wish, layers_by(c))) continue;
      fewest = hops_[to];
      least = cost;
      best = c;
    }
  };
  // Equal ways are taken in turns, so that targets do not all prefer the same.
  const std::uint32_t first = channels_.first[at], end = channels_.first[at + 1];
  const std::uint32_t turn = first + target_ % (end - first);
  consider(turn, end);
  consider(first, turn);
  if (best == kNoWay) return false;
  settle(at, best);
  cost_[at] = least;
  return true;
}

void OrderedTrees::settle(std::uint32_t at, std::uint32_t channel) {
  next_[at] = channel;
  hops_[at] = hops_[channels_.to[channel]] + 1;
  layers_[at] = layers_by(channel);
  order_.push_back(at);
}

OrderedTrees::Cost OrderedTrees::cost(std::span<const std::uint32_t> sent,
                                      const ChannelLoads& loads) {
  Cost sum;
  for (const std::uint32_t at : nearest_first().subspan(1)) {
    cost_[at] = cost_[channels_.to[next_[at]]] + loads[next_[at]];
    sum.hops += std::uint64_t{hops_[at]} * sent[at];
    sum.load += cost_[at] * sent[at];
  }
  return sum;
}

}  // namespace heddle::routing
