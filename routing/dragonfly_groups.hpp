// SPDX-License-Identifier: BSD-3-Clause
// Which switches of a dragonfly are one group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "routing/grid_links.hpp"

namespace heddle::routing {

struct DragonflyGroups {
  std::vector<std::uint32_t> of;                    // by switch
  std::vector<std::vector<std::uint32_t>> members;  // by group
  std::string damage;  // what is missing, for a person; empty: it is whole
};

// Switches that share most of their neighbours are of one group. An error if that gives no groups
// of three or more, or more than a tenth of a group's own cables, or of the joints of groups, is
// missing: then it is something else.
base::Result<DragonflyGroups> find_dragonfly_groups(const Arcs& arcs);

}  // namespace heddle::routing
