// SPDX-License-Identifier: BSD-3-Clause
#include "base/prng.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(Prng, TheSameSeedGivesTheSameNumbers) {
  Prng a(7), b(7), other(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto drawn = a();
    EXPECT_EQ(drawn, b());
    differs |= drawn != other();
  }
  EXPECT_TRUE(differs);
}

TEST(Prng, BelowStaysInsideAndReachesAll) {
  Prng prng(1);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7000; ++i) ++seen.at(static_cast<std::size_t>(prng.below(7)));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
}

TEST(Prng, ChanceIsNeverAtZeroAndAlwaysAtOne) {
  Prng prng(3);
  int hits = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(prng.chance(0));
    EXPECT_TRUE(prng.chance(1));
    hits += prng.chance(0.25);
  }
  EXPECT_NEAR(hits, 250, 60);
}

TEST(Prng, ShuffleKeepsAllElements) {
  std::vector<int> numbers(50);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto shuffled = numbers;
  Prng(5).shuffle(shuffled);
  EXPECT_NE(shuffled, numbers);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, numbers);
}

}  // namespace
}  // namespace heddle::base
