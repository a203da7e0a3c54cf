// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports as an SM meets them, and the packets that they send and take.
#include "sim/virtual_ports.hpp"

#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "mad/virtualization.hpp"
#include "tests/sim/gmp_probe.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using mad::AttributeId;
using mad::PortState;

constexpr std::uint16_t kVPorts = 3;

class VirtualPortsTest : public testing::Test {
 protected:
  explicit VirtualPortsTest(const char* fabric = "star:2,vports=3")
      : world(make_world(fabric)), manager(world, *world.default_endpoint()) {
    manager.bring_up();
    for (const auto& [port, route] : manager.routes) {
      if (port != manager.probe.at && world.devices().lines[port].number != 0) far = port;
    }
  }

  template <class T>
  T read(AttributeId attribute, std::uint32_t modifier = 0) {
    const auto answer = manager.probe.get(attribute, manager.routes[far], modifier);
    EXPECT_TRUE(answer);
    EXPECT_EQ(answer->status, mad::kStatusOk);
    return mad::decode<T>(answer->data);
  }
  template <class T>
  mad::Status write(AttributeId attribute, std::uint32_t modifier, const T& value) {
    mad::SmpData data{};
    mad::encode(value, std::span(data));
    return manager.probe.set(attribute, manager.routes[far], modifier, data)->status;
  }
  void enable() {
    mad::VirtualizationInfo info;
    info.virtualization_enable = true;
    ASSERT_EQ(write(AttributeId::VirtualizationInfo, 0, info), mad::kStatusOk);
  }
  mad::Status lead(std::uint16_t vport, PortState state, mad::Lid lid = {}) {
    mad::VPortInfo info;
    info.vport_state = state;
    info.vport_lid = lid;
    return write(AttributeId::VPortInfo, vport, info);
  }
  void activate(std::uint16_t vport, mad::Lid lid = {}) {
    ASSERT_EQ(lead(vport, PortState::Armed, lid), mad::kStatusOk);
    ASSERT_EQ(lead(vport, PortState::Active, lid), mad::kStatusOk);
  }

  World world;
  TinyManager manager;
  PortIndex far = 0;
};

TEST_F(VirtualPortsTest, AnAdapterSaysThatItHasThemAndASwitchHasNone) {
  const auto port = manager.probe.port_info(manager.routes[far]);
  EXPECT_NE(port.capability_mask2 & mad::kIsVirtualizationSupported, 0);
  const auto info = read<mad::VirtualizationInfo>(AttributeId::VirtualizationInfo);
  EXPECT_EQ(info.vport_cap, kUsualVirtualPortCap + 1);
  EXPECT_EQ(info.vport_index_top, kVPorts);
  EXPECT_FALSE(info.virtualization_enable);
  const auto of_switch = manager.probe.get(AttributeId::VirtualizationInfo, {1});
  EXPECT_EQ(of_switch->status, mad::kStatusBadMethodAttribute);
  World plain = make_world("star:2");
  Probe probe(plain, *plain.default_endpoint());
  EXPECT_EQ(probe.port_info({1, 2}).capability_mask2 & mad::kIsVirtualizationSupported, 0);
  EXPECT_EQ(probe.get(AttributeId::VPortInfo, {1, 2}, 1)->status, mad::kStatusBadMethodAttribute);
}

TEST_F(VirtualPortsTest, TheyAreDownUntilEnabledAndThenInit) {
  EXPECT_EQ(read<mad::VPortInfo>(AttributeId::VPortInfo, 1).vport_state, PortState::Down);
  EXPECT_EQ(lead(1, PortState::Armed), mad::kStatusBadField);
  enable();
  const auto states = read<mad::VPortState>(AttributeId::VPortState).vport_states;
  EXPECT_EQ(states[0], PortState::Active) << "the port itself";
  for (unsigned i = 1; i <= kVPorts; ++i) EXPECT_EQ(states[i], PortState::Init);
  EXPECT_EQ(states[kVPorts + 1], PortState::NoChange);
  EXPECT_EQ(manager.probe.get(AttributeId::VPortState, manager.routes[far], 1)->status,
            mad::kStatusBadField);
}

TEST_F(VirtualPortsTest, StatesGoOneStepAtATimeAndBack) {
  enable();
  EXPECT_EQ(lead(1, PortState::Active), mad::kStatusBadField);
  activate(1);
  EXPECT_EQ(read<mad::VPortInfo>(AttributeId::VPortInfo, 1).vport_state, PortState::Active);
  EXPECT_EQ(read<mad::VPortInfo>(AttributeId::VPortInfo, 2).vport_state, PortState::Init);
  EXPECT_EQ(lead(1, PortState::Down), mad::kStatusOk);
  EXPECT_EQ(read<mad::VPortInfo>(AttributeId::VPortInfo, 1).vport_state, PortState::Init);
  EXPECT_EQ(lead(0, PortState::Armed), mad::kStatusBadField) << "PortInfo leads the port itself";
  EXPECT_EQ(lead(kVPorts + 1, PortState::Armed), mad::kStatusBadField);
}

TEST_F(VirtualPortsTest, TheLinkTakesThemAlongAndVPortStateChangeTells) {
  enable();
  activate(1);
  EXPECT_FALSE(read<mad::VirtualizationInfo>(AttributeId::VirtualizationInfo).vport_state_change)
      << "its manager's own doing";
  const std::uint32_t cable = world.devices().lines[far].cable;
  world.cut(cable);
  EXPECT_EQ(virtual_state(world.devices(), far, 1), PortState::Down);
  world.restore(cable);
  auto info = read<mad::VirtualizationInfo>(AttributeId::VirtualizationInfo);
  EXPECT_TRUE(info.vport_state_change);
  EXPECT_EQ(virtual_state(world.devices(), far, 1), PortState::Init);
  ASSERT_EQ(write(AttributeId::VirtualizationInfo, 0, info), mad::kStatusOk);
  EXPECT_FALSE(read<mad::VirtualizationInfo>(AttributeId::VirtualizationInfo).vport_state_change);
  EXPECT_EQ(lead(1, PortState::Armed), mad::kStatusBadField) << "the port is not Armed itself";
}

TEST_F(VirtualPortsTest, EachHasAGuidANameAndKeysOfItsOwn) {
  enable();
  std::set<std::uint64_t> guids;
  for (std::uint16_t i = 0; i <= kVPorts; ++i) {
    const auto info = read<mad::VPortInfo>(AttributeId::VPortInfo, i);
    guids.insert(info.vport_guid.value);
    const auto table =
        read<mad::VPortGUIDInfo>(AttributeId::VPortGUIDInfo, mad::vport_block_modifier(i, 0));
    EXPECT_EQ(table.guids[0], info.vport_guid);
    EXPECT_EQ(read<mad::VNodeInfo>(AttributeId::VNodeInfo, i).num_ports, 1);
  }
  EXPECT_EQ(guids.size(), kVPorts + 1u);
  EXPECT_TRUE(guids.contains(world.port_guid(far).value));
  const auto name = read<mad::VNodeDescription>(AttributeId::VNodeDescription, 2).node_string;
  EXPECT_NE(std::string(name.data()).find("vf-2"), std::string::npos);

  mad::VPortPKeyTable keys;
  keys.p_keys[1] = mad::PKey{0x8001};
  const auto modifier = mad::vport_block_modifier(2, 0);
  ASSERT_EQ(write(AttributeId::VPortPKeyTable, modifier, keys), mad::kStatusOk);
  EXPECT_EQ(read<mad::VPortPKeyTable>(AttributeId::VPortPKeyTable, modifier), keys);
  const auto other = mad::vport_block_modifier(1, 0);
  EXPECT_EQ(read<mad::VPortPKeyTable>(AttributeId::VPortPKeyTable, other).p_keys[0],
            mad::PKey{0xFFFF});
  EXPECT_EQ(
      manager.probe
          .get(AttributeId::VPortPKeyTable, manager.routes[far], mad::vport_block_modifier(1, 999))
          ->status,
      mad::kStatusBadField);
}

TEST_F(VirtualPortsTest, TheyShareThePortsLidUnlessTheyWantTheirOwn) {
  enable();
  const auto shared = read<mad::VPortInfo>(AttributeId::VPortInfo, 1);
  EXPECT_FALSE(shared.lid_required);
  EXPECT_EQ(shared.vport_lid, manager.lids[far]);
  EXPECT_EQ(shared.lid_by_vport_index, 0);
  ASSERT_FALSE(world.set_virtual_ports(world.devices().lines[far].node, 1, 5, true).has_error());
  const auto own = read<mad::VPortInfo>(AttributeId::VPortInfo, 4);
  EXPECT_TRUE(own.lid_required);
  EXPECT_EQ(lead(4, PortState::NoChange), mad::kStatusBadField) << "it needs a LID";
  EXPECT_EQ(lead(4, PortState::NoChange, mad::Lid{60}), mad::kStatusOk);
  EXPECT_TRUE(owns_lid(world.devices(), far, mad::Lid{60}));
  EXPECT_FALSE(owns_lid(world.devices(), far, mad::Lid{61}));
}

TEST_F(VirtualPortsTest, MoreOrFewerOfThemIsSomethingThatTheManagerHears) {
  enable();
  world.set_is_sm(manager.probe.at, true);
  manager.probe.settle();
  (void)world.take_deliveries();
  const auto node = world.devices().lines[far].node;
  ASSERT_FALSE(world.set_virtual_ports(node, 1, 1, false).has_error());
  manager.probe.settle();
  const auto heard = world.take_deliveries();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(mad::decode_smp(heard[0].datagram.payload)->attribute_id, AttributeId::Notice);
  const auto info = read<mad::VirtualizationInfo>(AttributeId::VirtualizationInfo);
  EXPECT_EQ(info.vport_index_top, 1);
  EXPECT_TRUE(info.vport_state_change);
  EXPECT_TRUE(world.set_virtual_ports(node, 1, 4000, false).has_error());
  EXPECT_TRUE(world.set_virtual_ports(world.devices().lines[far].node, 0, 1, false).has_error());
}

TEST_F(VirtualPortsTest, PacketsComeToAndFromTheGidsOfActiveOnes) {
  enable();
  activate(1);
  const auto send = [&](mad::Guid to, std::uint8_t from_index) {
    mad::Datagram datagram;
    datagram.peer.lid = manager.lids[far];
    datagram.peer.qpn = 1;
    datagram.peer.q_key = 0x8001'0000;
    datagram.peer.global_route = mad::GlobalRoute{};
    datagram.peer.global_route->remote = {mad::kDefaultGidPrefix, to};
    datagram.peer.global_route->gid_index = from_index;
    datagram.payload.resize(mad::kMadBytes);
    datagram.payload[0] = datagram.payload[2] = std::byte{1};
    datagram.payload[1] = std::byte{0x32};  // a vendor's class: for software
    datagram.payload[3] = std::byte{1};
    world.send(manager.probe.at, std::move(datagram), manager.probe.now);
    manager.probe.settle();
    return world.take_deliveries();
  };
  const unsigned first = world.devices().ports[far].info.guid_cap;
  const auto to_first = send(virtual_guid(world.devices(), far, 1), 0);
  ASSERT_EQ(to_first.size(), 1u);
  EXPECT_EQ(to_first[0].datagram.peer.global_route->gid_index, first);
  EXPECT_EQ(to_first[0].datagram.peer.global_route->remote.guid, world.port_guid(manager.probe.at));
  EXPECT_TRUE(send(virtual_guid(world.devices(), far, 2), 0).empty()) << "not Active";
  EXPECT_TRUE(send(mad::Guid{0xABCDEF}, 0).empty()) << "nobody's";
  EXPECT_EQ(send(world.port_guid(far), 0).size(), 1u);
  EXPECT_TRUE(send(world.port_guid(far), 7).empty()) << "the sender has no such GID";
}

}  // namespace
}  // namespace heddle::sim
