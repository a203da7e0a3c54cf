// SPDX-License-Identifier: BSD-3-Clause
// How SMPs and packets find their way.
#include <chrono>

#include <gtest/gtest.h>

#include "mad/node_info.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using mad::AttributeId;
using mad::Method;

mad::Guid guid_in(const mad::Smp& answer) {
  return mad::decode<mad::NodeInfo>(answer.data).node_guid;
}

// A host, so many switches in a row, a host: row of N switches is N + 1 hops long.
World row_of(unsigned switches) {
  World world = make_world("mesh:" + std::to_string(switches) + ",hosts=1");
  return world;
}

// --- directed routes ----------------------------------------------------------------------------

TEST(DirectedRoute, OfNoHopsAsksThePortItself) {
  World world = make_world("pair");
  Probe probe(world, *world.find_endpoint("host-0002"));
  const auto answer = probe.get(AttributeId::NodeInfo, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->method, Method::GetResp);
  EXPECT_TRUE(answer->direction);
  EXPECT_EQ(answer->hop_pointer, 0);
  EXPECT_EQ(guid_in(*answer).value + 1, world.port_guid(probe.at).value);
}

TEST(DirectedRoute, LeadsBetweenTwoHostsWithoutASwitch) {
  World world = make_world("pair");
  Probe probe(world, *world.find_endpoint("host-0001"));
  const auto answer = probe.get(AttributeId::NodeInfo, {1});
  ASSERT_TRUE(answer);
  EXPECT_EQ(guid_in(*answer), world.devices().nodes[1].info.node_guid);
  // A host does not forward.
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 1}));
}

TEST(DirectedRoute, FillsInTheWayBack) {
  World world = make_world("star:4");
  Probe probe(world, *world.find_endpoint("host-0003"));
  const auto answer = probe.get(AttributeId::NodeInfo, {1, 2});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->return_path[1].value, 3);  // into the switch
  EXPECT_EQ(answer->return_path[2].value, 1);  // into host-0002
  EXPECT_EQ(answer->hop_pointer, 0);
}

TEST(DirectedRoute, IsAsLongAsTheHopCountAllows) {
  World world = row_of(62);
  Probe probe(world, *world.find_endpoint("host-0001"));
  Route route{1};
  std::uint8_t out = 2;  // port 1 is the host's; the first switch has one neighbour only
  while (route.size() < 62) {
    route.push_back(out);
    out = 3;
  }
  route.push_back(1);
  ASSERT_EQ(route.size(), mad::kMaxHops);
  const auto answer = probe.get(AttributeId::NodeInfo, route);
  ASSERT_TRUE(answer);
  EXPECT_EQ(guid_in(*answer), world.devices().nodes[*world.find_node("host-0062")].info.node_guid);
}

TEST(DirectedRoute, LongerThanTheFieldAllowsIsDropped) {
  World world = make_world("star:2");
  Probe probe(world, *world.find_endpoint("host-0001"));
  mad::Smp smp = directed(Method::Get, AttributeId::NodeInfo, {1, 2});
  smp.hop_count = 64;
  EXPECT_FALSE(probe.ask(smp));
  smp.hop_count = 255;
  EXPECT_FALSE(probe.ask(smp));
  EXPECT_EQ(world.counters().discarded, 2u);
}

TEST(DirectedRoute, ThroughAPortThatIsNotThereIsDropped) {
  World world = make_world("star:2");
  Probe probe(world, *world.find_endpoint("host-0001"));
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 0}));
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 3}));
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 255}));
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {2}));  // the host has port 1 only
}

TEST(DirectedRoute, WithAWrongHopPointerIsDropped) {
  World world = make_world("star:2");
  Probe probe(world, *world.find_endpoint("host-0001"));
  mad::Smp smp = directed(Method::Get, AttributeId::NodeInfo, {1, 2});
  for (const std::uint8_t pointer : {std::uint8_t{1}, std::uint8_t{9}}) {
    smp.hop_pointer = pointer;
    EXPECT_FALSE(probe.ask(smp));
  }
}

TEST(DirectedRoute, MayTurnRoundAtASwitch) {
  World world = make_world("star:2");
  Probe probe(world, *world.find_endpoint("host-0001"));
  const auto answer = probe.get(AttributeId::NodeInfo, {1, 1});
  ASSERT_TRUE(answer);
  EXPECT_EQ(guid_in(*answer), world.devices().nodes[1].info.node_guid);
}

TEST(DirectedRoute, ACableFromASwitchToItselfIsWalkedLikeAnyOther) {
  Blueprint blueprint = generate_fabric("star:2").value();
  blueprint.nodes[0].port_count = 4;
  blueprint.cables.push_back({{0, 3}, {0, 4}});
  World world(blueprint, {});
  Probe probe(world, *world.find_endpoint("host-0001"));
  const auto answer = probe.get(AttributeId::NodeInfo, {1, 3});
  ASSERT_TRUE(answer);
  const auto info = mad::decode<mad::NodeInfo>(answer->data);
  EXPECT_EQ(info.node_type, mad::NodeType::Switch);
  EXPECT_EQ(info.local_port_num.value, 4);
}

TEST(DirectedRoute, TwoPortsOfAnAdapterAreTwoEndpoints) {
  World world = make_world("xgft:2;2");
  const EndpointId first = *world.find_endpoint("host-0001", 1);
  const EndpointId second = *world.find_endpoint("host-0001", 2);
  EXPECT_EQ(world.port_guid(first).value + 1, world.port_guid(second).value);
  Probe probe(world, second);
  const auto info = mad::decode<mad::NodeInfo>(probe.get(AttributeId::NodeInfo, {})->data);
  EXPECT_EQ(info.local_port_num.value, 2);
  EXPECT_EQ(info.port_guid, world.port_guid(second));
  // Both lead out, each by its own cable; a port cannot send through the other.
  EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {2}));
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1}));
  EXPECT_EQ(probe.change_port({}, 0, [](mad::PortInfo& i) { i.lid = mad::Lid{9}; }),
            mad::kStatusOk);
  EXPECT_EQ(probe.port_info({}, 1).lid, mad::kNoLid);
  EXPECT_EQ(probe.port_info({}, 2).lid.value, 9);
}

TEST(DirectedRoute, BeginsAtASwitchToo) {
  World world = make_world("star:3");
  Probe probe(world, *world.find_endpoint("switch-1"));
  EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {3}));
  const auto own = mad::decode<mad::NodeInfo>(probe.get(AttributeId::NodeInfo, {})->data);
  EXPECT_EQ(own.local_port_num.value, 0);
}

// --- LIDs ---------------------------------------------------------------------------------------

class ByLid : public ::testing::Test {
 protected:
  ByLid() : world(make_world("fat-tree:2,3")), manager(world, *world.find_endpoint("host-0001")) {
    manager.bring_up();
  }
  mad::Lid lid_of(std::string_view node) { return manager.lids.at(*world.find_endpoint(node)); }

  World world;
  TinyManager manager;
};

TEST_F(ByLid, SmpsFollowTheSwitchesTables) {
  for (const auto& [port, lid] : manager.lids) {
    const auto answer = manager.probe.ask(lid_routed(Method::Get, AttributeId::NodeInfo), lid);
    ASSERT_TRUE(answer) << lid.value;
    EXPECT_EQ(answer->management_class, mad::ManagementClass::SubnLidRouted);
    EXPECT_FALSE(answer->direction);
    EXPECT_EQ(mad::decode<mad::NodeInfo>(answer->data).port_guid, world.port_guid(port));
  }
}

TEST_F(ByLid, SmpsPassLinksThatAreNotActiveYetAndPacketsDoNot) {
  const EndpointId there = *world.find_endpoint("host-0002");
  mad::Datagram packet;
  packet.peer = {lid_of("host-0002"), 1, 0x8001'0000, {}, 0, 0, {}};
  packet.payload.resize(256);
  world.send(manager.probe.at, packet, manager.probe.now);
  manager.probe.settle();
  const auto arrived = world.take_deliveries();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].to, there);
  EXPECT_EQ(arrived[0].datagram.peer.lid, lid_of("host-0001"));
  EXPECT_EQ(arrived[0].datagram.peer.qpn, 1u);

  ASSERT_EQ(manager.probe.set_state({1}, 2, mad::PortState::Down), mad::kStatusOk);
  EXPECT_TRUE(
      manager.probe.ask(lid_routed(Method::Get, AttributeId::NodeInfo), lid_of("host-0002")));
  world.send(manager.probe.at, packet, manager.probe.now);
  manager.probe.settle();
  EXPECT_TRUE(world.take_deliveries().empty());
}

TEST_F(ByLid, ALidThatNobodyRoutesIsDropped) {
  const auto before = world.counters().discarded;
  for (const std::uint16_t lid :
       {std::uint16_t{0}, std::uint16_t{500}, std::uint16_t{0xBFFF}, std::uint16_t{0xC000}}) {
    EXPECT_FALSE(manager.probe.ask(lid_routed(Method::Get, AttributeId::NodeInfo), mad::Lid{lid}));
  }
  EXPECT_EQ(world.counters().discarded, before + 4);
}

TEST_F(ByLid, AHostTakesNoPacketsForOthers) {
  // The leaf sends host-0002's LID to the probe's own neighbour.
  mad::SmpData data = manager.probe.get(AttributeId::LinearForwardingTable, {1}, 0)->data;
  const mad::Lid victim = lid_of("host-0003");
  data[victim.value] = std::byte{2};
  manager.probe.set(AttributeId::LinearForwardingTable, {1}, 0, data);
  EXPECT_FALSE(manager.probe.ask(lid_routed(Method::Get, AttributeId::NodeInfo), victim));
}

TEST_F(ByLid, TablesThatGoInCirclesLoseThePacketAndNotTheWorld) {
  Probe& probe = manager.probe;
  const mad::Lid victim = lid_of("host-0006");
  for (const auto& [route, out] : {std::pair{Route{1}, 3}, std::pair{Route{1, 3}, 1}}) {
    mad::SmpData data = probe.get(AttributeId::LinearForwardingTable, route, 0)->data;
    data[victim.value] = static_cast<std::byte>(out);
    probe.set(AttributeId::LinearForwardingTable, route, 0, data);
  }
  EXPECT_FALSE(probe.ask(lid_routed(Method::Get, AttributeId::NodeInfo), victim));
}

TEST_F(ByLid, APermissiveLidStaysOnThePort) {
  const auto answer = manager.probe.ask(lid_routed(Method::Get, AttributeId::NodeInfo));
  ASSERT_TRUE(answer);
  EXPECT_EQ(mad::decode<mad::NodeInfo>(answer->data).port_guid, world.port_guid(manager.probe.at));
}

// By LID to the leaf of host-0003, from there by directed route.
TEST_F(ByLid, ARouteMayBeginWithALidAndGoOnDirected) {
  mad::Smp smp = directed(Method::Get, AttributeId::NodeInfo, {1});
  smp.dr_slid = lid_of("host-0001");
  const auto answer = manager.probe.ask(smp, lid_of("leaf-2"));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->direction);
  EXPECT_EQ(mad::decode<mad::NodeInfo>(answer->data).port_guid,
            world.port_guid(*world.find_endpoint("host-0003")));
}

// Directed to the probe's leaf, from there by LID.
TEST_F(ByLid, ARouteMayBeginDirectedAndGoOnByLid) {
  mad::Smp smp = directed(Method::Get, AttributeId::NodeInfo, {1});
  smp.dr_dlid = lid_of("host-0005");
  const auto answer = manager.probe.ask(smp);
  ASSERT_TRUE(answer);
  EXPECT_EQ(mad::decode<mad::NodeInfo>(answer->data).port_guid,
            world.port_guid(*world.find_endpoint("host-0005")));
}

// --- management software at the other end -------------------------------------------------------

TEST_F(ByLid, SMInfoIsAnsweredByTheSmAlone) {
  const EndpointId other = *world.find_endpoint("host-0004");
  const mad::Smp question = lid_routed(Method::Get, AttributeId::SMInfo);
  EXPECT_EQ(manager.probe.ask(question, lid_of("host-0004"))->status,
            mad::kStatusBadMethodAttribute);
  world.set_is_sm(other, true);
  mad::Address peer;
  peer.lid = lid_of("host-0004");
  world.send(manager.probe.at, mad::make_datagram(peer, question), {});
  manager.probe.settle();
  auto asked = world.take_deliveries();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].to, other);
  mad::Smp reply = *mad::decode_smp(asked[0].datagram.payload);
  reply.method = Method::GetResp;
  world.send(other, mad::make_datagram(asked[0].datagram.peer, reply), {});
  manager.probe.settle();
  asked = world.take_deliveries();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].to, manager.probe.at);
}

TEST_F(ByLid, SMInfoByDirectedRouteFindsItsWayBack) {
  const EndpointId other = *world.find_endpoint("host-0002");
  world.set_is_sm(other, true);
  world.send(manager.probe.at,
             mad::make_datagram({}, directed(Method::Get, AttributeId::SMInfo, {1, 2})), {});
  manager.probe.settle();
  auto asked = world.take_deliveries();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].to, other);
  mad::Smp reply = *mad::decode_smp(asked[0].datagram.payload);
  EXPECT_EQ(reply.hop_pointer, 3);
  reply.method = Method::GetResp;
  reply.direction = true;
  world.send(other, mad::make_datagram({}, reply), {});
  manager.probe.settle();
  asked = world.take_deliveries();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].to, manager.probe.at);
}

}  // namespace
}  // namespace heddle::sim
