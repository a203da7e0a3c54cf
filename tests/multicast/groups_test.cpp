// SPDX-License-Identifier: BSD-3-Clause
// Joining and leaving groups that exist, and what that changes.
#include "multicast/groups.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using ::testing::ElementsAre;
using testing::gid;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::plain_mgid;
using testing::request;

const mad::Gid kMgid = plain_mgid(1);

TEST(Joining, BitsAddUpAndLeavingClearsThem) {
  Groups groups;
  EXPECT_EQ(groups.join(request(kMgid, 1, kFullMember)).record.join_state, 1);
  EXPECT_EQ(groups.join(request(kMgid, 1, kNonMember)).record.join_state, 3);
  EXPECT_EQ(groups.join(request(kMgid, 1, kSendOnlyNonMember)).record.join_state, 7);
  EXPECT_EQ(groups.leave(request(kMgid, 1, kNonMember)).record.join_state, 5);
  const auto last = groups.leave(request(kMgid, 1, kFullMember | kSendOnlyNonMember));
  EXPECT_TRUE(last.ok());
  EXPECT_EQ(last.record.join_state, 0);
  EXPECT_EQ(last.record.port_gid, gid(1));
  EXPECT_EQ(groups.find(kMgid), nullptr);
  EXPECT_EQ(groups.memberships(), 0u);
}

TEST(Joining, EachAnswerSaysWhatChanged) {
  Groups groups;
  const mad::Lid mlid{0xC000};
  const auto first = groups.join(request(kMgid, 1));
  EXPECT_THAT(first.changes.groups,
              ElementsAre(GroupEvent{GroupEvent::Kind::Created, kMgid, mlid, mad::PKey{0xFFFF}}));
  EXPECT_THAT(first.changes.roles, ElementsAre(RoleChange{mlid, mad::Guid{1}, Role::Receiver}));
  EXPECT_TRUE(groups.join(request(kMgid, 1)).changes.empty());
  const auto sender = groups.join(request(kMgid, 2, kSendOnlyFullMember));
  EXPECT_THAT(sender.changes.groups, IsEmpty());
  EXPECT_THAT(sender.changes.roles, ElementsAre(RoleChange{mlid, mad::Guid{2}, Role::Sender}));
  const auto receiver = groups.join(request(kMgid, 2, kNonMember));
  EXPECT_THAT(receiver.changes.roles, ElementsAre(RoleChange{mlid, mad::Guid{2}, Role::Receiver}));
  EXPECT_THAT(groups.leave(request(kMgid, 2, kNonMember)).changes.roles,
              ElementsAre(RoleChange{mlid, mad::Guid{2}, Role::Sender}));
  EXPECT_THAT(groups.leave(request(kMgid, 1)).changes.roles,
              ElementsAre(RoleChange{mlid, mad::Guid{1}, Role::None}));
  const auto last = groups.leave(request(kMgid, 2, kSendOnlyFullMember));
  EXPECT_THAT(last.changes.roles, ElementsAre(RoleChange{mlid, mad::Guid{2}, Role::None}));
  EXPECT_THAT(last.changes.groups,
              ElementsAre(GroupEvent{GroupEvent::Kind::Deleted, kMgid, mlid, mad::PKey{0xFFFF}}));
}

TEST(Joining, MembersAreListedAnewOnlyWhenTheyAreOthers) {
  Groups groups;
  groups.join(request(kMgid, 2));
  groups.join(request(kMgid, 1));
  const Group& group = *groups.find(kMgid);
  const auto two = group.member_list();
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ(two->front(), group.members().at(gid(1)));
  groups.join(request(kMgid, 2));
  groups.join(request(plain_mgid(2), 2));
  EXPECT_EQ(group.member_list(), two) << "the same list, and no copy of it";
  groups.join(request(kMgid, 2, kNonMember));
  const auto others = group.member_list();
  EXPECT_EQ(others->back().join_state, kFullMember | kNonMember);
  groups.leave(request(kMgid, 1));
  EXPECT_EQ(group.member_list()->size(), 1u);
  EXPECT_EQ(two->size(), 2u);
  EXPECT_EQ(two->back().join_state, kFullMember);
}

// Hosts do so whenever they are asked to register, and each place is a write to a disk.
TEST(Joining, AgainAsBeforeIsNothingNewToRemember) {
  Groups groups;
  groups.touched().watch(true);
  const auto touches = [&](const Request& wanted) {
    EXPECT_TRUE(groups.join(wanted).ok());
    return !groups.touched().take().empty();
  };
  Request by_proxy = request(kMgid, 1);
  by_proxy.requester.port = mad::Guid{9};
  EXPECT_TRUE(touches(by_proxy));
  EXPECT_FALSE(touches(by_proxy));
  EXPECT_TRUE(touches(request(kMgid, 1))) << "it is its own from now on";
  EXPECT_FALSE(touches(request(kMgid, 1)));
  EXPECT_TRUE(touches(request(kMgid, 1, kNonMember)));
  EXPECT_FALSE(touches(request(kMgid, 1))) << "it has more already";
  const auto again = groups.join(request(kMgid, 1));
  EXPECT_EQ(again.record.join_state, kFullMember | kNonMember);
  EXPECT_EQ(again.record.port_gid, gid(1));
  groups.leave(request(kMgid, 1, kNonMember));
  groups.touched().take();
  EXPECT_TRUE(touches(request(kMgid, 1, kNonMember)));
}

TEST(Joining, GroupGoesWithItsLastFullMemberAndTakesTheOthersAlong) {
  Groups groups;
  groups.join(request(kMgid, 1));
  groups.join(request(kMgid, 2, kNonMember));
  groups.join(request(kMgid, 3, kSendOnlyNonMember));
  const auto last = groups.leave(request(kMgid, 1));
  EXPECT_EQ(groups.size(), 0u);
  EXPECT_EQ(last.changes.roles.size(), 3u);
  EXPECT_EQ(last.changes.groups.size(), 1u);
  EXPECT_EQ(groups.memberships(), 0u);
  EXPECT_EQ(groups.mlids_in_use(), 0u);
}

TEST(Joining, SendOnlyFullMemberKeepsTheGroup) {
  Groups groups;
  groups.join(request(kMgid, 1));
  groups.join(request(kMgid, 2, kSendOnlyFullMember));
  groups.leave(request(kMgid, 1));
  EXPECT_NE(groups.find(kMgid), nullptr);
}

TEST(Joining, OnlyMembersCanLeaveAndOnlyWhatTheyHave) {
  Groups groups;
  EXPECT_EQ(groups.leave(request(kMgid, 1)).status, mad::kSAReqInvalid);
  groups.join(request(kMgid, 1, kFullMember | kNonMember));
  EXPECT_EQ(groups.leave(request(kMgid, 2)).status, mad::kSAReqInvalid);
  EXPECT_EQ(groups.leave(request(kMgid, 1, kSendOnlyNonMember)).status, mad::kSAReqInvalid);
  EXPECT_EQ(groups.leave(request(kMgid, 1, kNonMember | kSendOnlyNonMember)).status,
            mad::kSAReqInvalid);
  EXPECT_EQ(groups.leave(request(kMgid, 1, 0)).status, mad::kSAReqInvalid);
  auto vague = request(kMgid, 1);
  vague.mask = testing::kMgidBit | testing::kPortGidBit;
  EXPECT_EQ(groups.leave(vague).status, mad::kSAReqInsufficientComponents);
  EXPECT_EQ(groups.find(kMgid)->members().begin()->second.join_state, 3);
}

TEST(Joining, ComponentsOfTheGroupMustBeTheSame) {
  Groups groups;
  groups.join(request(kMgid, 1));
  const auto refused = [&](auto change, std::uint64_t mask, const char* word) {
    auto wrong = request(kMgid, 2);
    wrong.mask = testing::kJoinMask | mask;
    change(wrong.wanted);
    const auto answer = groups.join(wrong);
    EXPECT_EQ(answer.status, mad::kSAReqInvalid) << word;
    EXPECT_THAT(answer.reason, HasSubstr(word));
    EXPECT_EQ(answer.record, wrong.wanted);
    wrong.mask = testing::kJoinMask;
    EXPECT_TRUE(groups.join(wrong).ok()) << "what the mask leaves out does not count: " << word;
    groups.leave(wrong);
  };
  using Record = mad::MCMemberRecord;
  refused([](Record& r) { r.q_key = 1; }, testing::kQKeyBit, "Q_Key 0x1 ");
  refused([](Record& r) { r.p_key.value = 0x8001; }, testing::kPKeyBit, "P_Key");
  refused([](Record& r) { r.t_class = 1; }, testing::kTClassBit, "TClass");
  refused([](Record& r) { r.sl.value = 1; }, testing::kSlBit, "SL");
  refused([](Record& r) { r.flow_label = 1; }, testing::kFlowLabelBit, "FlowLabel");
  refused([](Record& r) { r.hop_limit = 1; }, testing::kHopLimitBit, "HopLimit");
  refused(
      [](Record& r) {
        r.mtu = mad::Mtu::Bytes4096;
        r.mtu_selector = mad::Selector::Exactly;
      },
      testing::kMtuBits, "MTU of 4096 is asked for, the group has 2048");
  refused(
      [](Record& r) {
        r.rate = 3;
        r.rate_selector = mad::Selector::GreaterThan;
      },
      testing::kRateBits, "more than 10 Gb/s");
  refused(
      [](Record& r) {
        r.packet_life_time = 3;
        r.packet_life_time_selector = mad::Selector::LessThan;
      },
      testing::kLifeBits, "lifetime");
  refused(
      [](Record& r) {
        r.rate = 63;
        r.rate_selector = mad::Selector::Exactly;
      },
      testing::kRateBits, "rate code 63 does not exist: they are 2 to 25");
}

TEST(Joining, LimitedMemberJoinsTheGroupOfItsPartition) {
  Groups groups;
  groups.join(request(kMgid, 1));
  auto limited = request(kMgid, 2);
  limited.wanted.p_key = mad::PKey{0x7FFF};
  limited.port.has_p_key = [](mad::PKey key) { return key == mad::PKey{0xFFFF}; };
  EXPECT_TRUE(groups.join(limited).ok());
}

TEST(Joining, PortMustReachTheGroup) {
  Groups groups;
  auto fast = request(kMgid, 1);
  fast.wanted.rate = 7;
  fast.wanted.rate_selector = mad::Selector::Exactly;
  fast.mask |= testing::kRateBits;
  ASSERT_TRUE(groups.join(fast).ok());
  auto slow = request(kMgid, 2);
  slow.port.name = "host-7 port 1";
  slow.port.rate = *mad::rate_rank_of_code(3);
  auto answer = groups.join(slow);
  EXPECT_EQ(answer.status, mad::kSAReqInvalid);
  EXPECT_THAT(answer.reason, HasSubstr("host-7 port 1 runs at 10 Gb/s"));
  EXPECT_THAT(answer.reason, HasSubstr("needs 40 Gb/s"));
  auto small = request(kMgid, 2);
  small.port.mtu = mad::Mtu::Bytes1024;
  answer = groups.join(small);
  EXPECT_EQ(answer.status, mad::kSAReqInvalid);
  EXPECT_THAT(answer.reason, HasSubstr("an MTU of 1024"));
  auto foreign = request(kMgid, 2);
  foreign.port.has_p_key = [](mad::PKey) { return false; };
  answer = groups.join(foreign);
  EXPECT_EQ(answer.status, mad::kSAReqInvalid);
  EXPECT_THAT(answer.reason, HasSubstr("not in partition 0xffff"));
  EXPECT_THAT(answer.reason, HasSubstr("port 0x0000000000000002"));
  EXPECT_EQ(groups.memberships(), 1u);
}

TEST(Joining, RatesAreComparedAsRatesNotAsCodes) {
  Groups groups;
  auto first = request(kMgid, 1);
  first.wanted.rate = 16;  // 100 Gb/s
  first.wanted.rate_selector = mad::Selector::Exactly;
  first.mask |= testing::kRateBits;
  ASSERT_TRUE(groups.join(first).ok());
  auto qdr12x = request(kMgid, 2);
  qdr12x.port.rate = *mad::rate_rank_of_code(10);  // 120 Gb/s
  EXPECT_TRUE(groups.join(qdr12x).ok());
  auto hdr2x = request(kMgid, 3);
  hdr2x.port.rate = *mad::rate_rank_of_code(20);  // 50 Gb/s
  EXPECT_EQ(groups.join(hdr2x).status, mad::kSAReqInvalid);
}

TEST(Leaving, PortsThatLeftTheFabricLeaveEverything) {
  Groups groups;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    groups.join(request(plain_mgid(number), number));
    groups.join(request(plain_mgid(number), 9));
  }
  groups.leave(request(plain_mgid(2), 2));
  const mad::Guid gone[] = {mad::Guid{9}, mad::Guid{77}};
  const auto changes = groups.drop_ports(gone);
  EXPECT_EQ(changes.roles.size(), 3u);
  EXPECT_THAT(changes.groups, ElementsAre(GroupEvent{GroupEvent::Kind::Deleted, plain_mgid(2),
                                                     mad::Lid{0xC001}, mad::PKey{0xFFFF}}));
  EXPECT_EQ(groups.size(), 2u);
  const auto rest = groups.drop_ports([](mad::Guid port) { return port == mad::Guid{3}; });
  EXPECT_EQ(rest.groups.size(), 1u);
  EXPECT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups.memberships(), 1u);
}

TEST(Leaving, MembersThatPolicyNoLongerAllows) {
  Groups groups;
  groups.join(request(kMgid, 1));
  groups.join(request(kMgid, 2));
  groups.join(request(plain_mgid(2), 2));
  const auto changes = groups.drop_members(
      [](const Group&, const Member& member) { return member.port == mad::Guid{2}; });
  EXPECT_EQ(changes.roles.size(), 2u);
  EXPECT_EQ(changes.groups.size(), 1u);
  EXPECT_NE(groups.find(kMgid), nullptr);
  EXPECT_EQ(groups.memberships(), 1u);
}

TEST(Permanent, GroupStaysWithoutMembersUntilPolicyDropsIt) {
  Groups groups;
  mad::MCMemberRecord terms;
  terms.mgid = kMgid;
  terms.p_key = mad::PKey{0xFFFF};
  terms.mtu = mad::Mtu::Bytes2048;
  terms.rate = 3;
  terms.mlid = mad::Lid{0xC010};
  const auto made = groups.add_permanent(terms);
  ASSERT_TRUE(made.ok()) << made.reason;
  EXPECT_EQ(made.record.mlid, mad::Lid{0xC010});
  EXPECT_EQ(made.record.scope, 2);
  EXPECT_EQ(made.changes.groups.size(), 1u);
  groups.join(request(kMgid, 1, kNonMember)).ok();
  auto join = request(kMgid, 1, kFullMember);
  join.mask = testing::kJoinMask;
  ASSERT_TRUE(groups.join(join).ok());
  EXPECT_TRUE(groups.leave(join).ok());
  ASSERT_NE(groups.find(kMgid), nullptr);
  EXPECT_TRUE(groups.find(kMgid)->permanent());

  groups.join(join);
  EXPECT_TRUE(groups.retain_permanent({&kMgid, 1}).empty());
  EXPECT_TRUE(groups.retain_permanent({}).empty()) << "a full member keeps it";
  EXPECT_FALSE(groups.find(kMgid)->permanent());
  groups.leave(join);
  EXPECT_EQ(groups.find(kMgid), nullptr);

  groups.add_permanent(terms);
  EXPECT_EQ(groups.retain_permanent({}).groups.size(), 1u);
  EXPECT_EQ(groups.size(), 0u);
}

TEST(Permanent, NewTermsHoldAndMembersStay) {
  Groups groups;
  groups.join(request(kMgid, 1));
  const auto mlid = groups.find(kMgid)->mlid();
  auto terms = groups.find(kMgid)->record();
  terms.q_key = 0xB1B;
  terms.mlid = mad::Lid{0xC100};
  const auto made = groups.add_permanent(terms);
  EXPECT_TRUE(made.ok());
  EXPECT_TRUE(made.changes.empty());
  EXPECT_EQ(made.record.mlid, mlid);
  EXPECT_EQ(groups.find(kMgid)->record().q_key, 0xB1Bu);
  EXPECT_EQ(groups.find(kMgid)->members().size(), 1u);
}

TEST(Permanent, RefusesWhatCannotBe) {
  Groups groups;
  mad::MCMemberRecord terms;
  terms.mgid = kMgid;
  terms.p_key = mad::PKey{0xFFFF};
  terms.mtu = mad::Mtu::Bytes2048;
  terms.rate = 3;
  auto bad = terms;
  bad.mgid.prefix.value = 0xfe80;
  EXPECT_EQ(groups.add_permanent(bad).status, mad::kSAReqInvalid);
  bad = terms;
  bad.mtu = mad::Mtu{9};
  EXPECT_EQ(groups.add_permanent(bad).status, mad::kSAReqInvalid);
  bad = terms;
  bad.rate = 1;
  EXPECT_EQ(groups.add_permanent(bad).status, mad::kSAReqInvalid);
  bad = terms;
  bad.p_key = mad::PKey{0x8000};
  EXPECT_EQ(groups.add_permanent(bad).status, mad::kSAReqInvalid);
  EXPECT_EQ(groups.size(), 0u);
}

TEST(Permanent, ClearLeavesThemWithoutMembers) {
  Groups groups;
  groups.join(request(kMgid, 1));
  groups.join(request(plain_mgid(2), 1));
  groups.add_permanent(groups.find(kMgid)->record());
  const auto changes = groups.clear();
  EXPECT_EQ(changes.roles.size(), 2u);
  EXPECT_EQ(changes.groups.size(), 1u);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_TRUE(groups.find(kMgid)->members().empty());
}

TEST(SharedMlid, RolesOfAPortCountTogether) {
  Groups groups({}, 1);
  const mad::Lid only{0xC000};
  groups.join(request(plain_mgid(1), 1));
  groups.join(request(plain_mgid(2), 2));
  EXPECT_EQ(groups.find(plain_mgid(2))->mlid(), only);
  EXPECT_EQ(groups.groups_on(only).size(), 2u);
  EXPECT_THAT(groups.join(request(plain_mgid(1), 2, kSendOnlyFullMember)).changes.roles, IsEmpty());
  EXPECT_THAT(groups.leave(request(plain_mgid(2), 2)).changes.roles,
              ElementsAre(RoleChange{only, mad::Guid{2}, Role::Sender}));
  EXPECT_EQ(groups.role(only, mad::Guid{2}), Role::Sender);
  EXPECT_EQ(groups.role(only, mad::Guid{1}), Role::Receiver);
  EXPECT_EQ(groups.role(only, mad::Guid{3}), Role::None);
}

TEST(SharedMlid, SolicitedNodeGroupsCollapseWhenToldTo) {
  Policy policy;
  policy.solicited_node_mlids = 4;
  Groups groups(policy);
  std::map<mad::Lid, int> per_mlid;
  for (std::uint64_t host = 1; host <= 64; ++host) {
    const mad::Gid mgid{mad::GidPrefix{0xff12'601b'ffff'0000}, mad::Guid{0x1'ff00'0000 | host}};
    const auto answer = groups.join(request(mgid, host));
    ASSERT_TRUE(answer.ok()) << answer.reason;
    ++per_mlid[answer.record.mlid];
  }
  EXPECT_EQ(per_mlid.size(), 4u);
  for (const auto& [mlid, count] : per_mlid) EXPECT_EQ(count, 16);
  EXPECT_EQ(groups.join(request(kMgid, 1)).record.mlid, mad::Lid{0xC004});
  // Another partition has its own, and emptied ones start anew.
  const mad::Gid other{mad::GidPrefix{0xff12'601b'8002'0000}, mad::Guid{0x1'ff00'0001}};
  auto join = request(other, 1);
  join.wanted.p_key = mad::PKey{0x8002};
  EXPECT_EQ(groups.join(join).record.mlid, mad::Lid{0xC005});
  groups.clear();
  EXPECT_EQ(groups.mlids_in_use(), 0u);
  EXPECT_TRUE(groups.join(join).ok());
}

// Against a model that knows only what the rules say of bits.
TEST(Joining, AnySequenceLeavesWhatTheRulesSay) {
  base::Prng prng(5);
  Groups groups({}, 3);
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint8_t>> model;  // group, port, state
  std::map<std::pair<std::uint16_t, std::uint64_t>, Role> roles;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t number = 1 + prng.below(6);
    const std::uint64_t port = 1 + prng.below(8);
    const auto bits = static_cast<std::uint8_t>(prng.below(16));
    const bool joins = prng.chance(0.55);
    const auto asked = request(plain_mgid(number), port, bits);
    const auto answer = joins ? groups.join(asked) : groups.leave(asked);
    for (const auto& change : answer.changes.roles) {
      roles[{change.mlid.value, change.port.value}] = change.role;
    }
    auto& members = model[number];
    const std::uint8_t state = members.contains(port) ? members[port] : std::uint8_t{0};
    const bool exists = !members.empty();
    const bool fine = joins ? bits != 0 && (exists || (bits & kKeepsAlive) != 0)
                            : bits != 0 && (state & bits) == bits;
    ASSERT_EQ(answer.ok(), fine) << step << " " << answer.reason;
    ASSERT_EQ(answer.reason.empty(), fine);
    if (fine) members[port] = static_cast<std::uint8_t>(joins ? state | bits : state & ~bits);
    if (members[port] == 0) members.erase(port);
    const bool alive = std::any_of(members.begin(), members.end(), [](const auto& member) {
      return (member.second & kKeepsAlive) != 0;
    });
    if (!alive) members.clear();
    const Group* group = groups.find(plain_mgid(number));
    ASSERT_EQ(group != nullptr, alive);
    if (group != nullptr) {
      ASSERT_EQ(group->members().size(), members.size());
      for (const auto& [guid, wanted] : members) {
        ASSERT_EQ(group->members().at(gid(guid)).join_state, wanted);
      }
    }
  }
  // What the changes told adds up to what is.
  std::map<std::pair<std::uint16_t, std::uint64_t>, Role> now;
  for (const auto& role : groups.roles()) now[{role.mlid.value, role.port.value}] = role.role;
  std::erase_if(roles, [](const auto& entry) { return entry.second == Role::None; });
  EXPECT_EQ(roles, now);
}

}  // namespace
}  // namespace heddle::multicast
