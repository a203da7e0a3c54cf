// SPDX-License-Identifier: BSD-3-Clause
#include "sm/look_ups.hpp"

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

constexpr mad::Lid kGreedy{2}, kOther{3};
constexpr std::size_t kLarge = std::size_t{32} << 20;

TEST(LookUps, AreAFewForEachPort) {
  LookUps look_ups;
  std::optional<std::uint64_t> first = look_ups.begin(kGreedy);
  ASSERT_TRUE(first);
  for (std::size_t i = 1; i < kMaxLookUpsOfPort; ++i) EXPECT_TRUE(look_ups.begin(kGreedy));
  EXPECT_FALSE(look_ups.begin(kGreedy));
  EXPECT_TRUE(look_ups.begin(kOther));
  EXPECT_TRUE(look_ups.finish(*first));
  EXPECT_FALSE(look_ups.finish(*first));
  EXPECT_TRUE(look_ups.begin(kGreedy));
}

TEST(LookUps, AreSoManyInAll) {
  LookUps look_ups;
  for (std::size_t i = 0; i < kMaxLookUps; ++i) {
    EXPECT_TRUE(look_ups.begin(mad::Lid{static_cast<std::uint16_t>(i + 1)}));
  }
  EXPECT_FALSE(look_ups.begin(mad::Lid{1000}));
}

TEST(LookUps, LetOutNoMoreThanThereIsMemoryFor) {
  LookUps look_ups;
  base::Instant now{};
  for (std::size_t sent = 0; sent < kMaxAnswerBytesUnderWay; sent += kLarge) {
    EXPECT_TRUE(look_ups.let_out(now, kLarge));
    now += std::chrono::milliseconds(100);
  }
  EXPECT_FALSE(look_ups.let_out(now, kLarge));
  EXPECT_FALSE(look_ups.let_out(now, 257));
  EXPECT_TRUE(look_ups.let_out(now, 256));  // one packet is not kept by anybody
  EXPECT_EQ(look_ups.bytes_under_way(), kMaxAnswerBytesUnderWay);
  // The oldest has had its time.
  now = base::Instant{} + kAnswerUnderWay;
  EXPECT_TRUE(look_ups.let_out(now, kLarge));
  EXPECT_FALSE(look_ups.let_out(now, kLarge));
  EXPECT_TRUE(look_ups.let_out(now + kAnswerUnderWay, kMaxAnswerBytesUnderWay));
}

}  // namespace
}  // namespace heddle::sm
