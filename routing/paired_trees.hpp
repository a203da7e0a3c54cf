// SPDX-License-Identifier: BSD-3-Clause
// A tree for each switch, such that packets between two switches can have one layer both ways, so
// that an answer may ride the level of its request. Layers have orders that are given beforehand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/prng.hpp"
#include "routing/destinations.hpp"
#include "routing/grid_layers.hpp"
#include "routing/layer_orders.hpp"
#include "routing/ordered_trees.hpp"

namespace heddle::routing {

class PairedTrees {
 public:
  struct Pair {
    std::uint32_t a = 0, b = 0;
  };
  // All outlive this.
  PairedTrees(const CompactChannels& channels, const Destinations& destinations,
              const LayerOrders& orders);

  // First one of these two. Trees of short ways that share the load; or trees along the axes of a
  // grid, which other ways complete where something is missing.
  void grow();
  void lay_out(const GridWays& ways);
  // Then: changes trees until every pair has a layer, or as many as can. False if there are so many
  // without one that it is not worth trying.
  bool reconcile();
  // Pairs without a layer.
  std::vector<Pair> quarrels() const;

  // The layers that take the ways between two switches in both directions.
  LayerSet layers(std::uint32_t a, std::uint32_t b) const {
    return static_cast<LayerSet>(layers_[a * switches_ + b] & layers_[b * switches_ + a]);
  }
  // Whether packets go between them at all.
  bool matters(std::uint32_t a, std::uint32_t b) const {
    return destinations_.hosts[a] > 0 || destinations_.hosts[b] > 0;
  }
  // By switch, the channel to leave by; kNoWay at the target and where there is no way.
  std::span<const std::uint32_t> tree(std::uint32_t target) const {
    return std::span(next_).subspan(target * switches_, switches_);
  }

 private:
  using Tree = std::vector<std::uint32_t>;
  Tree copy(std::uint32_t target) const { return {tree(target).begin(), tree(target).end()}; }
  void grow_one(std::uint32_t target);
  void take(std::uint32_t target);
  void drop(std::uint32_t target);
  void put(std::uint32_t target, const Tree& next);
  void load(std::uint32_t target, bool take_off);
  std::size_t quarrels_of(std::uint32_t target) const;
  bool settle(const Pair& pair, bool patient);
  bool settle_in(const Pair& pair, unsigned layer, bool patient);
  bool lead(std::uint32_t from, std::uint32_t target, unsigned layer);
  bool find_way(std::uint32_t from, std::uint32_t target, unsigned layer);

  const CompactChannels& channels_;
  const Destinations& destinations_;
  const LayerOrders& orders_;
  std::size_t switches_;
  OrderedTrees trees_;
  ChannelLoads loads_;
  std::vector<std::uint32_t> next_;  // by target, then by switch
  std::vector<LayerSet> layers_;     // the same: those that admit the way
  base::Prng dice_;
  std::size_t tries_left_ = 0;
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> came_from_;  // by channel, in a search; kNoWay between searches
  std::vector<std::uint32_t> found_, way_;
};

}  // namespace heddle::routing
