// SPDX-License-Identifier: BSD-3-Clause
// The tables are written by SMPs, as an SM does, or straight into the registers where a test wants
// them wrong.
#include "sim/walker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/stage.hpp"

namespace heddle::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Walker, GoesFromHostToHostByTheTables) {
  Stage stage("fat-tree:2,4");
  const Walk walk = stage.go("host-0001", stage.to("host-0008"));
  EXPECT_TRUE(walk.arrived());
  ASSERT_EQ(walk.steps.size(), 5u);  // host, leaf, spine, leaf, host
  EXPECT_EQ(walk.steps.front().node, stage.node("host-0001"));
  EXPECT_EQ(walk.steps[1].node, stage.node("leaf-1"));
  EXPECT_EQ(walk.steps[3].node, stage.node("leaf-4"));
  EXPECT_EQ(walk.steps.back(), (WalkStep{stage.node("host-0008"), 1, 0, 0}));
  // Each node is entered by the cable that the one before left by.
  for (std::size_t i = 0; i + 1 < walk.steps.size(); ++i) {
    const Devices& devices = stage.devices();
    const PortIndex out = devices.port_at(walk.steps[i].node, walk.steps[i].out_port);
    const PortIndex in = devices.port_at(walk.steps[i + 1].node, walk.steps[i + 1].in_port);
    EXPECT_EQ(devices.lines[out].peer, in);
  }
}

TEST(Walker, ReachesPortZeroOfASwitchAndTheSenderItself) {
  Stage stage("fat-tree:2,4");
  Packet packet;
  packet.dlid = stage.lid(stage.port("leaf-3", 0));
  const Walk walk_there = stage.go("host-0001", packet);
  EXPECT_TRUE(walk_there.arrived());
  EXPECT_EQ(walk_there.steps.back().node, stage.node("leaf-3"));
  const Walk walk_back = walk(stage.devices(), stage.port("leaf-3", 0), stage.to("host-0001"));
  EXPECT_TRUE(walk_back.arrived());
  EXPECT_EQ(stage.go("host-0001", stage.to("host-0001")).steps.size(), 1u);
}

TEST(Walker, SaysWhereTheTableEnds) {
  Stage stage("fat-tree:2,4");
  const Packet packet = stage.to("host-0008");
  auto& table = stage.registers("leaf-1").linear;
  const std::uint8_t right = table[packet.dlid.value];
  table[packet.dlid.value] = 255;
  const Walk none = stage.go("host-0001", packet);
  EXPECT_EQ(none.end, WalkEnd::NoRoute);
  EXPECT_EQ(none.steps.back().node, stage.node("leaf-1"));
  table[packet.dlid.value] = 99;
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::BadPort);
  table[packet.dlid.value] = 1;  // host-0001 again, the sender's own cable
  EXPECT_EQ(stage.go("host-0002", packet).end, WalkEnd::NotForHere);
  table[packet.dlid.value] = 0;
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::NotForHere);
  table[packet.dlid.value] = right;
  EXPECT_TRUE(stage.go("host-0001", packet).arrived());
  stage.registers("leaf-1").info.linear_fdb_top =
      mad::Lid{static_cast<std::uint16_t>(packet.dlid.value - 1)}.value;
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::NoRoute);
}

TEST(Walker, NamesALoop) {
  Stage stage("ring:4,hosts=1");
  const Packet packet = stage.to("host-0003");
  const Devices& devices = stage.devices();
  // Every switch sends the packet on to the same side: round and round.
  for (unsigned i = 1; i <= 4; ++i) {
    const std::string here = "switch-" + std::to_string(i);
    const NodeIndex next = stage.node("switch-" + std::to_string(i % 4 + 1));
    for (std::uint8_t port = 1; port <= devices.nodes[stage.node(here)].port_count; ++port) {
      const PortIndex peer = devices.lines[stage.port(here, port)].peer;
      if (peer == kNone || devices.lines[peer].node != next) continue;
      stage.registers(here).linear[packet.dlid.value] = port;
    }
  }
  const Walk walk = stage.go("host-0001", packet);
  EXPECT_EQ(walk.end, WalkEnd::Loop);
  EXPECT_EQ(walk.steps.size(), 6u);
  EXPECT_EQ(walk.steps[1].node, walk.steps.back().node);
  Packet hasty = packet;
  hasty.hop_limit = 2;
  EXPECT_EQ(stage.go("host-0001", hasty).end, WalkEnd::HopLimit);
}

TEST(Walker, StopsAtALinkThatIsNotActive) {
  Stage stage("fat-tree:2,4");
  const Packet packet = stage.to("host-0008");
  const Walk before = stage.go("host-0001", packet);
  Devices& devices = stage.devices();
  const PortIndex out = devices.port_at(before.steps[2].node, before.steps[2].out_port);
  devices.lines[out].state = mad::PortState::Armed;
  const Walk after = stage.go("host-0001", packet);
  EXPECT_EQ(after.end, WalkEnd::PortNotActive);
  EXPECT_EQ(after.steps.back().node, before.steps[2].node);
  devices.lines[stage.port("host-0001")].state = mad::PortState::Init;
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::SourceNotActive);
}

TEST(Walker, TakesTheLaneOfTheTableForThePortItCameInBy) {
  Stage stage("fat-tree:2,4");
  Packet packet = stage.to("host-0008");
  packet.sl = mad::ServiceLevel{5};
  const Walk plain = stage.go("host-0001", packet);
  for (std::size_t i = 0; i + 1 < plain.steps.size(); ++i) EXPECT_EQ(plain.steps[i].lane, 5);
  Devices& devices = stage.devices();
  const WalkStep spine = plain.steps[2];
  mad::SmpData map{};
  map[2] = std::byte{0x03};  // SL 4 on lane 0, SL 5 on lane 3
  devices.tables(devices.port_at(spine.node, spine.out_port)).sl_to_vl[spine.in_port] = map;
  EXPECT_EQ(stage.go("host-0001", packet).steps[2].lane, 3);
  map[2] = std::byte{0x0F};
  devices.tables(devices.port_at(spine.node, spine.out_port)).sl_to_vl[spine.in_port] = map;
  const Walk dropped = stage.go("host-0001", packet);
  EXPECT_EQ(dropped.end, WalkEnd::LaneDropped);
  EXPECT_EQ(dropped.steps.back().node, spine.node);
}

TEST(Walker, DropsALaneThatTheLinkDoesNotHave) {
  Stage stage("star:2");
  Packet packet = stage.to("host-0002");
  packet.sl = mad::ServiceLevel{4};
  EXPECT_TRUE(stage.go("host-0001", packet).arrived());
  constexpr std::uint8_t kFourLanes = 3;
  stage.devices().ports[stage.port("switch-1", 2)].info.operational_vls = kFourLanes;
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::LaneDropped);
}

TEST(Walker, PartitionsAreKeptAtTheEndsAndWhereSwitchesEnforceThem) {
  Stage stage("star:3");
  Packet packet = stage.to("host-0002");
  packet.p_key = mad::PKey{0x8001};
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::PKeyAtSource);
  stage.set_keys(stage.port("host-0001"), {0x7FFF, 0x8001});
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::PKeyAtDestination);
  stage.set_keys(stage.port("host-0002"), {0x0001});
  EXPECT_TRUE(stage.go("host-0001", packet).arrived());

  const PortIndex in = stage.port("switch-1", 1);
  const PortIndex out = stage.port("switch-1", 2);
  stage.devices().ports[out].info.partition_enforcement_outbound = true;
  stage.set_keys(out, {0x8002});
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::PKeyOutbound);
  stage.set_keys(out, {0x8001});
  EXPECT_TRUE(stage.go("host-0001", packet).arrived());
  stage.devices().ports[in].info.partition_enforcement_inbound = true;
  stage.set_keys(in, {0x8002});
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::PKeyInbound);
}

TEST(Walker, TwoLimitedMembersDoNotHearOneAnother) {
  Stage stage("star:2");
  stage.set_keys(stage.port("host-0001"), {0x0001});
  stage.set_keys(stage.port("host-0002"), {0x0001});
  Packet packet = stage.to("host-0002");
  packet.p_key = mad::PKey{0x0001};
  EXPECT_EQ(stage.go("host-0001", packet).end, WalkEnd::PKeyAtSource);
}

TEST(Walker, TellsTheWayInWords) {
  Stage stage("star:2");
  const std::string text = describe(stage.devices(), stage.go("host-0001", stage.to("host-0002")));
  EXPECT_EQ(text,
            "host-0001: out 1, VL 0\n"
            "switch-1: in 1, out 2, VL 0\n"
            "host-0002: in 1\n"
            "arrived\n");
}

// --- multicast ----------------------------------------------------------------------------------

TEST(Spread, CopiesReachAllPortsThatTheTablesNameButNotTheSender) {
  Stage stage("star:40");  // ports in three positions of the table
  stage.set_multicast("switch-1", {0, 1, 2, 15, 16, 33, 40});
  Packet packet;
  packet.dlid = kGroup;
  const Spread spread = sim::spread(stage.devices(), stage.port("host-0001"), packet);
  EXPECT_THAT(spread.reached,
              testing::UnorderedElementsAre(stage.port("switch-1", 0), stage.port("host-0002"),
                                            stage.port("host-0015"), stage.port("host-0016"),
                                            stage.port("host-0033"), stage.port("host-0040")));
  EXPECT_THAT(spread.twice, IsEmpty());
  EXPECT_THAT(spread.loops, IsEmpty());
  EXPECT_EQ(spread.links, 1u + 5u);
}

TEST(Spread, EntriesAboveTheTopOfTheTableDoNotCount) {
  Stage stage("star:3");
  stage.set_multicast("switch-1", {1, 2, 3});
  auto& info = stage.devices().switch_at(stage.node("switch-1")).info;
  Packet packet;
  packet.dlid = kGroup;
  for (const auto& [top, reached] :
       {std::pair(int{kGroup.value}, 2u), {kGroup.value - 1, 0u}, {0, 2u}}) {
    info.multicast_fdb_top = static_cast<std::uint16_t>(top);
    const Spread spread = sim::spread(stage.devices(), stage.port("host-0001"), packet);
    EXPECT_EQ(spread.reached.size(), reached) << top;
  }
}

TEST(Spread, ACircleOfTablesIsNamedAndEnds) {
  Stage stage("ring:3,hosts=1");
  for (const char* name : {"switch-1", "switch-2", "switch-3"}) {
    stage.set_multicast(name, {1, 2, 3});
  }
  Packet packet;
  packet.dlid = kGroup;
  const Spread spread = sim::spread(stage.devices(), stage.port("host-0001"), packet);
  EXPECT_FALSE(spread.loops.empty());
  EXPECT_EQ(spread.reached.size(), 2u);
}

TEST(Spread, DropsAreToldWithTheirPlace) {
  Stage stage("star:3");
  stage.set_multicast("switch-1", {1, 2, 3});
  stage.set_keys(stage.port("host-0002"), {0x8003});
  stage.devices().lines[stage.port("switch-1", 3)].state = mad::PortState::Init;
  Packet packet;
  packet.dlid = kGroup;
  const Spread spread = sim::spread(stage.devices(), stage.port("host-0001"), packet);
  EXPECT_THAT(spread.reached, IsEmpty());
  ASSERT_EQ(spread.stops.size(), 2u);
  EXPECT_EQ(spread.stops[0].why, WalkEnd::PKeyAtDestination);
  EXPECT_EQ(spread.stops[0].at.node, stage.node("host-0002"));
  EXPECT_EQ(spread.stops[1].why, WalkEnd::PortNotActive);
  EXPECT_EQ(spread.stops[1].at.out_port, 3);
}

TEST(Spread, UnicastLidsAreNoGroups) {
  Stage stage("star:3");
  EXPECT_EQ(sim::spread(stage.devices(), stage.port("host-0001"), stage.to("host-0002")).links, 0u);
}

}  // namespace
}  // namespace heddle::sim
