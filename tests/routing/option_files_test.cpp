// SPDX-License-Identifier: BSD-3-Clause
#include "routing/option_files.hpp"

#include <string>

#include <gtest/gtest.h>

namespace heddle::routing {
namespace {

std::string problem(std::string_view text) {
  const auto guids = parse_guid_list(text, "roots");
  return guids ? "none" : guids.error().message;
}

TEST(OptionFiles, AGuidListHasAGuidOnALine) {
  const auto guids = parse_guid_list("# spines\n\n0x10 the left one\r\n 11\n", "roots");
  ASSERT_TRUE(guids) << guids.error().message;
  EXPECT_EQ(*guids, (std::vector{mad::Guid{0x10}, mad::Guid{0x11}}));
}

TEST(OptionFiles, AGuidListThatNamesNothingIsAnError) {
  EXPECT_EQ(problem(""), "roots: it names no GUID");
  EXPECT_EQ(problem("# nobody\n"), "roots: it names no GUID");
  EXPECT_EQ(problem("0x10\nspine\n"), "roots:2:1: 'spine' is no GUID, as 0x0002c90300a1b2c3");
  EXPECT_EQ(problem("0x0\n"), "roots:1:1: '0x0' is no GUID, as 0x0002c90300a1b2c3");
}

TEST(OptionFiles, AGuidListHasALimit) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxListedGuids; ++i) text += "0x1\n";
  EXPECT_EQ(problem(text), "roots:65537:1: more than 65536 GUIDs");
}

TEST(OptionFiles, HopWeightsAreAGuidAPortAndAWeight) {
  const auto weights = parse_hop_weights(
      "# directors\n\n0x0002c90300a1b2c3 17 3  # slow\r\n\t0x5 1 255\n", "weights");
  ASSERT_TRUE(weights) << weights.error().message;
  const std::vector<HopWeight> wanted{{{mad::Guid{0x0002'c903'00a1'b2c3}, mad::PortNumber{17}}, 3},
                                      {{mad::Guid{5}, mad::PortNumber{1}}, 255}};
  EXPECT_EQ(*weights, wanted);
}

TEST(OptionFiles, PortsAreAGuidAndAPort) {
  const auto ports = parse_switch_ports("0x5 254\n", "ports");
  ASSERT_TRUE(ports);
  ASSERT_EQ(ports->size(), 1u);
  EXPECT_EQ(ports->front(), (SwitchPort{mad::Guid{5}, mad::PortNumber{254}}));
  EXPECT_TRUE(parse_switch_ports("", "ports")->empty());
}

TEST(OptionFiles, IdsAreAGuidAndANumber) {
  const auto ids =
      parse_switch_ids("# cores\n\n0x5 17 the left one\r\n\t0x6 0x11\n7 0  # last\n", "ids");
  ASSERT_TRUE(ids) << ids.error().message;
  const std::vector<SwitchId> wanted{{mad::Guid{5}, 17}, {mad::Guid{6}, 17}, {mad::Guid{7}, 0}};
  EXPECT_EQ(*ids, wanted);
  const auto problem_of = [](std::string_view text) {
    const auto refused = parse_switch_ids(text, "ids");
    return refused ? "none" : refused.error().message;
  };
  EXPECT_EQ(problem_of("0x5 1\n0x6\n"),
            "ids:2:4: \"GUID ID\" is wanted, which is 2 words and not 1");
  EXPECT_EQ(problem_of("0x5 1\n  core 2\n"), "ids:2:3: 'core' is no GUID, as 0x0002c90300a1b2c3");
  EXPECT_EQ(problem_of("0x5 2x\n"), "ids:1:5: '2x' is no ID, a number as 17 or 0x11");
  EXPECT_EQ(problem_of("0x5 010\n"), "ids:1:5: '010' is no ID, a number as 17 or 0x11");
}

TEST(OptionFiles, ErrorsHaveTheirPlaceAndTheReason) {
  struct Wrong {
    const char* line;
    const char* reason;
    int column = 1;
  };
  for (const auto& [line, reason, column] :
       {Wrong{"0x5 1", "\"GUID PORT WEIGHT\" is wanted, which is 3 words and not 2", 6},
        Wrong{"0x5 1 2 3", "\"GUID PORT WEIGHT\" is wanted, which is 3 words and not 4"},
        Wrong{"five 1 2", "'five' is no GUID, as 0x0002c90300a1b2c3"},
        Wrong{"0x0 1 2", "'0x0' is no GUID, as 0x0002c90300a1b2c3"},
        Wrong{"0x5 0 2", "'0' is no port number, 1..254", 5},
        Wrong{"0x5 255 2", "'255' is no port number, 1..254", 5},
        Wrong{"0x5 1 0", "'0' is no weight, 1..255", 7},
        Wrong{"0x5 1 256", "'256' is no weight, 1..255", 7}}) {
    const auto weights = parse_hop_weights(std::string("0x1 1 1\n") + line, "w");
    ASSERT_TRUE(weights.has_error()) << line;
    EXPECT_EQ(weights.error().message, "w:2:" + std::to_string(column) + ": " + reason);
  }
}

TEST(OptionFiles, TheyHaveALimit) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxPortLines; ++i) text += "0x5 1\n";
  const auto ports = parse_switch_ports(text, "p");
  ASSERT_TRUE(ports.has_error());
  EXPECT_EQ(ports.error().message, "p:1000001:1: more than 1000000 ports");
}

}  // namespace
}  // namespace heddle::routing
