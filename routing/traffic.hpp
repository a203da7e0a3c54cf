// SPDX-License-Identifier: BSD-3-Clause
// How much hosts are expected to send to each other, for engines that weigh what links carry.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/destinations.hpp"
#include "routing/engine.hpp"
#include "routing/host_classes.hpp"

namespace heddle::routing {

// All hosts alike; or, where the operator named compute or I/O nodes, much between compute nodes
// and between these and I/O nodes, and little else: I/O nodes do not talk to each other.
class Traffic {
 public:
  Traffic(const Request& request, const Destinations& destinations);

  bool is_alike() const { return class_of_.empty(); }
  // That of a host; of all the same where they are alike, and of a switch's own LID.
  HostClass class_of(const Destination& to) const {
    return is_alike() || !to.is_host() ? HostClass::Compute
                                       : static_cast<HostClass>(class_of_[to.base.value]);
  }
  // What the hosts of each switch send to this one, by switch.
  std::span<const std::uint32_t> toward(const Destination& to) const {
    return sent_[is_alike() ? 0 : class_of_[to.base.value]];
  }

 private:
  std::vector<std::uint8_t> class_of_;  // by base LID; empty if all are alike
  std::array<std::vector<std::uint32_t>, kHostClasses> sent_;
};

}  // namespace heddle::routing
