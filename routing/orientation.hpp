// SPDX-License-Identifier: BSD-3-Clause
// Which end of each link is up. Up*/down* routing is free of credit loops for any order of the
// switches, and reaches everything if every switch but the top one of its island has a neighbour
// above it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology.hpp"
#include "routing/option_files.hpp"

namespace heddle::routing {

struct Orientation {
  std::vector<fabric::SwitchIndex> from_top;  // every switch once, island after island
  std::vector<std::uint32_t> position;        // by switch, its place in from_top
  std::vector<fabric::SwitchIndex> roots;     // by switch index
  std::vector<std::string> notes;

  bool is_up(fabric::SwitchIndex from, fabric::SwitchIndex to) const {
    return position[to.value] < position[from.value];
  }
};

// Switches are ordered by their distance from the roots, and those of equal distance by their IDs,
// the smaller one above (as in OpenSM); the ID of a switch that `ids` does not name is its GUID.
// A tree has many roots, and no up*/down*
// way leads from one to another; so the order is then bent, as little as it takes, until a single
// switch is on top: extra roots are put below one neighbour, and where that is not enough a chain
// of switches is raised to the top. In a tree that forbids no shortest way between hosts.
//
// Roots that are not switches of this fabric are noted. An island without any gets roots of its
// own: if it is built like a tree (its centre has no hosts), all switches as far from hosts as its
// centre; otherwise the centre alone.
Orientation orient(const fabric::Topology& topology, const std::vector<mad::Guid>& root_guids,
                   const std::vector<SwitchId>& ids = {});

}  // namespace heddle::routing
