// SPDX-License-Identifier: BSD-3-Clause
// Groups as clients see them through subnet administration. The rules themselves are tested in
// tests/multicast.
#include "mad/mc_member_record.hpp"

#include <gtest/gtest.h>

#include "mad/inform_info.hpp"
#include "mad/notice.hpp"
#include "mad/path_record.hpp"
#include "sa/registrations_text.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::MCMemberRecord;
using mad::Method;

constexpr auto kMgid = component<&MCMemberRecord::mgid>();
constexpr auto kPortGid = component<&MCMemberRecord::port_gid>();
constexpr auto kJoinState = component<&MCMemberRecord::join_state>();
constexpr auto kJoin = kMgid | kPortGid | kJoinState;
constexpr mad::Gid kBroadcast{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{0xffff'ffff}};

class MCMemberRecordTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& partition : partitions::default_policy().partitions) {
      stage_.server.set_permanent_groups(partition.groups);
    }
  }
  Reply<MCMemberRecord> ask(Method method, std::uint64_t mask, const MCMemberRecord& record,
                            std::size_t asker = 0, mad::SMKey key = {}) {
    return stage_.ask(Question{method, 0x38, 0, mask, key}, record, asker);
  }
  MCMemberRecord member(std::size_t host) {
    MCMemberRecord record;
    record.mgid = kBroadcast;
    record.port_gid = stage_.view.gid(stage_.host(host));
    record.join_state = 1;
    return record;
  }

  Stage stage_{support::administered(support::ring(3, 2))};
};

TEST_F(MCMemberRecordTest, JoinsAndIsSeenWholeOnlyByWhomWeTrust) {
  const auto joined = ask(Method::Set, kJoin, member(0));
  ASSERT_EQ(joined.status(), mad::kStatusOk);
  EXPECT_EQ(joined.header.mad.method, Method::GetResp);
  EXPECT_EQ(joined.records.at(0).q_key, 0x0b1bu);
  ask(Method::Set, kJoin, member(3), 3);
  MCMemberRecord wanted;
  wanted.mgid = kBroadcast;
  const auto seen = ask(Method::GetTable, kMgid, wanted, 5);
  ASSERT_EQ(seen.records.size(), 1u);
  EXPECT_EQ(seen.records[0].port_gid, mad::Gid{});
  const auto trusted = ask(Method::GetTable, kMgid, wanted, 5, kOurKey);
  ASSERT_EQ(trusted.records.size(), 2u);
  EXPECT_NE(trusted.records[0].port_gid, trusted.records[1].port_gid);
}

TEST_F(MCMemberRecordTest, KnowsPortsByTheirGids) {
  auto stranger = member(0);
  stranger.port_gid.guid = mad::Guid{0xdead};
  EXPECT_EQ(ask(Method::Set, kJoin, stranger).status(), mad::kSAReqInvalidGid);
  EXPECT_EQ(ask(Method::Set, kMgid | kJoinState, member(0)).status(),
            mad::kSAReqInsufficientComponents);
}

TEST_F(MCMemberRecordTest, ARefusalHasAReasonForPeople) {
  auto unknown = member(0);
  unknown.mgid.guid = mad::Guid{0x1234};
  EXPECT_NE(ask(Method::Set, kJoin, unknown).status(), mad::kStatusOk);
  ASSERT_EQ(stage_.server.take_refusals().size(), 1u);
}

TEST_F(MCMemberRecordTest, ChangesOfRolesAreHandedOn) {
  ask(Method::Set, kJoin, member(0));
  auto roles = stage_.server.take_role_changes();
  ASSERT_EQ(roles.size(), 1u);
  EXPECT_EQ(roles[0].role, multicast::Role::Receiver);
  ask(Method::Delete, kJoin, member(0));
  roles = stage_.server.take_role_changes();
  ASSERT_EQ(roles.size(), 1u);
  EXPECT_EQ(roles[0].role, multicast::Role::None);
}

TEST_F(MCMemberRecordTest, AMemberThatLeavesTheFabricLeavesItsGroups) {
  ask(Method::Set, kJoin, member(5), 5);
  stage_.server.take_role_changes();
  auto smaller = support::ring(3, 2);
  smaller.links.pop_back();  // the last host's
  stage_.server.renew(stage_.now, std::make_shared<const View>(support::administered(smaller)));
  EXPECT_EQ(stage_.server.take_role_changes().size(), 1u);
  EXPECT_EQ(stage_.server.registrations().groups.memberships(), 0u);
}

TEST_F(MCMemberRecordTest, HasAPathFromWhoeverReachesIt) {
  mad::PathRecord wanted;
  wanted.sgid = stage_.view.gid(stage_.host(0));
  wanted.dgid = kBroadcast;
  const auto mask = component<&mad::PathRecord::sgid>() | component<&mad::PathRecord::dgid>();
  const auto found = stage_.get(mask, wanted);
  ASSERT_EQ(found.records.size(), 1u);
  EXPECT_EQ(found.records[0].dlid, mad::kFirstMulticastLid);
  EXPECT_EQ(found.records[0].mtu, mad::Mtu::Bytes2048);
  EXPECT_EQ(found.records[0].slid, stage_.lid(stage_.host(0)));
  wanted.dgid.guid = mad::Guid{7};
  EXPECT_EQ(stage_.get(mask, wanted).status(), mad::kSANoRecords);
}

TEST_F(MCMemberRecordTest, OutlivesARestartWithEverythingElse) {
  ask(Method::Set, kJoin, member(0));
  ask(Method::Set, kJoin, member(3), 3);
  mad::ServiceRecord service;
  service.service_id = 9;
  service.service_gid = stage_.view.gid(stage_.host(0));
  stage_.ask(Question{Method::Set, 0x31, 0, 3, {}}, service);
  mad::InformInfo info;
  info.lid_range_begin = mad::kPermissiveLid;
  info.subscribe = info.is_generic = 1;
  info.trap_number = kAnyTrap;
  stage_.ask(Question{Method::Set, 0x03, 0, 0, {}}, info);
  const auto text = to_text(stage_.server.registrations(), stage_.now);
  auto restored = parse_registrations(text, stage_.now);
  ASSERT_TRUE(restored.has_value()) << restored.error().message;
  EXPECT_EQ(to_text(*restored, stage_.now), text);
  EXPECT_EQ(restored->groups.memberships(), 2u);
  EXPECT_EQ(restored->services.size(), 1u);
  EXPECT_EQ(restored->subscriptions.size(), 1u);
  // Nothing of half a text is believed, and no nonsense.
  EXPECT_FALSE(parse_registrations(text.substr(0, text.size() - 5), stage_.now));
  EXPECT_FALSE(parse_registrations("", stage_.now));
  std::string spoilt = text;
  spoilt[spoilt.find("member") + 9] = 'x';
  const auto refused = parse_registrations(spoilt, stage_.now);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("line "), std::string::npos);
}

TEST(MCMemberRecord, IsNotSupportedWhereThereIsNoMulticast) {
  auto subnet = support::administered(support::ring(3, 2));
  subnet.multicast = false;
  Stage stage(std::move(subnet));
  MCMemberRecord wanted;
  wanted.mgid = kBroadcast;
  wanted.port_gid = stage.view.gid(stage.host(0));
  wanted.join_state = 1;
  for (const Method method : {Method::Set, Method::Delete, Method::Get, Method::GetTable}) {
    const auto reply = stage.ask(Question{method, 0x38, 0, kJoin, {}}, wanted, 0);
    EXPECT_EQ(reply.status(), mad::kStatusBadMethodAttribute);
  }
  const auto told = stage.get(0, mad::ClassPortInfo{}).records.at(0);
  EXPECT_EQ(told.capability_mask & mad::kSAIsUDMulticastSupported, 0u);
  EXPECT_EQ(told.capability_mask2 & mad::kSAIsMCastTopSupported, 0u);
  EXPECT_EQ(told.capability_mask2 & mad::kSAIsSendOnlyFullMemberSupported, 0u);
  EXPECT_NE(told.capability_mask & mad::kSAIsSubnetOptionalRecordsSupported, 0u);
}

TEST_F(MCMemberRecordTest, GroupsEndWithMulticastAndAreNotRestoredWithoutIt) {
  ask(Method::Set, kJoin, member(0));
  const auto text = to_text(stage_.server.registrations(), stage_.now);
  stage_.server.set_multicast(false);
  stage_.server.set_permanent_groups(partitions::default_policy().partitions.at(0).groups);
  EXPECT_EQ(stage_.server.registrations().groups.size(), 0u);
  stage_.server.set_remembered(true);
  stage_.server.restore(parse_registrations(text, stage_.now).value());
  EXPECT_EQ(stage_.server.registrations().groups.size(), 0u);
  EXPECT_TRUE(stage_.server.take_role_changes().empty());
  EXPECT_FALSE(stage_.server.take_changes(stage_.now).empty()) << "whoever remembers forgets them";
}

TEST(MCMemberRecord, AnMgidThatWeMakeIsOfOurSubnet) {
  auto subnet = support::administered(support::ring(3, 2));
  subnet.prefix = mad::GidPrefix{0xfec0'0000'0000'0007};
  Stage stage(std::move(subnet));
  MCMemberRecord wanted;
  wanted.port_gid = stage.view.gid(stage.host(0));
  wanted.join_state = 1;
  wanted.q_key = 0x1234;
  wanted.p_key = mad::PKey{0xffff};
  constexpr auto kCreate =
      kJoin | component<&MCMemberRecord::q_key>() | component<&MCMemberRecord::p_key>() |
      component<&MCMemberRecord::t_class>() | component<&MCMemberRecord::flow_label>() |
      component<&MCMemberRecord::sl>();
  const auto made = stage.ask(Question{Method::Set, 0x38, 0, kCreate, {}}, wanted, 0);
  ASSERT_EQ(made.status(), mad::kStatusOk);
  const mad::Gid mgid = made.records.at(0).mgid;
  EXPECT_EQ(mgid.prefix.value & 0xFFFF'FFFF, 0xfec0'0000u);
  EXPECT_EQ(mgid.guid.value >> 32, 7u);
}

}  // namespace
}  // namespace heddle::sa
