// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lid_matrix.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "routing/file_tables.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

std::vector<std::vector<std::uint8_t>> distances_of(const fabric::Topology& topology) {
  std::vector<std::vector<std::uint8_t>> hops(
      topology.switch_count(), std::vector<std::uint8_t>(topology.switch_count(), 0xFF));
  for (std::uint32_t to = 0; to < hops.size(); ++to) {
    hops[to][to] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& channel : topology.channels()) {
        const unsigned over = hops[to][channel.to.value] + 1u;
        if (over >= hops[to][channel.from.value]) continue;
        hops[to][channel.from.value] = static_cast<std::uint8_t>(over);
        changed = true;
      }
    }
  }
  return hops;
}

// The recipes of the tests give ports no GUIDs of their own, and all are 0.
Subnet with_port_guids(const support::Recipe& recipe) {
  Subnet subnet(recipe);
  fabric::TopologyBuilder builder;
  for (fabric::Node node : recipe.nodes) {
    node.port_count = std::max<std::uint8_t>(node.port_count, 1);
    builder.add_node(node);
    builder.set_port_guid({node.guid, mad::PortNumber{0}}, mad::Guid{node.guid.value + 0x500});
  }
  for (const auto& link : recipe.links) builder.add_link(link.a, link.b);
  subnet.topology = std::move(builder).build().value();
  return subnet;
}

std::string dump_of(const Subnet& subnet) {
  const auto distances = distances_of(subnet.topology);
  std::string text;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    text += lid_matrix_text(subnet.topology, subnet.lids, SwitchIndex{s}, distances);
  }
  return text;
}

base::Result<Routes> route(Subnet& subnet, std::string text) {
  subnet.options.lid_matrix =
      std::make_shared<const TableFile>(TableFile{"matrix", std::move(text)});
  return FileTables{}.route({subnet.topology, subnet.lids, subnet.options});
}

// Two switches and two cables, as OpenSM 3.3.23 wrote it of ibsim's net.2sw2path4hca.
constexpr const char* kOpenSm =
    "Switch: guid 0x0000000000200000\n"
    "0x0002: 00 ff ff 02 ff 02 ff ff ff # portguid 0x0000000000200000\n"
    "0x0003: 01 ff ff 01 ff 01 ff ff ff # portguid 0x0000000000200001\n"
    "Switch: guid 0x0000000000200001\n"
    "0x0002: 01 ff ff 01 ff 01 ff ff ff # portguid 0x0000000000200000\n"
    "0x0003: 00 ff ff 02 ff 02 ff ff ff # portguid 0x0000000000200001\n";

Subnet two_switches() {
  fabric::TopologyBuilder builder;
  for (const std::uint64_t guid : {0x200000u, 0x200001u}) {
    fabric::Node node;
    node.guid = mad::Guid{guid};
    node.type = mad::NodeType::Switch;
    node.port_count = 8;
    builder.add_node(node);
    builder.set_port_guid({node.guid, mad::PortNumber{0}}, node.guid);
  }
  for (const std::uint8_t port : {std::uint8_t{3}, std::uint8_t{5}}) {
    builder.add_link({mad::Guid{0x200000}, mad::PortNumber{port}},
                     {mad::Guid{0x200001}, mad::PortNumber{port}});
  }
  Subnet subnet(support::Recipe{});
  subnet.topology = std::move(builder).build().value();
  subnet.lids = fabric::LidMap(subnet.topology.port_count());
  for (std::uint32_t s = 0; s < 2; ++s) {
    subnet.lids.assign(subnet.topology.port_of(SwitchIndex{s}, mad::PortNumber{0}),
                       {mad::Lid{static_cast<std::uint16_t>(s + 2)}, 0});
  }
  return subnet;
}

TEST(LidMatrix, IsWrittenAsOpenSmWritesIt) {
  EXPECT_EQ(dump_of(two_switches()), kOpenSm);
}

TEST(LidMatrix, OpenSmsIsRead) {
  Subnet subnet = two_switches();
  const auto routes = route(subnet, kOpenSm);
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_TRUE(routes->notes.empty());
  EXPECT_EQ(routes->tables.out_port(SwitchIndex{0}, mad::Lid{3}).value, 3);
}

TEST(LidMatrix, WhatWasWrittenGivesTheShortestWaysOnEveryKindOfFabric) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    Subnet subnet = with_port_guids(recipe);
    const auto routes = route(subnet, dump_of(subnet));
    ASSERT_TRUE(routes) << name << routes.error().message;
    const auto minhop = subnet.route("minhop");
    EXPECT_TRUE(routes->notes.empty()) << name;
    EXPECT_EQ(fabric::verify(subnet.topology, subnet.lids, routes->tables).mean_hops,
              fabric::verify(subnet.topology, subnet.lids, minhop.tables).mean_hops)
        << name;
  }
}

TEST(LidMatrix, WaysThatItCallsLongerAreNotTaken) {
  Subnet subnet = two_switches();
  std::string text = kOpenSm;
  text.replace(text.find("01 ff ff 01 ff 01"), 17, "01 ff ff 04 ff 01");
  EXPECT_EQ(route(subnet, text)->tables.out_port(SwitchIndex{0}, mad::Lid{3}).value, 5);
}

TEST(LidMatrix, WhatItDoesNotSayOrSaysFalselyIsMinhops) {
  Subnet subnet = with_port_guids(support::ring(6, 2));
  const auto nothing = route(subnet, "Switch: guid 0x10000\n");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->tables, subnet.route("minhop").tables);
  // Everybody is one hop from everybody by every port: nobody comes nearer except at the end.
  std::string lies = dump_of(subnet);
  for (const char* hops : {"02", "03", "04"}) {
    for (std::size_t at = 0; (at = lies.find(hops, at)) != std::string::npos; ++at) {
      if (lies[at - 1] == ' ') lies.replace(at, 2, "01");
    }
  }
  const auto routes = route(subnet, lies);
  ASSERT_TRUE(routes);
  EXPECT_TRUE(fabric::verify(subnet.topology, subnet.lids, routes->tables).reaches_all());
}

TEST(LidMatrix, ErrorsHaveThePlaceAndWhatWouldBeRight) {
  Subnet subnet = two_switches();
  const std::string heading = "Switch: guid 0x200000\n";
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"0x0002: 00 # portguid 0x1\n",
            "matrix:1:1: hop counts before any switch: \"Switch: guid 0xGUID\" first"},
           {"Switch: guid me\n",
            "matrix:1:14: the node GUID of a switch is wanted here, as 0x0002c90300a1b2c3"},
           {heading + " 0x0002 00\n",
            "matrix:2:2: hop counts are wanted: \"0xLID: 00 01 ... # portguid 0xGUID\""},
           {heading + "lid: 00 # portguid 0x1\n", "matrix:2:1: a LID is wanted here, as 0x0001"},
           {heading + "0x0002: 00 # portguid you\n",
            "matrix:2:23: the port GUID of a switch is wanted here, as 0x0002c90300a1b2c3"},
           {heading + "0x0002: 00 100 # portguid 0x1\n",
            "matrix:2:12: a hop count is wanted here, 00 to ff in hexadecimal"}}) {
    const auto routes = route(subnet, text);
    ASSERT_TRUE(routes.has_error()) << text;
    EXPECT_EQ(routes.error().message, message);
  }
  std::string long_line = heading + "0x0002:";
  for (int i = 0; i < 256; ++i) long_line += " 01";
  EXPECT_EQ(route(subnet, long_line + " # portguid 0x1").error().message,
            "matrix:2:774: a switch has no more than 254 ports, and one count for each");
}

TEST(LidMatrix, SwitchesThatTheFabricDoesNotHaveAreCounted) {
  Subnet subnet = two_switches();
  const auto routes =
      route(subnet, std::string(kOpenSm) +
                        "Switch: guid 0x9\n0x0002: 00 # portguid 0x9\n0x0003: 00 # portguid 0x8\n");
  ASSERT_TRUE(routes);
  ASSERT_FALSE(routes->notes.empty());
  EXPECT_EQ(routes->notes.front().rfind("2 lines of the matrix", 0), 0u);
}

}  // namespace
}  // namespace heddle::routing
