// SPDX-License-Identifier: BSD-3-Clause
#include "mad/service_record.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Method;
using mad::ServiceRecord;
using std::chrono::seconds;

constexpr auto kId = component<&ServiceRecord::service_id>();
constexpr auto kLease = component<&ServiceRecord::service_lease>();
constexpr auto kKey = component<&ServiceRecord::service_key>();
constexpr auto kIdentity =
    kId | component<&ServiceRecord::service_gid>() | component<&ServiceRecord::service_p_key>();

class ServiceRecordTest : public testing::Test {
 protected:
  ServiceRecord offered(std::uint64_t id, std::size_t host = 0) {
    ServiceRecord record;
    record.service_id = id;
    record.service_gid = stage_.view.gid(stage_.host(host));
    record.service_p_key = mad::PKey{0xFFFF};
    return record;
  }
  mad::Status ask(Method method, std::uint64_t mask, const ServiceRecord& record,
                  std::size_t asker = 0, mad::SMKey key = {}) {
    return stage_.ask(Question{method, 0x31, 0, mask, key}, record, asker).status();
  }
  std::vector<ServiceRecord> all(mad::SMKey key = {}) {
    return stage_.table(0, ServiceRecord{}, key).records;
  }

  Stage stage_{support::administered(support::ring(3, 2))};
};

TEST_F(ServiceRecordTest, IsFoundByWhatItSaysAndGoneAfterADelete) {
  ServiceRecord record = offered(7);
  record.service_data16[3] = 0xBEEF;
  EXPECT_EQ(ask(Method::Set, kIdentity, record), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Set, kIdentity, offered(8)), mad::kStatusOk);
  // Any one datum is a component of its own.
  constexpr auto first = component<&ServiceRecord::service_data16>();
  const std::uint64_t fourth = (first & (~first + 1)) << 3;
  const auto found = stage_.get(fourth, record);
  ASSERT_EQ(found.records.size(), 1u);
  EXPECT_EQ(found.records[0].service_id, 7u);
  EXPECT_EQ(found.records[0].service_lease, kLeaseForEver);
  EXPECT_EQ(ask(Method::Delete, kIdentity, record), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Delete, kIdentity, record), mad::kSANoRecords);
  ASSERT_EQ(all().size(), 1u);
  EXPECT_EQ(all()[0].service_id, 8u);
}

TEST_F(ServiceRecordTest, EndsWithItsLease) {
  ServiceRecord record = offered(7);
  record.service_lease = 10;
  EXPECT_EQ(ask(Method::Set, kIdentity | kLease, record), mad::kStatusOk);
  stage_.let_pass(seconds(4));
  ASSERT_EQ(all().size(), 1u);
  EXPECT_EQ(all()[0].service_lease, 6u);
  EXPECT_EQ(stage_.server.deadline(), stage_.now + seconds(6));
  stage_.let_pass(seconds(6));
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(stage_.server.deadline(), base::kNever);
}

TEST_F(ServiceRecordTest, IsRenewedByBeingSetAgain) {
  ServiceRecord record = offered(7);
  record.service_lease = 10;
  EXPECT_EQ(ask(Method::Set, kIdentity | kLease, record), mad::kStatusOk);
  stage_.let_pass(seconds(8));
  EXPECT_EQ(ask(Method::Set, kIdentity | kLease, record), mad::kStatusOk);
  stage_.let_pass(seconds(8));
  EXPECT_EQ(all().size(), 1u);
}

TEST_F(ServiceRecordTest, OfManyLeasesThatEndTogetherOnlyTheOneThatIsNamedGoes) {
  for (const std::uint64_t id : {7u, 8u, 9u}) {
    ServiceRecord record = offered(id);
    record.service_lease = 10;
    ASSERT_EQ(ask(Method::Set, kIdentity | kLease, record), mad::kStatusOk);
  }
  EXPECT_EQ(ask(Method::Delete, kIdentity, offered(8)), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Set, kIdentity, offered(9)), mad::kStatusOk);  // for ever, from now on
  EXPECT_EQ(stage_.server.deadline(), stage_.now + seconds(10));
  stage_.let_pass(seconds(10));
  ASSERT_EQ(all().size(), 1u);
  EXPECT_EQ(all()[0].service_id, 9u);
  EXPECT_EQ(stage_.server.deadline(), base::kNever);
}

TEST_F(ServiceRecordTest, IsChangedOnlyByWhoeverHasItsKey) {
  ServiceRecord record = offered(7);
  record.service_key.fill(0x11);
  EXPECT_EQ(ask(Method::Set, kIdentity | kKey, record), mad::kStatusOk);
  ServiceRecord thief = record;
  thief.service_key.fill(0x22);
  EXPECT_EQ(ask(Method::Set, kIdentity | kKey, thief), mad::kSAReqDenied);
  EXPECT_EQ(ask(Method::Delete, kIdentity | kKey, thief), mad::kSAReqDenied);
  EXPECT_EQ(all()[0].service_key, ServiceRecord{}.service_key);
  EXPECT_EQ(all(kOurKey)[0].service_key, record.service_key);
  // A guess at the key tells nothing.
  EXPECT_EQ(stage_.table(kKey, thief).records.size(), 1u);
  EXPECT_EQ(ask(Method::Delete, kIdentity | kKey, record), mad::kStatusOk);
  // The node itself needs none.
  EXPECT_EQ(ask(Method::Set, kIdentity | kKey, record), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Delete, kId, record), mad::kStatusOk);
}

TEST_F(ServiceRecordTest, IsDeletedByWhateverNamesItAlone) {
  ServiceRecord first = offered(7);
  ServiceRecord second = offered(8);
  first.service_name[0] = second.service_name[0] = 'n';
  first.service_name[1] = 'a';
  constexpr auto kName = component<&ServiceRecord::service_name>();
  EXPECT_EQ(ask(Method::Set, kIdentity | kName, first), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Set, kIdentity | kName, second), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Delete, component<&ServiceRecord::service_gid>(), first),
            mad::kSATooManyRecords);
  EXPECT_EQ(ask(Method::Delete, kName, first), mad::kStatusOk);
  EXPECT_EQ(all().size(), 1u);
}

TEST_F(ServiceRecordTest, SpeaksForThePortsOfItsNodeOnly) {
  EXPECT_EQ(ask(Method::Set, kIdentity, offered(7, 1), 0), mad::kSAReqDenied);
  EXPECT_EQ(ask(Method::Set, kIdentity, offered(7, 1), 0, kOurKey), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Delete, kIdentity, offered(7, 1), 0), mad::kSAReqDenied);
  ServiceRecord nowhere = offered(7);
  nowhere.service_gid.guid = mad::Guid{0xdead};
  EXPECT_EQ(ask(Method::Set, kIdentity, nowhere), mad::kSAReqInvalidGid);
  EXPECT_EQ(ask(Method::Set, kId, offered(9)), mad::kSAReqInsufficientComponents);
}

TEST_F(ServiceRecordTest, CannotFillTheMemory) {
  for (std::uint64_t id = 0; id < kMaxServicesOfPort; ++id) {
    ASSERT_EQ(ask(Method::Set, kIdentity, offered(id)), mad::kStatusOk);
  }
  EXPECT_EQ(ask(Method::Set, kIdentity, offered(kMaxServicesOfPort)), mad::kSANoResources);
  EXPECT_EQ(ask(Method::Set, kIdentity, offered(3)), mad::kStatusOk);
  EXPECT_EQ(ask(Method::Set, kIdentity, offered(1, 1), 1), mad::kStatusOk);
}

}  // namespace
}  // namespace heddle::sa
