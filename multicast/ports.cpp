// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/ports.hpp"

#include <algorithm>

#include "multicast/mlid_pool.hpp"

namespace heddle::multicast {

PortFinder::PortFinder(const fabric::Topology& topology) {
  by_guid_.reserve(topology.endports().size());
  for (const fabric::PortIndex endport : topology.endports()) {
    const mad::Guid guid = topology.port(endport).guid;
    const auto attachment = topology.attachment(endport);
    if (guid != mad::Guid{} && attachment) by_guid_.emplace(guid, *attachment);
  }
}

std::optional<fabric::Topology::Attachment> PortFinder::find(mad::Guid port) const {
  const auto found = by_guid_.find(port);
  if (found == by_guid_.end()) return std::nullopt;
  return found->second;
}

std::size_t mlid_capacity(const fabric::Topology& topology) {
  std::size_t least = kMaxMlids;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const std::size_t cap = topology.node(fabric::SwitchIndex{s}).multicast_fdb_cap;
    if (cap != 0) least = std::min(least, cap);
  }
  return least;
}

}  // namespace heddle::multicast
