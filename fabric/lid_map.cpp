// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/lid_map.hpp"

#include <algorithm>

namespace heddle::fabric {

bool LidMap::assign(PortIndex port, Range range) {
  if (port.value >= range_of_.size() || range.lmc > mad::kMaxLmc) return false;
  const std::size_t first = range.base.value;
  const std::size_t end = first + range.count();
  if (!mad::is_unicast(range.base) || end - 1 > mad::kLastUnicastLid.value) return false;
  if (first % range.count() != 0 || range_of_[port.value].base != mad::kNoLid) return false;
  for (std::size_t lid = first; lid < std::min(end, owner_of_.size()); ++lid) {
    if (owner_of_[lid] != kNoPort) return false;
  }
  if (owner_of_.size() < end) owner_of_.resize(end, kNoPort);
  std::fill(owner_of_.begin() + static_cast<std::ptrdiff_t>(first),
            owner_of_.begin() + static_cast<std::ptrdiff_t>(end), port);
  range_of_[port.value] = range;
  return true;
}

}  // namespace heddle::fabric
