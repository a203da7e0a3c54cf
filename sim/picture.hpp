// SPDX-License-Identifier: BSD-3-Clause
// A fabric as a person would draw it: boxes for switches, or for bundles of them where there are
// too many, each at its place, and strands of cables between boxes. Hosts are counted, not drawn,
// but for fabrics without switches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/blueprint.hpp"

namespace heddle::sim {

struct Picture {
  struct Box {
    std::string label;        // a node's name, or "first .. last"
    std::uint32_t nodes = 0;  // how many it stands for
    std::uint32_t hosts = 0;  // host ports on its switches
    double x = 0;             // of its middle; one unit is room for one box
    double y = 0;             // downwards
    unsigned level = 0;       // 0 with the hosts; counts in drawings by levels
  };
  struct Strand {
    std::uint32_t from = 0;  // indices of boxes, from < to
    std::uint32_t to = 0;
    std::uint32_t cables = 0;
  };
  std::vector<Box> boxes;
  std::vector<Strand> strands;  // sorted
  double width = 1;             // all x are in [0, width], all y in [0, height]
  double height = 1;
  bool by_levels = false;
};

// At most about a thousand boxes, whatever the fabric.
Picture draw(const Blueprint& blueprint);

}  // namespace heddle::sim
