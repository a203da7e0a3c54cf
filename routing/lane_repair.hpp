// SPDX-License-Identifier: BSD-3-Clause
// What routing/repair.hpp does for routes on one VL, for those on several.
#pragma once

#include <optional>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/home.hpp"

namespace heddle::routing {

// Home's tables for `now`, in which what passed a lost link goes around it. All paths keep the
// service levels that they have, so clients need not ask again, and the SL to VL tables stay. Each
// new turn is tried against all turns of home on the lanes of those packets that take it, so that
// those on old entries and on new ones hold no credit loop together.
//
// Nothing if home's routes keep to one VL, were not proven, or need SL to VL tables that differ
// from port to port (such engines are quick, and give most of what they gave before); and if some
// destination has no way within these rules: it needs other levels. `departure` must be comparable,
// from `home` to `now` with `lids`. Deterministic. What it gives has not been proven: there is no
// proof, and no LaneCertificate. `present`, if not null: of the tables that are in place, as in
// repair().
std::optional<Selected> repair_on_lanes(const Home& home, const Departure& departure,
                                        const fabric::Topology& now, const fabric::LidMap& lids,
                                        const LaneKinship* present = nullptr);

}  // namespace heddle::routing
