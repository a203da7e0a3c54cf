// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/managed.hpp"

#include <gtest/gtest.h>

namespace heddle::partitions {
namespace {

constexpr BaseKey kKey{0x12};
constexpr mad::Guid kFirst{0x10}, kSecond{0x20};

Managed made(const std::vector<ManagedChange>& changes, const Managed& before = {}) {
  auto after = changed(before, changes);
  EXPECT_TRUE(after) << after.error().message;
  return after ? *after : before;
}

TEST(Managed, AChangeThatIsMadeTwiceIsMadeOnce) {
  const std::vector<ManagedChange> changes{
      AddMembers{kKey, {{kFirst, Membership::Full}, {kSecond, Membership::Limited}}}};
  const Managed once = made(changes);
  EXPECT_EQ(once.generation, 1u);
  EXPECT_EQ(made(changes, once), once);
  const Managed without = made({RemoveMembers{kKey, {kFirst}}}, once);
  EXPECT_EQ(without.generation, 2u);
  EXPECT_EQ(made({RemoveMembers{kKey, {kFirst}}}, without), without);
  EXPECT_EQ(without.partitions.at(kKey).members.size(), 1u);
  const Managed none = made({RemovePartition{kKey}, RemovePartition{kKey}}, without);
  EXPECT_TRUE(none.partitions.empty());
  EXPECT_EQ(made({RemovePartition{kKey}}, none), none);
}

TEST(Managed, OneWrongChangeUndoesAll) {
  const Managed before = made({AddMembers{kKey, {{kFirst, Membership::Full}}}});
  const auto after = changed(before, {RemovePartition{kKey}, SetPartition{BaseKey{0}, {}}});
  ASSERT_TRUE(after.has_error());
  EXPECT_NE(after.error().message.find("change 2"), std::string::npos) << after.error().message;
  ManagedPartition wrong;
  wrong.sl = 16;
  EXPECT_TRUE(changed(before, {SetPartition{kKey, wrong}}).has_error());
  wrong = {};
  wrong.name = "two\nlines";
  EXPECT_TRUE(changed(before, {SetPartition{kKey, wrong}}).has_error());
  EXPECT_TRUE(changed(before, {AddMembers{kKey, {{mad::Guid{}, Membership::Full}}}}).has_error());
  EXPECT_TRUE(changed(before, {SetPartition{BaseKey{0x8001}, {}}}).has_error());
}

TEST(Managed, WithoutAnyTheFileIsTheFile) {
  EXPECT_EQ(with_managed(nullptr, {}), nullptr);
  const auto file = std::make_shared<const Policy>(default_policy());
  EXPECT_EQ(with_managed(file, {}), file);
}

TEST(Managed, APartitionOfItsOwnHasItsMembersAndTheGroupsOfIpoib) {
  ManagedPartition like;
  like.mtu = mad::Mtu::Bytes4096;
  like.sl = 3;
  const Managed managed = made({AddMembers{kKey, {{kFirst, Membership::Limited}}, like}});
  const auto policy = with_managed(nullptr, managed);
  ASSERT_EQ(policy->partitions.size(), 2u);
  EXPECT_EQ(policy->partitions[0], default_policy().partitions[0]) << "everybody, as before";
  EXPECT_EQ(policy->generation, 1u);
  const Partition& partition = policy->partitions[1];
  EXPECT_EQ(partition.key, kKey);
  EXPECT_EQ(partition.rules, (std::vector<Rule>{{Who::Port, kFirst, Membership::Limited}}));
  ASSERT_EQ(partition.groups.size(), 2u);
  EXPECT_EQ(partition.groups[0].p_key, mad::PKey{0x8012});
  EXPECT_EQ(partition.groups[0].mtu, mad::Mtu::Bytes4096);
  EXPECT_EQ(partition.groups[0].sl, mad::ServiceLevel{3});
}

// What an administrator wrote stands; for a port that both name, the later word counts.
TEST(Managed, ComesBehindTheRulesOfTheFile) {
  Policy file = default_policy();
  Partition& tenant = file.partitions.emplace_back();
  tenant.key = kKey;
  tenant.name = "tenant";
  tenant.rules = {{Who::Port, kFirst, Membership::Full}};
  ManagedPartition other;
  other.name = "other";
  other.ipoib = false;
  const Managed managed =
      made({AddMembers{kKey, {{kFirst, Membership::Limited}, {kSecond, Membership::Full}}, other}});
  const auto policy = with_managed(std::make_shared<const Policy>(file), managed);
  ASSERT_EQ(policy->partitions.size(), 2u);
  const Partition& merged = policy->partitions[1];
  EXPECT_EQ(merged.name, "tenant");
  ASSERT_EQ(merged.rules.size(), 3u);
  EXPECT_EQ(merged.rules[0], tenant.rules[0]);
  EXPECT_EQ(merged.rules[1], (Rule{Who::Port, kFirst, Membership::Limited}));
  EXPECT_TRUE(merged.groups.empty());
  // And all that programs did is undone when they have gone.
  const auto after =
      with_managed(std::make_shared<const Policy>(file), made({RemovePartition{kKey}}, managed));
  EXPECT_EQ(after->partitions, file.partitions);
}

}  // namespace
}  // namespace heddle::partitions
