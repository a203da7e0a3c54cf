// SPDX-License-Identifier: BSD-3-Clause
// Judges of a subnet that look only at what stands in the devices, never at what an SM believes.
// Each returns what is wrong in sentences for a person, nothing when all is well; a long list ends
// with how many more there are.
//
// They judge the part of the world that an SM on `sm` can reach over links that are up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/devices.hpp"
#include "sim/world.hpp"

namespace heddle::sim {

using Complaints = std::vector<std::string>;

// Every port with an address has a unicast LID of its own, aligned to its LMC; virtual ports that
// are Active and want a LID have one that nobody else has.
Complaints check_lids(const World& world, EndpointId sm);

// Every link that could be up is Active at both ends, with the same NeighborMTU and OperationalVLs.
Complaints check_links(const World& world, EndpointId sm);

// MasterSMLID of every addressed port is a LID of `sm`.
Complaints check_master_sm_lid(const World& world, EndpointId sm);

// From every endpoint and switch, the switches' own tables lead to every LID over Active links,
// without going round in circles.
Complaints check_reachability(const World& world, EndpointId sm);

// The service level that packets of a host's port carry to a LID; without one all have level 0.
using LevelOf = std::function<mad::ServiceLevel(PortIndex host, mad::Lid to)>;
// No cycle among the channels that traffic between hosts (and routers) waits for. A channel is one
// lane of a link; which lanes packets take follows from the registers.
Complaints check_credit_loops(const World& world, EndpointId sm, const LevelOf& level_of = {});

// All of the above.
Complaints judge(const World& world, EndpointId sm, const LevelOf& level_of = {});

// Set requests that devices answered since the mark: none when an SM has come to rest.
class Quiescence {
 public:
  explicit Quiescence(const World& world) : mark_(world.counters().sets) {}
  std::uint64_t sets_since(const World& world) const { return world.counters().sets - mark_; }

 private:
  std::uint64_t mark_;
};

}  // namespace heddle::sim
