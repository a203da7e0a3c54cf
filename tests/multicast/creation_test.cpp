// SPDX-License-Identifier: BSD-3-Clause
// Creating groups: what must be named, what comes of selectors, limits.
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/link.hpp"
#include "multicast/groups.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using mad::Selector;
using testing::gid;
using ::testing::HasSubstr;
using testing::plain_mgid;
using testing::request;

TEST(Creating, NeedsTheComponentsOfTheSpecification) {
  Groups groups;
  for (const std::uint64_t bit :
       {testing::kMgidBit, testing::kPortGidBit, testing::kJoinStateBit, testing::kQKeyBit,
        testing::kPKeyBit, testing::kTClassBit, testing::kSlBit, testing::kFlowLabelBit}) {
    auto vague = request(plain_mgid(1), 1);
    vague.mask &= ~bit;
    EXPECT_EQ(groups.join(vague).status, mad::kSAReqInsufficientComponents) << bit;
  }
  EXPECT_TRUE(groups.join(request(plain_mgid(1), 1)).ok());
}

TEST(Creating, ChoosesRatesWhoseCodesMayBeTold) {
  Policy policy;
  policy.highest_rate_code = 18;
  Groups groups(policy);
  std::uint64_t made = 0;
  const auto rate = [&](std::optional<Selector> selector, std::uint8_t code) {
    auto wish = request(plain_mgid(++made), 1);
    if (selector) {
      wish.mask |= mad::component<&mad::MCMemberRecord::rate>() |
                   mad::component<&mad::MCMemberRecord::rate_selector>();
      wish.wanted.rate_selector = *selector;
      wish.wanted.rate = code;
    }
    wish.port.rate = mad::rate_rank_of_code(21).value();  // 400 Gb/s
    const auto answer = groups.join(wish);
    return answer.ok() ? int{answer.record.rate} : -1;
  };
  EXPECT_EQ(rate({}, 0), 3);                       // 10
  EXPECT_EQ(rate(Selector::Best, 0), 18);          // 300, not 400
  EXPECT_EQ(rate(Selector::GreaterThan, 7), 12);   // above 40: 56, not 50
  EXPECT_EQ(rate(Selector::GreaterThan, 18), -1);  // above 300
  EXPECT_EQ(rate(Selector::Exactly, 21), 21);      // who names a code knows it
}

TEST(Creating, NeedsAFullMember) {
  Groups groups;
  EXPECT_EQ(groups.join(request(plain_mgid(1), 1, kNonMember)).status, mad::kSAReqInvalid);
  EXPECT_EQ(groups.join(request(plain_mgid(1), 1, kSendOnlyNonMember)).status, mad::kSAReqInvalid);
  EXPECT_EQ(groups.join(request(plain_mgid(1), 1, 0)).status, mad::kSAReqInvalid);
  EXPECT_TRUE(groups.join(request(plain_mgid(1), 1, kSendOnlyFullMember)).ok());
  EXPECT_TRUE(groups.join(request(plain_mgid(2), 1, 0xF)).ok());
}

TEST(Creating, MgidMustBeOneThatMayBe) {
  Groups groups;
  auto bad = plain_mgid(1);
  bad.prefix.value = 0xfa12'a0ff'0000'0000;
  EXPECT_EQ(groups.join(request(bad, 1)).status, mad::kSAReqInvalid);
  bad.prefix.value = 0xff22'a0ff'0000'0000;
  EXPECT_EQ(groups.join(request(bad, 1)).status, mad::kSAReqInvalid);
  bad.prefix.value = 0xff12'a01b'0000'0000;
  EXPECT_EQ(groups.join(request(bad, 1)).status, mad::kSAReqInvalid);
  auto no_key = request(plain_mgid(1), 1);
  no_key.wanted.p_key = mad::PKey{0x8000};
  EXPECT_EQ(groups.join(no_key).status, mad::kSAReqInvalid);
  EXPECT_EQ(groups.size(), 0u);
}

TEST(Creating, SubnetAdministrationMakesAnMgidWhenNoneIsGiven) {
  Groups groups;
  auto nameless = request({}, 1);
  const auto first = groups.join(nameless);
  ASSERT_TRUE(first.ok()) << first.reason;
  EXPECT_EQ(text_of(first.record.mgid), "ff12:a01b:fe80::1");
  EXPECT_EQ(first.record.scope, 2);
  nameless.wanted.scope = 5;
  nameless.mask |= testing::kScopeBit;
  const auto second = groups.join(nameless);
  EXPECT_EQ(text_of(second.record.mgid), "ff15:a01b:fe80::2");
  EXPECT_EQ(second.record.scope, 5);
  EXPECT_NE(second.record.mlid, first.record.mlid);
  EXPECT_TRUE(groups.join(request(first.record.mgid, 2)).ok()) << "others join it by that name";
  nameless.wanted.scope = 0;
  EXPECT_EQ(groups.join(nameless).status, mad::kSAReqInvalid);
}

TEST(Creating, ScopeIsThatOfTheMgid) {
  Groups groups;
  auto mgid = plain_mgid(1);
  mgid.prefix.value = 0xff1f'a01c'0000'0000;
  auto odd = request(mgid, 1);
  odd.wanted.scope = 2;
  odd.mask |= testing::kScopeBit;
  const auto answer = groups.join(odd);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.record.scope, 0xF);
}

struct Outcome {
  Selector selector;
  std::uint8_t value;
  int result;  // code, or -1: refused
};

TEST(Creating, MtuFollowsTheSelector) {
  // The usual MTU is 2048 (code 4), the port can do 4096 (5).
  for (const auto& [selector, value, result] :
       {Outcome{Selector::GreaterThan, 1, 4}, Outcome{Selector::GreaterThan, 4, 5},
        Outcome{Selector::GreaterThan, 5, -1}, Outcome{Selector::LessThan, 5, 4},
        Outcome{Selector::LessThan, 4, 3}, Outcome{Selector::LessThan, 1, -1},
        Outcome{Selector::Exactly, 2, 2}, Outcome{Selector::Exactly, 5, 5},
        Outcome{Selector::Exactly, 6, -1}, Outcome{Selector::GreaterThan, 6, -1},
        Outcome{Selector::Best, 0, 5}}) {
    Groups groups;
    auto asked = request(plain_mgid(1), 1);
    asked.wanted.mtu_selector = selector;
    asked.wanted.mtu = mad::Mtu{value};
    asked.mask |= testing::kMtuBits;
    const auto answer = groups.join(asked);
    EXPECT_EQ(answer.ok() ? static_cast<int>(answer.record.mtu) : -1, result)
        << static_cast<int>(selector) << " " << int{value};
    EXPECT_EQ(answer.status, result < 0 ? mad::kSAReqInvalid : mad::kStatusOk);
    EXPECT_TRUE(result < 0 || answer.record.mtu_selector == Selector::Exactly);
  }
}

TEST(Creating, RateFollowsTheSelector) {
  // The usual rate is 10 Gb/s (code 3), the port runs at 100 Gb/s (16).
  for (const auto& [selector, value, result] :
       {Outcome{Selector::GreaterThan, 2, 3}, Outcome{Selector::GreaterThan, 3, 11},
        Outcome{Selector::GreaterThan, 9, 16}, Outcome{Selector::GreaterThan, 16, -1},
        Outcome{Selector::GreaterThan, 18, -1}, Outcome{Selector::LessThan, 8, 3},
        Outcome{Selector::LessThan, 3, 5}, Outcome{Selector::LessThan, 2, -1},
        Outcome{Selector::Exactly, 7, 7}, Outcome{Selector::Exactly, 10, -1},
        Outcome{Selector::Exactly, 1, -1}, Outcome{Selector::Best, 0, 16}}) {
    Groups groups;
    auto asked = request(plain_mgid(1), 1);
    asked.wanted.rate_selector = selector;
    asked.wanted.rate = value;
    asked.mask |= testing::kRateBits;
    const auto answer = groups.join(asked);
    EXPECT_EQ(answer.ok() ? int{answer.record.rate} : -1, result)
        << static_cast<int>(selector) << " " << int{value} << " " << answer.reason;
  }
}

TEST(Creating, PacketLifeTimeFollowsTheSelector) {
  for (const auto& [selector, value, result] :
       {Outcome{Selector::GreaterThan, 0, 18}, Outcome{Selector::GreaterThan, 20, 21},
        Outcome{Selector::GreaterThan, 63, -1}, Outcome{Selector::LessThan, 10, 9},
        Outcome{Selector::LessThan, 0, -1}, Outcome{Selector::Exactly, 7, 7},
        Outcome{Selector::Best, 0, 18}}) {
    Groups groups;
    auto asked = request(plain_mgid(1), 1);
    asked.wanted.packet_life_time_selector = selector;
    asked.wanted.packet_life_time = value;
    asked.mask |= testing::kLifeBits;
    const auto answer = groups.join(asked);
    EXPECT_EQ(answer.ok() ? int{answer.record.packet_life_time} : -1, result) << int{value};
  }
}

TEST(Creating, WhatIsLeftOpenIsUsualOrWhatThePortCan) {
  Groups groups;
  const auto usual = groups.join(request(plain_mgid(1), 1));
  EXPECT_EQ(usual.record.mtu, mad::Mtu::Bytes2048);
  EXPECT_EQ(usual.record.rate, 3);
  EXPECT_EQ(usual.record.packet_life_time, 18);
  auto weak = request(plain_mgid(2), 2);
  weak.port.mtu = mad::Mtu::Bytes1024;
  weak.port.rate = 0;
  const auto low = groups.join(weak);
  EXPECT_EQ(low.record.mtu, mad::Mtu::Bytes1024);
  EXPECT_EQ(low.record.rate, 2);
}

TEST(Creating, PortMustBeInThePartition) {
  Groups groups;
  auto foreign = request(plain_mgid(1), 1);
  foreign.port.has_p_key = [](mad::PKey) { return false; };
  const auto answer = groups.join(foreign);
  EXPECT_EQ(answer.status, mad::kSAReqInvalid);
  EXPECT_TRUE(answer.changes.empty());
  EXPECT_EQ(groups.size(), 0u);
  EXPECT_EQ(groups.mlids_in_use(), 0u);
}

TEST(Creating, MlidIsTheOneAskedForIfItIsFree) {
  Groups groups({}, 64);
  auto asked = request(plain_mgid(1), 1);
  asked.mask |= testing::kMlidBit;
  asked.wanted.mlid = mad::Lid{0xC020};
  EXPECT_EQ(groups.join(asked).record.mlid, mad::Lid{0xC020});
  asked.wanted.mgid = plain_mgid(2);
  EXPECT_EQ(groups.join(asked).record.mlid, mad::Lid{0xC000});
  asked.wanted.mgid = plain_mgid(3);
  asked.wanted.mlid = mad::Lid{0xFFFE};
  EXPECT_EQ(groups.join(asked).record.mlid, mad::Lid{0xC001});
  asked.wanted.mgid = plain_mgid(4);
  asked.wanted.mlid = mad::Lid{0xC030};
  asked.mask &= ~testing::kMlidBit;
  EXPECT_EQ(groups.join(asked).record.mlid, mad::Lid{0xC002}) << "the mask leaves it out";
}

TEST(Limits, AreNamedAndKept) {
  Policy policy;
  policy.limits = {.groups = 3, .members_per_group = 2, .groups_per_port = 2, .memberships = 4};
  Groups groups(policy);
  EXPECT_TRUE(groups.join(request(plain_mgid(1), 1)).ok());
  EXPECT_TRUE(groups.join(request(plain_mgid(1), 2)).ok());
  auto answer = groups.join(request(plain_mgid(1), 3));
  EXPECT_EQ(answer.status, mad::kSANoResources);
  EXPECT_THAT(answer.reason, HasSubstr("2 members"));
  EXPECT_TRUE(groups.join(request(plain_mgid(1), 2, kNonMember)).ok()) << "it is one already";
  EXPECT_TRUE(groups.join(request(plain_mgid(2), 1)).ok());
  answer = groups.join(request(plain_mgid(3), 1));
  EXPECT_EQ(answer.status, mad::kSANoResources);
  EXPECT_THAT(answer.reason, HasSubstr("2 groups"));
  EXPECT_EQ(groups.size(), 2u) << "a group that nobody could enter is not there";
  EXPECT_TRUE(answer.changes.empty());
  EXPECT_TRUE(groups.join(request(plain_mgid(3), 3)).ok());
  answer = groups.join(request(plain_mgid(4), 4));
  EXPECT_EQ(answer.status, mad::kSANoResources);
  EXPECT_THAT(answer.reason, HasSubstr("3 groups"));
  answer = groups.join(request(plain_mgid(2), 4));
  EXPECT_EQ(answer.status, mad::kSANoResources);
  EXPECT_THAT(answer.reason, HasSubstr("memberships"));
  mad::MCMemberRecord terms = groups.find(plain_mgid(1))->record();
  terms.mgid = plain_mgid(9);
  EXPECT_EQ(groups.add_permanent(terms).status, mad::kSANoResources);
}

}  // namespace
}  // namespace heddle::multicast
