// SPDX-License-Identifier: BSD-3-Clause
// Settles the quarrels of paired trees: pairs of switches whose ways there and back have no layer
// in common.
#pragma once

#include <cstdint>
#include <vector>

#include "base/prng.hpp"
#include "routing/branch_ways.hpp"
#include "routing/destinations.hpp"
#include "routing/layer_orders.hpp"
#include "routing/ordered_forest.hpp"

namespace heddle::routing {

// Little: no more than what is worth it on a small fabric, and no longer than it goes on well.
enum class Patience : std::uint8_t { Much, Little };

// Lets one switch after the other leave by another channel, or leads both ways of a pair through
// one layer, whenever that leaves fewer quarrels behind. A pair for which nothing can be done
// weighs more from then on, so that others have to give way, which may be easier to settle.
class Peacemaker {
 public:
  // All outlive this. Tree and target of the forest have the same number; every switch has one.
  Peacemaker(const CompactChannels& channels, const Destinations& destinations,
             const LayerOrders& orders, OrderedForest& forest);

  // False if some pair has no layer in the end, or if there are so many of them that it is not
  // worth trying.
  bool reconcile(Patience patience = Patience::Much);

  // Whether packets go between two switches at all.
  static bool matters(const Destinations& destinations, std::uint32_t a, std::uint32_t b) {
    return destinations.hosts[a] > 0 || destinations.hosts[b] > 0;
  }

 private:
  struct Pair {
    std::uint32_t a = 0, b = 0;
    auto operator<=>(const Pair&) const = default;
  };
  // Lets a switch on the way from `from` to a tree's target leave by another channel.
  struct Move {
    std::int64_t gain = 0;  // by how much the weight of all quarrels falls
    std::uint32_t hops = 0;
    std::uint32_t tree = 0, at = 0, channel = kNoWay;
  };
  LayerSet layers(std::uint32_t a, std::uint32_t b) const {
    return static_cast<LayerSet>(forest_.layers(a, b) & forest_.layers(b, a));
  }
  std::uint32_t& weight(std::uint32_t a, std::uint32_t b) {
    return weights_[a < b ? b * switches_ + a : a * switches_ + b];
  }
  std::vector<Pair> quarrels() const;
  void keep();
  bool settle(const Pair& pair);
  std::int64_t graft(std::uint32_t tree, std::uint32_t at, std::uint32_t channel);
  bool may_graft(std::uint32_t tree, std::uint32_t at, std::uint32_t channel) const;
  void look_along(std::uint32_t tree, std::uint32_t from, Move& best);
  bool lead_both(const Pair& pair, unsigned layer);
  bool has_hope(const Pair& pair);
  bool lead(std::uint32_t from, std::uint32_t target, unsigned layer, std::uint32_t most_new,
            std::int64_t& gain);
  bool find_way(std::uint32_t from, std::uint32_t target, unsigned layer, std::uint32_t most_new);

  const CompactChannels& channels_;
  const Destinations& destinations_;
  const LayerOrders& orders_;
  OrderedForest& forest_;
  std::size_t switches_;
  base::Prng dice_;
  std::size_t work_left_ = 0;           // in switches looked at
  std::vector<std::uint32_t> weights_;  // by pair, the larger number first
  BranchWays ways_;
  std::vector<Pair> fresh_;  // quarrels that came of what was changed in this round
};

}  // namespace heddle::routing
