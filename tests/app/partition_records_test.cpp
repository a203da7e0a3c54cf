// SPDX-License-Identifier: BSD-3-Clause
#include "app/partition_records.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using partitions::BaseKey;
using partitions::Managed;
using partitions::ManagedPartition;
using partitions::Membership;

constexpr BaseKey kBlue{0x12}, kRed{0x34};
constexpr mad::Guid kFirst{0x10}, kSecond{0x20};

Managed two_partitions() {
  Managed managed;
  managed.generation = 7;
  ManagedPartition& blue = managed.partitions[kBlue];
  blue.name = "blue \"one\"\\";
  blue.sl = 3;
  blue.mtu = mad::Mtu::Bytes4096;
  blue.members = {{kFirst, Membership::Full}, {kSecond, Membership::Limited}};
  managed.partitions[kRed].members = {{kSecond, Membership::Full}};
  managed.partitions[kRed].ipoib = false;
  return managed;
}

TEST(PartitionRecords, AStandbyHasTheWholeAfterwards) {
  const Managed all = two_partitions();
  const auto records = partition_changes({}, all);
  EXPECT_EQ(with_records({}, true, records), all);
  Managed other;
  other.generation = 99;
  other.partitions[BaseKey{0x56}].members = {{kFirst, Membership::Full}};
  EXPECT_EQ(with_records(other, true, records), all) << "whatever it had before";
  auto turned = records;
  std::reverse(turned.begin(), turned.end());
  EXPECT_EQ(with_records({}, true, turned), all) << "in whatever order";
}

TEST(PartitionRecords, AChangeIsToldAsThatChange) {
  const Managed before = two_partitions();
  Managed after = before;
  after.generation = 8;
  after.partitions[kBlue].members.erase(kFirst);
  after.partitions[kBlue].members[kSecond] = Membership::Full;
  after.partitions.erase(kRed);
  after.partitions[BaseKey{0x56}].name = "new";
  const auto records = partition_changes(before, after);
  EXPECT_EQ(records.size(), 6u);
  EXPECT_EQ(with_records(before, false, records), after);
  EXPECT_EQ(partition_changes(after, after).size(), 1u) << "the generation alone";
}

TEST(PartitionRecords, AreTakenOutOfOthers) {
  std::vector<base::Record> records{{"lid 0x0000000000000010", "1 0"},
                                    {"partition-member 0x0012 0x0000000000000010", "full"},
                                    {"office", "0x10 1 5"},
                                    {"partitions", "3"}};
  const auto taken = take_partition_records(records);
  ASSERT_EQ(taken.size(), 2u);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].name, "lid 0x0000000000000010");
  EXPECT_EQ(records[1].name, "office");
}

TEST(PartitionRecords, WhatIsNotUnderstoodChangesNothing) {
  const auto records = partition_changes({}, two_partitions());
  for (const base::Record& wrong :
       {base::Record{"partition 0x0012", "no json"},
        base::Record{"partition 0x0012", R"({"p_key": "0x0034"})"},
        base::Record{"partition zero", "{}"}, base::Record{"partition-member 0x0012", "full"},
        base::Record{"partition-member 0x0012 0x10", "both"},
        base::Record{"partition-member 0x0099 0x10", "full"}, base::Record{"partitions", "many"}}) {
    auto some = records;
    some.push_back(wrong);
    EXPECT_FALSE(with_records({}, true, some)) << wrong.name << " = " << *wrong.value;
  }
  EXPECT_FALSE(with_records({}, true, {})) << "who says no generation manages none";
}

}  // namespace
}  // namespace heddle::app
