// SPDX-License-Identifier: BSD-3-Clause
// Members of groups are known by GUID, because they outlive a topology; tables want the place where
// a port hangs on a switch.
#pragma once

#include <optional>
#include <unordered_map>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

class PortFinder {
 public:
  explicit PortFinder(const fabric::Topology& topology);

  // Where packets for the endport with this GUID leave the switches; nothing when there is none or
  // it hangs on no switch.
  std::optional<fabric::Topology::Attachment> find(mad::Guid port) const;

 private:
  std::unordered_map<mad::Guid, fabric::Topology::Attachment> by_guid_;
};

// Whether a switch can hold an entry for this LID.
constexpr bool has_entry(const fabric::Node& node, mad::Lid mlid) {
  return mlid.value - mad::kFirstMulticastLid.value < node.multicast_fdb_cap;
}

// The least MulticastFDBCap of the switches that have multicast tables at all, not above kMaxMlids.
// Where there is none, as between two hosts and one cable, nothing can run out: kMaxMlids.
std::size_t mlid_capacity(const fabric::Topology& topology);

}  // namespace heddle::multicast
