// SPDX-License-Identifier: BSD-3-Clause
// Many trees in layers whose orders are given, which can be changed a branch at a time: what layers
// take the ways of the branch is known at once, and the change can be taken back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/layer_orders.hpp"
#include "routing/ordered_trees.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {

// Each tree leads to the switch that is its target. `branch` of a switch: it, and all whose ways
// lead through it.
class OrderedForest {
 public:
  // channels and orders outlive this. targets: by tree. All trees are bare at first.
  OrderedForest(const CompactChannels& channels, const LayerOrders& orders,
                std::vector<std::uint32_t> targets);

  std::size_t switch_count() const { return switches_; }
  std::size_t tree_count() const { return targets_.size(); }
  std::uint32_t target(std::size_t tree) const { return targets_[tree]; }
  // The channel a switch leaves by; kNoWay at the target, and where there is no way.
  std::uint32_t next(std::size_t tree, std::uint32_t at) const {
    const std::uint8_t place = places_[tree * switches_ + at];
    return place == kNoPlace ? kNoWay : channels_.first[at] + place;
  }
  // The layers that take the way from there; all, where there is none.
  LayerSet layers(std::size_t tree, std::uint32_t at) const {
    return layers_[tree * switches_ + at];
  }
  // All of a tree, by switch.
  std::vector<std::uint32_t> ways(std::size_t tree) const;
  // Whether the way from there leads through a switch, or begins at it.
  bool leads_through(std::size_t tree, std::uint32_t from, std::uint32_t at) const;
  // Of one switch to another, along a tree that leads from one to the other.
  std::uint32_t hops(std::size_t tree, std::uint32_t from, std::uint32_t to) const;
  // The switches of a branch, each after the one its way leads to. Valid until the next call.
  std::span<const std::uint32_t> branch(std::size_t tree, std::uint32_t at);

  // Makes it the latest of these trees, for good. It reaches what the one before did.
  void plant(std::size_t tree, const OrderedTrees& grown);

  struct Change {
    std::size_t tree = 0;
    std::uint32_t at = 0;
    std::uint8_t place = 0;
    LayerSet layers = 0;  // those before
  };
  // Lets a switch leave by this channel, which does not lead into its own branch. What became of
  // its branch: only of what has other layers than before, and of the switch itself, first. Valid
  // until the next call.
  std::span<const Change> graft(std::size_t tree, std::uint32_t at, std::uint32_t channel);
  // What was changed since: all of it is taken back, or stays.
  std::span<const Change> changes() const { return changes_; }
  void take_back();
  void keep() { changes_.clear(); }

 private:
  static constexpr std::uint8_t kNoPlace = 0xFF;

  LayerSet layers_by(std::size_t tree, std::uint32_t channel) const;
  template <class Visit>
  void for_each_child(std::size_t tree, std::uint32_t at, const Visit& visit) const;

  const CompactChannels& channels_;
  const LayerOrders& orders_;
  std::size_t switches_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint8_t> places_;  // by tree, then by switch: of the channel it leaves by
  std::vector<LayerSet> layers_;      // the same
  std::vector<Change> changes_;
  std::vector<std::uint32_t> branch_, stack_;
};

}  // namespace heddle::routing
