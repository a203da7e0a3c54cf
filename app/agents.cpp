// SPDX-License-Identifier: BSD-3-Clause
#include "app/agents.hpp"

namespace heddle::app {

bool has_lid(const sm::Snapshot& fabric, fabric::PortIndex port) {
  return fabric.lids.top() != mad::kNoLid && fabric.lids.base(port) != mad::kNoLid;
}

mad::ServiceLevel level_to(const sm::Snapshot& fabric, mad::Lid lid) {
  if (fabric.routes == nullptr || fabric.sm_port == fabric::kNoPort) return {};
  const auto from = fabric.topology.attachment(fabric.sm_port);
  if (!from) return {};
  return mad::ServiceLevel{fabric.routes->routes.lanes.levels.level(from->at, lid)};
}

}  // namespace heddle::app
