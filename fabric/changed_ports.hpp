// SPDX-License-Identifier: BSD-3-Clause
// Where two states of the same nodes may differ: whoever keeps what was made of the ports of one of
// them makes it anew of these only.
#pragma once

#include <vector>

#include "fabric/registers.hpp"
#include "fabric/topology.hpp"

namespace heddle::fabric {

// By PortIndex: ports of which what was read may be another than before, those that have another
// port at the other end of their cable, and the ports at the other end of both, before and now. Of
// every other port both are as they were. The topologies must share their nodes.
std::vector<PortIndex> changed_ports(const Topology& topology, const Registers& registers,
                                     const Topology& topology_before,
                                     const Registers& registers_before);

}  // namespace heddle::fabric
