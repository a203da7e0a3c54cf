// SPDX-License-Identifier: BSD-3-Clause
// Sends packets through multicast tables as switches do: a copy out of every port of the entry but
// the one it came in by. A judge that knows nothing of trees.
#pragma once

#include <map>
#include <set>

#include "multicast/membership.hpp"
#include "multicast/tables.hpp"

namespace heddle::multicast::testing {

struct Flood {
  std::map<mad::Guid, int> copies;  // by endport; the switches' own included
  bool looped = false;              // a switch got the packet a second time
  bool doubled() const;             // somebody got it twice
};

// From an endport that hangs on a switch. A packet does not come back to the port it came from.
Flood flood(const fabric::Topology& topology, const Tables& tables, mad::Lid mlid,
            mad::Guid sender);

// Whether a packet of every member reaches every receiver but itself once, and nobody else. Members
// must all be able to reach each other.
bool all_served(const fabric::Topology& topology, const Tables& tables, mad::Lid mlid,
                const std::map<mad::Guid, Role>& members);

}  // namespace heddle::multicast::testing
