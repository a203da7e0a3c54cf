// SPDX-License-Identifier: BSD-3-Clause
#include "sm/known_memberships.hpp"

#include <algorithm>
#include <utility>

namespace heddle::sm {

using fabric::PortIndex;

std::shared_ptr<const partitions::Memberships> KnownMemberships::of(
    std::shared_ptr<const partitions::Policy> policy,
    std::shared_ptr<const fabric::Topology> topology, PortIndex self,
    std::vector<partitions::Guest> guests) {
  const bool stand = known_ != nullptr && policy == policy_ && self == self_ && guests == guests_ &&
                     are_of(*topology);
  if (!stand) {
    known_ = std::make_shared<const partitions::Memberships>(
        policy ? *policy : partitions::default_policy(), *topology, self, guests);
  }
  policy_ = std::move(policy);
  topology_ = std::move(topology);
  self_ = self;
  guests_ = std::move(guests);
  return known_;
}

// The same end ports by the same numbers.
bool KnownMemberships::are_of(const fabric::Topology& topology) const {
  const auto now = topology.endports();
  const auto before = topology_->endports();
  return topology.shares_nodes_with(*topology_) &&
         std::equal(now.begin(), now.end(), before.begin(), before.end(),
                    [&](PortIndex here, PortIndex there) {
                      return here == there &&
                             topology.port(here).guid == topology_->port(there).guid;
                    });
}

}  // namespace heddle::sm
