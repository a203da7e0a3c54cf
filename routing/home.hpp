// SPDX-License-Identifier: BSD-3-Clause
// Stability: what an engine made of the fabric when it was whole stays, destination by destination,
// wherever it is still right. After a loss only the destinations that used what was lost move, and
// when it is back the tables are those of before.
#pragma once

#include <memory>
#include <vector>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/selection.hpp"

namespace heddle::routing {

// The last fabric that had something no earlier one had, and its routes.
struct Home {
  std::shared_ptr<const fabric::Topology> topology;
  std::shared_ptr<const fabric::LidMap> lids;
  Policy policy;
  std::shared_ptr<const Selected> selected;
  // Its tables were read from the switches, and nobody has proven them (routing/standing.hpp).
  bool found = false;
};

// Whether engines would make home's routes of this fabric again, to the byte: they did make them,
// and nothing that they go by is another. False where that is not known.
bool is_at_home(const Home& home, const fabric::Topology& topology, const fabric::LidMap& lids,
                const Policy& policy);

// What lies between a home and a fabric of now.
struct Departure {
  // False: the fabric has a switch, a link, a LID or a place of one that its home has not, or is
  // routed by another policy. Nothing else is known then.
  bool comparable = false;
  std::vector<fabric::SwitchIndex> at_home;  // by switch of now
  // Ports of switches of now whose links to other switches have gone; and whether there are any,
  // those of switches that have gone themselves included.
  struct LostPort {
    fabric::SwitchIndex at{};
    mad::PortNumber out{};
  };
  std::vector<LostPort> lost;
  bool whole = false;  // every switch and every link between switches is there
  // By switch of now.
  std::vector<std::uint8_t> has_hosts;   // other than itself
  std::vector<std::uint32_t> lid_count;  // of these and its own
};
Departure departure_from(const Home& home, const fabric::Topology& topology,
                         const fabric::LidMap& lids, const Policy& policy,
                         const base::ParallelFor& parallel = base::inline_for);

// LIDs whose columns at home still lead there: all but those of which a lost port is a part. LIDs
// that nobody owns any more are among them: their packets go where they always went, and end there.
std::vector<bool> still_right(const Home& home, const Departure& departure,
                              const fabric::LidMap& lids);

// Takes these LIDs' columns from home. What it does not take must be in `tables` already.
void take_columns(const Home& home, const Departure& departure, const std::vector<bool>& columns,
                  fabric::ForwardingTables& tables);

// select_routes, but as close to home as can be proven. `home` may be null. Where nothing is
// missing but hosts the result is that of home itself. Else home's tables are repaired
// (routing/repair.hpp) and what differs is proven (fabric/recheck.hpp), or all of it where that
// shows nothing; only where they cannot be, engines compute anew, and what is still right at home
// is taken from there. `present`, if not null: whose tables are in place now. What is selected does
// not depend on it, but how easily the one can be written over the other may.
base::Result<std::shared_ptr<const Selected>> select_near_home(
    const fabric::Topology& topology, const fabric::LidMap& lids, const Policy& policy,
    const Home* home, const base::ParallelFor& parallel = base::inline_for,
    const Selected* present = nullptr);

}  // namespace heddle::routing
