// SPDX-License-Identifier: BSD-3-Clause
// SubnAdmGet and SubnAdmGetTable of MCMemberRecord.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "multicast/groups.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using testing::gid;
using testing::plain_mgid;
using testing::request;

// Groups 1..4 on two LIDs in three partitions; group n has members 1..n, the last sends only.
Groups sample() {
  Groups groups({}, 2);
  for (std::uint64_t number = 1; number <= 4; ++number) {
    for (std::uint64_t port = 1; port <= number; ++port) {
      auto join = request(plain_mgid(number), port);
      join.wanted.p_key.value = static_cast<std::uint16_t>(0x8000 + number / 2 + 1);
      if (port == 4) join.wanted.join_state = kSendOnlyNonMember;
      if (port == 3) join.requester.port = mad::Guid{1};
      EXPECT_TRUE(groups.join(join).ok());
    }
  }
  return groups;
}

std::vector<mad::MCMemberRecord> all(const Groups& groups, const Groups::Query& query) {
  std::vector<mad::MCMemberRecord> records;
  EXPECT_TRUE(groups.for_each_record(query, [&](const mad::MCMemberRecord& record) {
    records.push_back(record);
    return true;
  }));
  return records;
}

TEST(Records, UntrustedSeeGroupsAndNotMembers) {
  const Groups groups = sample();
  const auto records = all(groups, {});
  ASSERT_EQ(records.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(records[i].mgid, plain_mgid(i + 1));
    EXPECT_EQ(records[i].port_gid, mad::Gid{});
    EXPECT_EQ(records[i].join_state, 0);
    EXPECT_FALSE(records[i].proxy_join);
  }
  Groups::Query guess;
  guess.mask = testing::kPortGidBit | testing::kJoinStateBit | testing::kProxyJoinBit;
  guess.wanted.port_gid = gid(99);
  guess.wanted.join_state = 7;
  guess.wanted.proxy_join = true;
  EXPECT_EQ(all(groups, guess), records) << "so that nobody can test who is a member";
}

TEST(Records, TrustedSeeEachMember) {
  const Groups groups = sample();
  Groups::Query query;
  query.trusted = true;
  const auto records = all(groups, query);
  ASSERT_EQ(records.size(), 10u);
  EXPECT_EQ(records.back().port_gid, gid(4));
  EXPECT_EQ(records.back().join_state, kSendOnlyNonMember);
  EXPECT_TRUE(records[8].proxy_join);
  query.mask = testing::kPortGidBit;
  query.wanted.port_gid = gid(3);
  EXPECT_EQ(all(groups, query).size(), 2u);
  query.mask = testing::kJoinStateBit;
  query.wanted.join_state = kSendOnlyNonMember;
  EXPECT_EQ(all(groups, query).size(), 1u);
  query.mask = testing::kProxyJoinBit;
  query.wanted.proxy_join = true;
  EXPECT_EQ(all(groups, query).size(), 2u);
}

TEST(Records, ByMgidAndMlid) {
  const Groups groups = sample();
  Groups::Query query;
  query.mask = testing::kMgidBit;
  query.wanted.mgid = plain_mgid(3);
  ASSERT_EQ(all(groups, query).size(), 1u);
  query.wanted.mgid = plain_mgid(9);
  EXPECT_TRUE(all(groups, query).empty());
  query.mask = testing::kMlidBit;
  query.wanted.mlid = mad::Lid{0xC000};
  const auto on_first = all(groups, query);
  query.wanted.mlid = mad::Lid{0xC001};
  const auto on_second = all(groups, query);
  EXPECT_EQ(on_first.size() + on_second.size(), 4u);
  EXPECT_FALSE(on_first.empty());
  EXPECT_FALSE(on_second.empty());
  query.wanted.mlid = mad::Lid{};
  EXPECT_TRUE(all(groups, query).empty());
  query.mask |= testing::kMgidBit;
  query.wanted.mgid = plain_mgid(1);
  EXPECT_TRUE(all(groups, query).empty()) << "both must match";
}

TEST(Records, ByTermsWithSelectors) {
  const Groups groups = sample();
  Groups::Query query;
  query.wanted.mtu = mad::Mtu::Bytes1024;
  query.wanted.mtu_selector = mad::Selector::GreaterThan;
  query.mask = testing::kMtuBits;
  EXPECT_EQ(all(groups, query).size(), 4u);
  query.wanted.mtu_selector = mad::Selector::LessThan;
  EXPECT_TRUE(all(groups, query).empty());
  query.mask = mad::component<&mad::MCMemberRecord::mtu>();
  EXPECT_TRUE(all(groups, query).empty()) << "without a selector the value counts";
  query.wanted.rate = 200;
  query.mask = testing::kRateBits;
  EXPECT_TRUE(all(groups, query).empty());
  query.mask = testing::kPKeyBit;
  query.wanted.p_key = mad::PKey{0x0002};
  EXPECT_EQ(all(groups, query).size(), 2u) << "membership bits do not count";
  query.mask = testing::kScopeBit;
  query.wanted.scope = 5;
  EXPECT_TRUE(all(groups, query).empty());
}

TEST(Records, OnlyOfPartitionsThatMayBeSeen) {
  const Groups groups = sample();
  Groups::Query query;
  query.may_see_key = [](mad::PKey key) { return key == mad::PKey{0x8003}; };
  const auto records = all(groups, query);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records.front().mgid, plain_mgid(4));
}

TEST(Records, CallerCanStopAtAnyTime) {
  const Groups groups = sample();
  Groups::Query query;
  query.trusted = true;
  for (const auto mask : {std::uint64_t{0}, testing::kMlidBit, testing::kMgidBit}) {
    query.mask = mask;
    query.wanted.mlid = groups.find(plain_mgid(4))->mlid();
    query.wanted.mgid = plain_mgid(4);
    int seen = 0;
    EXPECT_FALSE(
        groups.for_each_record(query, [&](const mad::MCMemberRecord&) { return ++seen < 2; }));
    EXPECT_EQ(seen, 2);
  }
}

}  // namespace
}  // namespace heddle::multicast
