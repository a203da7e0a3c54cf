// SPDX-License-Identifier: BSD-3-Clause
// One switch with channel adapters and a router, whose ports are called by GUID.
#pragma once

#include <cstdint>

#include "fabric/topology.hpp"

namespace heddle::support {

// Node and port GUIDs: the switch has 0x1, adapter i of `adapters` 0x100 + i, the router 0x2.
// Adapters hang on the ports from 1 on, the router on the last one.
struct SmallFabric {
  explicit SmallFabric(unsigned adapters);
  fabric::PortIndex adapter(unsigned i) const;
  fabric::PortIndex switch_port0() const;
  fabric::PortIndex router() const;

  fabric::Topology topology;

 private:
  fabric::PortIndex port(mad::Guid node, std::uint8_t number) const;
};

}  // namespace heddle::support
