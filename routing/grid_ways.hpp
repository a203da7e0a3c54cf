// SPDX-License-Identifier: BSD-3-Clause
// Ways along the axes of a grid, in layers of which each cuts the rings at another place.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/grid.hpp"
#include "routing/grid_orders.hpp"
#include "routing/grid_steps.hpp"
#include "routing/layer_orders.hpp"

namespace heddle::routing {

// One tree for each switch along the axes, such that between any two switches there is a layer that
// takes the ways in both directions, as long as nothing is missing.
//
// Which side of a ring a way takes is chosen from the last axis to the first: the shorter one,
// unless the layers that it and the later axes lose would be all there are; then the other one, for
// each layer that is left is cut on one side only. What is looked at are positions on this axis
// and the later ones, of both switches alike. So the way back takes the same sides, and a switch on
// the way chooses the same side as those behind it: its way is part of theirs, and loses no more.
// A ring that is broken is a line, which no layer needs to cut: there a way takes the side that is
// open, and what it loses is reckoned as if nothing were missing. So the way back agrees as before.
class GridWays {
 public:
  // All outlive this.
  GridWays(const CompactChannels& channels, const Grid& grid, unsigned layers,
           Cut cut = Cut::Position);

  // The layers that the way between two switches takes if nothing is missing; the same both ways,
  // and at least one.
  LayerSet layers(std::uint32_t at, std::uint32_t target) const;
  // The channels to leave by, by switch; kNoWay at the target and where something is missing.
  void toward(std::uint32_t target, std::vector<std::uint32_t>& next) const;

 private:
  enum class Side : std::uint8_t { None, Up, Down };
  Side side(std::uint32_t at, std::uint32_t target, std::size_t axis, LayerSet& lost) const;
  std::uint32_t corner(std::uint32_t at, std::uint32_t target, std::size_t axis) const;
  bool is_open(std::uint32_t from, std::size_t axis, Side side, std::uint32_t hops) const;
  LayerSet lost_on(std::size_t axis, Side side, std::uint32_t from, std::uint32_t hops) const;
  std::uint32_t channel(std::uint32_t at, std::uint32_t target) const;

  const CompactChannels& channels_;
  const Grid& grid_;
  GridSteps steps_;
  unsigned layers_;
  Cut cut_;
  std::vector<std::vector<std::uint32_t>> cuts_;  // by layer and axis
};

}  // namespace heddle::routing
