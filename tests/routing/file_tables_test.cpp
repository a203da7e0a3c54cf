// SPDX-License-Identifier: BSD-3-Clause
#include "routing/file_tables.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

// As OpenSM writes them. Every LID is told plus `shift`, as if they had been given out otherwise.
std::string dump_of(const Subnet& subnet, const fabric::ForwardingTables& tables, unsigned shift,
                    unsigned left_out = 0) {
  std::string text;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    const fabric::SwitchIndex at{s};
    text += fmt::format("Unicast lids [0-99] of switch Lid 7 guid 0x{:016x} ('switch'):\n",
                        subnet.topology.node(at).guid.value);
    subnet.for_each_lid([&](mad::Lid lid, fabric::SwitchIndex, mad::PortNumber) {
      if (lid.value <= left_out) return;
      const auto guid = subnet.topology.port(subnet.lids.owner(lid)).guid;
      text += fmt::format("0x{:04x} {:03} # Channel Adapter portguid 0x{:016x}: 'host'\n",
                          lid.value + shift, tables.out_port(at, lid).value, guid.value);
    });
    text += "9 lids dumped\n\n";
  }
  return text;
}

// The recipes of the tests give ports no GUIDs of their own.
support::Recipe ring_of_six() {
  return support::ring(6, 2);
}

Subnet with_port_guids() {
  Subnet subnet(ring_of_six());
  fabric::TopologyBuilder builder;
  const auto recipe = ring_of_six();
  for (const auto& node : recipe.nodes) {
    builder.add_node(node);
    const std::uint8_t port = node.type == mad::NodeType::Switch ? 0 : 1;
    builder.set_port_guid({node.guid, mad::PortNumber{port}}, mad::Guid{node.guid.value + 0x500});
  }
  for (const auto& link : recipe.links) builder.add_link(link.a, link.b);
  subnet.topology = std::move(builder).build().value();
  return subnet;
}

base::Result<Routes> route(Subnet& subnet, std::string text) {
  subnet.options.tables = std::make_shared<const TableFile>(TableFile{"lfts", std::move(text)});
  return FileTables{}.route({subnet.topology, subnet.lids, subnet.options});
}

TEST(FileTables, AreThoseOfTheDumpWhateverItsLids) {
  Subnet subnet = with_port_guids();
  const auto tables = subnet.route("updn").tables;
  for (const unsigned shift : {0u, 40u}) {
    const auto routes = route(subnet, dump_of(subnet, tables, shift));
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_EQ(routes->tables, tables);
    EXPECT_TRUE(routes->notes.empty());
  }
}

TEST(FileTables, WhatTheDumpDoesNotSayGoesAsMinhopWould) {
  Subnet subnet = with_port_guids();
  const auto minhop = subnet.route("minhop").tables, updn = subnet.route("updn").tables;
  const auto routes = route(subnet, dump_of(subnet, updn, 0, 5));
  ASSERT_TRUE(routes) << routes.error().message;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    subnet.for_each_lid([&](mad::Lid lid, fabric::SwitchIndex, mad::PortNumber) {
      EXPECT_EQ(routes->tables.out_port({s}, lid),
                (lid.value <= 5 ? minhop : updn).out_port({s}, lid));
    });
  }
  ASSERT_EQ(routes->notes.size(), 1u);
  EXPECT_EQ(routes->notes.front(), "30 entries that the file does not have are those of minhop");
}

TEST(FileTables, WithoutAFileOrWithABrokenOneTheReasonIsTold) {
  Subnet subnet = with_port_guids();
  const auto none = FileTables{}.route({subnet.topology, subnet.lids, subnet.options});
  ASSERT_TRUE(none.has_error());
  EXPECT_EQ(none.error().message, "no file is named (routing.lft_file, routing.lid_matrix_file)");
  const auto early = route(subnet, "\n0x0001 006 # nobody\n");
  ASSERT_TRUE(early.has_error());
  EXPECT_EQ(early.error().message,
            "lfts:2:1: an entry before any switch: \"Unicast lids ... guid 0xGUID\" first");
  auto text = dump_of(subnet, subnet.route("updn").tables, 0);
  // However it is cut off, there are tables or a reason with its line.
  for (std::size_t cut = 0; cut < text.size(); cut += 7) {
    const auto part = route(subnet, text.substr(0, cut));
    if (part) continue;
    EXPECT_EQ(part.error().message.rfind("lfts:", 0), 0u) << part.error().message;
  }
  text.replace(text.find("\n0x0001 ") + 8, 3, "999");
  const auto wrong = route(subnet, text);
  ASSERT_TRUE(wrong.has_error());
  EXPECT_EQ(wrong.error().message,
            "lfts:2:8: the number of an output port is wanted here, 000 to 255");
  const std::string heading = "Unicast lids [0-1] of switch Lid 1 guid 0x200000 ('s'):\n";
  for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
           {"0xc000 001 # x portguid 0x1: 'h'", "lfts:2:1: a LID is wanted here, 0x0001 to 0xbfff"},
           {"0x0001", "lfts:2:7: the number of an output port is wanted here, 000 to 255"},
           {"0x0001 001 # x portguid me: 'h'",
            "lfts:2:25: the LID's port is wanted here: \"portguid 0xGUID\""},
           {"0x0001 001 # x", "lfts:2:15: the LID's port is wanted here: \"portguid 0xGUID\""},
           {"Unicast lids [0-1] of switch Lid 1 guid it",
            "lfts:2:41: the node GUID of a switch is wanted here: \"guid 0xGUID\""}}) {
    const auto refused = route(subnet, heading + line);
    ASSERT_TRUE(refused.has_error()) << line;
    EXPECT_EQ(refused.error().message, message);
  }
}

}  // namespace
}  // namespace heddle::routing
