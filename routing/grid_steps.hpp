// SPDX-License-Identifier: BSD-3-Clause
// Where a packet goes next along the rows of a grid. Internal to route_grid.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/grid.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

class GridSteps {
 public:
  GridSteps(const Grid& grid, const CompactChannels& channels);

  // Parallel cables to a neighbour, as places among the channels that leave the switch.
  struct Cables {
    std::uint8_t first = 0;
    std::uint8_t count = 0;  // 0: none, or nowhere to go
  };
  // The next cables on the way between two switches. False if the row along some axis is broken, or
  // a missing switch cannot be passed.
  bool next(std::uint32_t at, std::uint32_t target, Cables& cables) const;
  // Bit a is set where the shortest way crosses the dateline of axis a, whatever is missing. Equal
  // both ways.
  std::uint32_t crossings(std::uint32_t from, std::uint32_t to) const;
  // To the neighbour at this position of the row.
  const Cables& cables(std::uint32_t at, std::size_t axis, std::uint32_t position) const {
    return cables_[at * positions_ + first_position_[axis] + position];
  }
  // Hops that can be made along a row, to higher positions or to lower ones.
  std::uint32_t can_go(std::uint32_t at, std::size_t axis, bool up) const {
    return up ? reach(at, axis).up : reach(at, axis).down;
  }
  // Whether the positions of both on all later axes add up to something odd.
  unsigned odd_between(std::uint32_t a, std::uint32_t b, std::size_t axis) const {
    return odd(a, axis) ^ odd(b, axis);
  }

 private:
  enum class Step : std::uint8_t { Up, Down, Straight, TurnEarly, Stuck };
  struct Reach {
    std::uint32_t up = 0, down = 0;  // hops that can be made along the row
  };

  Reach& reach(std::uint32_t at, std::size_t axis) { return reach_[at * axes_ + axis]; }
  const Reach& reach(std::uint32_t at, std::size_t axis) const { return reach_[at * axes_ + axis]; }
  void find_cables(const CompactChannels& channels);
  void measure_row(std::size_t axis, std::uint32_t start);
  bool prefers_up(std::size_t axis, std::uint32_t here, std::uint32_t there, unsigned odd) const;
  Step step(std::uint32_t at, std::size_t axis, std::uint32_t to, unsigned odd) const;
  // Whether the positions on all later axes add up to something odd.
  unsigned odd(std::uint32_t at, std::size_t axis) const { return odd_[at * axes_ + axis]; }

  const Grid& grid_;
  std::size_t axes_;
  std::size_t positions_ = 0;                // of all axes together
  std::vector<std::size_t> first_position_;  // by axis
  std::vector<std::size_t> stride_;          // by axis
  std::vector<std::size_t> place_;           // by switch
  std::vector<Cables> cables_;               // by (switch, axis, position)
  std::vector<Reach> reach_;                 // by (switch, axis)
  std::vector<std::uint8_t> odd_;            // by (switch, axis)
};

}  // namespace heddle::routing
