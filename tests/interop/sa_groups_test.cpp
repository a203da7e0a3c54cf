// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door, on three hosts of star:16 with `heddle sm` on the first: hosts join
// groups and register services, and try what they must not.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "mad/component_mask.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using mad::component;
using mad::MCMemberRecord;
using mad::Method;
using mad::SAAttributeId;
using mad::ServiceRecord;

constexpr mad::SMKey kOurKey{1};  // the one everybody knows: the default of the configuration
constexpr std::uint8_t kFull = 1;
constexpr std::uint8_t kNonMember = 2;
constexpr std::uint8_t kSendOnly = 4;

constexpr auto kMgid = component<&MCMemberRecord::mgid>();
MCMemberRecord wish(const SAClient& host, const mad::Gid& mgid, std::uint8_t state = kFull) {
  MCMemberRecord record;
  record.mgid = mgid;
  record.port_gid = host.gid();
  record.join_state = state;
  record.p_key = mad::PKey{0xffff};
  record.q_key = 0x1234;
  return record;
}

class Groups : public testing::Test {
 protected:
  Reply member(SAClient& host, Method method, const MCMemberRecord& record, std::uint64_t mask,
               mad::SMKey key = {}) {
    return host.ask({method, SAAttributeId::MCMemberRecord, mask, bytes_of(record), key});
  }
  Reply join(SAClient& host, const mad::Gid& mgid, std::uint8_t state = kFull) {
    return member(host, Method::Set, wish(host, mgid, state), kCreationMask);
  }
  Reply leave(SAClient& host, const mad::Gid& mgid, std::uint8_t state = kFull) {
    return member(host, Method::Delete, wish(host, mgid, state), kMemberMask);
  }
  std::vector<MCMemberRecord> told(SAClient& host, const mad::Gid& mgid, mad::SMKey key = {}) {
    return member(host, Method::GetTable, wish(host, mgid), kMgid, key).records<MCMemberRecord>();
  }

  SAClient first_{"mlx5_0"};
  SAClient second_{"mlx5_1"};
  SAClient third_{"mlx5_2"};
};

TEST_F(Groups, LiveFromTheFirstFullMemberToTheLast) {
  const mad::Gid mgid = gid_of("ff12:dead::1");
  const auto created = join(second_, mgid);
  ASSERT_TRUE(created.ok());
  const auto group = created.record<MCMemberRecord>();
  EXPECT_GE(group.mlid, mad::kFirstMulticastLid);
  EXPECT_EQ(group.port_gid, second_.gid());
  // Who only knows the name learns the rest.
  const auto joined = member(third_, Method::Set, wish(third_, mgid, kNonMember), kMemberMask);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined.record<MCMemberRecord>().mlid, group.mlid);
  EXPECT_EQ(joined.record<MCMemberRecord>().q_key, 0x1234u);

  const auto seen = told(first_, mgid);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].port_gid, mad::Gid{});  // who is in it is nobody's business
  EXPECT_EQ(told(first_, mgid, kOurKey).size(), 2u);

  // The non-member does not keep it alive.
  ASSERT_TRUE(leave(second_, mgid).ok());
  EXPECT_TRUE(told(first_, mgid, kOurKey).empty());
  EXPECT_EQ(leave(third_, mgid, kNonMember).status(), mad::kSAReqInvalid);
}

TEST_F(Groups, RefuseWhatTheSpecificationRefuses) {
  const mad::Gid mgid = gid_of("ff12:dead::2");
  EXPECT_EQ(join(second_, mgid, kNonMember).status(), mad::kSAReqInvalid);
  EXPECT_EQ(join(second_, mgid, kSendOnly).status(), mad::kSAReqInvalid);
  EXPECT_EQ(member(second_, Method::Set, wish(second_, mgid), kMemberMask).status(),
            mad::kSAReqInsufficientComponents);
  EXPECT_EQ(member(second_, Method::Set, wish(second_, mgid),
                   kMgid | component<&MCMemberRecord::join_state>())
                .status(),
            mad::kSAReqInsufficientComponents);
  EXPECT_EQ(join(second_, gid_of("fe80::1")).status(), mad::kSAReqInvalid);
  EXPECT_EQ(join(second_, gid_of("ff12:a01b::1")).status(), mad::kSAReqInvalid);
  auto stranger = wish(second_, mgid);
  stranger.p_key = mad::PKey{0x8123};
  EXPECT_EQ(member(second_, Method::Set, stranger, kCreationMask).status(), mad::kSAReqInvalid);

  ASSERT_TRUE(join(second_, mgid).ok());
  auto other_key = wish(third_, mgid);
  other_key.q_key = 0x4321;
  EXPECT_EQ(member(third_, Method::Set, other_key, kCreationMask).status(), mad::kSAReqInvalid);
  EXPECT_EQ(leave(third_, mgid).status(), mad::kSAReqInvalid);
  EXPECT_TRUE(leave(second_, mgid).ok());
}

TEST_F(Groups, TakeNobodyForSomebodyElse) {
  const mad::Gid mgid = gid_of("ff12:dead::3");
  auto nobody = wish(second_, mgid);
  nobody.port_gid.guid = mad::Guid{0x1234'5678};
  EXPECT_EQ(member(second_, Method::Set, nobody, kCreationMask).status(), mad::kSAReqInvalidGid);

  ASSERT_TRUE(join(second_, mgid).ok());
  // Another host must not put the second one out.
  EXPECT_EQ(member(third_, Method::Delete, wish(second_, mgid), kMemberMask).status(),
            mad::kSAReqDenied);
  EXPECT_EQ(told(first_, mgid).size(), 1u);
  EXPECT_TRUE(member(third_, Method::Delete, wish(second_, mgid), kMemberMask, kOurKey).ok());
  EXPECT_TRUE(told(first_, mgid).empty());
}

TEST_F(Groups, GetNamesFromTheManagerOnRequest) {
  const auto made = join(second_, mad::Gid{});
  ASSERT_TRUE(made.ok());
  const mad::Gid mgid = made.record<MCMemberRecord>().mgid;
  EXPECT_EQ(mgid.prefix.value >> 32, 0xff12'a01bu);
  EXPECT_TRUE(join(third_, mgid).ok());
  EXPECT_TRUE(leave(second_, mgid).ok());
  EXPECT_TRUE(leave(third_, mgid).ok());
  EXPECT_TRUE(told(first_, mgid).empty());
}

constexpr auto kServiceId = component<&ServiceRecord::service_id>();
constexpr auto kServiceNames = kServiceId | component<&ServiceRecord::service_gid>();
constexpr auto kServiceKey = component<&ServiceRecord::service_key>();
constexpr auto kLease = component<&ServiceRecord::service_lease>();

class ServiceRecords : public testing::Test {
 protected:
  ServiceRecord offer(const SAClient& host, std::uint64_t id) {
    ServiceRecord record;
    record.service_id = id;
    record.service_gid = host.gid();
    record.service_lease = 0xffff'ffff;
    record.service_key[15] = 7;
    return record;
  }
  Reply tell(SAClient& host, Method method, const ServiceRecord& record, std::uint64_t mask) {
    return host.ask({method, SAAttributeId::ServiceRecord, mask, bytes_of(record), {}});
  }

  SAClient second_{"mlx5_1"};
  SAClient third_{"mlx5_2"};
};

TEST_F(ServiceRecords, BelongToTheNodeThatOffersThem) {
  const auto record = offer(second_, 0x77);
  EXPECT_EQ(tell(third_, Method::Set, record, kServiceNames).status(), mad::kSAReqDenied);
  ASSERT_TRUE(tell(second_, Method::Set, record, kServiceNames | kServiceKey).ok());

  const auto seen = tell(third_, Method::GetTable, record, kServiceId).records<ServiceRecord>();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].service_gid, second_.gid());
  EXPECT_EQ(seen[0].service_key, ServiceRecord{}.service_key);

  EXPECT_EQ(tell(third_, Method::Delete, record, kServiceNames | kServiceKey).status(),
            mad::kSAReqDenied);
  auto wrong = record;
  wrong.service_key[15] = 8;
  EXPECT_EQ(tell(second_, Method::Delete, wrong, kServiceNames | kServiceKey).status(),
            mad::kSAReqDenied);
  EXPECT_TRUE(tell(second_, Method::Delete, record, kServiceNames | kServiceKey).ok());
  EXPECT_EQ(tell(third_, Method::Get, record, kServiceId).status(), mad::kSANoRecords);
}

TEST_F(ServiceRecords, EndWithTheirLease) {
  auto record = offer(second_, 0x78);
  record.service_lease = 1;
  ASSERT_TRUE(tell(second_, Method::Set, record, kServiceNames | kLease).ok());
  EXPECT_TRUE(tell(third_, Method::Get, record, kServiceId).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_EQ(tell(third_, Method::Get, record, kServiceId).status(), mad::kSANoRecords);
}

}  // namespace
}  // namespace heddle::interop
