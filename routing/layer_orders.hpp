// SPDX-License-Identifier: BSD-3-Clause
// Layers whose channels have an order that is given beforehand: what agrees with it can be taken
// without asking what is there already, so a way is in a layer or is not, whatever others do.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/islands.hpp"
#include "routing/dragonfly_groups.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// A set of layers: a bit for each.
using LayerSet = std::uint16_t;

class LayerOrders {
 public:
  // channels outlives this. By layer and channel the position; equal ones never follow each other.
  LayerOrders(const CompactChannels& channels, std::vector<std::vector<std::uint32_t>> positions);

  unsigned count() const { return count_; }
  LayerSet all() const { return static_cast<LayerSet>((1u << count_) - 1); }
  // The layers in whose order `next`, which leaves the switch that `held` leads to, stands behind
  // `held`.
  LayerSet admit(std::uint32_t held, std::uint32_t next) const {
    return admit_[held * width_ + next - channels_->first[channels_->to[held]]];
  }
  // Those of a layer's channels, as they were given.
  const std::vector<std::uint32_t>& positions(unsigned layer) const { return positions_[layer]; }

 private:
  const CompactChannels* channels_;
  std::vector<std::vector<std::uint32_t>> positions_;
  unsigned count_;
  std::size_t width_ = 1;
  std::vector<LayerSet> admit_;  // by channel, and by the place of the next one
};

// For any fabric, 1 to 15 layers. Two and two belong together: in the first packets descend toward
// a root and climb away from it after, in the second they climb first. So no way of two hops is
// against both.
LayerOrders ranked_orders(const CompactChannels& channels, const fabric::Islands& islands,
                          unsigned count);

// A layer for each of these ranks by switch, which differ between neighbours: packets go to lower
// ranks first, and to higher ones after.
LayerOrders descending_orders(const CompactChannels& channels,
                              const std::vector<std::vector<std::uint32_t>>& ranks);

// The same for a dragonfly, whose ranks go group after group. Two rankings that turn round what
// lies within groups belong together as well: no way out of one group and into another, three hops
// long, is against all four of their orders.
LayerOrders grouped_orders(const CompactChannels& channels, const DragonflyGroups& groups,
                           unsigned count);

}  // namespace heddle::routing
