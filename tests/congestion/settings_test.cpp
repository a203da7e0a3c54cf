// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/settings.hpp"

#include <gtest/gtest.h>

namespace heddle::congestion {
namespace {

std::string complaint(const auto& parsed) {
  return parsed.has_error() ? parsed.error().message : "none";
}

TEST(CongestionSettings, ASwitchSettingSaysWhichOfItIsGiven) {
  EXPECT_EQ(*parse_switch_setting(""), std::nullopt);
  EXPECT_EQ(*parse_switch_setting("  "), std::nullopt);
  const auto all = **parse_switch_setting(
      "threshold=15 packet_size=0x10 marking_rate=65535 victims=1-3,9 credit_watch=all "
      "starvation_threshold=2 starvation_delay=3:16383");
  EXPECT_EQ(all.value.control_map, 0x1Fu);
  EXPECT_EQ(all.value.threshold, 15);
  EXPECT_EQ(all.value.packet_size, 16);
  EXPECT_EQ(all.value.marking_rate, 65535);
  EXPECT_EQ(all.value.cs_threshold, 2);
  EXPECT_EQ(all.value.cs_return_delay, 0xFFFF);
  EXPECT_EQ(all.victims.mask[31], 0x0E);
  EXPECT_EQ(all.victims.mask[30], 0x02);
  EXPECT_TRUE(all.credit_watch.hosts && all.credit_watch.switches);
  EXPECT_EQ((*parse_switch_setting("marking_rate=0"))->value.control_map, 0x10u);
}

TEST(CongestionSettings, AMaskMayBeWrittenAsOpensmWritesIt) {
  const auto setting = **parse_switch_setting(
      "victims=0x8000000000000000000000000000000000000000000000000000000000000002");
  EXPECT_EQ(setting.victims.mask[0], 0x80);
  EXPECT_EQ(setting.victims.mask[31], 0x02);
  EXPECT_TRUE(parse_switch_setting("victims=0x").has_error());
  EXPECT_TRUE(parse_switch_setting("victims=0x" + std::string(65, '1')).has_error());
}

TEST(CongestionSettings, WhatIsWrongIsNamedAndWhatWouldBeRight) {
  EXPECT_EQ(complaint(parse_switch_setting("threshold=16")),
            "'threshold=16' is not 'threshold=' and a number from 0 to 15");
  EXPECT_EQ(complaint(parse_switch_setting("treshold=1")),
            "'treshold=1' is not one of threshold=, packet_size=, marking_rate=, victims=, "
            "credit_watch=, starvation_threshold=, starvation_delay=");
  EXPECT_EQ(complaint(parse_switch_setting("threshold")),
            "'threshold' is not 'threshold=' and a value");
  EXPECT_EQ(complaint(parse_switch_setting("victims=guests")),
            "'victims=guests' is not ports: hosts, switches, all, none, 1-36, or a mask 0x...");
  EXPECT_EQ(complaint(parse_port_rule("leaf threshold=1")),
            "'leaf' is not all, hosts, switches or GUID/PORT");
  EXPECT_EQ(complaint(parse_port_rule("hosts")),
            "'hosts' is not a rule such as \"hosts threshold=15 packet_size=8\" or \"all none\"");
  EXPECT_EQ(complaint(parse_level("16 timer=1")),
            "'16' is not a service level 0 to 15, 0-3, or all");
  EXPECT_EQ(complaint(parse_level("0 timer=65536")),
            "'timer=65536' is not 'timer=' and a number from 0 to 65535");
  EXPECT_EQ(complaint(parse_table({"0:1", "4:1"})),
            "'4:1' is not an entry such as 1:200, a shift from 0 to 3 and a multiplier from 0 to "
            "16383, or a run of them such as 0:0..127");
}

TEST(CongestionSettings, ATableIsEntriesAndRunsOfThem) {
  EXPECT_EQ(*parse_table({}), std::vector<std::uint16_t>{});
  EXPECT_EQ(*parse_table({"0:5", "1:7..9", "3:16383"}),
            (std::vector<std::uint16_t>{5, 0x4007, 0x4008, 0x4009, 0xFFFF}));
  EXPECT_TRUE(parse_table({"0:9..7"}).has_error());
  EXPECT_TRUE(parse_table({"0:0..16383"}).has_error()) << "longer than any device's";
}

TEST(CongestionSettings, ALevelHasWhatItIsGiven) {
  EXPECT_EQ(*parse_level("3-5 increase=2"), (Level{0x38, {0, 2, 0, 0}}));
  EXPECT_EQ(*parse_level("all"), (Level{0xFFFF, {}}));
  EXPECT_EQ(*parse_level("0 timer=1 increase=2 trigger=3 min=4"), (Level{1, {1, 2, 3, 4}}));
}

}  // namespace
}  // namespace heddle::congestion
