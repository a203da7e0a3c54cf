// SPDX-License-Identifier: BSD-3-Clause
// Groups of policy whose terms a reload changes, while hosts are in them.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/mc_member_record.hpp"
#include "tests/sa/stage.hpp"
#include "tests/support/registers.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::MCMemberRecord;
using mad::Method;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr auto kJoin = component<&MCMemberRecord::mgid>() | component<&MCMemberRecord::port_gid>() |
                       component<&MCMemberRecord::join_state>();
constexpr auto kCreate = kJoin | component<&MCMemberRecord::q_key>() |
                         component<&MCMemberRecord::p_key>() |
                         component<&MCMemberRecord::t_class>() | component<&MCMemberRecord::sl>() |
                         component<&MCMemberRecord::flow_label>();
constexpr mad::Gid kBroadcast{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{0xffff'ffff}};
constexpr mad::Gid kAllHosts{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{1}};
constexpr mad::Gid kOtherGid{mad::GidPrefix{0xff12'0000'0000'0000}, mad::Guid{5}};

class GroupTerms : public testing::Test {
 protected:
  GroupTerms() {
    for (const auto& partition : partitions::default_policy().partitions) {
      groups_.insert(groups_.end(), partition.groups.begin(), partition.groups.end());
    }
    stage_.server.set_permanent_groups(groups_);
  }
  mad::Status join(const mad::Gid& mgid, std::size_t host, std::uint32_t q_key) {
    MCMemberRecord record;
    record.mgid = mgid;
    record.port_gid = stage_.view.gid(stage_.host(host));
    record.join_state = 1;
    record.p_key = mad::PKey{0xFFFF};
    record.q_key = q_key;
    return stage_.ask(Question{Method::Set, 0x38, 0, kCreate, {}}, record, host).status();
  }
  mad::Guid guid(std::size_t host) const {
    return stage_.view.topology().port(stage_.host(host)).guid;
  }
  const MCMemberRecord& terms(const mad::Gid& mgid) const {
    return stage_.server.registrations().groups.find(mgid)->record();
  }

  std::vector<partitions::GroupSpec> groups_;
  Stage stage_{support::administered(support::ring(3, 2))};
};

TEST_F(GroupTerms, TellNobodyWhenTheyStayAsTheyWere) {
  ASSERT_EQ(join(kBroadcast, 0, 0x0b1b), mad::kStatusOk);
  stage_.server.set_permanent_groups(groups_);
  EXPECT_THAT(stage_.server.take_outdated(), IsEmpty());
}

TEST_F(GroupTerms, HavePacketsLiveAsLongAsOnPaths) {
  EXPECT_EQ(terms(kBroadcast).packet_life_time, 18u);
  ASSERT_EQ(join(kBroadcast, 0, 0x0b1b), mad::kStatusOk);
  stage_.server.set_packet_life_time(16);
  stage_.server.set_permanent_groups(groups_);
  EXPECT_EQ(terms(kBroadcast).packet_life_time, 16u);
  EXPECT_THAT(stage_.server.take_outdated(), IsEmpty()) << "what it was told does no harm";
  ASSERT_EQ(join(kOtherGid, 2, 0x0b1b), mad::kStatusOk);
  EXPECT_EQ(terms(kOtherGid).packet_life_time, 16u) << "its maker left it open";
}

TEST_F(GroupTerms, OutdateTheirMembersAndThoseOfTheGroupsThatFollow) {
  ASSERT_EQ(join(kBroadcast, 0, 0x0b1b), mad::kStatusOk);
  ASSERT_EQ(join(kAllHosts, 1, 0x0b1b), mad::kStatusOk);
  ASSERT_EQ(join(kOtherGid, 2, 0x0b1b), mad::kStatusOk);  // not IPoIB's
  stage_.server.take_role_changes();
  for (auto& group : groups_) group.q_key = 0x1234;
  stage_.server.set_permanent_groups(groups_);
  EXPECT_THAT(stage_.server.take_outdated(), UnorderedElementsAre(guid(0), guid(1)));
  EXPECT_EQ(terms(kBroadcast).q_key, 0x1234u);
  EXPECT_EQ(terms(kAllHosts).q_key, 0x1234u);
  EXPECT_EQ(terms(kOtherGid).q_key, 0x0b1bu);
  // They are still in, and joining anew is what brings them up to date.
  stage_.let_pass({});
  EXPECT_THAT(stage_.server.take_role_changes(), IsEmpty());
  EXPECT_EQ(join(kAllHosts, 1, 0x0b1b), mad::kSAReqInvalid);
  EXPECT_EQ(join(kAllHosts, 1, 0x1234), mad::kStatusOk);
  EXPECT_THAT(stage_.server.take_outdated(), IsEmpty());
}

TEST_F(GroupTerms, PutOutWhoCannotReachThem) {
  auto subnet = support::administered(support::ring(3, 2));
  const auto slow = subnet.topology->endports()[subnet.topology->switch_count() + 1];
  support::own_registers(subnet).ports.change(slow.value).neighbor_mtu = mad::Mtu::Bytes2048;
  stage_.server.renew(stage_.now, std::make_shared<const View>(std::move(subnet)));
  ASSERT_EQ(join(kBroadcast, 0, 0x0b1b), mad::kStatusOk);
  ASSERT_EQ(join(kBroadcast, 1, 0x0b1b), mad::kStatusOk);
  for (auto& group : groups_) group.mtu = mad::Mtu::Bytes4096;
  stage_.server.set_permanent_groups(groups_);
  stage_.let_pass({});
  EXPECT_THAT(stage_.server.take_outdated(), UnorderedElementsAre(guid(0)));
  const auto refusals = stage_.server.take_refusals();
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_THAT(refusals[0], HasSubstr("ff12:401b:ffff"));
  EXPECT_THAT(refusals[0], HasSubstr("does not reach its MTU"));
  EXPECT_EQ(stage_.server.registrations().groups.memberships(), 1u);
  const auto roles = stage_.server.take_role_changes();
  ASSERT_FALSE(roles.empty());
  EXPECT_EQ(roles.back().role, multicast::Role::None);
  EXPECT_EQ(roles.back().port, guid(1));
}

}  // namespace
}  // namespace heddle::sa
