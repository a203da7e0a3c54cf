// SPDX-License-Identifier: BSD-3-Clause
// Faults that take time: slow and disorderly cables, flaps, storms, training; and growth.
#include <chrono>

#include <gtest/gtest.h>

#include "mad/node_info.hpp"
#include "mad/notice.hpp"
#include "sim/counters.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using mad::AttributeId;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class SlowTrouble : public ::testing::Test {
 protected:
  SlowTrouble() : SlowTrouble(WorldOptions{}) {}
  explicit SlowTrouble(WorldOptions options)
      : world(make_world("star:4", options)), probe(world, *world.find_endpoint("host-0001")) {}

  std::uint32_t cable_of(std::string_view node) {
    return *world.find_cable(*world.find_node(node), 1);
  }
  mad::PortState state_of(std::string_view node) {
    return world.devices().lines[*world.find_endpoint(node)].state;
  }
  void send(std::uint64_t id) {
    mad::Smp smp = directed(mad::Method::Get, AttributeId::NodeInfo, {1, 2});
    smp.transaction_id = mad::TransactionId{id};
    world.send(probe.at, mad::make_datagram({}, smp), probe.now);
  }
  std::vector<std::uint64_t> answered() {
    std::vector<std::uint64_t> ids;
    for (const Delivery& delivery : world.take_deliveries()) {
      ids.push_back(mad::decode_smp(delivery.datagram.payload)->transaction_id.value);
    }
    return ids;
  }

  World world;
  Probe probe;
};

TEST_F(SlowTrouble, ASlowCableTakesItsTimeBothWays) {
  world.set_delay(cable_of("host-0002"), microseconds(30));
  send(1);
  EXPECT_EQ(world.next_event(), base::Instant(microseconds(30)));
  world.advance(base::Instant(microseconds(59)));
  EXPECT_TRUE(answered().empty());
  world.advance(base::Instant(microseconds(60)));
  EXPECT_EQ(answered(), std::vector<std::uint64_t>{1});
}

TEST_F(SlowTrouble, ASlowAgentTakesItsTimeOnce) {
  world.set_agent_delay(*world.find_node("host-0002"), milliseconds(3));
  send(1);
  EXPECT_EQ(world.next_event(), base::Instant(milliseconds(3)));
  world.advance(base::Instant(milliseconds(3)));
  EXPECT_EQ(answered().size(), 1u);
}

TEST_F(SlowTrouble, ADisorderlyCableLetsLaterOnesOvertake) {
  world.set_reorder(cable_of("host-0002"), 0.5);
  std::vector<std::uint64_t> sent;
  for (std::uint64_t id = 1; id <= 50; ++id) {
    sent.push_back(id);
    send(id);
  }
  probe.settle();
  auto got = answered();
  EXPECT_NE(got, sent);
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, sent);
  EXPECT_LE(probe.now, base::Instant(2 * kReorderHold));
}

TEST_F(SlowTrouble, ADoublingCableDoublesEachWay) {
  world.set_duplicate(cable_of("host-0002"), 1.0);
  send(7);
  probe.settle();
  EXPECT_EQ(answered(), std::vector<std::uint64_t>(4, 7));
}

TEST_F(SlowTrouble, AFlappingCableGoesDownAndUpAndEndsUp) {
  world.flap(cable_of("host-0002"), milliseconds(10), milliseconds(20), 3);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(state_of("host-0002"), mad::PortState::Down) << round;
    world.advance(base::Instant(milliseconds(30 * round + 10)));
    EXPECT_EQ(state_of("host-0002"), mad::PortState::Init) << round;
    world.advance(base::Instant(milliseconds(30 * round + 30)));
  }
  EXPECT_EQ(state_of("host-0002"), mad::PortState::Init);
  EXPECT_EQ(world.next_event(), base::kNever);
  EXPECT_EQ(
      count_of(world.devices(), *world.find_endpoint("host-0002"), Counter::LinkDownedCounter), 3u);
}

TEST_F(SlowTrouble, ADegradedCableTrainsToLessUntilItIsHealed) {
  world.degrade(cable_of("host-0002"), Width::X1, Speed::EDR);
  EXPECT_EQ(probe.port_info({1, 2}).link_width_active, 1);
  EXPECT_EQ(probe.port_info({1, 2}).link_speed_ext_active, 2);
  EXPECT_EQ(probe.port_info({1, 2}).link_width_supported, 1 | 2 | 16);
  world.degrade(cable_of("host-0002"), Width::X4, Speed::HDR);
  EXPECT_EQ(probe.port_info({1, 2}).link_width_active, 2);
  EXPECT_EQ(probe.port_info({1, 2}).link_speed_ext_active, 4);
}

TEST_F(SlowTrouble, ARebootTakesItsOutage) {
  world.reboot(*world.find_node("switch-1"), seconds(2));
  EXPECT_EQ(state_of("host-0001"), mad::PortState::Down);
  world.advance(base::Instant(seconds(2)) - base::Duration(1));
  EXPECT_EQ(state_of("host-0001"), mad::PortState::Down);
  world.advance(base::Instant(seconds(2)));
  EXPECT_EQ(state_of("host-0001"), mad::PortState::Init);
}

TEST_F(SlowTrouble, AStormIsAsManyTrapsAsItSays) {
  TinyManager manager(world, probe.at);
  manager.bring_up();
  world.set_is_sm(probe.at, true);
  for (const char* node : {"switch-1", "host-0002"}) {
    world.storm(*world.find_node(node), milliseconds(1), 5);
    probe.settle();
    EXPECT_EQ(world.take_deliveries().size(), 5u) << node;
  }
  EXPECT_EQ(probe.now, base::Instant(milliseconds(8)));
}

// --- training -----------------------------------------------------------------------------------

class Training : public SlowTrouble {
 protected:
  static WorldOptions slow() {
    WorldOptions options;
    options.training_time = milliseconds(50);
    return options;
  }
  Training() : SlowTrouble(slow()) {}
  mad::PortPhysicalState physical(std::string_view node) {
    return world.devices().ports[*world.find_endpoint(node)].info.port_physical_state;
  }
};

TEST_F(Training, TakesItsTime) {
  EXPECT_EQ(state_of("host-0002"), mad::PortState::Init);
  world.cut(cable_of("host-0002"));
  EXPECT_EQ(physical("host-0002"), mad::PortPhysicalState::Polling);
  world.restore(cable_of("host-0002"));
  EXPECT_EQ(physical("host-0002"), mad::PortPhysicalState::PortConfigurationTraining);
  EXPECT_EQ(state_of("host-0002"), mad::PortState::Down);
  EXPECT_EQ(world.next_event(), base::Instant(milliseconds(50)));
  world.advance(base::Instant(milliseconds(50)));
  EXPECT_EQ(state_of("host-0002"), mad::PortState::Init);
  EXPECT_EQ(physical("host-0002"), mad::PortPhysicalState::LinkUp);
}

TEST_F(Training, ThatWasInterruptedBeginsAgain) {
  world.cut(cable_of("host-0002"));
  world.restore(cable_of("host-0002"));
  world.advance(base::Instant(milliseconds(40)));
  world.cut(cable_of("host-0002"));
  world.restore(cable_of("host-0002"));
  world.advance(base::Instant(milliseconds(60)));
  EXPECT_EQ(state_of("host-0002"), mad::PortState::Down);
  world.advance(base::Instant(milliseconds(90)));
  EXPECT_EQ(state_of("host-0002"), mad::PortState::Init);
}

// --- traps that insist --------------------------------------------------------------------------

class Insistence : public SlowTrouble {
 protected:
  static WorldOptions insisting() {
    WorldOptions options;
    options.trap_interval = milliseconds(100);
    options.trap_repeats = 3;
    return options;
  }
  Insistence() : SlowTrouble(insisting()), manager(world, probe.at) {
    manager.bring_up();
    world.set_is_sm(probe.at, true);
    world.take_deliveries();
  }
  TinyManager manager;
};

TEST_F(Insistence, ATrapIsRepeatedAsOftenAsItMay) {
  world.cut(cable_of("host-0003"));
  probe.settle();
  EXPECT_EQ(world.take_deliveries().size(), 4u);
  EXPECT_EQ(probe.now, base::Instant(milliseconds(300)));
}

TEST_F(Insistence, ARepressedTrapIsNot) {
  world.cut(cable_of("host-0003"));
  world.advance(base::Instant(milliseconds(1)));
  const auto traps = world.take_deliveries();
  ASSERT_EQ(traps.size(), 1u);
  mad::Smp repress = *mad::decode_smp(traps[0].datagram.payload);
  repress.method = mad::Method::TrapRepress;
  mad::Address peer;
  peer.lid = traps[0].datagram.peer.lid;
  world.send(probe.at, mad::make_datagram(peer, repress), base::Instant(milliseconds(2)));
  world.advance(base::Instant(seconds(1)));
  EXPECT_TRUE(world.take_deliveries().empty());
}

TEST_F(Insistence, CountersThatATrapTellsOfSendIt) {
  const auto node = *world.find_node("host-0002");
  for (const auto& [counter, number] :
       {std::pair{"LocalLinkIntegrityErrors", 129}, std::pair{"ExcessiveBufferOverrunErrors", 130},
        std::pair{"PortVLXmitFlowCtlUpdateErrors[3]", 131}}) {
    ASSERT_TRUE(world.inject(node, 1, counter, 1));
    world.advance(probe.now);
    const auto traps = world.take_deliveries();
    ASSERT_EQ(traps.size(), 1u) << counter;
    const auto notice = mad::decode<mad::Notice>(mad::decode_smp(traps[0].datagram.payload)->data);
    EXPECT_EQ(notice.trap_number, number);
    const auto details = std::get<mad::PortThresholdNotice>(mad::decode_details(notice));
    EXPECT_EQ(details.lid, manager.lids.at(*world.find_endpoint("host-0002")));
    EXPECT_EQ(details.port.value, 1);
  }
}

TEST_F(Insistence, AnAdapterTellsOfAnotherEnabledWidthAndASwitchDoesNot) {
  const Devices& devices = world.devices();
  const NodeIndex middle = devices.lines[devices.lines[probe.at].peer].node;
  const auto narrow = [&](const Route& route, std::uint8_t port) {
    const PortIndex at = devices.port_at(middle, port);
    mad::PortInfo info = devices.ports[route.size() == 1 ? at : devices.lines[at].peer].info;
    info.port_state = mad::PortState::NoChange;
    info.port_physical_state = mad::PortPhysicalState::NoChange;
    info.link_width_enabled = 1;
    const std::uint32_t modifier = route.size() == 1 ? port : 0;
    mad::Smp smp = directed(mad::Method::Set, AttributeId::PortInfo, route, modifier);
    mad::encode(info, std::span(smp.data));
    world.send(probe.at, mad::make_datagram({}, smp), probe.now);
    world.advance(probe.now);
    std::vector<mad::Notice> notices;
    for (const Delivery& delivery : world.take_deliveries()) {
      const auto arrived = *mad::decode_smp(delivery.datagram.payload);
      if (arrived.attribute_id != AttributeId::Notice) continue;
      notices.push_back(mad::decode<mad::Notice>(arrived.data));
    }
    return notices;
  };
  const auto told = narrow({1, 2}, 2);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].trap_number, 144);
  const auto details = std::get<mad::LocalChangesNotice>(mad::decode_details(told[0]));
  EXPECT_TRUE(details.link_width_enabled_changed);
  EXPECT_FALSE(details.link_speed_enabled_changed);
  EXPECT_TRUE(narrow({1, 2}, 2).empty()) << "it is so already";
  EXPECT_TRUE(narrow({1}, 3).empty());
}

TEST_F(Insistence, AWrongMKeyIsReported) {
  probe.change_port({1, 2}, 1, [](mad::PortInfo& info) {
    info.lid = mad::Lid{9};
    info.m_key = mad::MKey{0x77};
  });
  mad::Smp wrong = directed(mad::Method::Set, AttributeId::PKeyTable, {1, 2}, 5);
  wrong.m_key = mad::MKey{0x66};
  world.send(probe.at, mad::make_datagram({}, wrong), probe.now);
  world.advance(probe.now);
  const auto traps = world.take_deliveries();
  ASSERT_EQ(traps.size(), 1u);
  const auto notice = mad::decode<mad::Notice>(mad::decode_smp(traps[0].datagram.payload)->data);
  EXPECT_EQ(notice.trap_number, 256);
  EXPECT_EQ(notice.type, mad::NoticeType::Security);
  const auto details = std::get<mad::BadMKeyNotice>(mad::decode_details(notice));
  EXPECT_EQ(details.m_key.value, 0x66u);
  EXPECT_EQ(details.method, mad::Method::Set);
  EXPECT_EQ(details.attribute_id, AttributeId::PKeyTable);
  EXPECT_EQ(details.attribute_modifier, 5u);
  EXPECT_TRUE(details.dr_notice);
  EXPECT_EQ(details.dr_hop_count, 2);
  EXPECT_EQ(details.return_path[1].value, 1);
}

// --- growth -------------------------------------------------------------------------------------

TEST_F(SlowTrouble, NodesAndCablesCanBeAdded) {
  PlannedNode node;
  node.name = "late";
  node.description = "late HCA-1";
  node.guid = mad::Guid{0xabcd};
  const auto added = world.add_node(node);
  ASSERT_TRUE(added);
  EXPECT_FALSE(world.add_node(node));
  PlannedNode wide;
  wide.name = "second";
  wide.type = mad::NodeType::Switch;
  wide.port_count = 4;
  const auto second = world.add_node(wide);
  ASSERT_TRUE(second);
  world.cut(cable_of("host-0004"));
  EXPECT_FALSE(world.add_cable({{*added, 1}, {0, 4}, Width::X4, Speed::HDR}));
  EXPECT_FALSE(world.add_cable({{*added, 2}, {*second, 4}, Width::X4, Speed::HDR}));
  EXPECT_FALSE(world.add_cable({{*added, 1}, {*second, 0}, Width::X4, Speed::HDR}));
  EXPECT_FALSE(world.add_cable({{99, 1}, {*second, 1}, Width::X4, Speed::HDR}));
  EXPECT_FALSE(world.add_cable({{*second, 1}, {*second, 1}, Width::X4, Speed::HDR}));
  ASSERT_TRUE(world.add_cable({{*added, 1}, {*second, 2}, Width::X4, Speed::HDR}));
  Probe there(world, *world.find_endpoint("late"));
  const auto answer = there.get(AttributeId::NodeInfo, {1});
  ASSERT_TRUE(answer);
  EXPECT_EQ(mad::decode<mad::NodeInfo>(answer->data).num_ports, 4);
  EXPECT_EQ(there.port_info({}).port_state, mad::PortState::Init);
}

}  // namespace
}  // namespace heddle::sim
