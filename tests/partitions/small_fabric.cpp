// SPDX-License-Identifier: BSD-3-Clause
#include "tests/partitions/small_fabric.hpp"

#include <utility>

namespace heddle::support {
namespace {

constexpr mad::Guid kSwitch{0x1};
constexpr mad::Guid kRouter{0x2};
constexpr mad::Guid kFirstAdapter{0x100};
constexpr unsigned kPortsOfASwitch = 254;

fabric::Node node(mad::Guid guid, mad::NodeType type, unsigned ports) {
  fabric::Node node;
  node.guid = guid;
  node.type = type;
  node.port_count = static_cast<std::uint8_t>(ports);
  return node;
}

// Adapters share the switches that have room; switches beyond the first have GUIDs of their own.
mad::Guid switch_of(unsigned place) {
  const unsigned index = place / (kPortsOfASwitch - 1);
  return index == 0 ? kSwitch : mad::Guid{0x10 + index};
}

}  // namespace

SmallFabric::SmallFabric(unsigned adapters) {
  fabric::TopologyBuilder builder;
  const auto hang = [&](mad::Guid guid, mad::NodeType type, unsigned place) {
    const mad::Guid at = switch_of(place);
    const auto out = static_cast<std::uint8_t>(1 + place % (kPortsOfASwitch - 1));
    builder.add_node(node(at, mad::NodeType::Switch, kPortsOfASwitch));
    builder.set_port_guid({at, {}}, at);
    builder.add_node(node(guid, type, 1));
    builder.set_port_guid({guid, mad::PortNumber{1}}, guid);
    builder.add_link({at, mad::PortNumber{out}}, {guid, mad::PortNumber{1}});
  };
  for (unsigned i = 0; i < adapters; ++i) {
    hang(mad::Guid{kFirstAdapter.value + i}, mad::NodeType::ChannelAdapter, i);
  }
  hang(kRouter, mad::NodeType::Router, adapters);
  topology = std::move(builder).build().value();
}

fabric::PortIndex SmallFabric::port(mad::Guid guid, std::uint8_t number) const {
  return topology.port_of(topology.find_node(guid).value(), mad::PortNumber{number});
}
fabric::PortIndex SmallFabric::adapter(unsigned i) const {
  return port(mad::Guid{kFirstAdapter.value + i}, 1);
}
fabric::PortIndex SmallFabric::switch_port0() const {
  return port(kSwitch, 0);
}
fabric::PortIndex SmallFabric::router() const {
  return port(kRouter, 1);
}

}  // namespace heddle::support
