// SPDX-License-Identifier: BSD-3-Clause
#include "sm/notary.hpp"

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using std::chrono::milliseconds;

base::Instant after(int ms) {
  return base::Instant{} + std::chrono::seconds(10) + milliseconds(ms);
}
mad::Datagram promise(std::uint16_t number) {
  mad::Datagram datagram;
  datagram.peer.lid = mad::Lid{number};
  return datagram;
}
std::vector<std::uint16_t> released(Notary& notary) {
  std::vector<std::uint16_t> numbers;
  for (const auto& one : notary.take_released()) numbers.push_back(one.peer.lid.value);
  return numbers;
}
using Numbers = std::vector<std::uint16_t>;

// One that has written everything once.
Notary begun() {
  Notary notary;
  notary.begin_anew();
  EXPECT_TRUE(notary.wants_all(after(0)));
  EXPECT_FALSE(notary.wants_changes());
  EXPECT_FALSE(notary.on_stored(after(0), notary.submit(after(0), true), ""));
  EXPECT_TRUE(notary.wants_changes());
  return notary;
}

TEST(Notary, HoldsAPromiseUntilAllBeforeItIsWritten) {
  Notary notary = begun();
  const auto first = notary.submit(after(1), false);
  notary.hold(promise(1));
  const auto second = notary.submit(after(2), false);
  notary.hold(promise(2));
  EXPECT_EQ(released(notary), Numbers{});
  notary.on_stored(after(3), first, "");
  EXPECT_EQ(released(notary), Numbers{1});
  notary.hold(promise(3));  // changed nothing, but may repeat what is under way
  notary.on_stored(after(4), second, "");
  EXPECT_EQ(released(notary), (Numbers{2, 3}));
  notary.hold(promise(4));
  EXPECT_EQ(released(notary), Numbers{4}) << "nothing is under way";
}

// What was to come may have come, and so may another master, who would not know of it.
TEST(Notary, DoesNotWaitWhileItSleeps) {
  Notary notary = begun();
  const auto ticket = notary.submit(after(1), false);
  notary.hold(promise(1));
  EXPECT_FALSE(notary.pump(after(5000)));
  EXPECT_EQ(released(notary), Numbers{});
  EXPECT_EQ(notary.deadline(), after(5700));
  EXPECT_TRUE(notary.pump(after(5700))) << "now it has waited";
  EXPECT_EQ(released(notary), Numbers{1});
  EXPECT_FALSE(notary.on_stored(after(5701), ticket, ""));
}

TEST(Notary, OneAnswerOfTheStoreMayBeForSeveralTickets) {
  Notary notary = begun();
  for (std::uint16_t n = 1; n <= 5; ++n) {
    notary.submit(after(n), false);
    notary.hold(promise(n));
  }
  notary.on_stored(after(9), 5, "");
  EXPECT_EQ(released(notary), (Numbers{1, 2, 3, 4}));
  notary.on_stored(after(9), 6, "");
  EXPECT_EQ(released(notary), Numbers{5});
  EXPECT_EQ(notary.deadline(), base::kNever);
}

TEST(Notary, TroubleHoldsNobodyUpAndIsMadeGoodByTheWhole) {
  Notary notary = begun();
  const auto ticket = notary.submit(after(1), false);
  notary.hold(promise(1));
  EXPECT_TRUE(notary.on_stored(after(2), ticket, "disk full"));
  EXPECT_EQ(released(notary), Numbers{1});
  EXPECT_TRUE(notary.failing());
  notary.hold(promise(2));
  EXPECT_EQ(released(notary), Numbers{2});
  EXPECT_FALSE(notary.wants_changes());
  EXPECT_FALSE(notary.wants_all(after(3))) << "not at once again";
  EXPECT_EQ(notary.deadline(), after(2) + Notary::kRetry);
  ASSERT_TRUE(notary.wants_all(after(2) + Notary::kRetry));
  EXPECT_FALSE(notary.on_stored(after(1100), notary.submit(after(1100), true), "disk full"))
      << "no news";
  ASSERT_TRUE(notary.wants_all(after(2200)));
  EXPECT_TRUE(notary.on_stored(after(2201), notary.submit(after(2200), true), ""));
  EXPECT_FALSE(notary.failing());
  EXPECT_TRUE(notary.wants_changes());
}

TEST(Notary, AStoreThatHangsIsNotWaitedFor) {
  Notary notary = begun();
  notary.submit(after(1), false);
  const auto last = notary.submit(after(2), false);
  notary.hold(promise(1));
  EXPECT_EQ(notary.deadline(), after(1) + Notary::kPatience);
  EXPECT_FALSE(notary.pump(after(100)));
  EXPECT_TRUE(notary.pump(after(1) + Notary::kPatience));
  EXPECT_EQ(released(notary), Numbers{1});
  EXPECT_FALSE(notary.wants_all(after(5000))) << "it is not given more to do while it hangs";
  EXPECT_FALSE(notary.on_stored(after(6000), last, "")) << "changes were left out meanwhile";
  EXPECT_TRUE(notary.failing());
  ASSERT_TRUE(notary.wants_all(after(6000)));
  EXPECT_TRUE(notary.on_stored(after(6001), notary.submit(after(6000), true), ""));
}

TEST(Notary, SaysNothingOfWhatItDidNotAsk) {
  Notary notary;
  EXPECT_FALSE(notary.on_stored(after(1), 7, "disk full"));
  EXPECT_FALSE(notary.failing());
  EXPECT_EQ(notary.deadline(), base::kNever);
}

}  // namespace
}  // namespace heddle::sm
