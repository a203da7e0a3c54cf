// SPDX-License-Identifier: BSD-3-Clause
// What ibsim's net files say beyond an ibnetdiscover dump.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/sim/importing.hpp"
#include "tests/support/folder.hpp"

namespace heddle::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Debian's ibsim 0.10 gives these five nodes these GUIDs (console command 'dump').
TEST(IbsimFile, CountsGuidsOnAsIbsimDoes) {
  const Blueprint blueprint = parse(
      "switchguid=0x1000\ncaguid=0x2000\n"
      "Switch 8 \"A\"\n[1] \"H\"[1]\n"
      "Switch 8 \"B\"\n"
      "switchguid+5\n"
      "Switch 8 \"C\"\n"
      "Hca 2 \"H\"\n"
      "Hca 2 \"I\"\n");
  std::vector<std::uint64_t> guids;
  for (const PlannedNode& node : blueprint.nodes) guids.push_back(node.guid.value);
  EXPECT_THAT(guids, ElementsAre(0x1000u, 0x1001u, 0x1005u, 0x2000u, 0x2003u));
}

TEST(IbsimFile, ARelativeGuidCountsFromTheLastAbsoluteOne) {
  const Blueprint blueprint = parse(
      "switchguid=0x1000\nSwitch 8 \"A\"\n"
      "switchguid+0x10\nSwitch 8 \"B\"\n"
      "switchguid+0x20\nSwitch 8 \"C\"\n");
  EXPECT_EQ(blueprint.nodes.at(1).guid.value, 0x1010u);
  EXPECT_EQ(blueprint.nodes.at(2).guid.value, 0x1020u);
  EXPECT_THAT(error_of_file("vendid+3\nSwitch 8 \"A\"\n"), HasSubstr("file:1: only GUIDs"));
}

TEST(IbsimFile, TheDeviceNumberHoldsUntilAnotherIsSaid) {
  const Blueprint blueprint =
      parse("devid=0xd2f0\nSwitch 8 \"A\"\nSwitch 8 \"B\"\ndevid=0x1011\nHca 1 \"H\"\n");
  EXPECT_EQ(blueprint.nodes.at(1).device_id, 0xd2f0);
  EXPECT_EQ(blueprint.nodes.at(2).device_id, 0x1011);
}

struct Rate {
  const char* options;
  Width width;
  Speed speed;
};

// Register bits, the highest of them wins; what nobody says is 4x HDR.
TEST(IbsimFile, ReadsTheRateOfOnePort) {
  const Rate rates[] = {
      {"w=1", Width::X1, Speed::HDR},           {"w=2 s=1", Width::X4, Speed::SDR},
      {"w=3 s=7", Width::X4, Speed::QDR},       {"w=8 s=2", Width::X12, Speed::DDR},
      {"w=16 e=8", Width::X2, Speed::NDR},      {"s=7 e=1", Width::X4, Speed::FDR},
      {"w = 4 s=7 e=2", Width::X8, Speed::EDR}, {"e=31", Width::X4, Speed::XDR}};
  for (const Rate& rate : rates) {
    const std::string end = std::string(" ") + rate.options + "\n";
    const Blueprint blueprint =
        parse("Switch 8 \"A\"\n[1] \"H\"[1]" + end + "Hca 1 \"H\"\n[1] \"A\"[1]" + end);
    ASSERT_EQ(blueprint.cables.size(), 1u) << rate.options;
    EXPECT_EQ(blueprint.cables[0].width, rate.width) << rate.options;
    EXPECT_EQ(blueprint.cables[0].speed, rate.speed) << rate.options;
    EXPECT_THAT(blueprint.warnings, IsEmpty());
  }
}

TEST(IbsimFile, TheRateOfTheFileHoldsWhereAPortSaysNothing) {
  const Blueprint blueprint = parse(
      "width=8\nspeed=7\nextspeed=4\n"
      "Switch 8 \"A\"\n[1] \"H\"[1]\n[2] \"I\"[1] w=1\n[3] \"J\"[1] # lid 4xEDR\n"
      "Hca 1 \"H\"\nHca 1 \"I\"\nHca 1 \"J\"\n");
  ASSERT_EQ(blueprint.cables.size(), 3u);
  EXPECT_EQ(blueprint.cables[0].width, Width::X12);
  EXPECT_EQ(blueprint.cables[0].speed, Speed::HDR);
  EXPECT_EQ(blueprint.cables[1].width, Width::X1);
  EXPECT_EQ(blueprint.cables[1].speed, Speed::HDR);
  EXPECT_EQ(blueprint.cables[2].width, Width::X4);
  EXPECT_EQ(blueprint.cables[2].speed, Speed::EDR);
}

TEST(IbsimFile, WrongRatesAreRefused) {
  const auto with = [](const char* options) {
    return error_of_file(std::string("Switch 8 \"A\"\n[1] \"B\"[1] ") + options + "\n");
  };
  EXPECT_THAT(with("w=0"), HasSubstr("file:2: w=0 is no set of register bits"));
  EXPECT_THAT(with("w=32"), HasSubstr("w=32 is no set"));
  EXPECT_THAT(with("s=8"), HasSubstr("s=8 is no set"));
  EXPECT_THAT(with("q=1"), HasSubstr("'q=' is no option of a port"));
  EXPECT_THAT(error_of_file("width=fast\n"), HasSubstr("file:1: w=fast"));
}

TEST(IbsimFile, APortWithoutANumberLeadsToPortOne) {
  const Blueprint blueprint = parse("Switch 8 \"A\"\n[3] \"H\"\nHca 2 \"H\"\n");
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].b, (PlannedEnd{1, 1}));
}

TEST(IbsimFile, ModulesKeepTheirNamesApart) {
  const Blueprint blueprint = parse(
      "module = \"m1\"\nSwitch 8 \"S\"\n[1] \"H\"[1]\n[8] \"m2#S\"[8]\nHca 1 \"H\"\n"
      "module = \"m2\"\nSwitch 8 \"S\"\n[1] \"H\"[1]\nHca 1 \"H\"\n");
  EXPECT_EQ(blueprint.nodes.at(0).name, "m1#S");
  EXPECT_EQ(blueprint.nodes.at(3).name, "m2#H");
  ASSERT_EQ(blueprint.cables.size(), 3u);
  EXPECT_EQ(blueprint.cables[1].a, (PlannedEnd{0, 8}));
  EXPECT_EQ(blueprint.cables[1].b, (PlannedEnd{2, 8}));
}

TEST(IbsimFile, APortWithASecondNameIsFoundByIt) {
  const Blueprint blueprint = parse(
      "module = \"m1\"\nSwitch 8 \"S\"\n@[5] \"uplink\"\n"
      "module = \"m2\"\nSwitch 8 \"S\"\n[2] \"m1@uplink\"\n");
  ASSERT_EQ(blueprint.cables.size(), 1u);
  EXPECT_EQ(blueprint.cables[0].a, (PlannedEnd{1, 2}));
  EXPECT_EQ(blueprint.cables[0].b, (PlannedEnd{0, 5}));
  EXPECT_THAT(error_of_file("Switch 8 \"S\"\n@[5] \"up\"\n@[6] \"up\"\n"), HasSubstr("file:3: "));
  EXPECT_THAT(error_of_file("Switch 8 \"S\"\n[5] \"@gone\"\n"), HasSubstr("file:2: leads to"));
}

TEST(IbsimFile, ConsoleCommandsAreSkippedWithAWarning) {
  const Blueprint blueprint = parse("Switch 8 \"S\"\ndo link \"S\"[1] \"H\"[1]\nHca 1 \"H\"\n");
  EXPECT_THAT(blueprint.warnings,
              ElementsAre(HasSubstr("file:2: the console command 'link \"S\"[1] \"H\"[1]'")));
  EXPECT_THAT(blueprint.cables, IsEmpty());
}

TEST(IbsimFile, IncludedLinesStandWhereTheyAreIncluded) {
  const OtherFiles others = only_these({{"pod.net", "Hca 1 \"H\"\n[1] \"S\"[1]\n"}});
  const Blueprint blueprint =
      parse("Switch 8 \"S\"\n[1] \"H\"[1]\ninclude \"pod.net\"\nHca 1 \"I\"\n", others);
  ASSERT_EQ(blueprint.nodes.size(), 3u);
  EXPECT_EQ(blueprint.nodes[1].name, "H");
  EXPECT_EQ(blueprint.cables.size(), 1u);
}

TEST(IbsimFile, AFileMayIncludeSeveral) {
  std::vector<std::string> asked_from;
  OtherFiles others;
  others.included = [&](std::string_view name, std::string_view from) -> base::Result<NamedText> {
    asked_from.emplace_back(from);
    return NamedText{std::string(name), "Hca 1 \"" + std::string(name) + "\"\n"};
  };
  std::string text;
  for (const char* name : {"a", "b", "c", "d"}) text += "include \"" + std::string(name) + "\"\n";
  EXPECT_EQ(parse(text, others).nodes.size(), 4u);
  EXPECT_THAT(asked_from, ElementsAre("file", "file", "file", "file"));
}

TEST(IbsimFile, TroubleInAnIncludedFileIsFoundThere) {
  EXPECT_THAT(error_of_file("include \"a.net\"\n", only_these({{"a.net", "\nSwitch 999 \"S\"\n"}})),
              HasSubstr("a.net:2: a node needs 1 to 254 ports"));
  EXPECT_THAT(error_of_file("Switch 8 \"S\"\ninclude \"a.net\"\n",
                            only_these({{"a.net", "\nSwitch 8 \"S\"\n"}})),
              HasSubstr("a.net:2: \"S\" was described before, in line 1 of file"));
  EXPECT_THAT(error_of_file("include \"gone.net\"\n", only_these({})),
              HasSubstr("file:1: there is no such file"));
  EXPECT_THAT(error_of_file("include gone.net\n", only_these({})),
              HasSubstr("file:1: include needs a name in quotation marks"));
  EXPECT_THAT(error_of_file("include \"a.net\"\n"), HasSubstr("file:1: 'include' cannot be"));
  EXPECT_THAT(error_of_file("include \"a.net\"\n", only_these({{"a.net", "include \"a.net\"\n"}})),
              HasSubstr("a.net:1: files include one another more than 9 deep"));
}

TEST(IbsimFile, IncludesAreLookedForBesideTheFile) {
  const test::Folder own;
  const auto& folder = own.path();
  std::filesystem::create_directory(folder / "pods");
  std::ofstream(folder / "top.net") << "Switch 8 \"S\"\ninclude \"pods/a.net\"\n";
  std::ofstream(folder / "pods" / "a.net") << "include \"b.net\"\n";
  std::ofstream(folder / "pods" / "b.net") << "Hca 1 \"H\"\n";
  const auto loaded = load_fabric((folder / "top.net").string());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->nodes.size(), 2u);
}

}  // namespace
}  // namespace heddle::sim
