// SPDX-License-Identifier: BSD-3-Clause
// From the multicast tables that stand in the switches to those that are wanted, without a moment
// in which a packet could go round in a circle or arrive twice: whichever writes of the current
// stage have been executed, the links that any multicast LID can use form no cycle. (If those that
// stand form one already, the first stage removes it.)
#pragma once

#include <vector>

#include "fabric/topology.hpp"
#include "multicast/tables.hpp"

namespace heddle::multicast {

// Writes in any order and at once. All must have been answered before the next stage begins; when
// one fails, plan anew from what stands then.
using Stage = std::vector<BlockWrite>;

// At most two stages, by switch, block and position; none when nothing differs. `wanted` must hold
// no cycle. Links are cut only where they would close one: all else happens in one stage.
std::vector<Stage> plan_change(const fabric::Topology& topology, const Tables& standing,
                               const Tables& wanted);

}  // namespace heddle::multicast
