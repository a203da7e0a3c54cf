// SPDX-License-Identifier: BSD-3-Clause
// What devices answer, attribute by attribute, and what they refuse.
//
// The fabric is a star: the probe on host-0001 at port 1 of the switch, host-0002 at port 2. Route
// {1} leads to the switch, {1, 2} on to host-0002.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "mad/node_info.hpp"
#include "tests/sim/probe.hpp"

namespace heddle::sim {
namespace {

using mad::AttributeId;

class Agent : public ::testing::Test {
 protected:
  Agent() : world(make_world("star:4")), probe(world, *world.find_endpoint("host-0001")) {}

  World world;
  Probe probe;
};

mad::SmpData filled(std::uint8_t value) {
  mad::SmpData data;
  data.fill(std::byte{value});
  return data;
}

// --- who are you --------------------------------------------------------------------------------

TEST_F(Agent, NodeInfoSpeaksOfThePortTheQuestionCameInBy) {
  const auto answer = probe.get(AttributeId::NodeInfo, {1, 2});
  ASSERT_TRUE(answer);
  const auto info = mad::decode<mad::NodeInfo>(answer->data);
  EXPECT_EQ(info.node_type, mad::NodeType::ChannelAdapter);
  EXPECT_EQ(info.num_ports, 1);
  EXPECT_EQ(info.local_port_num.value, 1);
  EXPECT_EQ(info.port_guid, world.port_guid(*world.find_endpoint("host-0002")));
  EXPECT_EQ(info.port_guid.value, info.node_guid.value + 1);

  const auto of_switch = mad::decode<mad::NodeInfo>(probe.get(AttributeId::NodeInfo, {1})->data);
  EXPECT_EQ(of_switch.node_type, mad::NodeType::Switch);
  EXPECT_EQ(of_switch.num_ports, 4);
  EXPECT_EQ(of_switch.local_port_num.value, 1);
  EXPECT_EQ(of_switch.port_guid, of_switch.node_guid);
}

TEST_F(Agent, NodeDescriptionIsText) {
  const auto answer = probe.get(AttributeId::NodeDescription, {1, 2});
  ASSERT_TRUE(answer);
  const auto description = mad::decode<mad::NodeDescription>(answer->data);
  EXPECT_EQ(std::string(description.node_string.data()), "host-0002 HCA-1");
}

TEST_F(Agent, IdentityCannotBeSet) {
  for (const auto attribute : {AttributeId::NodeInfo, AttributeId::NodeDescription}) {
    EXPECT_EQ(probe.set(attribute, {1}, 0, filled(1))->status, mad::kStatusBadMethodAttribute);
  }
}

TEST_F(Agent, WhatADeviceDoesNotKnowItRefuses) {
  for (const auto attribute : {AttributeId::RandomForwardingTable, AttributeId::SMInfo,
                               AttributeId::Notice, AttributeId::VendorDiag}) {
    EXPECT_EQ(probe.get(attribute, {1})->status, mad::kStatusBadMethodAttribute);
  }
  for (const auto attribute :
       {AttributeId::SwitchInfo, AttributeId::LinearForwardingTable,
        AttributeId::MulticastForwardingTable, AttributeId::SwitchPortStateTable}) {
    EXPECT_EQ(probe.get(attribute, {1, 2})->status, mad::kStatusBadMethodAttribute);
  }
}

// --- PortInfo -----------------------------------------------------------------------------------

TEST_F(Agent, AFreshLinkIsInInitializeAtItsFullRate) {
  const mad::PortInfo info = probe.port_info({1}, 2);
  EXPECT_EQ(info.port_state, mad::PortState::Init);
  EXPECT_EQ(info.port_physical_state, mad::PortPhysicalState::LinkUp);
  EXPECT_EQ(info.link_width_active, 2);      // 4x
  EXPECT_EQ(info.link_speed_ext_active, 4);  // HDR
  EXPECT_EQ(info.local_port_num.value, 1);
}

TEST_F(Agent, SpeedsBelowFourteenGigabitShowNoExtendedSpeed) {
  World slow = make_world("star:2,speed=QDR,width=1x");
  Probe asking(slow, *slow.find_endpoint("host-0001"));
  const mad::PortInfo info = asking.port_info({1}, 2);
  EXPECT_EQ(info.link_speed_active, 4);
  EXPECT_EQ(info.link_speed_ext_active, 0);
  EXPECT_EQ(info.link_width_active, 1);
}

TEST_F(Agent, PortsThatDoNotExistAreRefused) {
  EXPECT_EQ(probe.get(AttributeId::PortInfo, {1}, 5)->status, mad::kStatusBadField);
  EXPECT_EQ(probe.get(AttributeId::PortInfo, {1, 2}, 2)->status, mad::kStatusBadField);
  EXPECT_EQ(probe.get(AttributeId::PortInfo, {1, 2}, 1)->status, mad::kStatusOk);
  EXPECT_EQ(probe.get(AttributeId::PortInfo, {1, 2}, mad::kSmSupportExtendedSpeeds | 1)->status,
            mad::kStatusOk);
}

TEST_F(Agent, StatesGoFromInitializeByArmedToActiveOnly) {
  EXPECT_EQ(probe.set_state({1}, 2, mad::PortState::Active), mad::kStatusBadField);
  EXPECT_EQ(probe.set_state({1}, 2, mad::PortState::Init), mad::kStatusBadField);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Init);
  EXPECT_EQ(probe.set_state({1}, 2, mad::PortState::Armed), mad::kStatusOk);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Armed);
  EXPECT_EQ(probe.set_state({1}, 2, mad::PortState::Active), mad::kStatusOk);
  EXPECT_EQ(probe.set_state({1}, 2, mad::PortState::Armed), mad::kStatusBadField);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Active);
  // The other end has a state of its own.
  EXPECT_EQ(probe.port_info({1, 2}).port_state, mad::PortState::Init);
}

TEST_F(Agent, NoChangeChangesNothing) {
  const mad::PortInfo before = probe.port_info({1, 2}, 1);
  EXPECT_EQ(probe.change_port({1, 2}, 1,
                              [](mad::PortInfo& info) {
                                info.link_width_enabled = 0;
                                info.link_speed_enabled = 0;
                                info.link_speed_ext_enabled = 0;
                                info.link_down_default_state = 0;
                                info.operational_vls = 0;
                              }),
            mad::kStatusOk);
  mad::PortInfo after = probe.port_info({1, 2}, 1);
  after.lid = before.lid;
  after.master_sm_lid = before.master_sm_lid;
  EXPECT_EQ(after, before);
}

TEST_F(Agent, APortSetDownTrainsAgainAtBothEnds) {
  for (const auto state : {mad::PortState::Armed, mad::PortState::Active}) {
    ASSERT_EQ(probe.set_state({1}, 2, state), mad::kStatusOk);
    ASSERT_EQ(probe.set_state({1, 2}, 1, state), mad::kStatusOk);
  }
  probe.change_switch({1}, [](mad::SwitchInfo& info) { info.port_state_change = true; });
  EXPECT_FALSE(probe.switch_info({1}).port_state_change);
  ASSERT_EQ(probe.set_state({1}, 2, mad::PortState::Down), mad::kStatusOk);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Init);
  EXPECT_EQ(probe.port_info({1, 2}).port_state, mad::PortState::Init);
  EXPECT_TRUE(probe.switch_info({1}).port_state_change);
}

TEST_F(Agent, ADisabledPortStaysDownUntilItPolls) {
  const auto set_physical = [&](mad::PortPhysicalState state) {
    return probe.change_port({1}, 2,
                             [&](mad::PortInfo& info) { info.port_physical_state = state; });
  };
  ASSERT_EQ(set_physical(mad::PortPhysicalState::Disabled), mad::kStatusOk);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Down);
  EXPECT_EQ(probe.port_info({1}, 2).port_physical_state, mad::PortPhysicalState::Disabled);
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 2}));
  ASSERT_EQ(probe.set_state({1}, 2, mad::PortState::Down), mad::kStatusOk);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Down);
  ASSERT_EQ(set_physical(mad::PortPhysicalState::Polling), mad::kStatusOk);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Init);
  EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {1, 2}));
}

TEST_F(Agent, AnEmptySocketIsDownAndPolling) {
  Blueprint blueprint = generate_fabric("star:2").value();
  blueprint.nodes[0].port_count = 3;
  World roomy(blueprint, {});
  Probe asking(roomy, *roomy.find_endpoint("host-0001"));
  const mad::PortInfo info = asking.port_info({1}, 3);
  EXPECT_EQ(info.port_state, mad::PortState::Down);
  EXPECT_EQ(info.port_physical_state, mad::PortPhysicalState::Polling);
  EXPECT_EQ(asking.set_state({1}, 3, mad::PortState::Armed), mad::kStatusBadField);
}

TEST_F(Agent, WidthsAndSpeedsTakeEffectWhenTheLinkTrains) {
  ASSERT_EQ(probe.change_port({1}, 2,
                              [](mad::PortInfo& info) {
                                info.link_width_enabled = 1;
                                info.link_speed_ext_enabled = 30;
                                info.link_speed_enabled = 1;
                              }),
            mad::kStatusOk);
  EXPECT_EQ(probe.port_info({1}, 2).link_width_active, 2);
  ASSERT_EQ(probe.set_state({1}, 2, mad::PortState::Down), mad::kStatusOk);
  const mad::PortInfo peer = probe.port_info({1, 2});
  EXPECT_EQ(peer.link_width_active, 1);
  EXPECT_EQ(peer.link_speed_active, 1);
  EXPECT_EQ(peer.link_speed_ext_active, 0);
}

// Each changes one field to what the port cannot do.
TEST_F(Agent, RefusedWritesChangeNothingAtAll) {
  using Change = void (*)(mad::PortInfo&);
  const Change wrong[] = {
      [](mad::PortInfo& info) { info.operational_vls = 5; },
      [](mad::PortInfo& info) { info.neighbor_mtu = static_cast<mad::Mtu>(6); },
      [](mad::PortInfo& info) { info.neighbor_mtu = static_cast<mad::Mtu>(0); },
      [](mad::PortInfo& info) { info.link_width_enabled = 8; },
      [](mad::PortInfo& info) { info.link_speed_enabled = 8; },
      [](mad::PortInfo& info) { info.link_speed_ext_enabled = 16; },
      [](mad::PortInfo& info) { info.link_down_default_state = 3; },
      [](mad::PortInfo& info) { info.port_physical_state = mad::PortPhysicalState::PhyTest; },
      [](mad::PortInfo& info) { info.lid = mad::Lid{0xC000}; },
      [](mad::PortInfo& info) { info.lid = mad::Lid{0}; },
      [](mad::PortInfo& info) { info.master_sm_lid = mad::Lid{0}; },
  };
  for (const Change change : wrong) {
    const mad::PortInfo before = probe.port_info({1, 2}, 1);
    const auto status = probe.change_port({1, 2}, 1, [&](mad::PortInfo& info) {
      info.lid = mad::Lid{77};
      info.subnet_timeout = 9;
      change(info);
    });
    EXPECT_EQ(status, mad::kStatusBadField);
    EXPECT_EQ(probe.port_info({1, 2}, 1), before);
  }
}

TEST_F(Agent, WhatIsReadOnlyIsIgnored) {
  const mad::PortInfo before = probe.port_info({1, 2}, 1);
  ASSERT_EQ(probe.change_port({1, 2}, 1,
                              [](mad::PortInfo& info) {
                                info.lid = mad::Lid{5};
                                info.capability_mask = 0;
                                info.vl_cap = 1;
                                info.mtu_cap = mad::Mtu::Bytes256;
                                info.link_width_supported = 0xF;
                                info.link_width_active = 1;
                                info.guid_cap = 0;
                              }),
            mad::kStatusOk);
  mad::PortInfo after = probe.port_info({1, 2}, 1);
  EXPECT_EQ(after.lid.value, 5);
  after.lid = before.lid;
  after.master_sm_lid = before.master_sm_lid;
  EXPECT_EQ(after, before);
}

TEST_F(Agent, AnEndpointKeepsWhatTheSmTellsIt) {
  ASSERT_EQ(probe.change_port({1, 2}, 1,
                              [](mad::PortInfo& info) {
                                info.lid = mad::Lid{40};
                                info.lmc = 3;
                                info.master_sm_lid = mad::Lid{7};
                                info.master_sm_sl = mad::ServiceLevel{2};
                                info.subnet_timeout = 18;
                                info.gid_prefix = mad::GidPrefix{0xfec0'0000'0000'0001};
                                info.link_down_default_state = 1;
                                info.neighbor_mtu = mad::Mtu::Bytes2048;
                                info.operational_vls = 3;
                                info.client_reregister = true;
                              }),
            mad::kStatusOk);
  const mad::PortInfo info = probe.port_info({1, 2});
  EXPECT_EQ(info.lid.value, 40);
  EXPECT_EQ(info.lmc, 3);
  EXPECT_EQ(info.master_sm_lid.value, 7);
  EXPECT_EQ(info.master_sm_sl.value, 2);
  EXPECT_EQ(info.subnet_timeout, 18);
  EXPECT_EQ(info.gid_prefix.value, 0xfec0'0000'0000'0001);
  EXPECT_EQ(info.link_down_default_state, 1);
  EXPECT_EQ(info.neighbor_mtu, mad::Mtu::Bytes2048);
  EXPECT_EQ(info.operational_vls, 3);
  // It is a request, not a state.
  EXPECT_FALSE(info.client_reregister);
  EXPECT_EQ(world.devices().ports[*world.find_endpoint("host-0002")].reregistrations, 1u);
}

TEST_F(Agent, ASwitchPortKeepsLinkFieldsAndHasNoAddress) {
  ASSERT_EQ(probe.change_port({1}, 2,
                              [](mad::PortInfo& info) {
                                info.lid = mad::Lid{9};
                                info.hoq_life = 12;
                                info.vl_stall_count = 7;
                                info.partition_enforcement_inbound = true;
                              }),
            mad::kStatusOk);
  const mad::PortInfo info = probe.port_info({1}, 2);
  EXPECT_EQ(info.lid, mad::kNoLid);
  EXPECT_EQ(info.hoq_life, 12);
  EXPECT_EQ(info.vl_stall_count, 7);
  EXPECT_TRUE(info.partition_enforcement_inbound);
}

TEST_F(Agent, OnlyAnEnhancedPort0TakesAnLmc) {
  Blueprint blueprint = generate_fabric("star:2").value();
  for (const bool enhanced : {false, true}) {
    blueprint.nodes[0].enhanced_port0 = enhanced;
    World other(blueprint, {});
    Probe asking(other, *other.find_endpoint("host-0001"));
    EXPECT_EQ(asking.switch_info({1}).enhanced_port0, enhanced);
    ASSERT_EQ(asking.change_port({1}, 0,
                                 [](mad::PortInfo& info) {
                                   info.lid = mad::Lid{8};
                                   info.lmc = 2;
                                 }),
              mad::kStatusOk);
    EXPECT_EQ(asking.port_info({1}, 0).lmc, enhanced ? 2 : 0);
    EXPECT_EQ(asking.port_info({1}, 0).port_state, mad::PortState::Active);
  }
}

TEST_F(Agent, IsSmShowsWhereAnSmSits) {
  world.set_is_sm(probe.at, true);
  EXPECT_TRUE(probe.port_info({}).capability_mask & mad::kIsSM);
  world.set_is_sm(probe.at, false);
  EXPECT_FALSE(probe.port_info({}).capability_mask & mad::kIsSM);
}

// --- SwitchInfo and forwarding tables -----------------------------------------------------------

TEST_F(Agent, AFreshSwitchForwardsNothing) {
  EXPECT_EQ(probe.switch_info({1}).linear_fdb_top, 0);
  for (const std::uint32_t block : {0u, 5u, 767u}) {
    EXPECT_EQ(probe.get(AttributeId::LinearForwardingTable, {1}, block)->data, filled(0xFF));
  }
}

TEST_F(Agent, LinearTablesKeepWhatIsWrittenBlockByBlock) {
  mad::SmpData data = filled(2);
  data[3] = std::byte{1};
  EXPECT_EQ(probe.set(AttributeId::LinearForwardingTable, {1}, 7, data)->data, data);
  EXPECT_EQ(probe.get(AttributeId::LinearForwardingTable, {1}, 7)->data, data);
  EXPECT_EQ(probe.get(AttributeId::LinearForwardingTable, {1}, 6)->data, filled(0xFF));
  EXPECT_EQ(probe.get(AttributeId::LinearForwardingTable, {1}, 8)->data, filled(0xFF));
}

TEST_F(Agent, TablesEndAtTheirCapacity) {
  Blueprint blueprint = generate_fabric("star:2").value();
  blueprint.nodes[0].linear_fdb_cap = 100;
  blueprint.nodes[0].multicast_fdb_cap = 64;
  World other(blueprint, {});
  Probe asking(other, *other.find_endpoint("host-0001"));
  const auto set_linear = [&](std::uint32_t block) {
    return asking.set(AttributeId::LinearForwardingTable, {1}, block, filled(1))->status;
  };
  EXPECT_EQ(set_linear(1), mad::kStatusOk);
  EXPECT_EQ(set_linear(2), mad::kStatusBadField);
  EXPECT_EQ(set_linear(0xFFFF'FFFF), mad::kStatusBadField);
  const auto half = asking.get(AttributeId::LinearForwardingTable, {1}, 1)->data;
  EXPECT_EQ(half[99 - 64], std::byte{1});
  EXPECT_EQ(half[100 - 64], std::byte{0xFF});
  const auto set_top = [&](std::uint16_t top) {
    return asking.change_switch({1}, [&](mad::SwitchInfo& info) { info.linear_fdb_top = top; });
  };
  EXPECT_EQ(set_top(100), mad::kStatusBadField);
  EXPECT_EQ(asking.switch_info({1}).linear_fdb_top, 0);
  EXPECT_EQ(set_top(99), mad::kStatusOk);
  EXPECT_EQ(asking.switch_info({1}).linear_fdb_top, 99);
  const auto set_multicast = [&](std::uint32_t modifier) {
    return asking.set(AttributeId::MulticastForwardingTable, {1}, modifier, filled(0))->status;
  };
  EXPECT_EQ(set_multicast(1), mad::kStatusOk);
  EXPECT_EQ(set_multicast(2), mad::kStatusBadField);
  EXPECT_EQ(set_multicast(1u << 28), mad::kStatusBadField);
}

TEST_F(Agent, MulticastTablesKeepPositionsApart) {
  World wide = make_world("star:20");
  Probe asking(wide, *wide.find_endpoint("host-0001"));
  const std::uint32_t second = 1u << 28 | 3;
  ASSERT_EQ(asking.set(AttributeId::MulticastForwardingTable, {1}, second, filled(6))->status,
            mad::kStatusOk);
  EXPECT_EQ(asking.get(AttributeId::MulticastForwardingTable, {1}, second)->data, filled(6));
  EXPECT_EQ(asking.get(AttributeId::MulticastForwardingTable, {1}, 3)->data, filled(0));
}

TEST_F(Agent, MulticastTopStaysInsideTheTable) {
  const auto set_top = [&](std::uint16_t top) {
    return probe.change_switch({1}, [&](mad::SwitchInfo& info) { info.multicast_fdb_top = top; });
  };
  EXPECT_EQ(set_top(0xBFFF), mad::kStatusOk);
  EXPECT_EQ(set_top(0xC000 + 4095), mad::kStatusOk);
  EXPECT_EQ(set_top(0xC000 + 4096), mad::kStatusBadField);
  EXPECT_EQ(set_top(0x1000), mad::kStatusBadField);
}

TEST_F(Agent, PortStateChangeIsClearedByWritingOne) {
  world.cut(*world.find_cable(*world.find_node("switch-1"), 3));
  EXPECT_TRUE(probe.switch_info({1}).port_state_change);
  probe.change_switch({1}, [](mad::SwitchInfo& info) { info.port_state_change = false; });
  EXPECT_TRUE(probe.switch_info({1}).port_state_change);
  probe.change_switch({1}, [](mad::SwitchInfo& info) { info.port_state_change = true; });
  EXPECT_FALSE(probe.switch_info({1}).port_state_change);
}

TEST_F(Agent, SwitchPortStateTableShowsAllPortsAtOnce) {
  ASSERT_EQ(probe.set_state({1}, 2, mad::PortState::Armed), mad::kStatusOk);
  world.cut(*world.find_cable(*world.find_node("switch-1"), 3));
  EXPECT_TRUE(probe.port_info({1}, 0).capability_mask2 & mad::kIsSwitchPortStateTableSupported);
  const auto answer = probe.get(AttributeId::SwitchPortStateTable, {1});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->data[0], std::byte{0x42});  // port 0 Active, port 1 Init
  EXPECT_EQ(answer->data[1], std::byte{0x31});  // port 2 Armed, port 3 Down
  EXPECT_EQ(answer->data[2], std::byte{0x20});  // port 4 Init, no port 5
  EXPECT_EQ(probe.get(AttributeId::SwitchPortStateTable, {1}, 2)->status, mad::kStatusBadField);
}

// --- the small tables ---------------------------------------------------------------------------

TEST_F(Agent, FreshPartitionTablesHoldTheDefaultKeyAlone) {
  mad::SmpData expected{};
  expected[0] = expected[1] = std::byte{0xFF};
  EXPECT_EQ(probe.get(AttributeId::PKeyTable, {1, 2})->data, expected);
  EXPECT_EQ(probe.get(AttributeId::PKeyTable, {1}, 3u << 16)->data, expected);
  EXPECT_EQ(probe.get(AttributeId::PKeyTable, {1, 2}, 3)->data, mad::SmpData{});
  EXPECT_EQ(probe.get(AttributeId::PKeyTable, {1, 2}, 4)->status, mad::kStatusBadField);
  EXPECT_EQ(probe.get(AttributeId::PKeyTable, {1}, 5u << 16)->status, mad::kStatusBadField);
}

TEST_F(Agent, PartitionTablesOfTwoPortsOfASwitchAreTwo) {
  ASSERT_EQ(probe.set(AttributeId::PKeyTable, {1}, 2u << 16, filled(9))->status, mad::kStatusOk);
  EXPECT_EQ(probe.get(AttributeId::PKeyTable, {1}, 2u << 16)->data, filled(9));
  EXPECT_NE(probe.get(AttributeId::PKeyTable, {1}, 3u << 16)->data, filled(9));
  EXPECT_NE(probe.get(AttributeId::PKeyTable, {1}, 0)->data, filled(9));
}

TEST_F(Agent, GuidInfoBeginsWithThePortsOwnGuid) {
  const std::uint64_t guid = world.port_guid(*world.find_endpoint("host-0002")).value;
  const auto first_guid = [](const mad::SmpData& data) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) value = value << 8 | std::to_integer<unsigned>(data[i]);
    return value;
  };
  EXPECT_EQ(first_guid(probe.get(AttributeId::GUIDInfo, {1, 2})->data), guid);
  const auto set = probe.set(AttributeId::GUIDInfo, {1, 2}, 0, filled(3));
  EXPECT_EQ(first_guid(set->data), guid);
  EXPECT_EQ(set->data[8], std::byte{3});
  EXPECT_EQ(probe.get(AttributeId::GUIDInfo, {1, 2}, 4)->status, mad::kStatusBadField);
  EXPECT_EQ(probe.get(AttributeId::GUIDInfo, {1}, 0)->status, mad::kStatusOk);
  EXPECT_EQ(probe.get(AttributeId::GUIDInfo, {1}, 1)->status, mad::kStatusBadField);
}

TEST_F(Agent, SlToVlIsKeptPerInputAndOutputPort) {
  const auto modifier = [](unsigned in, unsigned out) { return in << 8 | out; };
  const auto fresh = probe.get(AttributeId::SLtoVLMappingTable, {1}, modifier(1, 2))->data;
  EXPECT_EQ(fresh[0], std::byte{0x01});
  EXPECT_EQ(fresh[7], std::byte{0x67});
  const auto set = probe.set(AttributeId::SLtoVLMappingTable, {1}, modifier(1, 2), filled(0x11));
  EXPECT_EQ(set->data[7], std::byte{0x11});
  EXPECT_EQ(set->data[8], std::byte{0});
  EXPECT_EQ(probe.get(AttributeId::SLtoVLMappingTable, {1}, modifier(2, 1))->data, fresh);
  EXPECT_EQ(probe.get(AttributeId::SLtoVLMappingTable, {1}, modifier(1, 5))->status,
            mad::kStatusBadField);
  EXPECT_EQ(probe.get(AttributeId::SLtoVLMappingTable, {1}, modifier(5, 1))->status,
            mad::kStatusBadField);
}

TEST_F(Agent, VlArbitrationEndsAtItsCapacity) {
  const auto modifier = [](unsigned quarter, unsigned port) { return quarter << 16 | port; };
  const unsigned entries = probe.port_info({1}, 2).vl_arbitration_low_cap;
  ASSERT_LT(entries, 32u);
  const auto set = probe.set(AttributeId::VLArbitrationTable, {1}, modifier(1, 2), filled(4));
  EXPECT_EQ(set->data[2 * entries - 1], std::byte{4});
  EXPECT_EQ(set->data[2 * entries], std::byte{0});
  for (const unsigned quarter : {0u, 2u, 4u, 5u}) {
    EXPECT_EQ(probe.get(AttributeId::VLArbitrationTable, {1}, modifier(quarter, 2))->status,
              mad::kStatusBadField);
  }
  EXPECT_EQ(probe.get(AttributeId::VLArbitrationTable, {1, 2}, modifier(3, 0))->status,
            mad::kStatusOk);
}

TEST_F(Agent, TheBeaconCanBeLit) {
  EXPECT_EQ(probe.get(AttributeId::LedInfo, {1})->data, mad::SmpData{});
  EXPECT_EQ(probe.set(AttributeId::LedInfo, {1}, 0, filled(0xFF))->data[0], std::byte{0x80});
  EXPECT_EQ(probe.get(AttributeId::LedInfo, {1})->data[0], std::byte{0x80});
}

// --- M_Key --------------------------------------------------------------------------------------

class Guarded : public Agent {
 protected:
  void guard(std::uint8_t protect_bits, std::uint16_t lease = 0) {
    ASSERT_EQ(probe.change_port({1, 2}, 1,
                                [&](mad::PortInfo& info) {
                                  info.m_key = kKey;
                                  info.m_key_protect_bits = protect_bits;
                                  info.m_key_lease_period = lease;
                                }),
              mad::kStatusOk);
  }
  bool stranger_may_set() {
    probe.m_key = mad::MKey{};
    mad::SmpData data{};
    return probe.set(AttributeId::LedInfo, {1, 2}, 0, data).has_value();
  }
  static constexpr mad::MKey kKey{0x1234};
};

TEST_F(Guarded, WithoutAKeyEverybodyMayDoEverything) {
  EXPECT_TRUE(stranger_may_set());
}

TEST_F(Guarded, ProtectBits0ShowTheKeyToAll) {
  guard(0);
  EXPECT_EQ(probe.port_info({1, 2}).m_key, kKey);
  EXPECT_FALSE(stranger_may_set());
}

TEST_F(Guarded, ProtectBits1HideTheKeyFromStrangers) {
  guard(1);
  EXPECT_EQ(probe.port_info({1, 2}).m_key, mad::MKey{});
  EXPECT_FALSE(stranger_may_set());
  probe.m_key = kKey;
  EXPECT_EQ(probe.port_info({1, 2}).m_key, kKey);
}

TEST_F(Guarded, ProtectBits2And3AnswerNoStranger) {
  for (const std::uint8_t bits : {std::uint8_t{2}, std::uint8_t{3}}) {
    probe.m_key = kKey;
    guard(bits);
    probe.m_key = mad::MKey{99};
    EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 2}));
    probe.m_key = kKey;
    EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {1, 2}));
  }
}

TEST_F(Guarded, ViolationsAreCountedAndCanBeReset) {
  guard(2);
  probe.m_key = mad::MKey{99};
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 2}));
  probe.m_key = kKey;
  EXPECT_EQ(probe.port_info({1, 2}).m_key_violations, 3);
  probe.change_port({1, 2}, 1, [](mad::PortInfo& info) { info.m_key_violations = 0; });
  EXPECT_EQ(probe.port_info({1, 2}).m_key_violations, 0);
}

TEST_F(Guarded, TheLeaseEndsTheProtectionWhenNobodyRenewsIt) {
  using std::chrono::seconds;
  guard(2, 10);
  EXPECT_FALSE(stranger_may_set());  // the lease begins to run
  probe.now += seconds(9);
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 2}));
  probe.m_key = kKey;
  EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {1, 2}));  // renewed
  probe.m_key = mad::MKey{};
  probe.now += seconds(9);
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 2}));  // runs again from here
  probe.now += seconds(10);
  EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {1, 2}));
  EXPECT_EQ(probe.port_info({1, 2}).m_key_protect_bits, 0);
}

TEST_F(Guarded, ASwitchGuardsAllItsPortsByPort0) {
  ASSERT_EQ(probe.change_port({1}, 0,
                              [&](mad::PortInfo& info) {
                                info.m_key = kKey;
                                info.m_key_protect_bits = 2;
                              }),
            mad::kStatusOk);
  EXPECT_FALSE(probe.get(AttributeId::PortInfo, {1}, 3));
  EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {1, 2}));  // it forwards all the same
  probe.m_key = kKey;
  EXPECT_EQ(probe.port_info({1}, 3).m_key, mad::MKey{});
  EXPECT_EQ(probe.port_info({1}, 0).m_key, kKey);
}

}  // namespace
}  // namespace heddle::sim
