// SPDX-License-Identifier: BSD-3-Clause
// A tree for each switch, such that packets between two switches can have one layer both ways, so
// that an answer may ride the level of its request. Layers have orders that are given beforehand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/destinations.hpp"
#include "routing/grid_ways.hpp"
#include "routing/layer_orders.hpp"
#include "routing/ordered_forest.hpp"
#include "routing/ordered_trees.hpp"
#include "routing/peacemaker.hpp"

namespace heddle::routing {

class PairedTrees {
 public:
  // All outlive this.
  PairedTrees(const CompactChannels& channels, const Destinations& destinations,
              const LayerOrders& orders);

  // First one of these. Trees of short ways that share the load, on a grid at first in layers
  // that these ways would have; or trees along the axes of a grid, which other ways complete where
  // something is missing; or those of others, such that a tree grows anew where many of its pairs
  // have no layer and fewer have none then.
  void grow(const GridWays* ways = nullptr);
  void lay_out(const GridWays& ways);
  void take_over(const PairedTrees& others);
  // Then: changes trees until every pair has a layer. False if some pair has none in the end, or if
  // there are so many of them that it is not worth trying.
  bool reconcile(Patience patience = Patience::Much);
  // Pairs without a layer so far.
  std::size_t quarrels() const;
  // And then: makes ways shorter where it can, if that is wanted; takes load off the channels that
  // carry more than enough, and off others if no way gets longer by it.
  void level(std::uint64_t enough, bool shortens = true);

  // The layers that take the ways between two switches in both directions.
  LayerSet layers(std::uint32_t a, std::uint32_t b) const {
    return static_cast<LayerSet>(forest_.layers(a, b) & forest_.layers(b, a));
  }
  // Whether packets go between them at all.
  bool matters(std::uint32_t a, std::uint32_t b) const {
    return Peacemaker::matters(destinations_, a, b);
  }
  // By switch, the channel to leave by; kNoWay at the target and where there is no way.
  std::vector<std::uint32_t> tree(std::uint32_t target) const { return forest_.ways(target); }

 private:
  std::vector<LayerSet> wanted_by(std::uint32_t target) const;
  void grow_one(std::uint32_t target, const GridWays* ways);
  std::size_t quarrels(std::uint32_t target) const;
  void regrow(std::uint32_t target);
  void take(std::uint32_t target);
  void drop(std::uint32_t target);
  void load(std::uint32_t target, bool take_off);

  const CompactChannels& channels_;
  const Destinations& destinations_;
  const LayerOrders& orders_;
  std::size_t switches_;
  OrderedTrees trees_;
  OrderedForest forest_;
  ChannelLoads loads_;
  std::vector<std::uint32_t> sent_;
};

}  // namespace heddle::routing
