// SPDX-License-Identifier: BSD-3-Clause
#include "sa/talkers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr mad::Lid kLoud{7}, kQuiet{8};

// So many requests of one source at one moment, and how many of them are put off.
std::size_t put_off(Talkers& talkers, base::Instant now, mad::Lid source, std::size_t requests) {
  std::size_t refused = 0;
  for (std::size_t i = 0; i < requests; ++i) refused += talkers.count(now, source).has_value();
  return refused;
}

TEST(Talkers, AnswerEverybodyWhileFewIsAsked) {
  Talkers talkers;
  base::Instant now{};
  for (int i = 0; i < 5; ++i, now += kTalkWindow) {
    EXPECT_EQ(put_off(talkers, now, kLoud, kCalmRequests), 0u);
  }
}

TEST(Talkers, PutOffTheLoudAndNeverTheQuiet) {
  Talkers talkers;
  base::Instant now{};
  for (int i = 0; i < 5; ++i, now += kTalkWindow) {
    EXPECT_EQ(put_off(talkers, now, kQuiet, kLeastShare / 2), 0u);
    EXPECT_GT(put_off(talkers, now, kLoud, 3 * kCalmRequests), kCalmRequests);
    EXPECT_EQ(put_off(talkers, now, kQuiet, kLeastShare / 2), 0u);
  }
  const auto statistics = talkers.take();
  EXPECT_EQ(statistics.requests, 5 * (kLeastShare + 3 * kCalmRequests));
  ASSERT_EQ(statistics.top.size(), 2u);
  EXPECT_EQ(statistics.top[0].lid, kLoud);
  EXPECT_EQ(statistics.top[0].put_off, statistics.put_off);
  EXPECT_EQ(statistics.top[1], (Talkers::Talker{kQuiet, 5 * kLeastShare, 0}));
  EXPECT_EQ(talkers.take().requests, 0u);
}

// Thousands of hosts that all join after a restart are no attack.
TEST(Talkers, LetEachOfManyHaveItsShare) {
  Talkers talkers;
  for (std::uint16_t lid = 1; lid <= 12'000; ++lid) {
    EXPECT_EQ(put_off(talkers, {}, mad::Lid{lid}, kLeastShare), 0u);
  }
}

TEST(Talkers, AnswerAsMuchAsTheyAreTold) {
  Talkers talkers;
  talkers.limit(2000);
  EXPECT_EQ(put_off(talkers, {}, kLoud, 200), 0u);
  EXPECT_EQ(put_off(talkers, {}, kLoud, 100), 100u);
  EXPECT_EQ(put_off(talkers, {}, kQuiet, kLeastShare), 0u) << "its share";
}

TEST(Talkers, AskForMorePatienceEachTime) {
  Talkers talkers;
  base::Instant now{};
  std::vector<unsigned> hints;
  for (int i = 0; i < 9; ++i, now += kTalkWindow) {
    put_off(talkers, now, kLoud, 3 * kCalmRequests);
    hints.push_back(talkers.count(now, kLoud).value());
  }
  EXPECT_THAT(hints, ElementsAre(14, 15, 16, 17, 18, 19, 20, 20, 20));
  // Who has held its peace for a while begins anew.
  now += 5 * kTalkWindow;
  EXPECT_EQ(put_off(talkers, now, kLoud, kLeastShare), 0u);
  put_off(talkers, now, kLoud, 3 * kCalmRequests);
  EXPECT_EQ(talkers.count(now, kLoud), kFirstHint);
}

TEST(Talkers, NameTheFiveThatAskMost) {
  Talkers talkers;
  for (std::uint16_t lid = 1; lid <= 20; ++lid) put_off(talkers, {}, mad::Lid{lid}, lid);
  const auto top = talkers.take().top;
  ASSERT_EQ(top.size(), kTopTalkers);
  EXPECT_EQ(top.front().lid, mad::Lid{20});
  EXPECT_EQ(top.back().lid, mad::Lid{16});
}

TEST(Talkers, TakeNoNoticeOfLidsThatNobodyHas) {
  Talkers talkers;
  EXPECT_EQ(put_off(talkers, {}, mad::Lid{0}, 3 * kCalmRequests), 0u);
  EXPECT_EQ(put_off(talkers, {}, mad::Lid{0xFFFF}, 3 * kCalmRequests), 0u);
  EXPECT_EQ(talkers.take().requests, 0u);
}

TEST(TalkersAtTheServer, HearForHowLongToWait) {
  Stage stage(support::administered(support::ring(3, 2)));
  const auto query =
      make_query({mad::Method::Get, 0x01}, mad::ClassPortInfo{}, stage.lid(stage.host(0)));
  while (stage.server.admit(stage.now, query)) EXPECT_FALSE(stage.collect());
  const auto reply = read_reply<mad::ClassPortInfo>(stage.collect());
  EXPECT_EQ(reply.status(), mad::kStatusBusy);
  EXPECT_EQ(reply.header.mad.method, mad::Method::GetResp);
  EXPECT_EQ(reply.header.mad.transaction_id.value, 0xabcdef0123456789u);
  EXPECT_EQ(reply.header.rmpp.response_time, kFirstHint);
  EXPECT_EQ(reply.header.attribute_offset, kFirstHint);
  EXPECT_EQ(reply.header.rmpp.flags & mad::kRmppActive, 0);
  // A confirmation of a report is no request, and is never put off.
  auto confirmation = query;
  confirmation.payload[3] = static_cast<std::byte>(mad::Method::ReportResp);
  EXPECT_TRUE(stage.server.admit(stage.now, confirmation));
  // Nor is another host.
  EXPECT_TRUE(stage.server.admit(
      stage.now,
      make_query({mad::Method::Get, 0x01}, mad::ClassPortInfo{}, stage.lid(stage.host(1)))));
}

}  // namespace
}  // namespace heddle::sa
