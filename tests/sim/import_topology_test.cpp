// SPDX-License-Identifier: BSD-3-Clause
// ibdm's .topo files, by system definitions of our own and by those of Debian's ibutils.
#include <gmock/gmock.h>

#include "tests/sim/importing.hpp"

namespace heddle::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A director of two leaf boards and one spine chip; the leaf comes as a 4x and as a 12x variant.
constexpr const char* kDirector =
    "SYSTEM LEAF,LEAF:4x\n"
    "NODE SW 8 MT1 U1\n"
    "  1 -4x-10G-> UP\n"
    "  2 -> P1\n"
    "  3 -> P2\n"
    "\n"
    "SYSTEM LEAF:12x\n"
    "NODE SW 8 MT1 U1\n"
    "  1 -> UP\n"
    "  2 -12x-> P1-12x\n"
    "\n"
    "TOPSYSTEM DIRECTOR,Big\n"
    "left/U1=isChaBma\n"
    "NODE SW 8 MT2 spine\n"
    "  1 -> left UP\n"
    "  2 -> right UP\n"
    "SUBSYSTEM LEAF left\n"
    "  UP -> spine 1\n"
    "  P1 -> L1/P1\n"
    "  P2 -> L1/P2\n"
    "  P1-12x -> L1/P1-12x\n"
    "SUBSYSTEM LEAF right\n"
    "  UP -> spine 2\n"
    "  P1 -> L2/P1\n"
    "  P2 -> L2/P2\n";
constexpr const char* kAdapter = "TOPSYSTEM HCA\nNODE CA 2 MT3 U1\n 1 -> P1\n 2 -> P2\n";

OtherFiles systems() {
  return only_these({{"d.ibnl", kDirector}, {"h.ibnl", kAdapter}});
}

TEST(TopologyFile, DissolvesBoardsIntoNodesAndCables) {
  const Blueprint blueprint = parse(
      "# two hosts\n\nDIRECTOR D\n\tL1/P1 -> HCA H1 P1\n\tL2/P2 -12X-5G-> HCA H2 P2\n\nHCA H1\n",
      systems());
  EXPECT_EQ(count(blueprint, mad::NodeType::Switch), 3u);
  EXPECT_EQ(count(blueprint, mad::NodeType::ChannelAdapter), 2u);
  EXPECT_EQ(node_named(blueprint, "D/left/U1").port_count, 8);
  EXPECT_EQ(node_named(blueprint, "H2").description, "H2 MT3");
  ASSERT_EQ(blueprint.cables.size(), 4u);
  EXPECT_EQ(blueprint.cables[0].speed, Speed::QDR);  // spine to leaf: as the leaf says
  const PlannedCable& last = blueprint.cables[3];
  EXPECT_EQ(last.width, Width::X12);
  EXPECT_EQ(last.speed, Speed::DDR);
  EXPECT_EQ(blueprint.nodes[last.a.node].name, "D/right/U1");
  EXPECT_EQ(last.a.port, 3);
  EXPECT_EQ(last.b.port, 2);
  EXPECT_THAT(blueprint.warnings, IsEmpty());
}

TEST(TopologyFile, BoardsCanBeMissingOrOfAnotherKind) {
  const Blueprint blueprint =
      parse("Big D CFG: left=12x, right=R\n  L1/P1-12x -> HCA H1 P1\n", systems());
  EXPECT_EQ(count(blueprint, mad::NodeType::Switch), 2u);
  ASSERT_EQ(blueprint.cables.size(), 2u);
  EXPECT_EQ(blueprint.cables[1].width, Width::X12);
  EXPECT_THAT(error_of_file("Big D CFG: left=12x\n  L1/P1 -> HCA H1 P1\n", systems()),
              HasSubstr("file:2: 'this system', a Big, has no port 'L1/P1'"));
  EXPECT_THAT(error_of_file("Big D CFG: left=8x\n L1/P1 -> HCA H P1\n", systems()),
              HasSubstr("file:1: the system 'Big' (d.ibnl:12): no board 'LEAF:8x' is defined"));
}

TEST(TopologyFile, ACableMayBeWrittenFromBothEnds) {
  const Blueprint blueprint =
      parse("HCA H1\n P1 -> HCA H2 P1\n\nHCA H2\n P1 -> HCA H1 P1\n", systems());
  EXPECT_EQ(blueprint.cables.size(), 1u);
}

TEST(TopologyFile, TheErrorNamesTheLine) {
  const auto error = [](const char* text) { return error_of_file(text, systems()); };
  EXPECT_THAT(error("HCB H1\n P1 -> HCA H2 P1\n"),
              HasSubstr("file:1: no .ibnl file in reach defines the system 'HCB'; did you mean "
                        "'HCA'"));
  EXPECT_THAT(error("HCA H1\n P9 -> HCA H2 P1\n"), HasSubstr("file:2: "));
  EXPECT_THAT(error("HCA H1\n P1 -> HCA H2\n"), HasSubstr("file:2: expected PORT ->"));
  EXPECT_THAT(error("HCA H1\n P1 -9q-> HCA H2 P1\n"), HasSubstr("file:2: '9q' is no width"));
  EXPECT_THAT(error(" P1 -> HCA H2 P1\n"), HasSubstr("file:1: a cable before any system"));
  EXPECT_THAT(error("HCA H1\n P1 -> HCA H2 P1\n P1 -> HCA H3 P1\n"),
              HasSubstr("file:3: port 1 of 'H1' is cabled elsewhere in line 2"));
  EXPECT_THAT(error("HCA H1\n P1 -> HCA H1 P1\n"), HasSubstr("from a port to itself"));
  EXPECT_THAT(error("HCA H1\n P1 -> Big H1 L1/P1\n"), HasSubstr("file:2: 'H1' is a Big here"));
  EXPECT_THAT(error("HCA H1\n P1 -> HCA H2 P1\nHCA H1\n"),
              HasSubstr("described before, in line 1"));
  EXPECT_THAT(error("HCA H1 with tea\n P1 -> HCA H2 P1\n"), HasSubstr("file:1: expected CFG:"));
  EXPECT_THAT(error_of_file("HCA H1\n P1 -> HCA H2 P1\n"), HasSubstr("needs .ibnl files"));
}

TEST(SystemDefinition, TheErrorNamesFileAndLine) {
  const auto error = [](const char* text) {
    return error_of_file("X D\n P1 -> X E P1\n", only_these({{"x.ibnl", text}}));
  };
  EXPECT_THAT(error("NODE SW 8 MT1 U1\n"), HasSubstr("x.ibnl:1: expected SYSTEM or TOPSYSTEM"));
  EXPECT_THAT(error("TOPSYSTEM X\nNODE SW 999 M U1\n"), HasSubstr("x.ibnl:2: a node needs 1 to"));
  EXPECT_THAT(error("TOPSYSTEM X\nNODE XX 9 M U1\n"), HasSubstr("x.ibnl:2: 'XX' is no kind"));
  EXPECT_THAT(error("TOPSYSTEM X\nNODE SW 8 M U1\n 9 -> P1\n"),
              HasSubstr("x.ibnl:3: '9' is no port of U1, which has 8"));
  EXPECT_THAT(error("TOPSYSTEM X\n1 -> P1\n"), HasSubstr("x.ibnl:2: a connection before any"));
  EXPECT_THAT(error("TOPSYSTEM X\nNODE SW 8 M U1\nNODE SW 8 M U1\n"), HasSubstr("is here twice"));
  EXPECT_THAT(error("TOPSYSTEM X\nwhat\n"), HasSubstr("x.ibnl:2: this line is not understood"));
  EXPECT_THAT(error("TOPSYSTEM X\nSUBSYSTEM X inner\n"), HasSubstr("boards within boards go too"));
}

// Found by fuzzing: a carriage return within a line was a word that never ended.
TEST(SystemDefinition, ACarriageReturnWithinALineIsABlank) {
  const OtherFiles others = only_these({{"x.ibnl", "TOPSYSTEM\rX\nNODE SW\r8 M U1\n1 ->\rP1\n"}});
  EXPECT_EQ(parse("X\rD\n P1 ->\rX E P1\r\n", others).cables.size(), 1u);
}

// ibdm's own list of the same fabric (RhinoBased512.lst of ibutils) has 728 nodes and 5,504 link
// directions.
TEST(TopologyFile, AClusterOfDirectorsHasTheNodesAndCablesThatIbdmFinds) {
  const auto loaded = load_fabric(golden("rhino512.topo"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(count(*loaded, mad::NodeType::ChannelAdapter), 512u);
  EXPECT_EQ(loaded->nodes.size(), 728u);
  EXPECT_EQ(loaded->cables.size(), 5504u / 2);
  EXPECT_THAT(loaded->warnings, IsEmpty());
}

TEST(TopologyFile, AFolderOfDefinitionsThatIsNoneIsNamed) {
  const auto loaded = load_fabric(golden("rhino512.topo"), {{"/no/such/folder"}});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("'/no/such/folder' is no folder"));
}

}  // namespace
}  // namespace heddle::sim
