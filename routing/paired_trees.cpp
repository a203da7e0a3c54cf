// SPDX-License-Identifier: BSD-3-Clause
#include "routing/paired_trees.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::routing {
namespace {

constexpr std::uint64_t kDealSeed = 5;
constexpr unsigned kPeaceRounds = 40;
// Of all pairs, one in so many may be without a layer at first.
constexpr std::size_t kWorthTrying = 16;
// Each try to settle a pair looks at two trees.
constexpr std::size_t kSwitchesLookedAt = 5'000'000;

}  // namespace

PairedTrees::PairedTrees(const CompactChannels& channels, const Destinations& destinations,
                         const LayerOrders& orders)
    : channels_(channels),
      destinations_(destinations),
      orders_(orders),
      switches_(destinations.hosts.size()),
      trees_(channels, orders),
      loads_(channels.count()),
      next_(switches_ * switches_, kNoWay),
      layers_(switches_ * switches_, orders.all()),
      dice_(kDealSeed),
      sent_(switches_),
      came_from_(channels.count(), kNoWay) {}

void PairedTrees::load(std::uint32_t target, bool take_off) {
  const auto& hosts = destinations_.hosts;
  for (std::uint32_t s = 0; s < switches_; ++s) sent_[s] = hosts[s] * hosts[target];
  trees_.load(sent_, loads_, take_off);
}

// The tree in hand is the target's from now on.
void PairedTrees::take(std::uint32_t target) {
  for (const std::uint32_t at : trees_.nearest_first().subspan(1)) {
    next_[target * switches_ + at] = trees_.next(at);
    layers_[target * switches_ + at] = trees_.layers(at);
  }
  load(target, false);
}

void PairedTrees::drop(std::uint32_t target) {
  trees_.adopt(target, tree(target));
  load(target, true);
}

void PairedTrees::put(std::uint32_t target, const Tree& next) {
  drop(target);
  trees_.adopt(target, next);
  take(target);
}

// Its ways shall have a layer in common with those of the trees that are there already.
void PairedTrees::grow_one(std::uint32_t target) {
  std::vector<LayerSet> wanted(switches_);
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (!matters(s, target)) continue;
    const LayerSet back = layers_[s * switches_ + target];
    wanted[s] = back != 0 ? back : orders_.all();
  }
  trees_.grow_anyway(target, wanted, loads_);
  take(target);
}

void PairedTrees::grow() {
  std::vector<std::uint32_t> targets(switches_);
  std::iota(targets.begin(), targets.end(), 0u);
  dice_.shuffle(targets);
  for (const std::uint32_t target : targets) grow_one(target);
  // Once more, now that it is known what channels carry and what the others want.
  for (const std::uint32_t target : targets) {
    drop(target);
    grow_one(target);
  }
}

void PairedTrees::lay_out(const GridWays& ways) {
  Tree next(switches_);
  const std::vector<LayerSet> wanted(switches_, orders_.all());
  for (std::uint32_t target = 0; target < switches_; ++target) {
    ways.toward(target, next);
    trees_.complete(target, next, wanted, loads_);
    take(target);
  }
}

std::vector<PairedTrees::Pair> PairedTrees::quarrels() const {
  std::vector<Pair> found;
  for (std::uint32_t a = 0; a < switches_; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if (layers(a, b) == 0 && matters(a, b)) found.push_back({a, b});
    }
  }
  return found;
}

std::size_t PairedTrees::quarrels_of(std::uint32_t target) const {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (s != target && layers(target, s) == 0 && matters(target, s)) ++count;
  }
  return count;
}

bool PairedTrees::reconcile() {
  auto left = quarrels();
  if (left.size() > switches_ * switches_ / 2 / kWorthTrying) return false;
  tries_left_ = kSwitchesLookedAt / std::max<std::size_t>(switches_, 1);
  for (unsigned round = 0; round < kPeaceRounds && !left.empty() && tries_left_ > 0; ++round) {
    // Only then also what moves a quarrel elsewhere.
    const bool patient = round > 0;
    if (patient) dice_.shuffle(left);
    std::size_t settled = 0;
    for (const Pair& pair : left) settled += settle(pair, patient) ? 1 : 0;
    left = quarrels();
    if (settled == 0) break;
  }
  return true;
}

bool PairedTrees::settle(const Pair& pair, bool patient) {
  if (layers(pair.a, pair.b) != 0) return true;
  const unsigned count = orders_.count();
  const auto start = static_cast<unsigned>(dice_.below(count));
  for (unsigned i = 0; i < count && tries_left_ > 0; ++i, --tries_left_) {
    if (settle_in(pair, (start + i) % count, patient)) return true;
  }
  return false;
}

// Leads both ways through one layer, unless that would leave more others without one.
bool PairedTrees::settle_in(const Pair& pair, unsigned layer, bool patient) {
  const auto count = [&] { return quarrels_of(pair.a) + quarrels_of(pair.b); };
  const std::size_t before = count();
  const Tree old_a = copy(pair.a), old_b = copy(pair.b);
  if (lead(pair.a, pair.b, layer) && lead(pair.b, pair.a, layer)) {
    // The pair itself was counted twice.
    const std::size_t after = count();
    if (patient ? after <= before : after + 1 < before) return true;
  }
  put(pair.a, old_a);
  put(pair.b, old_b);
  return false;
}

// Makes the target's tree lead from a switch along a way in this layer. Other switches still reach
// the target: on their ways nothing has changed, or they come to that one.
bool PairedTrees::lead(std::uint32_t from, std::uint32_t target, unsigned layer) {
  if ((layers_[target * switches_ + from] >> layer & 1) != 0) return true;
  if (!find_way(from, target, layer)) return false;
  Tree next = copy(target);
  // Where it comes through a switch twice, what is between is left out, and may have been needed.
  std::for_each(way_.rbegin(), way_.rend(),
                [&](std::uint32_t channel) { next[channels_.from[channel]] = channel; });
  std::size_t hops = 0;
  for (std::uint32_t at = from; at != target; at = channels_.to[next[at]]) ++hops;
  if (hops != way_.size()) return false;
  put(target, next);
  return true;
}

// The channels of a way with fewest hops, the last one first.
bool PairedTrees::find_way(std::uint32_t from, std::uint32_t target, unsigned layer) {
  found_.clear();
  std::uint32_t last = kNoWay;
  const auto note = [&](std::uint32_t channel, std::uint32_t by) {
    came_from_[channel] = by;
    found_.push_back(channel);
    if (last == kNoWay && channels_.to[channel] == target) last = channel;
  };
  for (std::uint32_t c = channels_.first[from]; c < channels_.first[from + 1]; ++c) note(c, c);
  for (std::size_t i = 0; i < found_.size() && last == kNoWay; ++i) {
    const std::uint32_t held = found_[i], at = channels_.to[held];
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (came_from_[c] != kNoWay || (orders_.admit(held, c) >> layer & 1) == 0) continue;
      note(c, held);
    }
  }
  way_.clear();
  for (std::uint32_t at = last; at != kNoWay; at = came_from_[at] == at ? kNoWay : came_from_[at]) {
    way_.push_back(at);
  }
  for (const std::uint32_t channel : found_) came_from_[channel] = kNoWay;
  return last != kNoWay;
}

}  // namespace heddle::routing
