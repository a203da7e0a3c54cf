// SPDX-License-Identifier: BSD-3-Clause
// Files as tools print them, and as terminals, editors and people damage them.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/blueprint.hpp"
#include "sim/devices.hpp"
#include "tests/sim/importing.hpp"

namespace heddle::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string import_error(std::string_view text) {
  return error_of_file(text);
}

// --- files of real fabrics ----------------------------------------------------------------------

struct RealFile {
  const char* name;
  std::size_t switches, hosts, cables;
};

class RealFabrics : public ::testing::TestWithParam<RealFile> {};

// The counts are facts of the files: headers by kind, and port lines taken in pairs.
TEST_P(RealFabrics, LoadWholeAndPowerUp) {
  const auto loaded = load_fabric(golden(GetParam().name));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(count(*loaded, mad::NodeType::Switch), GetParam().switches);
  EXPECT_EQ(count(*loaded, mad::NodeType::ChannelAdapter), GetParam().hosts);
  EXPECT_EQ(loaded->cables.size(), GetParam().cables);
  const Devices devices(*loaded);
  for (const Cable& cable : devices.cables) {
    EXPECT_EQ(devices.lines[cable.a].state, mad::PortState::Init);
    EXPECT_EQ(devices.lines[cable.b].state, mad::PortState::Init);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RealFabrics,
                         ::testing::Values(RealFile{"jabl_1.ibnetdiscover.txt", 2, 4, 7},
                                           RealFile{"jabl_3.ibnetdiscover.txt", 2, 6, 10},
                                           RealFile{"ufm_small.ibnetdiscover.txt", 2, 13, 16},
                                           RealFile{"loginoff.ibnetdiscover.txt", 8, 144, 192},
                                           RealFile{"selene.ibnetdiscover.txt", 160, 1247, 3286},
                                           RealFile{"ufm_director.ibnetdiscover.txt", 400, 2328,
                                                    8723}),
                         [](const auto& file) {
                           const std::string name = file.param.name;
                           return name.substr(0, name.find('.'));
                         });

TEST(ImportedFile, KeepsWhatTheDumpSaysOfNodes) {
  const auto loaded = load_fabric(golden("jabl_3.ibnetdiscover.txt"));
  ASSERT_TRUE(loaded);
  const PlannedNode& sw = node_named(*loaded, "S-f4521403005764b0");
  EXPECT_EQ(sw.description, "MF0;switch-de779e:SX6012/U1");
  EXPECT_EQ(sw.port_count, 12);
  EXPECT_TRUE(sw.enhanced_port0);
  EXPECT_EQ(sw.vendor_id, 0x2c9u);
  EXPECT_EQ(sw.device_id, 0xc738u);
  EXPECT_EQ(sw.ports.at(0).lid.value, 174);
  EXPECT_FALSE(node_named(*loaded, "S-e41d2d030003e470").enhanced_port0);
  const PlannedNode& host = node_named(*loaded, "H-0002c903003421b0");
  EXPECT_EQ(host.port_count, 2);
  EXPECT_EQ(host.ports.at(2).guid.value, 0x2c903003421b2u);
  EXPECT_EQ(host.ports.at(2).lid.value, 3);
  EXPECT_EQ(host.system_image_guid.value, 0x2c903003421b3u);
}

TEST(ImportedFile, KeepsCablesThatLoopBackToTheSameSwitch) {
  const auto loaded = load_fabric(golden("jabl_3.ibnetdiscover.txt"));
  ASSERT_TRUE(loaded);
  const auto loops = std::count_if(loaded->cables.begin(), loaded->cables.end(),
                                   [](const PlannedCable& c) { return c.a.node == c.b.node; });
  EXPECT_EQ(loops, 3);
}

// The dump ends with the prompt of the terminal that it was cut from.
TEST(ImportedFile, WarnsOnceOfLidsThatAreNone) {
  const auto loaded = load_fabric(golden("ufm_director.ibnetdiscover.txt"));
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->warnings, UnorderedElementsAre(HasSubstr("is not understood"),
                                                     HasSubstr("LID 65535 is no unicast LID")));
}

// --- one thing at a time ------------------------------------------------------------------------

constexpr std::string_view kTwo =
    "Switch 8 \"S1\"\n"
    "[1] \"H1\"[1]\n"
    "\n"
    "Hca 2 \"H1\"\n"
    "[1] \"S1\"[1]\n";

TEST(Import, ReadsIbsimNetFiles) {
  const Blueprint blueprint = parse(kTwo);
  ASSERT_EQ(blueprint.nodes.size(), 2u);
  EXPECT_EQ(blueprint.nodes[0].description, "S1");
  EXPECT_EQ(blueprint.nodes[1].port_count, 2);
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].a, (PlannedEnd{0, 1}));
  EXPECT_EQ(blueprint.cables[0].b, (PlannedEnd{1, 1}));
  EXPECT_NE(blueprint.nodes[0].guid, blueprint.nodes[1].guid);
  EXPECT_THAT(blueprint.warnings, IsEmpty());
}

TEST(Import, LineEndsTabsAndBlanksDoNotMatter) {
  const Blueprint plain = parse(
      "Switch\t4 \"S-0000000000000001\"\t\t# \"leaf\" enhanced port 0 lid 7 lmc 1\n"
      "[1]\t\"H-0000000000000010\"[1](11) \t\t# \"host\" lid 9 4xEDR\n"
      "\n"
      "Ca\t1 \"H-0000000000000010\"\t\t# \"host\"\n"
      "[1](11) \t\"S-0000000000000001\"[1]\t\t# lid 9 lmc 0 \"leaf\" lid 7 4xEDR\n");
  const Blueprint damaged = parse(
      "login: noise\r\n\r\r\n"
      "Switch4 \"S-0000000000000001\"# \"leaf\" enhanced port 0 lid 7 lmc 1\r\n"
      "[1]\"H-0000000000000010\"[1](11) # \"host\" lid 9 4xEDR\r\n"
      "Ca  1 \"H-0000000000000010\"# \"host\"\r\n"
      "[1](11)\"S-0000000000000001\"[1]# lid 9 lmc 0 \"leaf\" lid 7 4xEDR");
  for (const Blueprint* blueprint : {&plain, &damaged}) {
    ASSERT_EQ(blueprint->nodes.size(), 2u);
    EXPECT_EQ(blueprint->nodes[0].ports.at(0).lid.value, 7);
    EXPECT_EQ(blueprint->nodes[0].ports.at(0).lmc, 1);
    EXPECT_EQ(blueprint->nodes[1].ports.at(1).lid.value, 9);
    EXPECT_EQ(blueprint->nodes[1].ports.at(1).guid.value, 0x11u);
    ASSERT_EQ(blueprint->cables.size(), 1u);
    EXPECT_EQ(blueprint->cables[0].speed, Speed::EDR);
    EXPECT_THAT(blueprint->warnings, IsEmpty());
  }
}

TEST(Import, ReadsEveryWidthAndSpeed) {
  const std::pair<const char*, Speed> speeds[] = {
      {"SDR", Speed::SDR},     {"DDR", Speed::DDR}, {"QDR", Speed::QDR},
      {"FDR10", Speed::FDR10}, {"FDR", Speed::FDR}, {"EDR", Speed::EDR},
      {"HDR", Speed::HDR},     {"NDR", Speed::NDR}, {"XDR", Speed::XDR}};
  const std::pair<const char*, Width> widths[] = {{"1x", Width::X1},
                                                  {"2x", Width::X2},
                                                  {"4x", Width::X4},
                                                  {"8x", Width::X8},
                                                  {"12x", Width::X12}};
  for (const auto& [width_name, width] : widths) {
    for (const auto& [speed_name, speed] : speeds) {
      const std::string rate = std::string(width_name) + speed_name;
      const Blueprint blueprint = parse(
          "Switch 2 \"S\" # \"s\" base port 0 lid 1 lmc 0\n[1] \"H\"[1] # \"h 2xHDR\" lid 2 " +
          rate + "\nCa 1 \"H\" # \"h 2xHDR\"\n[1] \"S\"[1] # lid 2 lmc 0 \"s\" lid 1 " + rate);
      ASSERT_EQ(blueprint.cables.size(), 1u);
      EXPECT_EQ(blueprint.cables[0].width, width) << rate;
      EXPECT_EQ(blueprint.cables[0].speed, speed) << rate;
    }
  }
}

TEST(Import, TwoEndsThatDisagreeOnTheRateTakeTheLesser) {
  const Blueprint blueprint = parse(
      "Switch 2 \"S\"\n[1] \"T\"[2] # \"t\" lid 1 4xEDR\n"
      "Switch 2 \"T\"\n[2] \"S\"[1] # \"s\" lid 1 1xSDR\n");
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].width, Width::X1);
  EXPECT_EQ(blueprint.cables[0].speed, Speed::SDR);
  EXPECT_THAT(blueprint.warnings, ElementsAre(HasSubstr("file:2: line 4")));
}

TEST(Import, ReadsRoutersAndGroupedDumps) {
  const Blueprint blueprint = parse(
      "Chassis 1 (guid 0x2c90000000001)\n"
      "Spine 1 Chip 1\n"
      "Switch 4 \"S-0000000000000001\" # \"s\" base port 0 lid 1 lmc 0\n"
      "[1][ext 3] \"R-0000000000000002\"[2][ext 7](4) # \"r\" lid 2 4xSDR\n"
      "rtguid=0x2\n"
      "Rt 2 \"R-0000000000000002\" # \"r\"\n"
      "[2](4) \"S-0000000000000001\"[1] # lid 2 lmc 0 \"s\" lid 1 4xSDR\n");
  EXPECT_EQ(count(blueprint, mad::NodeType::Router), 1u);
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].b, (PlannedEnd{1, 2}));
  EXPECT_THAT(blueprint.warnings, IsEmpty());
}

TEST(Import, ALinkSeenFromOneSideIsCompleted) {
  const Blueprint blueprint = parse("Switch 4 \"S\"\n[3] \"H\"[1]\nCa 1 \"H\"\n");
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].a, (PlannedEnd{0, 3}));
  EXPECT_EQ(blueprint.cables[0].b, (PlannedEnd{1, 1}));
}

TEST(Import, ANodeThatIsOnlyNamedGetsThePortsThatAreNamed) {
  const Blueprint blueprint =
      parse("Switch 4 \"S-0000000000000001\"\n[3] \"H-0000000000000009\"[2](b)\n");
  ASSERT_EQ(blueprint.nodes.size(), 2u);
  EXPECT_EQ(blueprint.nodes[1].guid.value, 9u);
  EXPECT_EQ(blueprint.nodes[1].port_count, 2);
  EXPECT_EQ(blueprint.nodes[1].ports.at(2).guid.value, 0xbu);
  EXPECT_EQ(blueprint.cables.size(), 1u);
  EXPECT_THAT(blueprint.warnings, ElementsAre(HasSubstr("file:2: ")));
}

TEST(Import, ContradictionsAreLeftOpenAndTold) {
  const Blueprint blueprint = parse(
      "Switch 4 \"A\"\n[1] \"B\"[1]\n[2] \"B\"[3]\n"
      "Switch 4 \"B\"\n[1] \"A\"[3]\n");
  // A[1] says B[1], which says A[3]; A[3] says nothing, yet B[1] is spoken for by A[1].
  EXPECT_THAT(blueprint.warnings, ElementsAre(HasSubstr("file:2: leads to \"B\"[1], but line 5")));
  EXPECT_EQ(blueprint.cables.size(), 2u);
}

TEST(Import, TwoPortsThatClaimTheSameEndGiveItToTheFirst) {
  const Blueprint blueprint = parse("Switch 4 \"A\"\n[1] \"B\"[1]\n[2] \"B\"[1]\nCa 1 \"B\"\n");
  EXPECT_EQ(blueprint.cables.size(), 1u);
  EXPECT_THAT(blueprint.warnings, ElementsAre(HasSubstr("as line 2 does already")));
}

TEST(Import, APortThatLeadsToItselfIsLeftOpen) {
  const Blueprint blueprint = parse("Switch 4 \"A\"\n[1] \"A\"[1]\n");
  EXPECT_THAT(blueprint.cables, IsEmpty());
  EXPECT_THAT(blueprint.warnings, ElementsAre(HasSubstr("leads to itself")));
}

TEST(Import, NoiseBetweenNodesIsSkippedWithAWarning) {
  const Blueprint blueprint = parse(
      "Switch 4 \"A\"\n[1] \"B\"[1]\n"
      "ibwarn: [1234] mad_rpc: timeout\n"
      "Ca 1 \"B\"\n");
  EXPECT_EQ(blueprint.cables.size(), 1u);
  EXPECT_THAT(blueprint.warnings, ElementsAre(HasSubstr("file:3: ")));
}

// --- broken files -------------------------------------------------------------------------------

TEST(BrokenFile, TheErrorNamesTheLine) {
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[9] \"B\"[1]\n"), HasSubstr("file:2: port 9 of \"A\""));
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[x] \"B\"[1]\n"),
              HasSubstr("file:2: 'x' is not a port"));
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[0] \"B\"[1]\n"),
              HasSubstr("file:2: '0' is not a port"));
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[1] \"B[1]\n"),
              HasSubstr("file:2: expected a node's name"));
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[1] \"B\"[\n"),
              HasSubstr("file:2: expected a port number"));
  EXPECT_THAT(import_error("Switch 255 \"A\"\n"), HasSubstr("file:1: a node needs 1 to 254 ports"));
  EXPECT_THAT(import_error("Switch 0 \"A\"\n"), HasSubstr("file:1: a node needs 1 to 254 ports"));
  EXPECT_THAT(import_error("Switch 4 \"A\"\nSwitch 4 \"A\"\n"),
              HasSubstr("file:2: \"A\" was described before, in line 1"));
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[1] \"A\"[2]\n[1] \"A\"[3]\n"),
              HasSubstr("file:3: \"A\"[1] was described before, in line 2"));
  EXPECT_THAT(import_error("[1] \"A\"[2]\n"), HasSubstr("file:1: a port before any node"));
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[1] \"nowhere\"[2]\n"),
              HasSubstr("file:2: leads to \"nowhere\", which is not described"));
  EXPECT_THAT(import_error("Switch 4 \"A\"\n[1] \"B\"[2]\nCa 1 \"B\"\n"),
              HasSubstr("file:2: leads to port 2 of \"B\", which has 1 ports"));
  EXPECT_THAT(import_error("switchguid=0xzz\nSwitch 4 \"A\"\n"),
              HasSubstr("file:1: switchguid needs"));
}

// A fabric that moves while it is read: the cable between S-1 and S-2 is plugged over to S-3.
TEST(BrokenFile, ANodeThatADumpTellsTwiceIsOne) {
  const std::string first =
      "Switch 4 \"S-1\" # \"a\" base port 0 lid 5 lmc 0\n[1] \"S-2\"[1] # 4xHDR\n";
  const std::string again =
      "Switch 4 \"S-1\" # \"a\" base port 0 lid 6 lmc 0\n[1] \"S-3\"[1] # 4xHDR\n";
  const std::string second = "Switch 4 \"S-2\"\n", third = "Switch 4 \"S-3\"\n";
  const Blueprint confirmed = parse(first + second + again + third + "[1] \"S-1\"[1] # 4xHDR\n");
  EXPECT_EQ(confirmed.nodes.size(), 3u);
  ASSERT_EQ(confirmed.cables.size(), 1u);
  EXPECT_EQ(confirmed.nodes[confirmed.cables[0].b.node].name, "S-3") << "the other end says so";
  EXPECT_THAT(confirmed.warnings,
              ElementsAre(HasSubstr("file:4: \"S-1\" was described before, in line 1: what is the "
                                    "same counts once; it has LID 6 here and keeps LID 5"),
                          HasSubstr("file:5: \"S-1\"[1] leads elsewhere than in line 2")));
  const Blueprint open = parse(first + second + again + third);
  EXPECT_THAT(open.cables, IsEmpty());
  EXPECT_THAT(open.warnings.back(),
              HasSubstr("leads to two ports, and neither says so: left open"));
  const Blueprint whole = parse(first + first + second);
  EXPECT_EQ(whole.cables.size(), 1u);
  EXPECT_THAT(whole.warnings, ElementsAre(HasSubstr("file:3: ")));
  EXPECT_THAT(import_error(first + "Switch 8 \"S-1\"\n"),
              HasSubstr("file:3: \"S-1\" has 8 ports here"));
}

TEST(BrokenFile, ACableWithoutARateAmongOthersIsTold) {
  const Blueprint blueprint =
      parse("Switch 4 \"S-1\"\n[1] \"S-2\"[1] # 4xEDR\n[2] \"S-2\"[2]\nSwitch 4 \"S-2\"\n");
  EXPECT_EQ(blueprint.cables.size(), 2u);
  EXPECT_THAT(blueprint.warnings,
              ElementsAre(HasSubstr("file:3: no width and speed of this cable are known (1 such of "
                                    "2)")));
}

TEST(BrokenFile, OtherFormatsAreNamed) {
  EXPECT_THAT(import_error("dump_ucast_routes: Switch 0x0002c90109fb0000\n"),
              HasSubstr("forwarding tables"));
  EXPECT_THAT(import_error(""), HasSubstr("no node"));
  EXPECT_THAT(import_error("hello\nworld\n"), HasSubstr("no node"));
}

TEST(BrokenFile, AMissingFileIsNamed) {
  const auto loaded = load_fabric("/no/such/fabric");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("'/no/such/fabric'"));
}

// Cutting a real dump anywhere gives a fabric or an error, never anything else.
TEST(BrokenFile, ACutDumpLoadsOrIsRefused) {
  std::ifstream file(golden("jabl_1.ibnetdiscover.txt"));
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(whole.size(), 1000u);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const auto parsed = parse_fabric_file(std::string_view(whole).substr(0, length), "cut");
    if (parsed) {
      EXPECT_LE(parsed->nodes.size(), 6u);
    } else {
      EXPECT_THAT(parsed.error().message, HasSubstr("cut"));
    }
  }
}

}  // namespace
}  // namespace heddle::sim
