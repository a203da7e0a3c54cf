// SPDX-License-Identifier: BSD-3-Clause
// What is written reads back as the same fabric; the tables and drawings are looked at as text.
#include "sim/export.hpp"

#include <set>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/sim/importing.hpp"

namespace heddle::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A node as its GUID tells it apart, with all that a file can say of it.
using Facts = std::tuple<std::uint64_t, std::uint64_t, mad::NodeType, int, std::string,
                         std::uint32_t, int, bool>;

std::multiset<Facts> nodes_of(const Blueprint& blueprint, bool with_port0_kind) {
  std::multiset<Facts> facts;
  for (const PlannedNode& node : blueprint.nodes) {
    facts.insert({node.guid.value, node.system_image_guid.value, node.type, node.port_count,
                  node.description, node.vendor_id, node.device_id,
                  with_port0_kind && node.enhanced_port0});
  }
  return facts;
}

// A cable by its ends (node GUID, port, port GUID, LID, LMC), the lesser first, and its rate.
using End = std::tuple<std::uint64_t, int, std::uint64_t, int, int>;
using Run = std::tuple<End, End, Width, Speed>;

std::multiset<Run> cables_of(const Blueprint& blueprint, bool with_lmc) {
  const auto end = [&](const PlannedEnd& at) {
    const PlannedNode& node = blueprint.nodes[at.node];
    const PlannedPort shown = shown_port(node, at.port);
    return End{node.guid.value, at.port, shown.guid.value, shown.lid.value,
               with_lmc ? shown.lmc : 0};
  };
  std::multiset<Run> cables;
  for (const PlannedCable& cable : blueprint.cables) {
    const End a = end(cable.a);
    const End b = end(cable.b);
    cables.insert({std::min(a, b), std::max(a, b), cable.width, cable.speed});
  }
  return cables;
}

class RoundTrip : public ::testing::TestWithParam<std::string> {
 protected:
  Blueprint original() const {
    const bool is_file = GetParam().find(".txt") != std::string::npos;
    const auto loaded = load_fabric(is_file ? golden(GetParam()) : GetParam());
    EXPECT_TRUE(loaded);
    return loaded ? *loaded : Blueprint{};
  }
};

TEST_P(RoundTrip, NetFilesSayEverything) {
  const Blueprint before = original();
  for (const ExportFormat format : {ExportFormat::Ibnetdiscover, ExportFormat::Ibsim}) {
    const Blueprint after = parse(export_fabric(before, format));
    EXPECT_TRUE(nodes_of(after, true) == nodes_of(before, true));
    EXPECT_TRUE(cables_of(after, true) == cables_of(before, true));
    EXPECT_THAT(after.warnings, IsEmpty());
  }
}

TEST_P(RoundTrip, IbsimFilesKeepTheNames) {
  const Blueprint before = original();
  const Blueprint after = parse(export_fabric(before, ExportFormat::Ibsim));
  ASSERT_EQ(after.nodes.size(), before.nodes.size());
  for (std::size_t i = 0; i < after.nodes.size(); ++i) {
    EXPECT_EQ(after.nodes[i].name, before.nodes[i].name);
  }
}

TEST_P(RoundTrip, LinkListsSayAllButPort0AndLmc) {
  const Blueprint before = original();
  const Blueprint after = parse(export_fabric(before, ExportFormat::LinkList));
  EXPECT_TRUE(nodes_of(after, false) == nodes_of(before, false));
  EXPECT_TRUE(cables_of(after, false) == cables_of(before, false));
  EXPECT_THAT(after.warnings, IsEmpty());
}

TEST_P(RoundTrip, TopologiesWithTheirDefinitionsKeepNamesPortsAndCables) {
  const Blueprint before = original();
  std::map<std::string, std::string> files;
  for (const NamedText& file : system_definitions(before)) files.emplace(file.name, file.text);
  const Blueprint after = parse(export_fabric(before, ExportFormat::Topology), only_these(files));
  const auto shape = [](const Blueprint& blueprint, bool names) {
    std::multiset<std::tuple<std::string, bool, int>> facts;
    for (const PlannedNode& node : blueprint.nodes) {
      facts.insert({names ? node.name : "", node.type == mad::NodeType::Switch, node.port_count});
    }
    return facts;
  };
  // Names of real clusters may have blanks.
  const bool generated = GetParam().find(".txt") == std::string::npos;
  EXPECT_TRUE(shape(after, generated) == shape(before, generated));
  const auto kinds = [](const Blueprint& blueprint) {
    std::multiset<std::tuple<Width, int, int>> cables;
    for (const PlannedCable& cable : blueprint.cables) {
      const Width width = cable.width == Width::X2 ? Width::X4 : cable.width;
      cables.insert(
          {width, std::min(cable.a.port, cable.b.port), std::max(cable.a.port, cable.b.port)});
    }
    return cables;
  };
  EXPECT_TRUE(kinds(after) == kinds(before));
}

TEST_P(RoundTrip, TheCablingListHasALineForEachCable) {
  const Blueprint before = original();
  const std::string text = export_fabric(before, ExportFormat::Cabling);
  const auto lines = base::split(text, '\n');
  EXPECT_EQ(lines.size(), before.cables.size() + 2);  // a heading, and nothing behind the last one
}

TEST_P(RoundTrip, DrawingsHoldEverySwitchAndHost) {
  const Blueprint before = original();
  const std::string svg = export_fabric(before, ExportFormat::Svg);
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  const std::string dot = export_fabric(before, ExportFormat::Dot);
  EXPECT_THAT(dot, StartsWith("graph \""));
  EXPECT_TRUE(dot.ends_with("}\n"));
  EXPECT_THAT(export_fabric(before, ExportFormat::Json), HasSubstr("\"cables\":["));
}

INSTANTIATE_TEST_SUITE_P(Fabrics, RoundTrip,
                         ::testing::Values("pair", "star:16", "fat-tree:4,4,8",
                                           "xgft:12,12,24;1,12,12", "torus:4x4x3,hosts=2,speed=NDR",
                                           "dragonfly:8,4,4,33,width=2x,speed=XDR",
                                           "xgft:3;2,speed=FDR10", "jabl_3.ibnetdiscover.txt",
                                           "ufm_small.ibnetdiscover.txt",
                                           "loginoff.ibnetdiscover.txt",
                                           "selene.ibnetdiscover.txt"));

TEST(NetFile, OddNamesStayOneLineAndOneName) {
  Blueprint blueprint = parse("Switch 4 \"S\"\n[1] \"H\"[1]\nCa 1 \"H\"\n");
  blueprint.nodes[0].name = "with \"quotes\"#and@more";
  blueprint.nodes[0].description = "a \"b\"\nw=1 # lid 7";
  blueprint.nodes[1].description = "x=1";
  const Blueprint after = parse(export_fabric(blueprint, ExportFormat::Ibsim));
  EXPECT_EQ(after.nodes.at(0).description, "a \"b\"?w=1 # lid 7");
  EXPECT_EQ(after.nodes.at(1).description, "x=1");
  EXPECT_EQ(after.nodes.at(0).ports.at(0).lid, mad::kNoLid);
  ASSERT_EQ(after.cables.size(), 1u);
  EXPECT_EQ(after.cables[0].width, Width::X4);
}

TEST(NetFile, TwoNodesOfOneGuidStayTwo) {
  Blueprint blueprint = parse("Switch 4 \"S\"\n[1] \"T\"[1]\nSwitch 4 \"T\"\n");
  blueprint.nodes[1].guid = blueprint.nodes[0].guid;
  const Blueprint after = parse(export_fabric(blueprint, ExportFormat::Ibnetdiscover));
  EXPECT_EQ(after.nodes.size(), 2u);
  EXPECT_EQ(after.nodes[0].guid, after.nodes[1].guid);
}

TEST(CablingList, NamesBothEndsTheRateAndALabel) {
  const auto pair = generate_fabric("star:1,speed=NDR,width=2x");
  ASSERT_TRUE(pair);
  EXPECT_EQ(export_fabric(*pair, ExportFormat::Cabling),
            "start device,start port,end device,end port,width,speed,label\n"
            "switch-1,1,host-0001,1,2x,NDR,switch-1/P1 - host-0001/P1\n");
  Blueprint odd = *pair;
  odd.nodes[0].name = "a,\"b\"";
  EXPECT_THAT(export_fabric(odd, ExportFormat::Cabling), HasSubstr("\"a,\"\"b\"\"\",1,"));
}

TEST(Json, EscapesWhatNamesMayHold) {
  Blueprint odd = parse("Switch 4 \"S\"\n");
  odd.nodes[0].description = "a\"b\\c\nd";
  EXPECT_THAT(export_fabric(odd, ExportFormat::Json), HasSubstr("\"a\\\"b\\\\c\\u000ad\""));
}

TEST(Svg, EscapesWhatNamesMayHold) {
  Blueprint odd = parse("Switch 4 \"S\"\n");
  odd.nodes[0].name = "<a&b>";
  const std::string text = export_fabric(odd, ExportFormat::Svg);
  EXPECT_THAT(text, HasSubstr("&lt;a&amp;b&gt;"));
  EXPECT_THAT(text, Not(HasSubstr("<a&")));
}

TEST(ExportFormats, AreThoseThatTheHelpNames) {
  for (const std::string_view name : base::split(kExportFormatNames, ' ')) {
    EXPECT_TRUE(parse_export_format(name)) << name;
  }
  EXPECT_FALSE(parse_export_format("visio"));
}

}  // namespace
}  // namespace heddle::sim
