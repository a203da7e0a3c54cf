// SPDX-License-Identifier: BSD-3-Clause
// Grows trees of ways toward a switch inside layers whose orders are given. Which layers admit a
// way is known as soon as it is: those that admit the way of the next switch, and the turn into it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "routing/layer_orders.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {

// Holds scratch memory: one for each tree that grows at a time.
class OrderedTrees {
 public:
  // Both outlive this.
  OrderedTrees(const CompactChannels& channels, const LayerOrders& orders);

  // From every switch the way with fewest hops, then with the least load, that some layer admits
  // which its packets may have. wanted: those layers, by switch; none: its packets do not matter.
  // A way that was settled is never taken back, so switches can remain that find none: false then.
  bool grow(std::uint32_t target, std::span<const LayerSet> wanted, const ChannelLoads& loads,
            std::size_t reachable);
  // The same, but what finds none takes one against its wishes.
  void grow_anyway(std::uint32_t target, std::span<const LayerSet> wanted,
                   const ChannelLoads& loads);
  // The same, but what finds none takes the way of a given tree, which reaches everything by ways
  // that are all as wanted. How many switches do.
  std::size_t grow_on(std::uint32_t target, std::span<const std::uint32_t> given,
                      std::span<const LayerSet> wanted, const ChannelLoads& loads);
  // Takes a given tree: by switch, kNoWay at the target and where there is none.
  void adopt(std::uint32_t target, std::span<const std::uint32_t> given);
  // The same; what has no way there finds one as in grow_anyway().
  void complete(std::uint32_t target, std::span<const std::uint32_t> given,
                std::span<const LayerSet> wanted, const ChannelLoads& loads);

  // Of the latest tree: the switches it reaches, each after the one its way leads to.
  std::span<const std::uint32_t> nearest_first() const { return order_; }
  std::uint32_t next(std::uint32_t at) const { return next_[at]; }
  // Those that admit the way from there.
  LayerSet layers(std::uint32_t at) const { return layers_[at]; }

  struct Cost {
    std::uint64_t hops = 0;
    std::uint64_t load = 0;
    auto operator<=>(const Cost&) const = default;
  };
  // Over all that is sent, so much by each switch.
  Cost cost(std::span<const std::uint32_t> sent, const ChannelLoads& loads);
  // Adds, or takes off, what flows down the tree when each switch sends so much.
  void load(std::span<const std::uint32_t> sent, ChannelLoads& loads, bool take_off = false) const {
    add_flow(channels_, order_, next_, sent, loads, take_off);
  }

 private:
  enum class Wish : std::uint8_t {
    Shortest,  // a shortest way in a layer that is wanted
    Longer,    // any way in such a layer
    AnyLayer,  // a shortest way in some layer
    NoMatter,  // a shortest way
  };
  void measure(std::uint32_t target);
  void begin(std::uint32_t target, std::span<const LayerSet> wanted);
  void spread(const ChannelLoads& loads);
  void resume(const ChannelLoads& loads);
  void finish_anyway(const ChannelLoads& loads);
  void rouse_all(std::initializer_list<Wish> wishes);
  void rouse(std::uint32_t at, Wish wish, std::uint64_t turn);
  void rouse_neighbours(std::uint32_t of, std::uint64_t turn);
  bool attach_next(Wish wish, const ChannelLoads& loads);
  void forget_settled();
  bool attach(std::uint32_t at, Wish wish, const ChannelLoads& loads);
  bool is_granted(std::uint32_t at, Wish wish, LayerSet layers) const;
  LayerSet layers_by(std::uint32_t channel) const;
  void settle(std::uint32_t at, std::uint32_t channel);
  void fix_way(std::uint32_t from, std::span<const std::uint32_t> given);

  const CompactChannels& channels_;
  const LayerOrders& orders_;
  std::uint32_t target_ = kNoWay;
  std::span<const LayerSet> wanted_;
  std::vector<std::uint32_t> fewest_;       // by switch: hops of its shortest way to the target
  std::vector<std::uint32_t> by_distance_;  // the switches that reach the target
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> next_;   // by switch
  std::vector<std::uint32_t> hops_;   // by switch; kNoWay if not reached
  std::vector<LayerSet> layers_;      // by switch
  std::vector<std::uint64_t> cost_;   // by switch: the loads of its way
  std::vector<std::uint32_t> stuck_;  // switches that found no way so far, nearest first
  // Of those that are stuck: who may find a way by now, by wish, as heaps of turns and places.
  static constexpr unsigned kPlaceBits = 32;
  static constexpr std::uint64_t kNewTurns = ~std::uint64_t{0};
  std::array<std::vector<std::uint64_t>, 4> awake_;
  std::vector<Wish> asks_;            // wishes that they have
  std::vector<std::uint32_t> place_;  // by switch: in by_distance_
  std::vector<std::uint8_t> roused_;  // by switch that is stuck: bits of wishes it is awake for
  std::vector<std::uint32_t> fixed_;  // those that follow the given tree, nearest first
  std::vector<std::uint8_t> is_fixed_;
  std::vector<std::uint32_t> way_;
};

}  // namespace heddle::routing
