// SPDX-License-Identifier: BSD-3-Clause
#include "qos/lane_tables.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::qos {
namespace {

using testing::HasSubstr;

constexpr std::string_view kWhole =
    "sl2vl=0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,15 high=0:64,7:255 low=1:1,2:0 limit=255";

LaneWords words(std::string_view text) {
  return parse_lane_words(text).value();
}

std::string refusal(std::string_view text) {
  const auto parsed = parse_lane_words(text);
  return parsed ? "taken" : parsed.error().message;
}

const mad::VLArbitrationEntry& entry(const Arbitration& arbitration, mad::VLArbitrationBlock block,
                                     std::size_t at) {
  return arbitration.at(static_cast<std::size_t>(block) - 1).value().entries.at(at);
}

TEST(LaneTables, WordsGoThereAndBack) {
  EXPECT_EQ(to_text(words(kWhole)), kWhole);
  EXPECT_EQ(words("limit=3   low=1:2").low->size(), 1u);
  EXPECT_EQ(words(""), LaneWords{});
  EXPECT_TRUE(words("high=").high->empty());
}

TEST(LaneTables, MistakesAreNamed) {
  EXPECT_THAT(refusal("sl2vl=0,1"), HasSubstr("16 lanes"));
  EXPECT_THAT(refusal("sl2vl=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16"), HasSubstr("15, which drops"));
  EXPECT_THAT(refusal("high=15:1"), HasSubstr("up to 14"));
  EXPECT_THAT(refusal("high=1:256"), HasSubstr("up to 255"));
  EXPECT_THAT(refusal("low=1"), HasSubstr("VL:WEIGHT"));
  EXPECT_THAT(refusal("limit=256"), HasSubstr("0 to 255"));
  EXPECT_THAT(refusal("limit=1 limit=2"), HasSubstr("twice"));
  EXPECT_THAT(refusal("speed=1"), HasSubstr("sl2vl="));
  std::string many = "low=0:1";
  for (std::size_t i = 0; i < kMostArbitrationEntries; ++i) many += ",0:1";
  EXPECT_THAT(refusal(many), HasSubstr("more than 64"));
}

TEST(LaneTables, AKindStandsAboveAllAndSwitchesAboveLinksBetweenThem) {
  LaneTables tables;
  tables.all = words("limit=1 high=0:1");
  const auto of = [&](PortKind kind) -> LaneWords& {
    return tables.by_kind[static_cast<std::size_t>(kind)];
  };
  of(PortKind::SwitchToHost) = words("limit=2");
  EXPECT_EQ(lanes_of(tables, PortKind::Host).high_limit, 1);
  EXPECT_EQ(lanes_of(tables, PortKind::SwitchToHost).high_limit, 2);
  EXPECT_EQ(lanes_of(tables, PortKind::SwitchToSwitch).high_limit, 2);
  of(PortKind::SwitchToSwitch) = words("limit=3");
  EXPECT_EQ(lanes_of(tables, PortKind::SwitchToSwitch).high_limit, 3);
  EXPECT_EQ(lanes_of(tables, PortKind::SwitchToSwitch).high.size(), 1u);
  EXPECT_EQ(lanes_of(tables, PortKind::Router).low.size(), 15u) << "as OpenSM has it";
}

TEST(LaneTables, LanesThatAPortHasNotAreFolded) {
  const auto map = *words(kWhole).sl_to_vl;
  EXPECT_EQ(folded(map, 2), (fabric::VlMap{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 15}));
  EXPECT_EQ(folded(map, 15), map);
  PortLanes lanes;
  lanes.high = *words(kWhole).high;
  const auto fitted = arbitration_for(lanes, {2, 8, 0}, 0);
  const auto high = mad::VLArbitrationBlock::LowerHighPriority;
  EXPECT_EQ(entry(fitted, high, 1), (mad::VLArbitrationEntry{mad::VirtualLane{1}, 255}));
  EXPECT_EQ(entry(fitted, high, 2), mad::VLArbitrationEntry{});
  EXPECT_FALSE(fitted[0]) << "the port has no table of low priority";
  EXPECT_FALSE(fitted[3]) << "and of high priority not two blocks";
}

TEST(LaneTables, LongTablesFillBothBlocks) {
  PortLanes lanes;
  for (std::uint8_t i = 0; i < 40; ++i) lanes.low.push_back({mad::VirtualLane{1}, i});
  const auto whole = arbitration_for(lanes, {8, 0, 64}, 0);
  EXPECT_EQ(entry(whole, mad::VLArbitrationBlock::UpperLowPriority, 7).weight, 39);
  EXPECT_EQ(entry(whole, mad::VLArbitrationBlock::UpperLowPriority, 8).weight, 0);
  const auto cut = arbitration_for(lanes, {8, 0, 35}, 0);
  EXPECT_EQ(entry(cut, mad::VLArbitrationBlock::UpperLowPriority, 2).weight, 34);
  EXPECT_EQ(entry(cut, mad::VLArbitrationBlock::UpperLowPriority, 3).weight, 0);
}

TEST(LaneTables, LanesThatRoutesNeedAreServed) {
  PortLanes lanes;
  lanes.high = *words("high=0:64,1:0").high;
  lanes.low = *words("low=2:5,0:0").low;
  const auto low = mad::VLArbitrationBlock::LowerLowPriority;
  const auto left = arbitration_for(lanes, {4, 8, 8}, 0);
  EXPECT_EQ(entry(left, low, 1).weight, 0) << "as it is said";
  const auto served = arbitration_for(lanes, {4, 8, 8}, 4);
  EXPECT_EQ(entry(served, low, 0).weight, 5);
  EXPECT_EQ(entry(served, low, 1), (mad::VLArbitrationEntry{mad::VirtualLane{1}, 1}));
  EXPECT_EQ(entry(served, low, 2), (mad::VLArbitrationEntry{mad::VirtualLane{3}, 1}));
  // A port with fewer lanes carries those of the routes on what it has.
  const auto folded_on = arbitration_for(lanes, {2, 8, 8}, 4);
  EXPECT_EQ(entry(folded_on, low, 2), mad::VLArbitrationEntry{});
}

}  // namespace
}  // namespace heddle::qos
