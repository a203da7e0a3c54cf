// SPDX-License-Identifier: BSD-3-Clause
#include "sim/patterns.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/sim/stage.hpp"

namespace heddle::sim {
namespace {

TEST(Patterns, HaveTheFlowsOfTheirNames) {
  Stage stage("star:6");
  const Devices& devices = stage.devices();
  const auto hosts = active_hosts(devices);
  ASSERT_EQ(hosts.size(), 6u);
  EXPECT_EQ(flows_of(devices, hosts, Pattern::AllToAll, 0).size(), 30u);
  const auto shift = flows_of(devices, hosts, Pattern::Shift, 2);
  ASSERT_EQ(shift.size(), 6u);
  EXPECT_EQ(shift[5].dlid, stage.lid(hosts[1]));
  EXPECT_EQ(flows_of(devices, hosts, Pattern::Ring, 77)[0].dlid, stage.lid(hosts[1]));
  const auto incast = flows_of(devices, hosts, Pattern::Incast, 3);
  ASSERT_EQ(incast.size(), 5u);
  for (const Flow& flow : incast) EXPECT_EQ(flow.dlid, stage.lid(hosts[2]));
  EXPECT_TRUE(flows_of(devices, hosts, Pattern::Shift, 6).empty()) << "nobody sends to itself";
  EXPECT_TRUE(flows_of(devices, {}, Pattern::Shift, 1).empty());
}

TEST(Patterns, APermutationSendsToEachAtMostOnceAndDependsOnTheSeedAlone) {
  Stage stage("star:40");
  const Devices& devices = stage.devices();
  const auto hosts = active_hosts(devices);
  const auto lids = [&](std::uint64_t seed) {
    std::vector<std::uint16_t> found;
    for (const Flow& flow : flows_of(devices, hosts, Pattern::Permutation, seed)) {
      found.push_back(flow.dlid.value);
    }
    return found;
  };
  const auto first = lids(1);
  EXPECT_EQ(std::set<std::uint16_t>(first.begin(), first.end()).size(), first.size());
  EXPECT_GE(first.size(), 30u);
  EXPECT_EQ(first, lids(1));
  EXPECT_NE(first, lids(2));
}

TEST(Drive, MovesTheCountersOfEachPortOnTheWay) {
  Stage stage("fat-tree:2,4");
  Devices& devices = stage.devices();
  const Walk way = stage.go("host-0001", stage.to("host-0008"));
  const std::vector<Traffic> before = devices.traffic;
  const Flow flow{stage.port("host-0001"), stage.to("host-0008").dlid, mad::ServiceLevel{3},
                  kDefaultPKey};
  const Driven driven = drive(devices, {flow}, 10, 70, {});
  EXPECT_EQ(driven.arrived, 10u);
  std::set<PortIndex> moved;
  for (std::size_t i = 0; i + 1 < way.steps.size(); ++i) {
    const PortIndex out = devices.port_at(way.steps[i].node, way.steps[i].out_port);
    const PortIndex in = devices.lines[out].peer;
    EXPECT_EQ(devices.traffic[out].xmit_data - before[out].xmit_data, 700u);
    EXPECT_EQ(devices.traffic[out].xmit_packets - before[out].xmit_packets, 10u);
    EXPECT_EQ(devices.traffic[in].rcv_data - before[in].rcv_data, 700u);
    EXPECT_EQ(count_of(devices, in, element(Counter::PortRcvDataSL, 3)), 700u);
    EXPECT_EQ(count_of(devices, in, element(Counter::PortVLOpPackets, 3)), 10u);
    moved.insert({out, in});
  }
  for (PortIndex port = 0; port < devices.traffic.size(); ++port) {
    if (moved.count(port) != 0) continue;
    EXPECT_EQ(devices.traffic[port].xmit_data, before[port].xmit_data);
    EXPECT_EQ(devices.traffic[port].rcv_data, before[port].rcv_data);
  }
}

TEST(Drive, CountsWhatIsDroppedWhereItIsDropped) {
  Stage stage("star:3");
  Devices& devices = stage.devices();
  const Flow flow{stage.port("host-0001"), stage.to("host-0002").dlid, {}, kDefaultPKey};
  auto& entry = stage.registers("switch-1").linear[flow.dlid.value];
  const std::uint8_t right = entry;
  entry = 255;
  EXPECT_EQ(drive(devices, {flow}, 5, 70, {}).lost, 5u);
  const PortIndex in = stage.port("switch-1", 1);
  EXPECT_EQ(count_of(devices, in, Counter::PortRcvSwitchRelayErrors), 5u);
  entry = right;
  const PortIndex out = stage.port("switch-1", 2);
  devices.ports[out].info.partition_enforcement_outbound = true;
  stage.set_keys(out, {0x8005});
  const Driven driven = drive(devices, {flow}, 7, 70, {});
  EXPECT_EQ(driven.stopped.size(), 1u);
  EXPECT_EQ(count_of(devices, out, Counter::PortXmitConstraintErrors), 7u);
}

TEST(Drive, WorksOnAWorld) {
  World world(generate_fabric("star:2").value(), {});
  TinyManager manager(world, *world.default_endpoint());
  manager.bring_up();
  const auto hosts = active_hosts(world.devices());
  const auto flows = flows_of(world.devices(), hosts, Pattern::Ring, 0);
  const std::uint64_t before = world.devices().traffic[hosts[1]].rcv_packets;
  EXPECT_EQ(world.drive(flows, 3, 64).arrived, 6u);
  EXPECT_EQ(world.devices().traffic[hosts[1]].rcv_packets, before + 3);
}

TEST(Patterns, HaveNames) {
  EXPECT_EQ(parse_pattern("all-to-all"), Pattern::AllToAll);
  EXPECT_EQ(parse_pattern("permutation"), Pattern::Permutation);
  EXPECT_FALSE(parse_pattern("everyone"));
}

}  // namespace
}  // namespace heddle::sim
