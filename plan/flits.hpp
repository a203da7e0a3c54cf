// SPDX-License-Identifier: BSD-3-Clause
// A routed fabric for simulators that move single flits: everything they need and nothing else, one
// fact in a line (docs/plan.md has the format).
#pragma once

#include <functional>
#include <string>

#include "fabric/forwarding_tables.hpp"
#include "fabric/lanes.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "plan/rate.hpp"

namespace heddle::plan {

// `rate_of`: of the cable in a port; may be unknown, and is written as 0 then. `take` gets the text
// piece by piece, as it is long.
void tell_flits(const fabric::Topology& topology, const fabric::LidMap& lids,
                const fabric::ForwardingTables& tables, unsigned vls,
                const std::function<Rate(fabric::PortIndex)>& rate_of,
                const std::function<void(const std::string&)>& take);

}  // namespace heddle::plan
