// SPDX-License-Identifier: BSD-3-Clause
// Which links of a fabric point the same way. Internal to the recognition of grids.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Neighbouring switches, each pair once in each direction, however many cables join them.
struct Arcs {
  explicit Arcs(const CompactChannels& channels);
  // Those of another one that are marked there, as their ways back are.
  Arcs(const Arcs& all, const std::vector<std::uint8_t>& marked);
  std::size_t degree(std::uint32_t at) const { return first[at + 1] - first[at]; }
  // The arc between two neighbours; kNone if they are none.
  std::uint32_t between(std::uint32_t from, std::uint32_t to_switch) const;

  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  std::vector<std::uint32_t> first;     // by switch, one more at the end
  std::vector<std::uint32_t> from, to;  // by arc; those of a switch are sorted by `to`
  std::vector<std::uint32_t> reverse;   // by arc
  std::vector<std::uint8_t> port;       // by arc: the lowest one it leaves by

 private:
  void find_reverses();
};

// Those that are a side of some square. Others are of their own kind, whatever axis they lie on.
Arcs sides_of_squares(const Arcs& arcs);

// The opposite sides of a square point the same way; so do those of the next square, and so on
// through the grid. Arcs that point the same way are of one kind.
struct ParallelArcs {
  std::vector<std::uint32_t> kind_of;  // by arc; both directions of a link have different kinds
  std::vector<std::uint32_t> reverse;  // by kind
  std::vector<std::uint32_t> axis_of;  // by kind; equal for both directions
  std::size_t axes = 0;
};

// An error if some link would be parallel to itself the other way round, or there are too many
// kinds or neighbours.
base::Result<ParallelArcs> find_parallel_arcs(const Arcs& arcs);

}  // namespace heddle::routing
