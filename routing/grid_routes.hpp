// SPDX-License-Identifier: BSD-3-Clause
// Dimension order on a grid: packets finish with one axis before they turn into the next. What
// torus-2QoS, dor and hyperx have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/engine.hpp"
#include "routing/grid.hpp"

namespace heddle::routing {

// Rings of four and more close credit loops, so each has a dateline, between its last position and
// the first: bit a of the service level says whether the shortest way crosses that of axis a, and
// the lane of a hop is that bit of the axis it goes along. Lanes and levels therefore do not change
// when links or switches fail:
//  - a broken ring is passed the other way round, and one with a gap closes no loop;
//  - if the switch where a way should turn is missing, it turns one switch early, into the next
//    axis. That leads to one turn back, from a later axis into an earlier one; the hop after such a
//    turn has lanes of its own (IBA 7.6.6: by input and output port).
// So rings take 2 VLs, missing switches twice as many as without; if the request allows 4 times as
// many as the whole grid needs, service levels 8 to 15 repeat 0 to 7 on lanes of their own.
struct GridRouting {
  // Ports of a switch whose hosts come first when parallel cables are dealt out.
  std::vector<std::uint8_t> port_order;
};

// VLs without which the tables hold credit loops, 1, 2 or 4.
unsigned vls_needed(const Grid& grid);

// An error when VLs are too few, when more than four axes are rings, or when a row is so broken
// that some pair has no way; it says where. Whether the lanes suffice is for the proof to say: two
// missing switches side by side can close a loop.
base::Result<Routes> route_grid(const Request& request, const Grid& grid,
                                const CompactChannels& channels, const GridRouting& options = {});

}  // namespace heddle::routing
