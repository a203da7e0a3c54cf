// SPDX-License-Identifier: BSD-3-Clause
// Multicast forwarding tables of a fabric that need not exist, with the trees of the subnet manager
// (multicast/trees.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "multicast/membership.hpp"
#include "multicast/tables.hpp"

namespace heddle::plan {

// Every host's port with a LID, in one group: the IPoIB broadcast group of the default partition,
// which gets the first multicast LID.
std::vector<multicast::RoleChange> broadcast_members(const fabric::Topology& topology,
                                                     const fabric::LidMap& lids);

// Lines "group 0xC001" (a multicast LID, 0xC000 to 0xFFFE, each once), and below each the hosts
// that receive, one in a line, as in parse_host_list. An error names file and line.
base::Result<std::vector<multicast::RoleChange>> parse_groups(std::string_view text,
                                                              std::string_view title,
                                                              const fabric::Topology& topology,
                                                              const fabric::LidMap& lids);

// As OpenSM's opensm.mcfdbs: for each switch that has any, the LIDs with the ports they go to.
std::string multicast_list(const fabric::Topology& topology, const multicast::Tables& tables);

}  // namespace heddle::plan
