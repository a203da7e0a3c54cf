// SPDX-License-Identifier: BSD-3-Clause
// Which switches can reach each other at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::fabric {

// Islands are numbered from 0 by their lowest switch index. Links between channel adapters and
// cables from a switch to itself join nothing.
class Islands {
 public:
  explicit Islands(const Topology& topology);

  std::size_t count() const { return members_.size(); }
  std::uint32_t of(SwitchIndex at) const { return island_[at.value]; }
  // By switch index.
  const std::vector<SwitchIndex>& members(std::size_t island) const { return members_[island]; }

 private:
  std::vector<std::uint32_t> island_;  // by switch
  std::vector<std::vector<SwitchIndex>> members_;
};

}  // namespace heddle::fabric
