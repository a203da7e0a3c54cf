// SPDX-License-Identifier: BSD-3-Clause
#include "routing/learned_orders.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "routing/channel_order.hpp"
#include "routing/escape.hpp"
#include "routing/hop_counts.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {
namespace {

// So many hops may be tried in one layer until a pair's way is given up there.
constexpr std::size_t kTriedHops = 200;
// And so many in all: on thousands of switches most pairs that find none would try in vain.
constexpr std::size_t kTriedInAll = 300'000'000;

class Learner {
 public:
  Learner(const CompactChannels& channels, const fabric::Islands& islands,
          const Destinations& destinations, unsigned count)
      : channels_(channels),
        destinations_(destinations),
        hops_(channels),
        layers_(count, ChannelOrder(channels)) {
    make_room_for_multicast(channels, islands, layers_.front());
  }

  void learn(const base::ParallelFor& parallel) {
    const auto pairs = nearest_pairs_first();
    for_each(pairs, parallel, [&](const Pair& pair) { place(pair); });
    grow_trees();
    for_each(pairs, parallel, [&](const Pair& pair) {
      add_way_of_tree(pair.a, pair.b);
      add_way_of_tree(pair.b, pair.a);
    });
  }

  // What a channel and its way back stand apart in a layer leads along every turn that is there
  // both ways to something higher, and is the same for the turn back.
  LayerOrders orders() const {
    std::vector<std::vector<std::uint32_t>> positions;
    const auto count = static_cast<std::uint32_t>(channels_.count());
    for (const ChannelOrder& layer : layers_) {
      const auto& own = layer.positions();
      auto& position = positions.emplace_back(count);
      for (std::uint32_t c = 0; c < count; ++c) {
        position[c] = count + own[c] - own[channels_.reverse(c)];
      }
    }
    return {channels_, positions};
  }

 private:
  struct Pair {
    std::uint32_t a = 0, b = 0;
  };
  template <class Work>
  static void for_each(const std::vector<Pair>& pairs, const base::ParallelFor& parallel,
                       const Work& work) {
    constexpr std::size_t kBreath = 256;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i % kBreath == 0) base::breathe(parallel);
      work(pairs[i]);
    }
  }
  std::uint32_t switches() const { return static_cast<std::uint32_t>(destinations_.hosts.size()); }
  std::vector<Pair> nearest_pairs_first() const;
  void place(const Pair& pair);
  bool search(ChannelOrder& layer, std::uint32_t held, std::uint32_t target);
  bool take_turn(ChannelOrder& layer, std::uint32_t held, std::uint32_t next);
  bool add(ChannelOrder& layer, std::uint32_t held, std::uint32_t next);
  void keep(ChannelOrder& layer);
  void take_back(ChannelOrder& layer, std::size_t left);
  void grow_trees();
  void add_way_of_tree(std::uint32_t from, std::uint32_t target);
  bool walk(ChannelOrder& layer, std::uint32_t from, std::uint32_t target);

  const CompactChannels& channels_;
  const Destinations& destinations_;
  const HopCounts hops_;
  std::vector<ChannelOrder> layers_;
  bool may_move_ = false;       // channels, in a search
  std::size_t tries_left_ = 0;  // of a search
  std::size_t tries_left_in_all_ = kTriedInAll;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;  // on trial
  std::vector<std::vector<std::uint32_t>> trees_;  // by target and switch: the channel to leave by
};

// Those that packets go between.
std::vector<Learner::Pair> Learner::nearest_pairs_first() const {
  std::vector<std::vector<Pair>> by_hops;
  for (std::uint32_t a = 0; a < switches(); ++a) {
    for (std::uint32_t b = a + 1; b < switches(); ++b) {
      if (destinations_.hosts[a] == 0 && destinations_.hosts[b] == 0) continue;
      const std::size_t hops = hops_(a, b);
      if (hops == HopCounts::kFar) continue;
      if (by_hops.size() <= hops) by_hops.resize(hops + 1);
      by_hops[hops].push_back({a, b});
    }
  }
  std::vector<Pair> all;
  for (auto& pairs : by_hops) {
    all.insert(all.end(), pairs.begin(), pairs.end());
    pairs = {};
  }
  return all;
}

void Learner::place(const Pair& pair) {
  for (const bool may_move : {false, true}) {
    may_move_ = may_move;
    for (ChannelOrder& layer : layers_) {
      tries_left_ = std::min(kTriedHops, tries_left_in_all_);
      for (std::uint32_t c = channels_.first[pair.a]; c < channels_.first[pair.a + 1]; ++c) {
        if (hops_(channels_.to[c], pair.b) >= hops_(pair.a, pair.b)) continue;
        if (search(layer, c, pair.b)) return keep(layer);
      }
    }
  }
}

// Goes on along a shortest way: by turns that are there before such as are free, and by these
// before those for which channels have to move.
bool Learner::search(ChannelOrder& layer, std::uint32_t held, std::uint32_t target) {
  const std::uint32_t at = channels_.to[held];
  if (at == target) return true;
  const auto price = [&](std::uint32_t next) {
    return layer.has(held, next) ? 0 : layer.agrees(held, next) ? 1 : 2;
  };
  for (int paid = 0; paid < 3; ++paid) {
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (hops_(channels_.to[c], target) >= hops_(at, target) || price(c) != paid) continue;
      if (tries_left_ == 0) return false;
      --tries_left_;
      --tries_left_in_all_;
      const std::size_t before = added_.size();
      if (take_turn(layer, held, c) && search(layer, c, target)) return true;
      take_back(layer, before);
    }
  }
  return false;
}

// And the same turn on the way back. What was added of them may have to be taken back if not.
bool Learner::take_turn(ChannelOrder& layer, std::uint32_t held, std::uint32_t next) {
  return add(layer, held, next) && add(layer, channels_.reverse(next), channels_.reverse(held));
}

bool Learner::add(ChannelOrder& layer, std::uint32_t held, std::uint32_t next) {
  if (layer.has(held, next)) return true;
  if (!may_move_ && !layer.agrees(held, next)) return false;
  if (!layer.add(held, next)) return false;
  added_.emplace_back(held, next);
  return true;
}

void Learner::keep(ChannelOrder& layer) {
  for (const auto& [held, next] : added_) layer.keep(held, next);
  added_.clear();
}

void Learner::take_back(ChannelOrder& layer, std::size_t left) {
  for (; added_.size() > left; added_.pop_back()) {
    layer.remove(added_.back().first, added_.back().second);
  }
}

// Trees of shortest ways that share the load, as far as they see each other.
void Learner::grow_trees() {
  ShortestTrees trees(channels_);
  ChannelLoads loads(channels_.count());
  std::vector<std::uint32_t> sent(switches());
  for (std::uint32_t target = 0; target < switches(); ++target) {
    trees.approach(fabric::SwitchIndex{target});
    trees.choose(loads);
    auto& next = trees_.emplace_back(switches(), kNoWay);
    for (const std::uint32_t at : trees.nearest_first()) next[at] = trees.next(at);
    for (std::uint32_t s = 0; s < switches(); ++s) {
      sent[s] = destinations_.hosts[s] * destinations_.hosts[target];
    }
    trees.load(sent, loads);
  }
}

void Learner::add_way_of_tree(std::uint32_t from, std::uint32_t target) {
  may_move_ = true;
  for (ChannelOrder& layer : layers_) {
    if (walk(layer, from, target)) return keep(layer);
    take_back(layer, 0);
  }
}

bool Learner::walk(ChannelOrder& layer, std::uint32_t from, std::uint32_t target) {
  for (std::uint32_t held = trees_[target][from]; channels_.to[held] != target;) {
    const std::uint32_t next = trees_[target][channels_.to[held]];
    if (!take_turn(layer, held, next)) return false;
    held = next;
  }
  return true;
}

}  // namespace

LayerOrders learned_orders(const CompactChannels& channels, const fabric::Islands& islands,
                           const Destinations& destinations, unsigned count,
                           const base::ParallelFor& parallel) {
  Learner learner(channels, islands, destinations, count);
  learner.learn(parallel);
  return learner.orders();
}

}  // namespace heddle::routing
