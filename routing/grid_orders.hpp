// SPDX-License-Identifier: BSD-3-Clause
// Orders of layers for a grid. Each layer cuts the rings of each axis at one place, which differs
// from layer to layer.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/grid.hpp"
#include "routing/layer_orders.hpp"

namespace heddle::routing {

// Where a layer's rings are cut: no packet passes through a position, or through the link between
// it and the next lower one.
enum class Cut : std::uint8_t { Position, Link };

// By layer and axis: the position at which the rings are cut. Evenly apart.
std::vector<std::vector<std::uint32_t>> grid_cuts(const Grid& grid, unsigned layers);

// Whether no switch and no link is missing.
bool is_whole(const Grid& grid, const CompactChannels& channels);

// Cut at positions. Packets finish with one axis before they turn into the next. For whole grids.
LayerOrders axis_orders(const CompactChannels& channels, const Grid& grid, unsigned count);

// The same, for grids that lack something: a ring that is broken is a line and not cut, and packets
// may go round it, for they may return to an earlier axis as well. In layers of one kind they may
// do so after hops that go forward on the later axis, in those of the other kind for hops that go
// forward on the earlier one; in one layer forward is up, in the next one of its kind down. What
// one layer forbids another one allows.
LayerOrders returning_orders(const CompactChannels& channels, const Grid& grid, unsigned count);

// Cut in links. What is left of each layer is a mesh, and packets make all their hops to lower
// positions first, then all those to higher ones, on all axes alike. So there are many ways, also
// where something is missing: every layer takes some way between any two switches that are joined.
LayerOrders slope_orders(const CompactChannels& channels, const Grid& grid, unsigned count);

}  // namespace heddle::routing
