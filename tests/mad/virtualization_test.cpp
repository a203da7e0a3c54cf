// SPDX-License-Identifier: BSD-3-Clause
// The layouts of virtual ports byte by byte: no program of Debian's knows them.
#include "mad/virtualization.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

#include "mad/smp.hpp"

namespace heddle::mad {
namespace {

SmpData bytes(std::initializer_list<unsigned> values) {
  SmpData data{};
  std::size_t at = 0;
  for (const unsigned value : values) data[at++] = static_cast<std::byte>(value);
  return data;
}

TEST(Virtualization, InfoHasItsThreeBitsInByteFour) {
  const auto info = decode<VirtualizationInfo>(bytes({0, 128, 0x01, 0x02, 0xA0, 0, 3, 0x41}));
  EXPECT_EQ(info.vport_cap, 128);
  EXPECT_EQ(info.vport_index_top, 0x102);
  EXPECT_TRUE(info.virtualization_enable);
  EXPECT_FALSE(info.vclient_reregister);
  EXPECT_TRUE(info.vport_state_change);
  EXPECT_EQ(info.revision, 3);
  EXPECT_EQ(info.capability, 0x41);
}

TEST(Virtualization, VPortInfoBeginsWithStateAndTwoBits) {
  const auto info =
      decode<VPortInfo>(bytes({0x4C, 8, 0x12, 0x34, 0, 5, 0, 6, 0x00, 0x2A, 0, 7, 0x02, 0,
                               0,    0, 0,    0,    0, 9, 1, 2, 3,    4,    5, 6, 7,    8}));
  EXPECT_EQ(info.vport_state, PortState::Active);
  EXPECT_TRUE(info.client_reregister);
  EXPECT_TRUE(info.lid_required);
  EXPECT_EQ(info.guid_cap, 8);
  EXPECT_EQ(info.capability_mask, 0x1234);
  EXPECT_EQ(info.p_key_violations, 5);
  EXPECT_EQ(info.q_key_violations, 6);
  EXPECT_EQ(info.vport_lid, Lid{42});
  EXPECT_EQ(info.lid_by_vport_index, 7);
  EXPECT_EQ(info.vport_guid, Guid{0x0200'0000'0000'0009});
  EXPECT_EQ(info.vport_profile, 0x0102'0304'0506'0708u);
}

TEST(Virtualization, VNodeInfoAndTheEvenStateInTheHighHalf) {
  const auto node = decode<VNodeInfo>(bytes({0, 128, 1, 2, 0, 0, 0, 0, 0, 0, 0, 5}));
  EXPECT_EQ(node.partition_cap, 128);
  EXPECT_EQ(node.local_port_num, PortNumber{1});
  EXPECT_EQ(node.num_ports, 2);
  EXPECT_EQ(node.vnode_guid, Guid{5});
  const auto states = decode<VPortState>(bytes({0x42, 0x10})).vport_states;
  EXPECT_EQ(states[0], PortState::Active);
  EXPECT_EQ(states[1], PortState::Init);
  EXPECT_EQ(states[2], PortState::Down);
  EXPECT_EQ(states[3], PortState::NoChange);
}

TEST(Virtualization, StatesOfABlockEndInTheLowHalfOfItsLastByte) {
  SmpData data{};
  data[63] = std::byte{0x34};
  const auto states = decode<VPortState>(data).vport_states;
  EXPECT_EQ(states[126], PortState::Armed);
  EXPECT_EQ(states[127], PortState::Active);
  EXPECT_EQ(states[125], PortState::NoChange);
}

TEST(Virtualization, TablesAndNamesFillTheAttributeFromItsFirstByte) {
  const auto guids = decode<VPortGUIDInfo>(bytes({0x02, 0, 0, 0, 0, 0, 0, 0x11,  //
                                                  0x02, 0, 0, 0, 0, 0, 0, 0x12}));
  EXPECT_EQ(guids.guids[0], Guid{0x0200'0000'0000'0011});
  EXPECT_EQ(guids.guids[1], Guid{0x0200'0000'0000'0012});
  EXPECT_EQ(guids.guids[7], Guid{});
  const auto keys = decode<VPortPKeyTable>(bytes({0xFF, 0xFF, 0x80, 0x01}));
  EXPECT_EQ(keys.p_keys[0], PKey{0xFFFF});
  EXPECT_EQ(keys.p_keys[1], PKey{0x8001});
  EXPECT_EQ(keys.p_keys[31], PKey{});
  const auto name = decode<VNodeDescription>(bytes({'v', 'f', '-', '1'})).node_string;
  EXPECT_STREQ(name.data(), "vf-1");
}

TEST(Virtualization, TheAttributesHaveTheirNumbers) {
  EXPECT_EQ(static_cast<unsigned>(AttributeId::VirtualizationInfo), 0xFFB0u);
  EXPECT_EQ(static_cast<unsigned>(AttributeId::VPortInfo), 0xFFB1u);
  EXPECT_EQ(static_cast<unsigned>(AttributeId::VNodeInfo), 0xFFB2u);
  EXPECT_EQ(static_cast<unsigned>(AttributeId::VPortState), 0xFFB3u);
  EXPECT_EQ(static_cast<unsigned>(AttributeId::VNodeDescription), 0xFFB4u);
  EXPECT_EQ(static_cast<unsigned>(AttributeId::VPortGUIDInfo), 0xFFB5u);
  EXPECT_EQ(static_cast<unsigned>(AttributeId::VPortPKeyTable), 0xFFB6u);
}

TEST(Virtualization, ModifiersNameTheVPortAboveTheBlock) {
  EXPECT_EQ(vport_block_modifier(3, 2), 0x0003'0002u);
  EXPECT_EQ(vport_of(0x0003'0002), 3);
  EXPECT_EQ(vport_block_of(0x0003'0002), 2);
}

}  // namespace
}  // namespace heddle::mad
