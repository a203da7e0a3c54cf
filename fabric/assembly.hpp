// SPDX-License-Identifier: BSD-3-Clause
// Puts a Topology together of ports that are named by their index: all nodes first, then the links
// between them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "fabric/topology.hpp"

namespace heddle::fabric {

class Assembly {
 public:
  // Nodes in any order; of those with one GUID the last counts. places: which node each of them has
  // become. An error names a node whose port count is out of range.
  static base::Result<Assembly> of(std::vector<Node> nodes, std::vector<NodeIndex>& places);
  // The nodes of that one, and none of its links. The nodes are shared.
  static Assembly of_the_nodes_of(const Topology& other);
  // The same with its links.
  static Assembly going_on_with(const Topology& other);

  // What has been put together until now: nodes, ports and their peers, but neither channels nor
  // endports.
  const Topology& so_far() const { return topology_; }
  void set_guid(PortIndex port, mad::Guid guid) { wiring_->ports[port.value].guid = guid; }
  // Both must be free, or in a link with each other already; slowness: Channel::slowness, of both
  // directions. One port twice is a loopback plug.
  void join(PortIndex a, PortIndex b, std::uint8_t slowness);
  // Takes the link of a port away, if it has one.
  void part(PortIndex port);
  Topology finish() &&;

 private:
  Assembly(std::shared_ptr<const Topology::Roster> roster, std::vector<Port> ports);
  void find_channels();
  void find_endports();

  std::shared_ptr<Topology::Wiring> wiring_;
  Topology topology_;
};

}  // namespace heddle::fabric
