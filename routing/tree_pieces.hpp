// SPDX-License-Identifier: BSD-3-Clause
// The pieces of a fat tree: planes, and subtrees. They are told by what hangs together, so that
// missing links do not move a switch from one to another, and GUIDs do not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::routing {

// For each switch the plane that it belongs to when all levels below its own are taken away, named
// by the lowest switch index in it.
std::vector<std::uint32_t> find_planes(const fabric::Topology& topology,
                                       const std::vector<std::uint32_t>& level);

// All switches, in an order in which the leaves of every subtree stand together: leaves with hosts
// first (no neighbour of a leaf is lower), then other switches with hosts, then the rest.
std::vector<fabric::SwitchIndex> order_by_subtree(const fabric::Topology& topology,
                                                  const std::vector<std::uint32_t>& level,
                                                  const std::vector<std::uint32_t>& hosts);

// The levels that find_levels would count up from hosts, without refusing anything: for those who
// only want an order.
std::vector<std::uint32_t> plain_levels(const fabric::Topology& topology,
                                        const std::vector<std::uint32_t>& hosts);

}  // namespace heddle::routing
