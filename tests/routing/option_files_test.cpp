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
  EXPECT_EQ(problem("0x10\nspine\n"), "roots:2:1: 'spine' is no GUID");
  EXPECT_EQ(problem("0x0\n"), "roots:1:1: '0x0' is no GUID");
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

TEST(OptionFiles, ErrorsHaveTheirPlaceAndTheReason) {
  struct Case {
    const char* line;
    const char* reason;
    int column = 1;
  };
  for (const auto& [line, reason, column] :
       {Case{"0x5 1", "2 words instead of 3"}, Case{"0x5 1 2 3", "4 words instead of 3"},
        Case{"five 1 2", "'five' is no GUID"}, Case{"0x0 1 2", "'0x0' is no GUID"},
        Case{"0x5 0 2", "'0' is no port number, 1..254", 5},
        Case{"0x5 255 2", "'255' is no port number, 1..254", 5},
        Case{"0x5 1 0", "'0' is no weight, 1..255", 7},
        Case{"0x5 1 256", "'256' is no weight, 1..255", 7}}) {
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
