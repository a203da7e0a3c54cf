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

bool LidMap::assign_guest(PortIndex port, mad::Lid lid) {
  if (port.value >= range_of_.size() || base(port) == mad::kNoLid) return false;
  if (!mad::is_unicast(lid) || owner(lid) != kNoPort) return false;
  if (owner_of_.size() <= lid.value) owner_of_.resize(lid.value + std::size_t{1}, kNoPort);
  owner_of_[lid.value] = port;
  ++guests_;
  return true;
}

bool LidMap::is_guest(mad::Lid lid) const {
  const PortIndex port = owner(lid);
  if (guests_ == 0 || port == kNoPort) return false;
  const Range own = range(port);
  return lid < own.base || lid.value >= own.base.value + unsigned{own.count()};
}

// A host with several LIDs has its guests spread over their ways.
mad::Lid LidMap::host_lid(mad::Lid lid) const {
  if (!is_guest(lid)) return lid;
  const Range own = range(owner(lid));
  return {static_cast<std::uint16_t>(own.base.value + lid.value % own.count())};
}

LidMap LidMap::without_guests() const {
  LidMap plain(range_of_.size());
  for (std::uint32_t p = 0; p < range_of_.size(); ++p) {
    if (range_of_[p].base != mad::kNoLid) plain.assign(PortIndex{p}, range_of_[p]);
  }
  return plain;
}

}  // namespace heddle::fabric
