// SPDX-License-Identifier: BSD-3-Clause
// What makes numbers of a fabric doubtful although it could be read.
#pragma once

#include <string>
#include <vector>

#include "app/planned_fabric.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {

// For people, each naming nodes with the lines of their file: LIDs that two ports hold, another LMC
// than that of the plan, pieces that no cable joins, hosts on no switch, a tree whose levels have
// links of their own.
std::vector<std::string> doubts_of(const sim::Blueprint& blueprint, const PlannedFabric& fabric);

}  // namespace heddle::app
