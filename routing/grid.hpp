// SPDX-License-Identifier: BSD-3-Clause
// Meshes, tori, hypercubes and HyperX: fabrics whose switches are points of a grid. Recognised from
// the cables alone, also when links and switches are missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fabric/topology.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

struct Grid {
  // How the switches of a row are joined: each to the next one; the last one to the first as well;
  // all to all. A row of two is a Line, a row of three may be a Ring.
  enum class Shape : std::uint8_t { Line, Ring, Full };
  struct Axis {
    std::uint32_t size = 0;  // positions, at least 2
    Shape shape = Shape::Line;
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  static constexpr std::uint32_t kMissing = 0xFFFF'FFFF;

  std::vector<Axis> axes;                // in the order of their ports
  std::vector<std::uint32_t> position;   // by switch * axes + axis
  std::vector<std::uint32_t> switch_at;  // by place: positions as a number, the first axis fastest

  std::uint32_t at(std::uint32_t of_switch, std::size_t axis) const {
    return position[of_switch * axes.size() + axis];
  }
  // How far apart two places are that differ by one on this axis only.
  std::size_t stride(std::size_t axis) const;
  std::size_t place(std::uint32_t of_switch) const;
  // Places without a switch.
  std::size_t missing() const;
  // "torus 4x3x3", "mesh 10x10", "HyperX 12x8"; mixed shapes name each axis.
  std::string title() const;
};

// At most so many different kinds of links (rows that lie side by side have the same ones); more
// are not looked at.
inline constexpr std::size_t kMaxGridLinkKinds = 4096;

// The fabric must be one island with two switches or more. Parallel cables count as one link. The
// position 0 of an axis is where most rows have their lowest GUID, so that a lost switch moves
// nothing. A ring of four is two axes of two: the cables of both are the same. An error says what
// is not like a grid.
base::Result<Grid> recognise_grid(const fabric::Topology& topology,
                                  const CompactChannels& channels);

// Fills switch_at from the axes and positions; an error if two switches share a place or more than
// a quarter of the places is empty.
base::Result<Grid> placed(Grid grid, std::size_t switches);
// The same, after turning each axis so that position 0 is where most rows have their lowest GUID.
base::Result<Grid> numbered(Grid grid, std::size_t switches);

}  // namespace heddle::routing
