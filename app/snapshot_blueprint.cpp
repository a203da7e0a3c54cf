// SPDX-License-Identifier: BSD-3-Clause
#include "app/snapshot_blueprint.hpp"

#include <utility>

#include <fmt/format.h>

#include "mad/link.hpp"

namespace heddle::app {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;

sim::PlannedNode planned(const sm::Snapshot& snapshot, NodeIndex index) {
  const fabric::Topology& topology = snapshot.topology;
  const fabric::Node& node = topology.node(index);
  sim::PlannedNode out;
  out.name = fmt::format("{:016x}", node.guid.value);
  out.description = node.description;
  out.type = node.type;
  out.guid = node.guid;
  out.system_image_guid = node.system_image_guid;
  out.port_count = node.port_count;
  out.enhanced_port0 = node.enhanced_port0;
  out.vendor_id = node.vendor_id;
  out.device_id = node.device_id;
  if (topology.is_switch(index)) {
    out.linear_fdb_cap = node.linear_fdb_cap;
    out.multicast_fdb_cap = node.multicast_fdb_cap;
  }
  const bool has_lids = snapshot.lids.top() != mad::kNoLid;
  for (unsigned number = 0; number <= node.port_count; ++number) {
    const PortIndex port = topology.port_of(index, {static_cast<std::uint8_t>(number)});
    sim::PlannedPort own;
    own.guid = topology.port(port).guid;
    if (has_lids) {
      own.lid = snapshot.lids.range(port).base;
      own.lmc = snapshot.lids.range(port).lmc;
    }
    out.ports.push_back(own);
  }
  return out;
}

// The two enumerations list the same, from slow to fast and from narrow to wide.
sim::PlannedCable cable(const sm::Snapshot& snapshot, PortIndex a, PortIndex b) {
  const auto end = [&](PortIndex port) {
    return sim::PlannedEnd{snapshot.topology.node_of(port).value,
                           snapshot.topology.number_of(port).value};
  };
  sim::PlannedCable out{end(a), end(b)};
  if (const auto width = mad::active_width(snapshot.registers->ports[a.value])) {
    out.width = static_cast<sim::Width>(*width);
  }
  if (const auto speed = fabric::link_speed(*snapshot.registers, a)) {
    out.speed = static_cast<sim::Speed>(*speed);
  }
  return out;
}

}  // namespace

sim::Blueprint blueprint_of(const sm::Snapshot& snapshot) {
  sim::Blueprint blueprint;
  blueprint.title = fmt::format("the fabric after sweep {}", snapshot.sweep.number);
  for (std::uint32_t i = 0; i < snapshot.topology.node_count(); ++i) {
    blueprint.nodes.push_back(planned(snapshot, NodeIndex{i}));
  }
  for (std::uint32_t i = 0; i < snapshot.topology.port_count(); ++i) {
    const PortIndex peer = snapshot.topology.peer(PortIndex{i});
    if (peer == fabric::kNoPort || peer.value < i) continue;
    blueprint.cables.push_back(cable(snapshot, PortIndex{i}, peer));
  }
  return blueprint;
}

}  // namespace heddle::app
