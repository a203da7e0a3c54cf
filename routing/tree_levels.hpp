// SPDX-License-Identifier: BSD-3-Clause
// The level of each switch of a fat tree, however irregular or damaged the tree is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {

struct TreeLevels {
  std::vector<std::uint32_t> level;  // by switch; 0 is the lowest of its island
  std::vector<std::string> notes;
};

// Island by island. With roots (node GUIDs of switches) levels count down from them; those that
// name no switch of this fabric are noted. Otherwise they count up from the switches with many
// hosts, and a switch with few hosts or none that is cabled as others two levels below it (an empty
// leaf) is put beside those. An island whose switches form no ring is a tree whatever hangs where.
//
// An error says why an island is no tree: too many of its links join switches of one level. Missing
// links are never a reason.
base::Result<TreeLevels> find_levels(const fabric::Topology& topology,
                                     const std::vector<mad::Guid>& root_guids);

// Hosts per switch: endports of channel adapters and routers.
std::vector<std::uint32_t> count_hosts(const fabric::Topology& topology);

}  // namespace heddle::routing
