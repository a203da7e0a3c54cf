// SPDX-License-Identifier: BSD-3-Clause
// P_Keys and Q_Keys of packets on QP1, and the traps by which devices tell of them and of changes.
//
// The fabric is a star that is up; the SM is on host-0001, which has every trap delivered.
#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "mad/notice.hpp"
#include "mad/p_key_table.hpp"
#include "mad/port_counters.hpp"
#include "sim/counters.hpp"
#include "sim/p_keys.hpp"
#include "tests/sim/gmp_probe.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using mad::AttributeId;
using mad::PKey;

constexpr auto kSoftware = static_cast<mad::ManagementClass>(0x32);

class Keys : public ::testing::Test {
 protected:
  Keys() : world(make_world("star:4")), manager(world, *world.find_endpoint("host-0001")) {
    manager.bring_up();
    world.set_is_sm(manager.probe.at, true);
    manager.probe.settle();
    world.take_deliveries();
  }

  mad::Lid lid_of(std::string_view node) { return manager.lids.at(*world.find_endpoint(node)); }

  void write_keys(const Route& route, std::uint8_t port, std::vector<std::uint16_t> keys) {
    mad::PKeyTable table;
    for (std::size_t i = 0; i < keys.size(); ++i) table.p_keys[i] = PKey{keys[i]};
    mad::SmpData data{};
    mad::encode(table, std::span(data));
    const auto answer = manager.probe.set(
        AttributeId::PKeyTable, route, mad::p_key_table_modifier(0, mad::PortNumber{port}), data);
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->status, mad::kStatusOk);
  }

  // From host-0003 to host-0002; true when it arrived. Traps are kept.
  bool packet_arrives(std::uint16_t index = 0, std::uint32_t q_key = mad::kManagementQKey) {
    mad::Datagram datagram =
        datagram_of(question_of(kSoftware, mad::Method::Send, 0), lid_of("host-0002"));
    datagram.peer.p_key_index = index;
    datagram.peer.q_key = q_key;
    world.send(*world.find_endpoint("host-0003"), datagram, manager.probe.now);
    manager.probe.settle();
    bool arrived = false;
    for (const Delivery& delivery : world.take_deliveries()) {
      if (delivery.to == *world.find_endpoint("host-0002")) {
        arrived = true;
        index_seen = delivery.datagram.peer.p_key_index;
      } else {
        traps.push_back(mad::decode<mad::Notice>(mad::decode_smp(delivery.datagram.payload)->data));
      }
    }
    return arrived;
  }

  std::uint64_t counted(std::string_view node, std::uint8_t port, Counter counter) {
    return count_of(world.devices(), world.devices().port_at(*world.find_node(node), port),
                    counter);
  }

  World world;
  TinyManager manager;
  std::vector<mad::Notice> traps;
  std::uint16_t index_seen = 0;
};

// --- at the ends
// ----------------------------------------------------------------------------------

TEST_F(Keys, PacketsOfASharedPartitionArriveWithTheReceiversOwnIndex) {
  write_keys({1, 3}, 1, {0xFFFF, 0x8001});
  write_keys({1, 2}, 1, {0xFFFF, 0x8007, 0x0001});
  EXPECT_TRUE(packet_arrives(1));
  EXPECT_EQ(index_seen, 2);
  EXPECT_TRUE(packet_arrives(0));
  EXPECT_EQ(index_seen, 0);
}

TEST_F(Keys, TwoLimitedMembersAreApart) {
  write_keys({1, 3}, 1, {0xFFFF, 0x0001});
  write_keys({1, 2}, 1, {0xFFFF, 0x0001});
  EXPECT_FALSE(packet_arrives(1));
  write_keys({1, 2}, 1, {0xFFFF, 0x8001});
  EXPECT_TRUE(packet_arrives(1));
}

TEST_F(Keys, AnEntryWithoutAKeySendsNothing) {
  EXPECT_FALSE(packet_arrives(5));
  EXPECT_FALSE(packet_arrives(4000));
  EXPECT_TRUE(traps.empty());
  EXPECT_EQ(manager.probe.port_info({1, 2}).p_key_violations, 0);
}

TEST_F(Keys, AForeignPartitionIsCountedAndReported) {
  write_keys({1, 3}, 1, {0xFFFF, 0x8005});
  EXPECT_FALSE(packet_arrives(1));
  EXPECT_EQ(manager.probe.port_info({1, 2}).p_key_violations, 1);
  ASSERT_EQ(traps.size(), 1u);
  EXPECT_EQ(traps[0].trap_number, 257);
  EXPECT_EQ(traps[0].issuer_lid, lid_of("host-0002"));
  const auto details = std::get<mad::BadKeyNotice>(mad::decode_details(traps[0]));
  EXPECT_EQ(details.lid1, lid_of("host-0003"));
  EXPECT_EQ(details.lid2, lid_of("host-0002"));
  EXPECT_EQ(details.key, 0x8005u);
}

TEST_F(Keys, AWrongQKeyIsCountedAndReported) {
  EXPECT_FALSE(packet_arrives(0, 0x1234));
  EXPECT_EQ(manager.probe.port_info({1, 2}).q_key_violations, 1);
  ASSERT_EQ(traps.size(), 1u);
  EXPECT_EQ(traps[0].trap_number, 258);
  EXPECT_EQ(std::get<mad::BadKeyNotice>(mad::decode_details(traps[0])).key, 0x1234u);
}

TEST_F(Keys, DevicesAnswerWithTheKeyOfTheQuestion) {
  write_keys({}, 1, {0x8001, 0xFFFF});
  write_keys({1, 2}, 1, {0xFFFF, 0x8009});
  Gmp gmp = question_of(mad::ManagementClass::Perf, mad::Method::Get, 1);
  mad::Datagram datagram = datagram_of(gmp, lid_of("host-0002"));
  datagram.peer.p_key_index = 1;
  world.send(manager.probe.at, datagram, manager.probe.now);
  manager.probe.settle();
  const auto answers = world.take_deliveries();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].datagram.peer.p_key_index, 1);
}

// --- at switches
// ----------------------------------------------------------------------------------

TEST_F(Keys, SwitchesDropWhatTheirTablesDoNotAdmitOnTheWayIn) {
  write_keys({1, 3}, 1, {0xFFFF, 0x8005});
  write_keys({1, 2}, 1, {0xFFFF, 0x8005});
  EXPECT_TRUE(packet_arrives(1));
  manager.probe.change_port({1}, 3,
                            [](mad::PortInfo& info) { info.partition_enforcement_inbound = true; });
  EXPECT_TRUE(packet_arrives(0));
  EXPECT_FALSE(packet_arrives(1));
  EXPECT_EQ(counted("switch-1", 3, Counter::PortRcvConstraintErrors), 1u);
  ASSERT_EQ(traps.size(), 1u);
  EXPECT_EQ(traps[0].trap_number, 259);
  const auto details = std::get<mad::SwitchBadPKeyNotice>(mad::decode_details(traps[0]));
  EXPECT_EQ(details.p_key.value, 0x8005);
  EXPECT_EQ(details.port.value, 3);
  EXPECT_EQ(details.sw_lid, lid_of("switch-1"));
  write_keys({1}, 3, {0x8005});
  EXPECT_TRUE(packet_arrives(1));
  EXPECT_FALSE(packet_arrives(0));
}

TEST_F(Keys, SwitchesDropWhatTheirTablesDoNotAdmitOnTheWayOut) {
  write_keys({1, 3}, 1, {0xFFFF, 0x8005});
  manager.probe.change_port(
      {1}, 2, [](mad::PortInfo& info) { info.partition_enforcement_outbound = true; });
  EXPECT_FALSE(packet_arrives(1));
  EXPECT_EQ(counted("switch-1", 2, Counter::PortXmitConstraintErrors), 1u);
  EXPECT_EQ(counted("host-0002", 1, Counter::PortRcvPkts),
            counted("switch-1", 2, Counter::PortXmitPkts));
}

TEST_F(Keys, WhatASwitchCannotRouteIsCounted) {
  mad::Datagram datagram = datagram_of(question_of(kSoftware, mad::Method::Send, 0), mad::Lid{99});
  world.send(*world.find_endpoint("host-0003"), datagram, manager.probe.now);
  manager.probe.settle();
  EXPECT_EQ(counted("switch-1", 3, Counter::PortRcvSwitchRelayErrors), 1u);
  EXPECT_EQ(counted("switch-1", 3, Counter::PortDLIDMappingErrors), 1u);
}

// --- changes
// --------------------------------------------------------------------------------------

TEST_F(Keys, ChangesOfADeviceAreReported) {
  const auto next_trap = [&] {
    manager.probe.settle();
    const auto deliveries = world.take_deliveries();
    EXPECT_EQ(deliveries.size(), 1u);
    if (deliveries.empty()) return mad::Notice{};
    return mad::decode<mad::Notice>(mad::decode_smp(deliveries[0].datagram.payload)->data);
  };
  world.set_description(*world.find_node("host-0002"), "compute-17 mlx5_0");
  mad::Notice notice = next_trap();
  EXPECT_EQ(notice.trap_number, 144);
  auto details = std::get<mad::LocalChangesNotice>(mad::decode_details(notice));
  EXPECT_TRUE(details.other_local_changes);
  EXPECT_TRUE(details.node_description_changed);
  EXPECT_EQ(details.lid, lid_of("host-0002"));

  world.set_is_sm(*world.find_endpoint("host-0003"), true);
  notice = next_trap();
  EXPECT_EQ(notice.trap_number, 144);
  details = std::get<mad::LocalChangesNotice>(mad::decode_details(notice));
  EXPECT_FALSE(details.other_local_changes);
  EXPECT_TRUE(details.capability_mask & mad::kIsSM);
  world.set_is_sm(*world.find_endpoint("host-0003"), true);
  manager.probe.settle();
  EXPECT_TRUE(world.take_deliveries().empty());

  world.set_system_image_guid(*world.find_node("switch-1"), mad::Guid{0x99});
  notice = next_trap();
  EXPECT_EQ(notice.trap_number, 145);
  EXPECT_EQ(std::get<mad::SystemImageGuidNotice>(mad::decode_details(notice)).system_image_guid,
            mad::Guid{0x99});
}

}  // namespace
}  // namespace heddle::sim
