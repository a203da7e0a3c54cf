// SPDX-License-Identifier: BSD-3-Clause
// How fast cables are, for loads that mean bandwidth and not routes: what a link carries is held
// against what the cable of a usual host can carry.
//
// A rate belongs to a port, not to a link, so that it still holds after a loss, and is a guess that
// can be stated after somebody moved the cable: a link is as fast as the slower of its ports was.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::plan {

class LinkRates {
 public:
  struct Known {
    mad::Guid node{};
    mad::PortNumber port{};
    double gigabits = 0;  // of data (plan/rate.hpp); not above 0: not known
  };

  // All links alike.
  LinkRates() = default;
  // The unit is the rate that most cables of hosts have in this topology, the faster of two that
  // are as many; of a fabric without hosts, that of the fastest cable.
  LinkRates(const std::vector<Known>& known, const fabric::Topology& topology);

  // Every cable is as fast as every other, or nobody knows: then weights change nothing.
  bool alike() const { return alike_; }
  // Gb/s; 0 when nothing is known.
  double unit() const { return unit_; }
  // Against the unit; 1 for who is not known.
  double capacity(double gigabits) const;

  // By port of this topology, what its link carries against the unit; 1 where nothing is plugged
  // in or known. Empty when all are alike.
  std::vector<double> capacities(const fabric::Topology& topology) const;

 private:
  double rate_of(mad::Guid node, mad::PortNumber port) const;

  std::map<mad::Guid, std::vector<double>> rates_;  // Gb/s by port number
  double unit_ = 0;
  bool alike_ = true;
};

}  // namespace heddle::plan
