// SPDX-License-Identifier: BSD-3-Clause
// Routes that stand in the switches, put there by another subnet manager: kept, as far as they can
// be proven, so that a takeover moves no packet to another way.
#pragma once

#include <memory>
#include <vector>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/home.hpp"

namespace heddle::routing {

// By LID, up to the highest in use: whether the tables lead from every switch that is joined to its
// owner to that owner. LIDs that nobody owns do not.
std::vector<bool> columns_that_arrive(const fabric::Topology& topology, const fabric::LidMap& lids,
                                      const fabric::ForwardingTables& tables);

// The tables of `standing` whole, if they can be proven on one VL; else an engine's, with the
// columns of `standing` that arrive, if the two together can be; else an engine's alone. `standing`
// must be of this very topology and these LIDs.
base::Result<std::shared_ptr<const Selected>> select_standing(
    const fabric::Topology& topology, const fabric::LidMap& lids, const Policy& policy,
    const Home& standing, const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::routing
