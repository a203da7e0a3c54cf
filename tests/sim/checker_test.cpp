// SPDX-License-Identifier: BSD-3-Clause
// Judges must see what is wrong, and only that: each test plants one fault in a healthy fabric.
#include "sim/checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class Judged : public ::testing::Test {
 protected:
  Judged() : world(make_world("fat-tree:2,3")), manager(world, *world.find_endpoint("host-0001")) {
    manager.bring_up();
  }
  Complaints judged() { return judge(world, manager.probe.at); }
  PortIndex endpoint(std::string_view node) { return *world.find_endpoint(node); }
  const Route& route(std::string_view node) { return manager.routes.at(endpoint(node)); }

  void write_route(std::string_view node, mad::Lid lid, std::uint8_t out) {
    const std::uint32_t block = lid.value / 64u;
    mad::SmpData data =
        manager.probe.get(mad::AttributeId::LinearForwardingTable, route(node), block)->data;
    data[lid.value % 64] = std::byte{out};
    manager.probe.set(mad::AttributeId::LinearForwardingTable, route(node), block, data);
  }

  World world;
  TinyManager manager;
};

TEST_F(Judged, AHealthyFabricGivesNoComplaint) {
  EXPECT_THAT(judged(), IsEmpty());
}

TEST_F(Judged, AFreshFabricGivesMany) {
  World fresh = make_world("fat-tree:2,3");
  const EndpointId sm = *fresh.find_endpoint("host-0001");
  EXPECT_THAT(check_lids(fresh, sm), Not(IsEmpty()));
  EXPECT_THAT(check_links(fresh, sm), SizeIs(21));  // 20 and how many more
}

TEST_F(Judged, AMissingRoute) {
  write_route("leaf-1", manager.lids[endpoint("host-0004")], 255);
  EXPECT_THAT(check_reachability(world, manager.probe.at),
              Contains(HasSubstr("leaf-1 has no route")));
}

TEST_F(Judged, ARouteBeyondTheTop) {
  manager.probe.change_switch(route("leaf-2"),
                              [](mad::SwitchInfo& info) { info.linear_fdb_top = 2; });
  EXPECT_THAT(check_reachability(world, manager.probe.at),
              Contains(HasSubstr("leaf-2 has no route")));
}

TEST_F(Judged, ARouteToTheWrongHost) {
  write_route("leaf-1", manager.lids[endpoint("host-0002")], 1);
  EXPECT_THAT(check_reachability(world, manager.probe.at),
              Contains(HasSubstr("host-0001 port 1 is not the owner")));
}

TEST_F(Judged, ACircle) {
  const mad::Lid victim = manager.lids[endpoint("host-0006")];
  write_route("leaf-1", victim, 3);
  write_route("spine-1", victim, 1);
  EXPECT_THAT(check_reachability(world, manager.probe.at),
              Contains(HasSubstr("the tables go in a circle")));
}

TEST_F(Judged, ARouteOverALinkThatIsNotActive) {
  // Which cable the tables use is their affair: the host's own is used in any case.
  ASSERT_EQ(manager.probe.set_state(route("leaf-3"), 2, mad::PortState::Down), mad::kStatusOk);
  EXPECT_THAT(check_links(world, manager.probe.at),
              ElementsAre(HasSubstr("is in state 2"), HasSubstr("is in state 2")));
  EXPECT_THAT(check_reachability(world, manager.probe.at),
              Each(HasSubstr("leaf-3 port 2 leads nowhere")));
}

TEST_F(Judged, ALidGivenTwice) {
  const std::uint16_t lid = manager.lids[endpoint("host-0002")].value;
  manager.probe.change_port(route("host-0004"), 1,
                            [&](mad::PortInfo& info) { info.lid = mad::Lid{lid}; });
  EXPECT_THAT(check_lids(world, manager.probe.at), ElementsAre(HasSubstr("both have LID")));
}

TEST_F(Judged, ALidThatDoesNotFitItsLmc) {
  manager.probe.change_port(route("host-0004"), 1, [&](mad::PortInfo& info) {
    info.lid = mad::Lid{101};
    info.lmc = 1;
  });
  EXPECT_THAT(check_lids(world, manager.probe.at),
              ElementsAre(HasSubstr("LID 101, which is not a multiple of 2")));
}

TEST_F(Judged, EndsThatDisagree) {
  manager.probe.change_port(route("host-0004"), 1, [](mad::PortInfo& info) {
    info.neighbor_mtu = mad::Mtu::Bytes1024;
    info.operational_vls = 2;
  });
  EXPECT_THAT(check_links(world, manager.probe.at),
              ElementsAre(HasSubstr("NeighborMTU"), HasSubstr("OperationalVLs"),
                          HasSubstr("NeighborMTU"), HasSubstr("OperationalVLs")));
}

TEST_F(Judged, AWrongMaster) {
  manager.probe.change_port(route("spine-2"), 0,
                            [](mad::PortInfo& info) { info.master_sm_lid = mad::Lid{99}; });
  EXPECT_THAT(check_master_sm_lid(world, manager.probe.at),
              ElementsAre(HasSubstr("spine-2 port 0 takes LID 99")));
}

TEST_F(Judged, WhatIsBehindACutCableIsNotJudged) {
  world.cut(*world.find_cable(*world.find_node("host-0006"), 1));
  EXPECT_THAT(check_links(world, manager.probe.at), IsEmpty());
}

TEST(Judges, WithAnLmcEveryLidIsWalked) {
  World world = make_world("fat-tree:2,3");
  TinyManager manager(world, *world.find_endpoint("host-0001"), 2);
  manager.bring_up();
  EXPECT_THAT(check_reachability(world, manager.probe.at), IsEmpty());
  const mad::Lid last{
      static_cast<std::uint16_t>(manager.lids[*world.find_endpoint("host-0004")].value + 3)};
  mad::SmpData data =
      manager.probe.get(mad::AttributeId::LinearForwardingTable, {1}, last.value / 64u)->data;
  data[last.value % 64] = std::byte{255};
  manager.probe.set(mad::AttributeId::LinearForwardingTable, {1}, last.value / 64u, data);
  EXPECT_THAT(check_reachability(world, manager.probe.at),
              Contains(HasSubstr("LID " + std::to_string(last.value))));
}

// Shortest paths in a ring of five wait for one another all the way round; in a tree they cannot.
TEST(CreditLoops, AreFoundInRingsAndNotInTrees) {
  for (const auto& [fabric, loops] :
       {std::pair{"ring:5", true}, std::pair{"torus:5x5", true}, std::pair{"ring:3", false},
        std::pair{"mesh:4", false}, std::pair{"fat-tree:4,6", false},
        std::pair{"fat-tree:2,2,4", false}}) {
    World world = make_world(fabric);
    TinyManager manager(world, *world.find_endpoint("host-0001"));
    manager.bring_up();
    EXPECT_THAT(check_reachability(world, manager.probe.at), IsEmpty()) << fabric;
    EXPECT_EQ(!check_credit_loops(world, manager.probe.at).empty(), loops) << fabric;
  }
}

TEST(Judges, LookOnlyAtTheIslandOfTheSm) {
  Blueprint blueprint = generate_fabric("star:2").value();
  const auto shift = static_cast<std::uint32_t>(blueprint.nodes.size());
  const Blueprint other = blueprint;
  for (PlannedNode node : other.nodes) {
    node.name += "-far";
    node.guid.value += 0x10000;
    blueprint.nodes.push_back(node);
  }
  for (PlannedCable cable : other.cables) {
    cable.a.node += shift;
    cable.b.node += shift;
    blueprint.cables.push_back(cable);
  }
  World world(blueprint, {});
  TinyManager manager(world, *world.find_endpoint("host-0001"));
  manager.bring_up();
  EXPECT_THAT(judge(world, manager.probe.at), IsEmpty());
  EXPECT_THAT(judge(world, *world.find_endpoint("host-0001-far")), Not(IsEmpty()));
}

}  // namespace
}  // namespace heddle::sim
