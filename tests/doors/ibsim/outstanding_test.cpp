// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ibsim/outstanding.hpp"

#include <gtest/gtest.h>

namespace heddle::doors::ibsim {
namespace {

using std::chrono::milliseconds;

Request request(ClientTag tag, std::uint64_t number) {
  Request made;
  made.set_transaction(tagged(mad::TransactionId{number}, tag));
  return made;
}

base::Instant at(int ms) {
  return base::Instant(milliseconds(ms));
}

TEST(Outstanding, AnAnswerIsAwaitedOnce) {
  Outstanding outstanding;
  ASSERT_TRUE(outstanding.add(request(1, 5), at(0)));
  EXPECT_FALSE(outstanding.answered(request(2, 5).transaction())) << "of another client";
  EXPECT_TRUE(outstanding.answered(request(1, 5).transaction()));
  EXPECT_FALSE(outstanding.answered(request(1, 5).transaction()));
  EXPECT_TRUE(outstanding.take_expired(at(5000)).empty());
}

TEST(Outstanding, WhatNobodyAnswersExpires) {
  Outstanding outstanding;
  outstanding.add(request(1, 5), at(0));
  outstanding.add(request(1, 6), at(10));
  EXPECT_EQ(outstanding.next(), at(800));
  EXPECT_TRUE(outstanding.take_expired(at(799)).empty());
  const auto first = outstanding.take_expired(at(800));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].transaction(), request(1, 5).transaction());
  EXPECT_EQ(outstanding.take_expired(at(2000)).size(), 1u);
  EXPECT_EQ(outstanding.size(), 0u);
}

TEST(Outstanding, OneThatIsSentAgainBeginsAnew) {
  Outstanding outstanding;
  outstanding.add(request(1, 5), at(0));
  outstanding.add(request(1, 5), at(600));
  EXPECT_EQ(outstanding.size(), 1u);
  EXPECT_TRUE(outstanding.take_expired(at(1300)).empty());
  EXPECT_EQ(outstanding.take_expired(at(1400)).size(), 1u);
}

TEST(Outstanding, OneClientCannotTakeTheRoomOfAll) {
  Outstanding outstanding;
  for (std::size_t i = 0; i < Outstanding::kMostOfOneClient; ++i) {
    ASSERT_TRUE(outstanding.add(request(1, i), at(0)));
  }
  EXPECT_FALSE(outstanding.add(request(1, Outstanding::kMostOfOneClient), at(0)));
  EXPECT_TRUE(outstanding.add(request(2, 0), at(0)));
  EXPECT_TRUE(outstanding.answered(request(1, 0).transaction()));
  EXPECT_TRUE(outstanding.add(request(1, 77'777), at(0))) << "one was answered";
}

TEST(Outstanding, WhoHasLeftWaitsForNothing) {
  Outstanding outstanding;
  outstanding.add(request(1, 5), at(0));
  outstanding.add(request(2, 5), at(0));
  outstanding.forget(1);
  outstanding.forget(900);
  const auto expired = outstanding.take_expired(at(1000));
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(tag_of(expired[0].transaction()), 2);
}

}  // namespace
}  // namespace heddle::doors::ibsim
