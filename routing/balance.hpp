// SPDX-License-Identifier: BSD-3-Clause
// Chooses among the ways an engine allows, so that the links of each switch carry alike.
#pragma once

#include "fabric/forwarding_tables.hpp"
#include "routing/engine.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Every switch counts, per port, the traffic that it has been given to carry, and gives the next
// LID to the port that has least; then to the one with fewer LIDs; then to the lowest. What a LID
// weighs at a switch is the number of hosts whose packets for it come through there, which is known
// because farther switches choose first. Counting LIDs alone, as is common, makes the levels of a
// tree march in lockstep: all that one uplink brings goes on by one uplink. A host's LID that
// brings nothing counts for nothing, and switches' own LIDs come last: so on a whole tree a host's
// place at its leaf says which way it is reached, everywhere the same, and no shift meets itself.
//
// The LIDs of one port (LMC above 0) prefer different remote systems, then different remote
// switches, then different links, and look at the load last.
fabric::ForwardingTables balanced_tables(const Request& request, const CompactChannels& channels,
                                         const MakeWayFinder& make_finder);

}  // namespace heddle::routing
