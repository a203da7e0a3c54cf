// SPDX-License-Identifier: BSD-3-Clause
// Who is in which partitions, worked out again only where something that it depends on has changed:
// most looks at a fabric change cables between switches alone.
#pragma once

#include <memory>
#include <vector>

#include "fabric/topology.hpp"
#include "partitions/memberships.hpp"
#include "partitions/policy.hpp"

namespace heddle::sm {

class KnownMemberships {
 public:
  // What partitions::Memberships makes of these; `policy` as in Options::partitions.
  std::shared_ptr<const partitions::Memberships> of(
      std::shared_ptr<const partitions::Policy> policy,
      std::shared_ptr<const fabric::Topology> topology, fabric::PortIndex self,
      std::vector<partitions::Guest> guests);

 private:
  bool are_of(const fabric::Topology& topology) const;

  std::shared_ptr<const partitions::Memberships> known_;
  // What they were made of.
  std::shared_ptr<const partitions::Policy> policy_;
  std::shared_ptr<const fabric::Topology> topology_;
  fabric::PortIndex self_ = fabric::kNoPort;
  std::vector<partitions::Guest> guests_;
};

}  // namespace heddle::sm
