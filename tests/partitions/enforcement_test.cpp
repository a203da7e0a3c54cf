// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partitions/tables.hpp"

namespace heddle::partitions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<mad::PKey> kKeys{{0xffff}, {0x8001}, {0x0002}};

mad::SwitchInfo able(std::uint16_t capacity) {
  mad::SwitchInfo info;
  info.partition_enforcement_cap = capacity;
  info.inbound_enforcement_cap = true;
  info.outbound_enforcement_cap = true;
  return info;
}

TEST(Enforcement, ThePeersKeysAreAllowedBothWays) {
  const EnforcementPlan plan =
      plan_enforcement(Enforcement::Both, able(32), {32, {mad::PKeyTable{}}}, kKeys);
  EXPECT_TRUE(plan.inbound);
  EXPECT_TRUE(plan.outbound);
  ASSERT_EQ(plan.table.blocks.size(), 1u);
  EXPECT_EQ(plan.table.blocks[0].p_keys[0], mad::PKey{0xffff});
  EXPECT_EQ(plan.table.blocks[0].p_keys[1], mad::PKey{0x8001});
  // A limited member's packets carry 0x0002, which another 0x0002 would not match.
  EXPECT_EQ(plan.table.blocks[0].p_keys[2], mad::PKey{0x8002});
  EXPECT_THAT(plan.table.to_write, ElementsAre(0));
  const HeldTable settled{32, {plan.table.blocks[0]}};
  EXPECT_THAT(plan_enforcement(Enforcement::Both, able(32), settled, kKeys).table.to_write,
              IsEmpty());
}

TEST(Enforcement, AFullKeyDoesForTheLimitedOne) {
  const std::vector<mad::PKey> both{{0xffff}, {0x8001}, {0x0001}, {0x0002}};
  const EnforcementPlan plan = plan_enforcement(Enforcement::Both, able(3), {3, {}}, both);
  EXPECT_TRUE(plan.inbound);
  EXPECT_EQ(plan.table.blocks[0].p_keys[1], mad::PKey{0x8001});
  EXPECT_EQ(plan.table.blocks[0].p_keys[2], mad::PKey{0x8002});
}

TEST(Enforcement, ThePolicyChoosesTheDirections) {
  const auto bits = [](Enforcement policy) {
    const EnforcementPlan plan = plan_enforcement(policy, able(32), {32, {}}, kKeys);
    EXPECT_EQ(enforcement_gap(policy, able(32), kKeys), EnforcementGap::None);
    EXPECT_EQ(plan.table.to_write.empty(), !plan.inbound && !plan.outbound);
    return std::pair(plan.inbound, plan.outbound);
  };
  EXPECT_EQ(bits(Enforcement::Both), std::pair(true, true));
  EXPECT_EQ(bits(Enforcement::In), std::pair(true, false));
  EXPECT_EQ(bits(Enforcement::Out), std::pair(false, true));
  EXPECT_EQ(bits(Enforcement::Off), std::pair(false, false));
}

TEST(Enforcement, BetweenSwitchesNothingIsChecked) {
  const EnforcementPlan plan = plan_enforcement(Enforcement::Both, able(32), {32, {}}, {});
  EXPECT_FALSE(plan.inbound);
  EXPECT_FALSE(plan.outbound);
  EXPECT_EQ(enforcement_gap(Enforcement::Both, able(0), {}), EnforcementGap::None);
  EXPECT_THAT(plan.table.to_write, IsEmpty());
}

TEST(Enforcement, ASwitchThatCannotIsTold) {
  const auto gap = [](Enforcement policy, const mad::SwitchInfo& info) {
    const EnforcementPlan plan = plan_enforcement(policy, info, {32, {}}, kKeys);
    EXPECT_TRUE(plan.inbound || plan.outbound || plan.table.to_write.empty());
    const EnforcementGap found = enforcement_gap(policy, info, kKeys);
    EXPECT_TRUE(plan.inbound || plan.outbound || policy == Enforcement::Off ||
                found != EnforcementGap::None);
    return found;
  };
  EXPECT_EQ(gap(Enforcement::Both, able(0)), EnforcementGap::NoTable);
  EXPECT_EQ(gap(Enforcement::Off, able(0)), EnforcementGap::None);
  EXPECT_EQ(gap(Enforcement::Both, able(2)), EnforcementGap::TableFull);
  EXPECT_EQ(gap(Enforcement::Both, able(3)), EnforcementGap::None);
  mad::SwitchInfo deaf = able(32);
  deaf.inbound_enforcement_cap = false;
  EXPECT_EQ(gap(Enforcement::Both, deaf), EnforcementGap::NoInbound);
  EXPECT_EQ(gap(Enforcement::In, deaf), EnforcementGap::NoInbound);
  EXPECT_EQ(gap(Enforcement::Out, deaf), EnforcementGap::None);
  EXPECT_TRUE(plan_enforcement(Enforcement::Both, deaf, {32, {}}, kKeys).outbound);
  EXPECT_FALSE(plan_enforcement(Enforcement::Both, deaf, {32, {}}, kKeys).inbound);
  mad::SwitchInfo mute = able(32);
  mute.outbound_enforcement_cap = false;
  EXPECT_EQ(gap(Enforcement::Both, mute), EnforcementGap::NoOutbound);
  mute.inbound_enforcement_cap = false;
  EXPECT_EQ(gap(Enforcement::Both, mute), EnforcementGap::NoDirections);
}

TEST(Enforcement, TheSwitchSaysHowLargeItsTablesAre) {
  const EnforcementPlan plan = plan_enforcement(Enforcement::Both, able(40), {8, {}}, kKeys);
  EXPECT_EQ(plan.table.blocks.size(), 2u);
}

TEST(Enforcement, WordsAreThoseOfOpenSM) {
  for (const Enforcement enforcement :
       {Enforcement::Off, Enforcement::In, Enforcement::Out, Enforcement::Both}) {
    EXPECT_EQ(enforcement_of(name_of(enforcement)), enforcement);
  }
  EXPECT_EQ(name_of(Enforcement::Both), "both");
  EXPECT_EQ(enforcement_of("BOTH"), std::nullopt);
  EXPECT_EQ(enforcement_of(""), std::nullopt);
}

TEST(Enforcement, EveryGapHasItsSentence) {
  EXPECT_EQ(describe(EnforcementGap::None), "");
  for (const EnforcementGap gap :
       {EnforcementGap::NoTable, EnforcementGap::TableFull, EnforcementGap::NoInbound,
        EnforcementGap::NoOutbound, EnforcementGap::NoDirections}) {
    EXPECT_THAT(std::string(describe(gap)), testing::HasSubstr("Cap"));
  }
}

}  // namespace
}  // namespace heddle::partitions
