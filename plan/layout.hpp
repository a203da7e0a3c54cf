// SPDX-License-Identifier: BSD-3-Clause
// Where a person would put the switches and hosts of a fabric on paper: trees in levels, tori in
// their grid, dragonflies in groups, anything else so that neighbours are near each other. Places
// only: how they are drawn is the affair of pages and of plan/svg.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::plan {

// One unit is the room that a switch and its hosts take. y grows downwards.
struct Point {
  double x = 0;
  double y = 0;
};

// What belongs together and may be outlined.
struct Frame {
  enum class Kind : std::uint8_t { Level, Block, Group, Island };
  Kind kind{};
  Point corner;  // upper left
  double width = 0;
  double height = 0;
  std::string label;  // for a person; may be empty
};

// A cable that is drawn: between two switches, or between two hosts without any switch.
struct DrawnLink {
  fabric::PortIndex from = fabric::kNoPort;
  fabric::PortIndex to = fabric::kNoPort;
  fabric::ChannelIndex forward = fabric::kNoChannel;  // from -> to; none between hosts
  // How far its middle is moved off the straight line: to the right of whoever goes from -> to.
  double bend = 0;
};

struct Layout {
  enum class Kind : std::uint8_t { Tree, Grid, Groups, General, Hosts };
  Kind kind = Kind::General;  // of the largest island
  std::string title;          // "tree of 3 levels", "torus 6x6x6"; of the largest island
  double width = 1;           // everything is inside [0, width] x [0, height]
  double height = 1;
  std::vector<Point> at;            // by node
  std::vector<std::uint32_t> rank;  // by switch: level in a tree (0 with the hosts), group
  std::vector<float> host_size;     // by switch: the side of the square that each host may fill
  std::vector<Frame> frames;        // larger ones first
  std::vector<DrawnLink> links;     // by (from, port) of the lower end
};

// Half the sides of a switch's box, and the strip below it in which its hosts stand.
inline constexpr double kBoxHalfWidth = 0.36;
inline constexpr double kBoxHalfHeight = 0.17;
inline constexpr double kHostsTop = 0.22;
inline constexpr double kHostsBottom = 0.46;

// Deterministic. Islands are laid out each for itself and set side by side.
Layout lay_out(const fabric::Topology& topology);

// The node's description, or its GUID if it has none.
std::string name_of(const fabric::Topology& topology, fabric::NodeIndex node);

}  // namespace heddle::plan
