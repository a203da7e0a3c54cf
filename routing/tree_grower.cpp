// SPDX-License-Identifier: BSD-3-Clause
#include "routing/tree_grower.hpp"

#include <algorithm>

namespace heddle::routing {
namespace {

constexpr std::size_t kTriesPerSwitch = 8;  // bends that are tried for one tree, on average

}  // namespace

TreeGrower::TreeGrower(const CompactChannels& channels, std::vector<ChannelOrder>& layers)
    : channels_(channels),
      layers_(layers),
      next_(channels.first.size() - 1, kNoWay),
      hops_(next_.size(), kNoWay),
      cost_(next_.size()),
      layer_(next_.size(), kNoLayer),
      passed_(next_.size()),
      seen_(next_.size()) {}

void TreeGrower::begin(std::uint32_t target, std::span<const std::uint8_t> layer_of,
                       std::size_t reachable) {
  target_ = target;
  layer_of_ = layer_of;
  reachable_ = reachable;
  std::fill(hops_.begin(), hops_.end(), kNoWay);
  std::fill(next_.begin(), next_.end(), kNoWay);
  std::fill(passed_.begin(), passed_.end(), std::uint16_t{0});
  admitted_.clear();
  order_.assign(1, target);
  hops_[target] = 0;
  cost_[target] = 0;
}

bool TreeGrower::grow(std::uint32_t target, std::span<const std::uint8_t> layer_of,
                      const ChannelLoads& loads, std::size_t reachable) {
  begin(target, layer_of, reachable);
  spread(0, loads);
  return order_.size() == reachable_;
}

bool TreeGrower::grow_along(std::uint32_t target, std::span<const std::uint32_t> given,
                            std::span<const std::uint8_t> layer_of, const ChannelLoads& loads,
                            std::size_t reachable) {
  given_ = given;
  const bool whole = grow(target, layer_of, loads, reachable);
  given_ = {};
  return whole;
}

// Level by level from the switches of order_ that begin at `from`, all as many hops away: who finds
// no way in one level may find one in the next.
void TreeGrower::spread(std::size_t from, const ChannelLoads& loads) {
  while (from < order_.size() && order_.size() < reachable_) {
    const std::uint32_t hops = hops_[order_[from]] + 1;
    ++round_;
    tried_.clear();
    for (const std::size_t end = order_.size(); from < end; ++from) {
      const std::uint32_t at = order_[from];
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const std::uint32_t neighbour = channels_.to[c];
        if (hops_[neighbour] != kNoWay || seen_[neighbour] == round_) continue;
        seen_[neighbour] = round_;
        tried_.push_back(neighbour);
      }
    }
    for (const std::uint32_t at : tried_) attach(at, hops, loads);
  }
}

bool TreeGrower::attach_as_given(std::uint32_t at, std::uint32_t hops, const ChannelLoads& loads) {
  const std::uint32_t channel = given_[at];
  if (channel == kNoWay || hops_[channels_.to[channel]] + 1 != hops) return false;
  if (!admit(at, channel)) return false;
  settle(at, channel, cost_[channels_.to[channel]] + loads[channel]);
  return true;
}

void TreeGrower::attach(std::uint32_t at, std::uint32_t hops, const ChannelLoads& loads) {
  if (!given_.empty() && attach_as_given(at, hops, loads)) return;
  const std::uint32_t first = channels_.first[at], end = channels_.first[at + 1];
  candidates_.clear();
  const auto consider = [&](std::uint32_t begin, std::uint32_t last) {
    for (std::uint32_t c = begin; c < last; ++c) {
      const std::uint32_t to = channels_.to[c];
      if (hops_[to] + 1 == hops) {
        candidates_.push_back({cost_[to] + loads[c] + price(at, c), c});
      }
    }
  };
  const std::uint32_t turn = choice_.alike ? first : first + target_ % (end - first);
  consider(turn, end);
  consider(first, turn);
  attach_to_best(at);
}

// Of the dependency that a channel would bring into a layer that is known.
std::uint64_t TreeGrower::price(std::uint32_t at, std::uint32_t channel) const {
  const std::uint32_t next = next_[channels_.to[channel]];
  if (price_ == 0 || next == kNoWay || layer_of_[at] >= layers_.size()) return 0;
  const ChannelOrder& layer = layers_[layer_of_[at]];
  if (layer.has(channel, next)) return 0;
  return layer.agrees(channel, next) ? price_ / 4 : price_;
}

bool TreeGrower::attach_to_best(std::uint32_t at) {
  while (!candidates_.empty()) {
    const auto best =
        std::min_element(candidates_.begin(), candidates_.end(),
                         [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    if (admit(at, best->channel)) {
      settle(at, best->channel, best->cost);
      return true;
    }
    candidates_.erase(best);
  }
  return false;
}

bool TreeGrower::resume(const ChannelLoads& loads) {
  for (bool progress = true; progress && order_.size() < reachable_;) {
    progress = false;
    for (std::uint32_t s = 0; s < next_.size(); ++s) {
      if (hops_[s] != kNoWay) continue;
      candidates_.clear();
      for (std::uint32_t c = channels_.first[s]; c < channels_.first[s + 1]; ++c) {
        const std::uint32_t to = channels_.to[c];
        if (hops_[to] != kNoWay) candidates_.push_back({cost_[to] + loads[c], c});
      }
      progress |= attach_to_best(s);
    }
  }
  return order_.size() == reachable_;
}

void TreeGrower::settle(std::uint32_t at, std::uint32_t channel, std::uint64_t cost) {
  next_[at] = channel;
  hops_[at] = hops_[channels_.to[channel]] + 1;
  cost_[at] = cost;
  order_.push_back(at);
}

// Whether packets from `at` may leave by the channel.
bool TreeGrower::admit(std::uint32_t at, std::uint32_t channel) {
  layer_[at] = layer_of_[at];
  if (layer_[at] == kNoLayer) return true;
  if (layer_[at] != kAnyLayer) return admit_in(layer_[at], at, channel);
  const std::size_t begin = choice_.spread ? std::min(at, target_) : 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layer_[at] = static_cast<std::uint8_t>((begin + i) % layers_.size());
    if (admit_in(layer_[at], at, channel)) return true;
  }
  return false;
}

bool TreeGrower::admit_in(std::uint8_t layer, std::uint32_t at, std::uint32_t channel) {
  const std::size_t admitted = admitted_.size();
  passes_.clear();
  const bool both_ways = choice_.both_ways && layer_of_[at] == kAnyLayer;
  if (!follow(layer, channel) || (both_ways && !follow_back(layer, channel))) {
    take_back(admitted);
    return false;
  }
  passed_[at] = static_cast<std::uint16_t>(passed_[at] | 1u << layer);
  return true;
}

// Each two channels on the way must be a dependency that the layer has or can take. It needs to be
// followed only as far as no packets of the same layer have come along.
bool TreeGrower::follow(std::uint8_t layer, std::uint32_t channel) {
  const auto bit = static_cast<std::uint16_t>(1u << layer);
  std::uint32_t held = channel;
  for (std::uint32_t on = channels_.to[channel]; on != target_; on = channels_.to[held]) {
    if (!admit_one(layer, held, next_[on])) return false;
    if ((passed_[on] & bit) != 0) return true;
    passed_[on] = static_cast<std::uint16_t>(passed_[on] | bit);
    passes_.push_back({on, bit});
    held = next_[on];
  }
  return true;
}

// The way from the target to where the channel begins, backwards.
bool TreeGrower::follow_back(std::uint8_t layer, std::uint32_t channel) {
  std::uint32_t last = channels_.reverse(channel);
  for (std::uint32_t on = channels_.to[channel]; on != target_; on = channels_.to[next_[on]]) {
    const std::uint32_t before = channels_.reverse(next_[on]);
    if (!admit_one(layer, before, last)) return false;
    last = before;
  }
  return true;
}

bool TreeGrower::admit_one(std::uint8_t layer, std::uint32_t held, std::uint32_t next) {
  if (layers_[layer].has(held, next)) return true;
  if (!layers_[layer].add(held, next)) return false;
  admitted_.push_back({layer, held, next});
  return true;
}

void TreeGrower::take_back(std::size_t admitted) {
  for (; admitted_.size() > admitted; admitted_.pop_back()) {
    const Dependency& last = admitted_.back();
    layers_[last.layer].remove(last.held, last.next);
  }
  for (const Pass& pass : passes_) {
    passed_[pass.at] = static_cast<std::uint16_t>(passed_[pass.at] & ~pass.bits);
  }
  passes_.clear();
}

void TreeGrower::undo() {
  passes_.clear();
  take_back(0);
}

void TreeGrower::keep() {
  for (const Dependency& one : admitted_) layers_[one.layer].keep(one.held, one.next);
  admitted_.clear();
}

bool TreeGrower::mend(const ChannelLoads& loads) {
  tries_left_ = kTriesPerSwitch * next_.size();
  for (bool progress = true; progress && order_.size() < reachable_;) {
    progress = false;
    for (std::uint32_t s = 0; s < next_.size(); ++s) {
      if (hops_[s] != kNoWay || !find_detour(s)) continue;
      progress = true;
      spread(order_.size() - 1, loads);
    }
  }
  put_in_order();
  return order_.size() == reachable_;
}

// Bends the way of one neighbour of `lost` so that it can be followed from there.
bool TreeGrower::find_detour(std::uint32_t lost) {
  for (std::uint32_t c = channels_.first[lost]; c < channels_.first[lost + 1]; ++c) {
    const std::uint32_t by = channels_.to[c];
    if (hops_[by] == kNoWay || by == target_) continue;
    for (std::uint32_t f = channels_.first[by]; f < channels_.first[by + 1]; ++f) {
      if (f == next_[by] || !bend(by, f, c)) continue;
      next_[by] = f;
      settle(lost, c, cost_[by]);
      return true;
    }
  }
  return false;
}

// Whether `by` may leave by `onward`: so must all who come through it now, and by `entering`.
bool TreeGrower::bend(std::uint32_t by, std::uint32_t onward, std::uint32_t entering) {
  std::uint32_t ahead = channels_.to[onward];
  if (hops_[ahead] == kNoWay || tries_left_ == 0) return false;
  --tries_left_;
  for (; ahead != target_; ahead = channels_.to[next_[ahead]]) {
    if (ahead == by) return false;
  }
  const std::uint8_t layer = layer_of_[channels_.from[entering]];
  const std::size_t admitted = admitted_.size();
  passes_.clear();
  bool possible = admit_one(layer, entering, onward) && follow(layer, onward);
  for (std::uint32_t c = channels_.first[by]; possible && c < channels_.first[by + 1]; ++c) {
    const std::uint32_t comes = channels_.reverse(c);
    if (next_[channels_.to[c]] == comes) possible = admit_one(layer, comes, onward);
  }
  if (!possible) take_back(admitted);
  return possible;
}

// After ways were bent.
void TreeGrower::put_in_order() {
  std::vector<std::vector<std::uint32_t>> behind(next_.size());
  for (const std::uint32_t at : order_) {
    if (at != target_) behind[channels_.to[next_[at]]].push_back(at);
  }
  order_.assign(1, target_);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (const std::uint32_t at : behind[order_[i]]) settle(at, next_[at], cost_[at]);
  }
}

void TreeGrower::adopt(std::uint32_t target, std::span<const std::uint32_t> next) {
  begin(target, {}, 0);
  for (std::uint32_t s = 0; s < next.size(); ++s) {
    if (s != target && next[s] != kNoWay) settle(s, next[s], 0);
  }
  put_in_order();
}

TreeGrower::Cost TreeGrower::cost(std::span<const std::uint32_t> sent, const ChannelLoads& loads) {
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const std::uint32_t next = next_[order_[i]];
    cost_[order_[i]] = cost_[channels_.to[next]] + loads[next];
  }
  return cost(sent);
}

TreeGrower::Cost TreeGrower::cost(std::span<const std::uint32_t> sent) const {
  Cost sum;
  for (const std::uint32_t at : order_) {
    sum.hops += std::uint64_t{hops_[at]} * sent[at];
    sum.load += cost_[at] * sent[at];
  }
  return sum;
}

}  // namespace heddle::routing
