// SPDX-License-Identifier: BSD-3-Clause
#include "transport/reading_pace.hpp"

#include <gtest/gtest.h>

namespace heddle::transport {
namespace {

constexpr unsigned kMany = ReadingPace::kManyInFlight;

void send(ReadingPace& pace, unsigned requests) {
  for (unsigned i = 0; i < requests; ++i) pace.request();
}

void read_singly(ReadingPace& pace) {
  for (unsigned i = 0; i < ReadingPace::kLoneBeforeTrust; ++i) pace.had(1, false);
}

TEST(ReadingPace, GathersWhereAnswersToManyRequestsComeSingly) {
  ReadingPace pace;
  send(pace, kMany);
  EXPECT_FALSE(pace.gathers()) << "nothing is known yet";
  read_singly(pace);
  EXPECT_TRUE(pace.gathers());
  pace.had(5, true);
  EXPECT_TRUE(pace.gathers()) << "it was worth it";
}

TEST(ReadingPace, WaitsForNothingWhereFewRequestsAreInFlight) {
  ReadingPace pace;
  send(pace, kMany);
  read_singly(pace);
  pace.end();
  EXPECT_FALSE(pace.gathers());
  pace.request();
  EXPECT_TRUE(pace.gathers());
}

TEST(ReadingPace, DoesNotWaitAgainOnceItWasInVain) {
  ReadingPace pace;
  send(pace, kMany);
  read_singly(pace);
  pace.had(1, true);
  EXPECT_FALSE(pace.gathers());
  read_singly(pace);
  EXPECT_TRUE(pace.gathers()) << "but later on";
}

TEST(ReadingPace, LearnsNothingFromAReadThatFoundNothing) {
  ReadingPace pace;
  send(pace, kMany);
  for (unsigned i = 0; i < ReadingPace::kLoneBeforeTrust; ++i) pace.had(0, false);
  EXPECT_FALSE(pace.gathers());
}

TEST(ReadingPace, DoesNotWaitWhereSeveralComeByThemselves) {
  ReadingPace pace;
  send(pace, kMany);
  read_singly(pace);
  pace.had(2, false);
  EXPECT_FALSE(pace.gathers());
}

TEST(ReadingPace, ForgetsInASilenceWhatNothingEnds) {
  ReadingPace pace;
  send(pace, kMany);
  read_singly(pace);
  pace.silence();
  EXPECT_FALSE(pace.gathers());
  pace.end();  // late
  send(pace, kMany - 1);
  EXPECT_FALSE(pace.gathers()) << "less than none are never in flight";
  pace.request();
  EXPECT_TRUE(pace.gathers());
}

TEST(ReadingPace, LooksForMoreThanOneNowAndThen) {
  ReadingPace pace;
  EXPECT_FALSE(pace.takes_one());
  read_singly(pace);
  EXPECT_FALSE(pace.takes_one());
  pace.had(1, false);
  EXPECT_TRUE(pace.takes_one());
  pace.had(2, false);
  EXPECT_FALSE(pace.takes_one());
}

}  // namespace
}  // namespace heddle::transport
