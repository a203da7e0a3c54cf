// SPDX-License-Identifier: BSD-3-Clause
#include "routing/paired_trees.hpp"

#include <algorithm>
#include <numeric>

#include "base/prng.hpp"
#include "routing/leveller.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint64_t kDealSeed = 5;
// A tree is worth growing anew for so many pairs without a layer.
constexpr std::size_t kWorthGrowing = 4;

std::vector<std::uint32_t> all_switches(const CompactChannels& channels) {
  std::vector<std::uint32_t> all(channels.first.size() - 1);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

PairedTrees::PairedTrees(const CompactChannels& channels, const Destinations& destinations,
                         const LayerOrders& orders)
    : channels_(channels),
      destinations_(destinations),
      orders_(orders),
      switches_(destinations.hosts.size()),
      trees_(channels, orders),
      forest_(channels, orders, all_switches(channels)),
      loads_(channels.count()),
      sent_(switches_) {}

void PairedTrees::load(std::uint32_t target, bool take_off) {
  const auto& hosts = destinations_.hosts;
  for (std::uint32_t s = 0; s < switches_; ++s) sent_[s] = hosts[s] * hosts[target];
  trees_.load(sent_, loads_, take_off);
}

// The tree in hand is the target's from now on.
void PairedTrees::take(std::uint32_t target) {
  forest_.plant(target, trees_);
  load(target, false);
}

void PairedTrees::drop(std::uint32_t target) {
  trees_.adopt(target, forest_.ways(target));
  load(target, true);
}

// The layers of the ways from a switch to others, any where there are none; by these.
std::vector<LayerSet> PairedTrees::wanted_by(std::uint32_t target) const {
  std::vector<LayerSet> wanted(switches_);
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (!matters(s, target)) continue;
    const LayerSet back = forest_.layers(s, target);
    wanted[s] = back != 0 ? back : orders_.all();
  }
  return wanted;
}

// Its ways shall have a layer in common with those of the trees that are there already; if that can
// be, one that a grid's ways would have.
void PairedTrees::grow_one(std::uint32_t target, const GridWays* ways) {
  auto wanted = wanted_by(target);
  for (std::uint32_t s = 0; ways != nullptr && s < switches_; ++s) {
    if (s == target || !matters(s, target)) continue;
    const auto best = static_cast<LayerSet>(wanted[s] & ways->layers(s, target));
    if (best != 0) wanted[s] = best;
  }
  trees_.grow_anyway(target, wanted, loads_);
  take(target);
}

void PairedTrees::grow(const GridWays* ways) {
  auto targets = all_switches(channels_);
  base::Prng(kDealSeed).shuffle(targets);
  for (const std::uint32_t target : targets) grow_one(target, ways);
  // Once more, now that it is known what channels carry and what the others want.
  for (const std::uint32_t target : targets) {
    drop(target);
    grow_one(target, nullptr);
  }
}

// What is missing keeps no tree from others' layers: completed ones are completed anew, in layers
// of the ways back, once all of these are known.
void PairedTrees::lay_out(const GridWays& ways) {
  std::vector<std::uint32_t> next(switches_), completed;
  const std::vector<LayerSet> any(switches_, orders_.all());
  for (std::uint32_t target = 0; target < switches_; ++target) {
    ways.toward(target, next);
    trees_.complete(target, next, any, loads_);
    take(target);
    if (forest_.ways(target) != next) completed.push_back(target);
  }
  for (const std::uint32_t target : completed) {
    ways.toward(target, next);
    drop(target);
    trees_.complete(target, next, wanted_by(target), loads_);
    take(target);
  }
}

void PairedTrees::take_over(const PairedTrees& others) {
  for (std::uint32_t target = 0; target < switches_; ++target) {
    trees_.adopt(target, others.tree(target));
    take(target);
  }
  for (std::uint32_t target = 0; target < switches_; ++target) regrow(target);
}

std::size_t PairedTrees::quarrels() const {
  std::size_t twice = 0;
  for (std::uint32_t target = 0; target < switches_; ++target) twice += quarrels(target);
  return twice / 2;
}

std::size_t PairedTrees::quarrels(std::uint32_t target) const {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (s != target && layers(s, target) == 0 && matters(s, target)) ++count;
  }
  return count;
}

void PairedTrees::regrow(std::uint32_t target) {
  const std::size_t before = quarrels(target);
  if (before < kWorthGrowing) return;
  const auto old = forest_.ways(target);
  drop(target);
  grow_one(target, nullptr);
  if (quarrels(target) < before) return;
  drop(target);
  trees_.adopt(target, old);
  take(target);
}

bool PairedTrees::reconcile(Patience patience) {
  return Peacemaker(channels_, destinations_, orders_, forest_).reconcile(patience);
}

void PairedTrees::level(std::uint64_t enough, bool shortens) {
  std::fill(loads_.begin(), loads_.end(), 0);
  for (std::uint32_t target = 0; target < switches_; ++target) {
    trees_.adopt(target, forest_.ways(target));
    load(target, false);
  }
  const auto& hosts = destinations_.hosts;
  std::vector<std::uint32_t> targets;
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (hosts[s] > 0) targets.push_back(s);
  }
  const auto allows = [&](const auto& changes) {
    return std::all_of(changes.begin(), changes.end(), [&](const OrderedForest::Change& change) {
      const auto target = static_cast<std::uint32_t>(change.tree);
      return layers(target, change.at) != 0 || !matters(target, change.at);
    });
  };
  Leveller leveller(channels_, orders_, forest_, {hosts, hosts, loads_, enough}, true, allows);
  if (shortens) leveller.shorten(targets);
  leveller.level(targets);
}

}  // namespace heddle::routing
