// SPDX-License-Identifier: BSD-3-Clause
// Switches that do not take their entries: which new entries of others get on with those they keep.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lanes.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {

// In the midst of a change of tables.
struct Halfway {
  const fabric::ForwardingTables& now;         // what the switches hold; 255 where nobody knows
  const fabric::ForwardingTables& in_the_end;  // what they will hold, with what some of them keep
  const fabric::ForwardingTables& withheld;    // the same, with none of the candidates let through
  const fabric::Lanes& lanes;                  // of the routes that are wanted
};

// Of these LIDs those that must be withheld, because a credit loop could be closed before the end
// or in it; the later ones in the list rather than the earlier. New entries are taken to be written
// in order, as Transition has it. On several lanes it is all of them or none, as the end is free of
// loops or not. Takes as long as a proof.
std::vector<mad::Lid> lids_that_lock(const fabric::Topology& topology, const fabric::LidMap& lids,
                                     const Halfway& halfway,
                                     const std::vector<mad::Lid>& candidates,
                                     const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::routing
