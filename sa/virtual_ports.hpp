// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports as queries want them: by GUID and by LID.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/p_key_table.hpp"
#include "mad/types.hpp"

namespace heddle::sa {

struct VirtualPort {
  mad::Guid guid{};
  fabric::PortIndex host = fabric::kNoPort;    // the port that it is behind
  fabric::PortIndex member = fabric::kNoPort;  // what it is called in the memberships
  mad::Lid lid{};
  bool own_lid = false;  // else the LID is its host's, or another VPort's
  std::uint16_t index{};
  mad::Guid node_guid{};
  std::string description;
  std::uint16_t partition_cap{};
  std::vector<mad::PKeyTable> p_key_table;
};

// Immutable.
class VirtualPorts {
 public:
  // In the order of their hosts.
  explicit VirtualPorts(std::vector<VirtualPort> all) : all_(std::move(all)) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      by_guid_.emplace(all_[i].guid, i);
      if (all_[i].own_lid) by_lid_.emplace(all_[i].lid, i);
    }
  }

  const std::vector<VirtualPort>& all() const { return all_; }
  // Those behind one port.
  std::span<const VirtualPort> behind(fabric::PortIndex host) const {
    const auto first = std::partition_point(
        all_.begin(), all_.end(), [host](const VirtualPort& each) { return each.host < host; });
    const auto last = std::partition_point(
        first, all_.end(), [host](const VirtualPort& each) { return each.host == host; });
    return {first, last};
  }
  // Null for a GUID that none has.
  const VirtualPort* find(mad::Guid guid) const { return at(by_guid_, guid); }
  // Of LIDs that are a VPort's own.
  const VirtualPort* find(mad::Lid lid) const { return at(by_lid_, lid); }

 private:
  const VirtualPort* at(const auto& index, auto key) const {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : &all_[found->second];
  }

  std::vector<VirtualPort> all_;
  std::unordered_map<mad::Guid, std::size_t> by_guid_;
  std::unordered_map<mad::Lid, std::size_t> by_lid_;
};

}  // namespace heddle::sa
