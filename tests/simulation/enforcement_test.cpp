// SPDX-License-Identifier: BSD-3-Clause
// What the operator is told where switches cannot check P_Keys as the policy wants.
#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/switch_info.hpp"
#include "tests/simulation/virtual_judging.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kOnlyDefault = "Default=0x7fff: ALL=full;";
constexpr const char* kTwo = "Default=0x7fff: ALL=full; A=1: ALL=full;";
constexpr const char* kThree = "Default=0x7fff: ALL=full; A=1: ALL=full; B=2: ALL=full;";

BoxOptions with_policy(const char* text) {
  BoxOptions options;
  options.sm.partitions = policy(text);
  return options;
}

void without_tables(mad::Datagram& datagram) {
  const auto smp = mad::decode_smp(datagram.payload);
  if (!smp || smp->attribute_id != mad::AttributeId::SwitchInfo) return;
  auto info = mad::decode<mad::SwitchInfo>(smp->data);
  info.partition_enforcement_cap = 0;
  mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(datagram.payload.data() + 64,
                                                             mad::kSmpDataBytes));
}

bool reload(Box& box, const char* text) {
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(with_policy(text).sm)});
  box.run_for(std::chrono::seconds(5));
  return box.run_until_quiet();
}

TEST(EnforcementGaps, AreToldOnceForEachSwitchAndAgainWhenTheyComeBack) {
  Box box("star:3,pkeys=2", with_policy(kThree));
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(box.count<sm::PKeysUnchecked>(), 1u);
  const auto* told = box.last<sm::PKeysUnchecked>();
  EXPECT_EQ(told->ports, 3u);
  EXPECT_THAT(told->reason, HasSubstr("PartitionEnforcementCap"));
  box.input(sm::ResweepCommand{"to see that it is not told again"});
  box.run_for(std::chrono::seconds(5));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::PKeysUnchecked>(), 1u);
  // An event is over when it has been told; the gap is not.
  EXPECT_THAT(
      box.snapshot().problems,
      Contains(testing::AllOf(HasSubstr("3 of its ports"), HasSubstr("PartitionEnforcementCap"))));
  ASSERT_TRUE(reload(box, kTwo));
  EXPECT_THAT(box.snapshot().problems, IsEmpty());
  EXPECT_EQ(box.count<sm::PKeysUnchecked>(), 1u) << "two keys have room";
  ASSERT_TRUE(reload(box, kThree));
  EXPECT_EQ(box.count<sm::PKeysUnchecked>(), 2u);
}

// Packets with the others' key may come in there.
TEST(EnforcementGaps, AreThoseOfHostsWithTheCommonKeyToo) {
  BoxOptions options = with_policy("Default=0x7fff: ALL=full; A=1: SELF=full;");
  options.on_way_in = without_tables;
  Box box("star:3", options);
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(box.count<sm::PKeysUnchecked>(), 1u);
  EXPECT_EQ(box.last<sm::PKeysUnchecked>()->ports, 3u);
}

// The switch holds the full key only, for which there is room.
TEST(EnforcementGaps, AreNoneWhereLimitedKeysAloneFindNoRoom) {
  Box box("star:3,pkeys=2", with_policy("Default=0x7fff: ALL=full; A=1: ALL=both;"));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::PKeysUnchecked>(), 0u);
  const auto& devices = box.world().devices();
  std::size_t checking = 0;
  for (const auto& port : devices.ports) {
    checking += port.info.partition_enforcement_inbound ? 1 : 0;
  }
  EXPECT_EQ(checking, 3u);
}

TEST(EnforcementGaps, AreNoneWhereEverybodyHasTheSameKeyOnly) {
  BoxOptions options = with_policy(kOnlyDefault);
  options.on_way_in = without_tables;
  Box box("star:3", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::PKeysUnchecked>(), 0u);
  EXPECT_THAT(box.snapshot().problems, IsEmpty());
  ASSERT_TRUE(reload(box, kTwo));
  ASSERT_EQ(box.count<sm::PKeysUnchecked>(), 1u);
  EXPECT_THAT(box.last<sm::PKeysUnchecked>()->reason, HasSubstr("no table"));
}

}  // namespace
}  // namespace heddle::test
