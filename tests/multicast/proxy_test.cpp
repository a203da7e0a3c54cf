// SPDX-License-Identifier: BSD-3-Clause
// Ports that join and leave for others, and ports with several GIDs.
#include <gtest/gtest.h>

#include "multicast/groups.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using testing::gid;
using testing::plain_mgid;
using testing::request;

const mad::Gid kMgid = plain_mgid(1);

Request by_proxy(std::uint64_t proxy, std::uint64_t guid, std::uint8_t join_state = kFullMember) {
  auto asked = request(kMgid, guid, join_state);
  asked.requester.port = mad::Guid{proxy};
  return asked;
}

TEST(Proxy, JoinsForAnotherAndSaysSo) {
  Groups groups;
  const auto answer = groups.join(by_proxy(9, 1));
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer.record.proxy_join);
  EXPECT_EQ(groups.find(kMgid)->members().at(gid(1)).joined_by, mad::Guid{9});
  EXPECT_EQ(answer.changes.roles.front().port, mad::Guid{1});
  EXPECT_FALSE(groups.join(by_proxy(2, 2)).record.proxy_join) << "for itself";
  EXPECT_FALSE(groups.join(request(kMgid, 3)).record.proxy_join);
}

TEST(Proxy, OnlyWhoJoinedCanLeave) {
  Groups groups;
  groups.join(by_proxy(9, 1));
  EXPECT_EQ(groups.leave(by_proxy(8, 1)).status, mad::kSAReqDenied);
  EXPECT_EQ(groups.leave(request(kMgid, 1)).status, mad::kSAReqDenied);
  EXPECT_EQ(groups.join(by_proxy(8, 1, kNonMember)).status, mad::kSAReqDenied);
  EXPECT_TRUE(groups.join(by_proxy(9, 1, kNonMember)).ok());
  EXPECT_TRUE(groups.leave(by_proxy(9, 1, kNonMember)).ok());
  EXPECT_TRUE(groups.leave(by_proxy(9, 1)).ok());
  groups.join(request(kMgid, 1));
  EXPECT_EQ(groups.leave(by_proxy(9, 1)).status, mad::kSAReqDenied);
}

TEST(Proxy, WhoHasTheKeyMayRemoveAnybody) {
  Groups groups;
  groups.join(by_proxy(9, 1));
  auto trusted = by_proxy(8, 1);
  trusted.trusted = true;
  EXPECT_TRUE(groups.leave(trusted).ok());
}

TEST(Proxy, DoesNotTakeOverWhatAPortAskedForItself) {
  Groups groups;
  groups.join(request(kMgid, 1));
  auto trusted = by_proxy(8, 1, kNonMember);
  EXPECT_EQ(groups.join(trusted).status, mad::kSAReqDenied);
  trusted.trusted = true;
  const auto answer = groups.join(trusted);
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer.record.proxy_join);
  EXPECT_TRUE(groups.leave(request(kMgid, 1, kFullMember | kNonMember)).ok());
}

TEST(Proxy, PortThatJoinsItselfIsItsOwnAgain) {
  Groups groups;
  groups.join(by_proxy(9, 1));
  const auto own = groups.join(request(kMgid, 1, kNonMember));
  EXPECT_FALSE(own.record.proxy_join);
  EXPECT_EQ(own.record.join_state, kFullMember | kNonMember);
  EXPECT_EQ(groups.leave(by_proxy(9, 1)).status, mad::kSAReqDenied);
  EXPECT_TRUE(groups.leave(request(kMgid, 1)).ok());
}

TEST(Proxy, MustShareThePartition) {
  Groups groups;
  auto outsider = by_proxy(9, 1);
  outsider.requester.has_p_key = [](mad::PKey) { return false; };
  EXPECT_EQ(groups.join(outsider).status, mad::kSAReqDenied);
  EXPECT_EQ(groups.size(), 0u);
  outsider.trusted = true;
  EXPECT_TRUE(groups.join(outsider).ok());
  Policy lenient;
  lenient.requester_must_share_p_key = false;
  groups.set_policy(lenient);
  outsider.trusted = false;
  outsider.wanted.port_gid = gid(2);
  outsider.port.port = mad::Guid{2};
  EXPECT_TRUE(groups.join(outsider).ok());
}

TEST(AliasGid, PortReceivesUntilTheLastOfItsGidsLeft) {
  Groups groups;
  auto alias = request(kMgid, 1);
  alias.wanted.port_gid = gid(0xA11A5);
  groups.join(request(kMgid, 1));
  EXPECT_TRUE(groups.join(alias).changes.roles.empty());
  EXPECT_EQ(groups.find(kMgid)->members().size(), 2u);
  const mad::Lid mlid = groups.find(kMgid)->mlid();
  EXPECT_TRUE(groups.leave(request(kMgid, 1)).changes.roles.empty());
  EXPECT_EQ(groups.role(mlid, mad::Guid{1}), Role::Receiver);
  EXPECT_EQ(groups.leave(alias).changes.roles.size(), 1u);
  EXPECT_EQ(groups.role(mlid, mad::Guid{1}), Role::None);
}

TEST(AliasGid, ThatMovedToAnotherPortTakesItsMembershipAlong) {
  Groups groups;
  groups.join(request(kMgid, 5));
  auto alias = request(kMgid, 1);
  alias.wanted.port_gid = gid(0xA11A5);
  groups.join(alias);
  alias.port.port = mad::Guid{2};
  const auto moved = groups.join(alias);
  ASSERT_TRUE(moved.ok());
  const mad::Lid mlid = moved.record.mlid;
  EXPECT_EQ(groups.role(mlid, mad::Guid{1}), Role::None);
  EXPECT_EQ(groups.role(mlid, mad::Guid{2}), Role::Receiver);
  EXPECT_EQ(moved.changes.roles.size(), 2u);
  const mad::Guid old_port{1};
  EXPECT_TRUE(groups.drop_ports({&old_port, 1}).empty());
  EXPECT_EQ(groups.memberships(), 2u);
}

}  // namespace
}  // namespace heddle::multicast
