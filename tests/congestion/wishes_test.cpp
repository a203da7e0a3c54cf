// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/wishes.hpp"

#include <gtest/gtest.h>

namespace heddle::congestion {
namespace {

using Id = mad::CongestionAttributeId;
using Element = mad::SwitchPortCongestionSettingElement;

Agent large_switch() {
  Agent agent;
  agent.node = mad::Guid{0x77};
  agent.is_switch = true;
  agent.port_count = 40;
  for (std::size_t port = 1; port <= 20; ++port) agent.to_hosts.set(port);
  for (std::size_t port = 21; port <= 39; ++port) agent.to_switches.set(port);
  return agent;
}

Settings with_ports(std::initializer_list<const char*> rules) {
  Settings settings;
  for (const char* rule : rules) settings.ports.push_back(*parse_port_rule(rule));
  return settings;
}

Element element(const std::vector<Wish>& all, unsigned port) {
  return decode_at<Element>(all.at(port / 32).data, port % 32 * 4);
}

TEST(CongestionWishes, TheLastRuleThatFitsAPortCounts) {
  const auto all =
      wishes(with_ports({"all threshold=3", "switches threshold=9",
                         "0x77/25 threshold=1 about=starvation", "0x78/1 threshold=7"}),
             large_switch(), 0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].block, 1u);
  EXPECT_EQ(element(all, 1), (Element{true, false, 3, 0, 0}));
  EXPECT_EQ(element(all, 24).threshold, 9);
  EXPECT_EQ(element(all, 25), (Element{true, true, 1, 0, 0}));
  EXPECT_EQ(element(all, 39).threshold, 9) << "in the second block";
  EXPECT_EQ(element(all, 40), Element{}) << "leads nowhere";
  EXPECT_EQ(element(all, 0), Element{});
}

TEST(CongestionWishes, NoneTakesAPortsOwnSettingAway) {
  const auto all = wishes(with_ports({"all threshold=3", "hosts none"}), large_switch(), 0);
  EXPECT_FALSE(element(all, 1).valid);
  EXPECT_TRUE(element(all, 21).valid);
  Data there{};
  encode_at(there, 4, Element{true, false, 9, 0, 0});
  EXPECT_FALSE(stands(all[0], there));
}

TEST(CongestionWishes, NothingIsWishedWhereNothingIsGiven) {
  EXPECT_TRUE(wishes({}, large_switch(), 0).empty());
  EXPECT_TRUE(wishes({}, Agent{}, 128).empty());
}

TEST(CongestionWishes, MasksNameThePortsOfTheSwitch) {
  Settings settings;
  settings.switches = *parse_switch_setting("victims=hosts credit_watch=switches,0x1");
  const auto all = wishes(settings, large_switch(), 0);
  ASSERT_EQ(all.size(), 1u);
  const auto setting = decode_at<mad::SwitchCongestionSetting>(all[0].data, 0);
  EXPECT_EQ(setting.control_map, mad::kVictimMaskValid | mad::kCreditMaskValid);
  EXPECT_EQ(setting.victim_mask[31], 0xFE);  // 1 to 7
  EXPECT_EQ(setting.victim_mask[29], 0x1F);  // 16 to 20
  EXPECT_EQ(setting.credit_mask[31], 0x01);
  EXPECT_EQ(setting.credit_mask[29], 0xE0);
}

TEST(CongestionWishes, WhatAWishDoesNotSpeakOfDoesNotMatter) {
  Settings settings;
  settings.switches = *parse_switch_setting("threshold=4");
  const Wish wish = wishes(settings, large_switch(), 0).at(0);
  mad::SwitchCongestionSetting there;
  there.control_map = 0x1F;
  there.threshold = 4;
  there.marking_rate = 99;
  there.victim_mask[3] = 1;
  there.cs_threshold = 2;
  Data data{};
  encode_at(data, 0, there);
  EXPECT_TRUE(stands(wish, data));
  there.packet_size = 1;  // goes with the threshold
  encode_at(data, 0, there);
  EXPECT_FALSE(stands(wish, data));
  there.packet_size = 0;
  there.control_map = 0x1B;
  encode_at(data, 0, there);
  EXPECT_FALSE(stands(wish, data)) << "the device does not heed it";
}

TEST(CongestionWishes, LevelsThatAreNotNamedDoNotMatter) {
  Settings settings;
  settings.levels = {*parse_level("2-3 timer=9"), *parse_level("3 timer=8")};
  const Wish wish = wishes(settings, Agent{}, 0).at(0);
  const auto head = decode_at<mad::CACongestionSetting>(wish.data, 0);
  EXPECT_EQ(head.control_map, 0xC);
  EXPECT_EQ(decode_at<mad::CACongestionEntry>(wish.data, 4 + 8 * 3).ccti_timer, 8);
  Data there = wish.data;
  encode_at(there, 0, mad::CACongestionSetting{0, 0xF});
  encode_at(there, 4, mad::CACongestionEntry{1, 1, 1, 1});
  EXPECT_TRUE(stands(wish, there));
  encode_at(there, 4 + 8 * 2, mad::CACongestionEntry{1, 1, 1, 1});
  EXPECT_FALSE(stands(wish, there));
}

TEST(CongestionWishes, EntriesBeyondTheLimitDoNotMatter) {
  Settings settings;
  settings.table = *parse_table({"0:0..69"});
  const auto all = wishes(settings, Agent{}, 128);
  ASSERT_EQ(all.size(), 2u);
  auto there = decode_at<mad::CongestionControlTable>(all[1].data, 0);
  there.entries[6] = 1234;
  Data data{};
  encode_at(data, 0, there);
  EXPECT_TRUE(stands(all[1], data));
  there.entries[5] = 1234;
  encode_at(data, 0, there);
  EXPECT_FALSE(stands(all[1], data));
  EXPECT_TRUE(wishes(settings, Agent{}, 64).empty()) << "no room";
}

}  // namespace
}  // namespace heddle::congestion
