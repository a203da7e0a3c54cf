// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/sim/importing.hpp"

namespace heddle::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string end(const char* kind, unsigned ports, unsigned guid, unsigned lid, unsigned port,
                const std::string& description = "some node") {
  return fmt::format(
      "{{ {} Ports:{:02x} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} VenID:000002C9 "
      "DevID:D2F0 Rev:000000A0 {{{}}} LID:{:04X} PN:{:02X} }}",
      kind, ports, guid, guid, guid + (kind[0] == 'C' ? port : 0), description, lid, port);
}

const std::string kSwitch = end("SW", 36, 0x100, 0x1f, 12, "leaf {1}");
const std::string kHost = end("CA-SM", 2, 0x200, 0x20, 2);

TEST(LinkList, ReadsNodesPortsAndTheCable) {
  const Blueprint blueprint = parse(kSwitch + " " + kHost + " PHY=4x LOG=ACT SPD=50\n" + kHost +
                                    " " + kSwitch + " PHY=4x LOG=ACT SPD=50\n");
  ASSERT_EQ(blueprint.nodes.size(), 2u);
  const PlannedNode& leaf = node_named(blueprint, "S-0000000000000100");
  EXPECT_EQ(leaf.description, "leaf {1}");
  EXPECT_EQ(leaf.port_count, 36);
  EXPECT_EQ(leaf.ports.at(0).lid.value, 0x1f);
  EXPECT_EQ(leaf.ports.at(12).lid, mad::kNoLid);
  EXPECT_EQ(leaf.vendor_id, 0x2c9u);
  EXPECT_EQ(leaf.device_id, 0xd2f0);
  const PlannedNode& host = node_named(blueprint, "H-0000000000000200");
  EXPECT_EQ(host.ports.at(2).guid.value, 0x202u);
  EXPECT_EQ(host.ports.at(2).lid.value, 0x20);
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].speed, Speed::HDR);
  EXPECT_THAT(blueprint.warnings, IsEmpty());
}

TEST(LinkList, OneDirectionIsEnough) {
  const Blueprint blueprint = parse(kHost + " " + kSwitch + " PHY=12x LOG=ACT\n");
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].width, Width::X12);
  EXPECT_EQ(blueprint.cables[0].speed, Speed::SDR);  // of the time before SPD=
  EXPECT_EQ(blueprint.nodes.at(1).ports.at(0).lid.value, 0x1f);
}

TEST(LinkList, KnowsEverySpeed) {
  const std::pair<const char*, Speed> speeds[] = {
      {"2.5", Speed::SDR}, {"5", Speed::DDR},   {"10", Speed::QDR},
      {"14", Speed::FDR},  {"25", Speed::EDR},  {"FDR10", Speed::FDR10},
      {"50", Speed::HDR},  {"100", Speed::NDR}, {"200", Speed::XDR}};
  for (const auto& [text, speed] : speeds) {
    const Blueprint blueprint = parse(kHost + kSwitch + " PHY=4x LOG=ACT SPD=" + text);
    EXPECT_EQ(blueprint.cables.at(0).speed, speed) << text;
  }
  EXPECT_THAT(parse(kHost + kSwitch + " PHY=4x SPD=7").warnings,
              ElementsAre(HasSubstr("file:1: the link's width or speed is not known")));
}

TEST(LinkList, ANodeThatIsASwitchInOneLineIsOneInAll) {
  const Blueprint blueprint =
      parse(kHost + end("CA", 36, 0x100, 0x1f, 12) + " PHY=4x\n" + kSwitch + kHost + " PHY=4x\n");
  EXPECT_EQ(count(blueprint, mad::NodeType::Switch), 1u);
  EXPECT_EQ(blueprint.cables.size(), 1u);
  EXPECT_THAT(blueprint.warnings, IsEmpty());
}

TEST(LinkList, AnAdapterOfManyPortsIsTakenForASwitch) {
  const Blueprint blueprint = parse(kHost + end("CA", 24, 0x100, 1, 12) + " PHY=4x\n");
  EXPECT_EQ(count(blueprint, mad::NodeType::Switch), 1u);
  EXPECT_THAT(blueprint.warnings, ElementsAre(HasSubstr("taken for a switch")));
}

TEST(LinkList, TheErrorNamesTheLine) {
  const std::string good = kHost + kSwitch + " PHY=4x\n";
  EXPECT_THAT(error_of_file(good + "{ CA Ports:zz\n"), HasSubstr("file:2: Ports: needs"));
  EXPECT_THAT(error_of_file(good + "{ XX Ports:01\n"),
              HasSubstr("file:2: 'XX' is no kind of node"));
  EXPECT_THAT(error_of_file(good + kHost + "\n"), HasSubstr("file:2: expected an end of a link"));
  EXPECT_THAT(error_of_file(good + end("CA", 2, 1, 1, 3) + kHost + "\n"),
              HasSubstr("file:2: port 3 of a node with 2 ports"));
  EXPECT_THAT(error_of_file(good + end("CA", 1, 0x200, 1, 1) + kSwitch + "\n"),
              HasSubstr("file:2: node 0000000000000200 has 1 ports here and 2 in line 1"));
  EXPECT_THAT(error_of_file("{ CA Ports:02 SystemGUID:1 NodeGUID:1 PortGUID:1 VenID:1 DevID:1 "
                            "Rev:1 {open LID:1"),
              HasSubstr("file:1: the node's description does not end"));
}

TEST(LinkList, ALinkThatIsSaidTwiceIsOneAndOneThatMovedIsLeftOpen) {
  const std::string good = kHost + kSwitch + " PHY=4x\n";
  const Blueprint twice = parse(good + good);
  EXPECT_EQ(twice.cables.size(), 1u);
  EXPECT_THAT(twice.warnings, IsEmpty());
  const Blueprint moved = parse(good + kHost + end("SW", 36, 0x100, 1, 13) + " PHY=4x\n");
  EXPECT_THAT(moved.cables, IsEmpty());
  EXPECT_THAT(moved.warnings, ElementsAre(HasSubstr("file:2: \"H-0000000000000200\"[2] leads "
                                                    "elsewhere than in line 1"),
                                          HasSubstr("left open")));
}

// Each end is in the list, so its nodes and pairs of lines can be counted without a reader.
TEST(LinkList, ARealListLoadsWhole) {
  const auto loaded = load_fabric(golden("clusters.lst"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(count(*loaded, mad::NodeType::Switch), 62u);
  EXPECT_EQ(count(*loaded, mad::NodeType::ChannelAdapter), 3u);
  EXPECT_EQ(loaded->cables.size(), 344u / 2);
  EXPECT_EQ(node_named(*loaded, "S-0002c90109fb0000").device_id, 0xa87c);
  std::set<std::uint16_t> lids;
  for (const PlannedNode& node : loaded->nodes) {
    for (const PlannedPort& port : node.ports) {
      if (port.lid == mad::kNoLid) continue;
      EXPECT_TRUE(lids.insert(port.lid.value).second);
    }
  }
  EXPECT_THAT(loaded->warnings, IsEmpty());
}

TEST(LinkList, ACutListLoadsOrIsRefused) {
  std::ifstream file(golden("clusters.lst"));
  std::string whole((std::istreambuf_iterator<char>(file)), {});
  whole.resize(2000);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const auto parsed = parse_fabric_file(std::string_view(whole).substr(0, length), "cut");
    if (parsed) continue;
    EXPECT_THAT(parsed.error().message, HasSubstr("cut:"));
  }
}

}  // namespace
}  // namespace heddle::sim
