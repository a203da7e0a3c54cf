// SPDX-License-Identifier: BSD-3-Clause
#include "tests/app/small_fabric.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/registers.hpp"

namespace heddle::app {
namespace {

using fabric::TopologyBuilder;

fabric::Node node(std::uint64_t guid, mad::NodeType type, std::uint8_t ports, std::string name) {
  fabric::Node out;
  out.guid = mad::Guid{guid};
  out.system_image_guid = mad::Guid{guid};
  out.type = type;
  out.port_count = ports;
  out.linear_fdb_cap = type == mad::NodeType::Switch ? 49152 : 0;
  out.device_id = 0xd2f0;
  out.vendor_id = 0x2c9;
  out.revision = 0xa0;
  out.description = std::move(name);
  return out;
}

TopologyBuilder::End end(std::uint64_t guid, std::uint8_t port) {
  return {mad::Guid{guid}, mad::PortNumber{port}};
}

fabric::Topology topology() {
  TopologyBuilder builder;
  builder.add_node(node(0x10, mad::NodeType::Switch, 8, "leaf-1"));
  builder.add_node(node(0x20, mad::NodeType::Switch, 8, "leaf-2"));
  const char* names[] = {"host-1 HCA-1", "host-2 {spare}", "host-3 HCA-1", "host-4 HCA-1"};
  for (std::uint64_t host = 0; host < 4; ++host) {
    const std::uint64_t guid = 0x1000 + host * 0x10;
    builder.add_node(node(guid, mad::NodeType::ChannelAdapter, 1, names[host]));
    builder.set_port_guid(end(guid, 1), mad::Guid{guid + 1});
    const auto port = static_cast<std::uint8_t>(1 + host % 2);
    builder.add_link(end(host < 2 ? 0x10 : 0x20, port), end(guid, 1));
  }
  builder.set_port_guid(end(0x10, 0), mad::Guid{0x10});
  builder.set_port_guid(end(0x20, 0), mad::Guid{0x20});
  builder.add_link(end(0x10, 7), end(0x20, 7));
  builder.add_link(end(0x10, 8), end(0x20, 8));
  auto built = std::move(builder).build();
  EXPECT_TRUE(built.has_value());
  return std::move(built.value());
}

void activate_links(sm::Snapshot& snapshot) {
  auto& ports = support::own_registers(snapshot).ports;
  for (std::uint32_t i = 0; i < snapshot.topology.port_count(); ++i) {
    if (snapshot.topology.peer(fabric::PortIndex{i}) == fabric::kNoPort) continue;
    mad::PortInfo& info = ports.change(i);
    info.port_state = mad::PortState::Active;
    info.link_width_active = 2;      // 4x
    info.link_speed_ext_active = 4;  // HDR
    ++snapshot.active_ports;
  }
}

void slow_down(sm::Snapshot& snapshot, fabric::PortIndex port) {
  auto& ports = support::own_registers(snapshot).ports;
  for (const fabric::PortIndex end : {port, snapshot.topology.peer(port)}) {
    mad::PortInfo& info = ports.change(end.value);
    info.link_width_active = 1;  // 1x
    info.link_speed_ext_active = 0;
    info.link_speed_active = 1;  // SDR
  }
}

}  // namespace

sm::Snapshot small_fabric() {
  sm::Snapshot snapshot;
  snapshot.topology = topology();
  const fabric::Topology& made = snapshot.topology;
  snapshot.lids = fabric::LidMap(made.port_count());
  std::uint16_t lid = 1;
  for (const fabric::PortIndex port : made.endports()) {
    EXPECT_TRUE(snapshot.lids.assign(port, {mad::Lid{lid++}, 0}));
  }
  snapshot.registers = std::make_shared<const fabric::Registers>(fabric::Registers::room_for(made));
  activate_links(snapshot);
  const auto host2 = made.find_node(mad::Guid{0x1010});
  slow_down(snapshot, made.port_of(*host2, mad::PortNumber{1}));
  const auto host1 = made.find_node(mad::Guid{0x1000});
  snapshot.sm_port = made.port_of(*host1, mad::PortNumber{1});
  routing::Policy policy;
  policy.engines = {"minhop"};
  auto selected = routing::select_routes(made, snapshot.lids, policy);
  EXPECT_TRUE(selected.has_value());
  snapshot.routes = std::make_shared<const routing::Selected>(std::move(selected.value()));
  snapshot.sweep.number = 1;
  snapshot.sweep.gets_sent = 1200;
  snapshot.sweep.sets_sent = 34;
  snapshot.sweep.retries = 2;
  return snapshot;
}

}  // namespace heddle::app
