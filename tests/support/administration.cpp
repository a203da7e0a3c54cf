// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/administration.hpp"

#include <memory>
#include <utility>

#include "base/check.hpp"
#include "mad/capability.hpp"
#include "mad/link.hpp"
#include "routing/engine.hpp"

namespace heddle::support {
namespace {

mad::Guid port_guid(const fabric::Node& node, unsigned port) {
  const bool is_switch = node.type == mad::NodeType::Switch;
  return mad::Guid{node.guid.value | std::uint64_t{is_switch ? 0u : port} << 56};
}

fabric::Topology with_port_guids(const Recipe& recipe) {
  fabric::TopologyBuilder builder;
  for (const fabric::Node& node : recipe.nodes) {
    builder.add_node(node);
    for (unsigned p = 0; p <= node.port_count; ++p) {
      builder.set_port_guid({node.guid, {static_cast<std::uint8_t>(p)}}, port_guid(node, p));
    }
  }
  for (const auto& link : recipe.links) builder.add_link(link.a, link.b);
  auto built = std::move(builder).build();
  HEDDLE_CHECK(built.has_value());
  return std::move(*built);
}

mad::NodeInfo node_info(const fabric::Node& node) {
  mad::NodeInfo info;
  info.base_version = info.class_version = 1;
  info.node_type = node.type;
  info.num_ports = node.port_count;
  info.node_guid = info.system_image_guid = node.guid;
  info.port_guid = node.guid;
  info.vendor_id = 0x2c9;
  return info;
}

mad::PortInfo port_info(bool linked) {
  mad::PortInfo info;
  info.m_key = mad::MKey{0x5ec7e7};
  info.mtu_cap = mad::Mtu::Bytes4096;
  info.guid_cap = 16;
  info.capability_mask = mad::kIsExtendedSpeedsSupported | mad::kIsTrapSupported;
  if (!linked) return info;
  info.neighbor_mtu = mad::Mtu::Bytes4096;
  info.port_state = mad::PortState::Active;
  info.link_width_active = mad::entry(mad::LinkWidth::X4).bit;
  info.link_speed_ext_active = mad::entry(mad::LinkSpeed::EDR).bit;
  return info;
}

}  // namespace

sa::Subnet administered(const Recipe& recipe, std::uint8_t lmc) {
  sa::Subnet subnet;
  auto topology = std::make_shared<const fabric::Topology>(with_port_guids(recipe));
  auto lids = std::make_shared<const fabric::LidMap>(number_lids(*topology, lmc));
  const routing::Options options;
  auto routes = routing::find_engine("minhop")->route({*topology, *lids, options});
  HEDDLE_CHECK(routes.has_value());
  subnet.tables = std::make_shared<const fabric::ForwardingTables>(std::move(routes->tables));
  auto registers = fabric::Registers::room_for(*topology);
  for (std::uint32_t n = 0; n < topology->node_count(); ++n) {
    registers.nodes.change(n) = node_info(topology->node(fabric::NodeIndex{n}));
  }
  for (std::uint32_t p = 0; p < topology->port_count(); ++p) {
    const fabric::PortIndex port{p};
    mad::PortInfo& info = registers.ports.change(p);
    info = port_info(topology->peer(port) != fabric::kNoPort);
    info.lid = lids->base(port);
  }
  mad::SwitchInfo switch_info;
  switch_info.linear_fdb_cap = 49152;
  switch_info.linear_fdb_top = lids->top().value;
  for (std::uint32_t s = 0; s < topology->switch_count(); ++s) {
    registers.switches.change(s) = switch_info;
  }
  subnet.registers = std::make_shared<const fabric::Registers>(std::move(registers));
  subnet.topology = std::move(topology);
  subnet.lids = std::move(lids);
  return subnet;
}

}  // namespace heddle::support
