// SPDX-License-Identifier: BSD-3-Clause
#include "sa/server.hpp"

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Method;
using mad::NodeRecord;

constexpr auto kLid = component<&NodeRecord::lid>();

class ServerTest : public testing::Test {
 protected:
  Stage stage_{support::administered(support::ring(3, 2))};
  mad::Lid asker_ = stage_.lid(stage_.host(0));

  Reply<NodeRecord> send(const Question& question) {
    return read_reply<NodeRecord>(stage_.send(make_query(question, NodeRecord{}, asker_)));
  }
};

TEST_F(ServerTest, AnswersWithTheTransactionOfTheRequestAndWithoutItsKey) {
  NodeRecord wanted;
  wanted.lid = asker_;
  const auto reply = stage_.get(kLid, wanted, kOurKey);
  ASSERT_EQ(reply.status(), mad::kStatusOk);
  EXPECT_EQ(reply.header.mad.method, Method::GetResp);
  EXPECT_EQ(reply.header.mad.transaction_id, mad::TransactionId{0xabcdef0123456789});
  EXPECT_EQ(reply.header.sm_key, mad::SMKey{});
  EXPECT_EQ(reply.header.component_mask, kLid);
  EXPECT_EQ(reply.header.rmpp.flags, 0);
  ASSERT_EQ(reply.records.size(), 1u);
  EXPECT_EQ(reply.records[0].lid, asker_);
}

TEST_F(ServerTest, SaysThatNoneOrTooManyRecordsFitAGet) {
  NodeRecord wanted;
  wanted.lid = mad::Lid{999};
  EXPECT_EQ(stage_.get(kLid, wanted).status(), mad::kSANoRecords);
  EXPECT_EQ(stage_.get(0, wanted).status(), mad::kSATooManyRecords);
}

TEST_F(ServerTest, SendsATableAsOneMessageEvenWhenItIsEmpty) {
  NodeRecord wanted;
  wanted.lid = mad::Lid{999};
  const auto empty = stage_.table(kLid, wanted);
  EXPECT_EQ(empty.status(), mad::kStatusOk);
  EXPECT_EQ(empty.header.mad.method, Method::GetTableResp);
  EXPECT_EQ(empty.header.rmpp.flags, mad::kRmppActive);
  EXPECT_EQ(empty.header.rmpp.type, mad::RMPPType::Data);
  EXPECT_TRUE(empty.records.empty());
  const auto all = stage_.table<NodeRecord>();
  EXPECT_EQ(all.header.attribute_offset, 14);  // 108 bytes take 112
  EXPECT_EQ(all.records.size(), 3u + 6u);
}

TEST_F(ServerTest, IsBusyUntilTheSubnetIsKnown) {
  stage_.server.renew(stage_.now, nullptr);
  EXPECT_EQ(send({Method::Get, 0x11}).status(), mad::kStatusBusy);
}

TEST_F(ServerTest, HasNoWordForWrongKeysAndRefusesStrangers) {
  EXPECT_FALSE(send({Method::Get, 0x11, 0, 0, mad::SMKey{99}}).came);
  asker_ = mad::Lid{999};
  EXPECT_EQ(send({Method::Get, 0x11}).status(), mad::kSAReqDenied);
}

TEST_F(ServerTest, TrustsNobodyWhenItHasNoKey) {
  mad::SMInfoRecord wanted;
  constexpr auto key = component<&mad::SMInfoRecord::sm_info, &mad::SMInfo::sm_key>();
  const Question question{Method::GetTable, 0x18, 0, key, {}};
  stage_.server.set_key({});
  const auto reply =
      read_reply<mad::SMInfoRecord>(stage_.send(make_query(question, wanted, asker_)));
  EXPECT_EQ(reply.status(), mad::kSAReqDenied);
}

TEST_F(ServerTest, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(send({Method::Get, 0x7777}).status(), mad::kStatusBadMethodAttribute);
  EXPECT_EQ(send({Method::Delete, 0x11}).status(), mad::kStatusBadMethodAttribute);
  EXPECT_EQ(send({Method::GetTable, 0x01}).status(), mad::kStatusBadMethodAttribute);
  EXPECT_EQ(send({static_cast<Method>(0x55), 0x11}).status(), mad::kStatusBadMethod);
  EXPECT_EQ(send({Method::Get, 0x11, 0, 0, {}, 1}).status(), mad::kStatusBadVersion);
  EXPECT_EQ(send({Method::Set, 0x11}).header.mad.method, Method::GetResp);
}

TEST_F(ServerTest, SaysNothingToWhatAsksForNoAnswer) {
  EXPECT_FALSE(send({Method::GetResp, 0x11}).came);
  EXPECT_FALSE(send({Method::GetTableResp, 0x11}).came);
  EXPECT_FALSE(send({Method::Trap, 0x02}).came);
  mad::Datagram scrap;
  scrap.payload.resize(55);
  EXPECT_FALSE(stage_.send(scrap));
}

TEST_F(ServerTest, TellsWhatItCanDo) {
  const auto reply = stage_.get(0, mad::ClassPortInfo{});
  ASSERT_EQ(reply.records.size(), 1u);
  EXPECT_EQ(reply.records[0].class_version, 2);
  EXPECT_EQ(reply.records[0].capability_mask, 0x2700);
  EXPECT_NE(reply.records[0].capability_mask2 & 1u << 12, 0u);  // Linux looks for it
  EXPECT_EQ(reply.records[0].trap_lid, mad::Lid{0});
}

// Any bytes behind a header that is believed, cut anywhere.
TEST_F(ServerTest, SurvivesNoise) {
  base::Prng prng(3);
  unsigned answered = 0;
  for (int i = 0; i < 20000; ++i) {
    Question question{static_cast<Method>(prng.below(0x20)),
                      static_cast<std::uint16_t>(prng.below(0x40)),
                      static_cast<std::uint32_t>(prng()),
                      prng() & prng(),
                      {}};
    if (prng.chance(0.2)) question.key = kOurKey;
    auto query = make_query(question, NodeRecord{}, asker_);
    for (std::size_t byte = 56; byte < query.payload.size(); ++byte) {
      query.payload[byte] = static_cast<std::byte>(prng.chance(0.7) ? 0 : prng.below(256));
    }
    if (prng.chance(0.1)) query.payload.resize(static_cast<std::size_t>(prng.below(300)));
    const auto reply = stage_.send(query);
    if (!reply) continue;
    ++answered;
    ASSERT_GE(reply->payload.size(), 56u);
    ASSERT_TRUE(mad::is_response(static_cast<Method>(reply->payload[3])));
  }
  EXPECT_GT(answered, 5000u);
}

}  // namespace
}  // namespace heddle::sa
