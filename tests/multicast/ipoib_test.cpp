// SPDX-License-Identifier: BSD-3-Clause
// What the IPoIB driver of Linux asks for when an interface comes up, in its order and with its
// component masks: the broadcast group with hardly anything named, every other group with the terms
// that the broadcast group was answered with.
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/mgid.hpp"
#include "multicast/groups.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using testing::gid;
using ::testing::HasSubstr;

mad::Gid mgid(std::uint64_t upper, std::uint64_t lower) {
  return {mad::GidPrefix{upper}, mad::Guid{lower}};
}

mad::MCMemberRecord broadcast_terms(mad::PKey p_key, std::uint16_t signature) {
  mad::MCMemberRecord terms;
  terms.mgid = broadcast_mgid(p_key, signature);
  terms.q_key = 0x0B1B;
  terms.p_key = p_key;
  terms.mtu = mad::Mtu::Bytes2048;
  terms.rate = 3;
  return terms;
}

// A partition with its two broadcast groups, there before anybody asks.
Groups with_partition(mad::PKey p_key) {
  Groups groups;
  for (const std::uint16_t signature : {mad::kIPv4Signature, mad::kIPv6Signature}) {
    EXPECT_TRUE(groups.add_permanent(broadcast_terms(p_key, signature)).ok());
  }
  return groups;
}

class LinuxHost {
 public:
  LinuxHost(Groups& groups, std::uint64_t guid, mad::PKey p_key)
      : groups_(groups), guid_(guid), p_key_(p_key) {}

  Answer join_broadcast() {
    auto request = start(broadcast_mgid(p_key_, mad::kIPv4Signature));
    request.mask =
        testing::kMgidBit | testing::kPortGidBit | testing::kPKeyBit | testing::kJoinStateBit;
    auto answer = groups_.join(request);
    broadcast_ = answer.record;
    return answer;
  }

  Answer join(const mad::Gid& group, std::uint8_t join_state = kFullMember) {
    auto request = start(group);
    request.wanted.join_state = join_state;
    request.wanted.q_key = broadcast_.q_key;
    request.wanted.mtu_selector = mad::Selector::Exactly;
    request.wanted.mtu = broadcast_.mtu;
    request.wanted.t_class = broadcast_.t_class;
    request.wanted.rate_selector = mad::Selector::Exactly;
    request.wanted.rate = broadcast_.rate;
    request.wanted.sl = broadcast_.sl;
    request.wanted.flow_label = broadcast_.flow_label;
    request.wanted.hop_limit = broadcast_.hop_limit;
    request.mask = testing::kMgidBit | testing::kPortGidBit | testing::kPKeyBit |
                   testing::kJoinStateBit | testing::kQKeyBit | testing::kMtuBits |
                   testing::kTClassBit | testing::kRateBits | testing::kSlBit |
                   testing::kFlowLabelBit | testing::kHopLimitBit;
    return groups_.join(request);
  }

  Answer leave(const mad::Gid& group, std::uint8_t join_state = kFullMember) {
    auto request = start(group);
    request.wanted.join_state = join_state;
    request.mask = testing::kJoinMask;
    return groups_.leave(request);
  }

  mad::RateRank rate = *mad::rate_rank_of_code(16);
  mad::Mtu mtu = mad::Mtu::Bytes4096;

 private:
  Request start(const mad::Gid& group) const {
    Request request;
    request.wanted.mgid = group;
    request.wanted.port_gid = gid(guid_);
    request.wanted.p_key = p_key_;
    request.wanted.join_state = kFullMember;
    request.port.port = mad::Guid{guid_};
    request.port.name = "host-7 port 1";
    request.port.rate = rate;
    request.port.mtu = mtu;
    const auto own = p_key_;
    request.port.has_p_key = [own](mad::PKey key) {
      return (key.value & 0x7FFF) == (own.value & 0x7FFF);
    };
    return request;
  }

  Groups& groups_;
  std::uint64_t guid_;
  mad::PKey p_key_;
  mad::MCMemberRecord broadcast_;
};

// The groups of an interface with an IPv4 and an IPv6 address, by the upper half of their MGIDs.
std::vector<mad::Gid> groups_of_interface(std::uint16_t key, std::uint32_t address) {
  const std::uint64_t ipv4 = 0xff12'401b'0000'0000 | std::uint64_t{key} << 16;
  const std::uint64_t ipv6 = 0xff12'601b'0000'0000 | std::uint64_t{key} << 16;
  return {
      mgid(ipv4, 0x1),                                    // 224.0.0.1
      mgid(ipv6, 0x1),                                    // ff02::1
      mgid(ipv6, 0x1'ff00'0000 | (address & 0xFF'FFFF)),  // ff02::1:ffxx:xxxx
      mgid(ipv4, 0xfb),                                   // mDNS, 224.0.0.251
      mgid(ipv6, 0xfb),                                   // mDNS, ff02::fb
      mgid(ipv4, 0x16),                                   // IGMPv3
      mgid(ipv6, 0x16),                                   // MLDv2
  };
}

TEST(IPoIB, InterfaceComesUpInEveryPartition) {
  for (const std::uint16_t key : {std::uint16_t{0xFFFF}, std::uint16_t{0x8002}}) {
    auto groups = with_partition(mad::PKey{key});
    LinuxHost host(groups, 1, mad::PKey{key});
    const auto broadcast = host.join_broadcast();
    ASSERT_TRUE(broadcast.ok()) << broadcast.reason;
    EXPECT_EQ(broadcast.record.q_key, 0x0B1Bu);
    EXPECT_EQ(broadcast.record.mtu, mad::Mtu::Bytes2048);
    EXPECT_EQ(broadcast.record.mtu_selector, mad::Selector::Exactly);
    EXPECT_GE(broadcast.record.mlid, mad::kFirstMulticastLid);
    EXPECT_TRUE(broadcast.changes.groups.empty());
    for (const auto& group : groups_of_interface(key, 0xAB12'3456)) {
      const auto joined = host.join(group);
      ASSERT_TRUE(joined.ok()) << joined.reason;
      EXPECT_EQ(joined.changes.groups.size(), 1u) << text_of(group);
      EXPECT_EQ(joined.record.join_state, kFullMember);
    }
    // A second host finds them all; only its solicited-node group is new.
    LinuxHost second(groups, 2, mad::PKey{key});
    second.join_broadcast();
    unsigned created = 0;
    for (const auto& group : groups_of_interface(key, 0xCD00'0001)) {
      const auto joined = second.join(group);
      ASSERT_TRUE(joined.ok()) << joined.reason;
      created += static_cast<unsigned>(joined.changes.groups.size());
    }
    EXPECT_EQ(created, 1u);
    EXPECT_EQ(groups.size(), 10u);
  }
}

TEST(IPoIB, SendingOnlyToAGroupNeitherReceivesNorEndsIt) {
  auto groups = with_partition(mad::PKey{0xFFFF});
  LinuxHost sender(groups, 1, mad::PKey{0xFFFF});
  LinuxHost receiver(groups, 2, mad::PKey{0xFFFF});
  sender.join_broadcast();
  receiver.join_broadcast();
  const auto group = mgid(0xff12'401b'ffff'0000, 0xa01'0203);
  const auto sends = sender.join(group, kSendOnlyFullMember);
  ASSERT_TRUE(sends.ok()) << sends.reason;
  EXPECT_EQ(groups.role(sends.record.mlid, mad::Guid{1}), Role::Sender);
  ASSERT_TRUE(receiver.join(group).ok());
  EXPECT_TRUE(receiver.leave(group).ok());
  EXPECT_NE(groups.find(group), nullptr);
  EXPECT_TRUE(sender.leave(group, kSendOnlyFullMember).ok());
  EXPECT_EQ(groups.find(group), nullptr);
}

TEST(IPoIB, NoInterfaceWithoutABroadcastGroup) {
  Groups groups;
  LinuxHost host(groups, 1, mad::PKey{0x8002});
  EXPECT_EQ(host.join_broadcast().status, mad::kSAReqInsufficientComponents);
}

TEST(IPoIB, SlowPortIsToldWhy) {
  auto groups = with_partition(mad::PKey{0xFFFF});
  auto terms = broadcast_terms(mad::PKey{0xFFFF}, mad::kIPv4Signature);
  terms.rate = 7;
  ASSERT_TRUE(groups.add_permanent(terms).ok());
  LinuxHost host(groups, 1, mad::PKey{0xFFFF});
  host.rate = *mad::rate_rank_of_code(3);
  const auto answer = host.join_broadcast();
  EXPECT_EQ(answer.status, mad::kSAReqInvalid);
  EXPECT_THAT(answer.reason, HasSubstr("group ff12:401b:ffff::ffff:ffff"));
  EXPECT_THAT(answer.reason, HasSubstr("host-7 port 1 runs at 10 Gb/s"));
  EXPECT_THAT(answer.reason, HasSubstr("needs 40 Gb/s"));
}

TEST(IPoIB, NewGroupsAgreeWithTheBroadcastGroup) {
  auto groups = with_partition(mad::PKey{0xFFFF});
  const auto group = mgid(0xff12'401b'ffff'0000, 0x77);
  const auto attempt = [&](auto change) {
    auto request = testing::request(group, 1);
    request.wanted.q_key = 0x0B1B;
    change(request);
    return groups.join(request);
  };
  EXPECT_THAT(attempt([](Request& r) { r.wanted.q_key = 1; }).reason, HasSubstr("Q_Key"));
  EXPECT_THAT(attempt([](Request& r) { r.wanted.sl.value = 3; }).reason, HasSubstr("SL"));
  EXPECT_THAT(attempt([](Request& r) {
                r.wanted.mtu = mad::Mtu::Bytes4096;
                r.wanted.mtu_selector = mad::Selector::Exactly;
                r.mask |= testing::kMtuBits;
              }).reason,
              HasSubstr("MTU"));
  EXPECT_THAT(attempt([](Request& r) {
                r.wanted.rate_selector = mad::Selector::Best;
                r.mask |= testing::kRateBits;
              }).reason,
              HasSubstr("rate"));
  EXPECT_THAT(attempt([](Request& r) { r.wanted.p_key.value = 0x8002; }).reason,
              HasSubstr("P_Key"));
  EXPECT_EQ(groups.size(), 2u);
  const auto fine = attempt([](Request&) {});
  ASSERT_TRUE(fine.ok()) << fine.reason;
  EXPECT_EQ(fine.record.rate, 3) << "what is left open is as in the broadcast group";
}

TEST(IPoIB, IPv6GroupsFollowTheIPv4BroadcastGroupWhereTheyHaveNone) {
  Groups groups;
  auto terms = broadcast_terms(mad::PKey{0xFFFF}, mad::kIPv4Signature);
  terms.mtu = mad::Mtu::Bytes4096;
  ASSERT_TRUE(groups.add_permanent(terms).ok());
  auto request = testing::request(mgid(0xff15'601b'ffff'0000, 0x1), 1);
  request.wanted.q_key = 0x0B1B;
  const auto answer = groups.join(request);
  ASSERT_TRUE(answer.ok()) << answer.reason;
  EXPECT_EQ(answer.record.mtu, mad::Mtu::Bytes4096);
  request.wanted.mgid.guid.value = 2;
  request.wanted.q_key = 1;
  EXPECT_EQ(groups.join(request).status, mad::kSAReqInvalid);
}

TEST(IPoIB, BroadcastGroupsSetTheirOwnTerms) {
  Groups groups;
  ASSERT_TRUE(groups.add_permanent(broadcast_terms(mad::PKey{0xFFFF}, mad::kIPv4Signature)).ok());
  auto request = testing::request(broadcast_mgid(mad::PKey{0xFFFF}, mad::kIPv6Signature), 1);
  request.wanted.q_key = 0x7777;
  EXPECT_TRUE(groups.join(request).ok());
  request.wanted.mgid = broadcast_mgid(mad::PKey{0xFFFF}, mad::kIPv4Signature, 5);
  EXPECT_TRUE(groups.join(request).ok());
}

TEST(IPoIB, RestartedHostFindsItselfAMember) {
  auto groups = with_partition(mad::PKey{0xFFFF});
  LinuxHost host(groups, 1, mad::PKey{0xFFFF});
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(host.join_broadcast().ok());
    for (const auto& group : groups_of_interface(0xFFFF, 1)) ASSERT_TRUE(host.join(group).ok());
  }
  EXPECT_EQ(groups.memberships(), 8u);
  const mad::Guid port{1};
  groups.drop_ports({&port, 1});
  EXPECT_EQ(groups.size(), 2u);
}

}  // namespace
}  // namespace heddle::multicast
