// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/mlid_pool.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/prng.hpp"

namespace heddle::multicast {
namespace {

constexpr SharingTerms terms(std::uint16_t p_key, std::uint8_t rate = 3, bool solicited = false) {
  return {mad::PKey{p_key}, mad::Mtu::Bytes2048, rate, mad::ServiceLevel{0}, solicited};
}

TEST(MlidPool, HandsOutFromC000OnAndFreedOnesLast) {
  MlidPool pool(4);
  EXPECT_EQ(pool.take(terms(1)), mad::Lid{0xC000});
  EXPECT_EQ(pool.take(terms(1)), mad::Lid{0xC001});
  pool.release(mad::Lid{0xC000});
  EXPECT_EQ(pool.take(terms(1)), mad::Lid{0xC002});
  EXPECT_EQ(pool.take(terms(1)), mad::Lid{0xC003});
  EXPECT_EQ(pool.take(terms(1)), mad::Lid{0xC000});
  EXPECT_EQ(pool.in_use(), 4u);
}

TEST(MlidPool, SharesAmongEqualsWhenNoneIsFree) {
  MlidPool pool(3);
  const auto slow = pool.take(terms(1, 3));
  const auto fast = pool.take(terms(1, 7));
  const auto other = pool.take(terms(2, 3));
  EXPECT_EQ(pool.take(terms(2, 3)), other);
  EXPECT_EQ(pool.take(terms(1, 7)), fast);
  EXPECT_EQ(pool.take(terms(1, 3)), slow);
  // The same partition before all others, there the one with fewest groups.
  EXPECT_EQ(pool.take(terms(1, 3)), slow);
  EXPECT_EQ(pool.take(terms(1, 8)), fast);
  // No partition in common: anything.
  EXPECT_NE(pool.take(terms(9, 3)), mad::kNoLid);
  EXPECT_EQ(pool.in_use(), 3u);
  EXPECT_EQ(pool.groups_on(slow) + pool.groups_on(fast) + pool.groups_on(other), 9u);
}

TEST(MlidPool, SolicitedNodeGroupsAreSharedFirst) {
  MlidPool pool(2);
  pool.take(terms(1));
  const auto solicited = pool.take(terms(1, 3, true));
  EXPECT_EQ(pool.take(terms(1)), solicited);
  EXPECT_EQ(pool.take(terms(1, 3, true)), solicited);
}

TEST(MlidPool, GivesTheOneAskedForIfItIsFree) {
  MlidPool pool(8);
  EXPECT_TRUE(pool.take_free(mad::Lid{0xC005}, terms(1)));
  EXPECT_FALSE(pool.take_free(mad::Lid{0xC005}, terms(1)));
  EXPECT_FALSE(pool.take_free(mad::Lid{0xC008}, terms(1)));
  EXPECT_FALSE(pool.take_free(mad::Lid{0x0001}, terms(1)));
  EXPECT_FALSE(pool.take_free(mad::Lid{0xFFFF}, terms(1)));
  std::set<mad::Lid> taken{mad::Lid{0xC005}};
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(taken.insert(pool.take(terms(1))).second);
  EXPECT_EQ(pool.in_use(), 8u);
}

TEST(MlidPool, LastLidIsBelowThePermissiveOne) {
  MlidPool pool(0xFFFF);
  EXPECT_EQ(pool.capacity(), kMaxMlids);
  mad::Lid last{};
  for (std::size_t i = 0; i < kMaxMlids; ++i) last = pool.take(terms(1));
  EXPECT_EQ(last, mad::Lid{0xFFFE});
  EXPECT_EQ(pool.groups_on(last), 1u);
}

TEST(MlidPool, SmallerCapacityHoldsForNewGroupsOnly) {
  MlidPool pool(4);
  for (int i = 0; i < 4; ++i) pool.take(terms(1));
  pool.set_capacity(2);
  EXPECT_EQ(pool.groups_on(mad::Lid{0xC003}), 1u);
  pool.release(mad::Lid{0xC003});
  pool.release(mad::Lid{0xC001});
  EXPECT_EQ(pool.take(terms(1)), mad::Lid{0xC001});
  pool.set_capacity(4);
  EXPECT_EQ(pool.take(terms(1)), mad::Lid{0xC003});
}

TEST(MlidPool, NeverLosesOrDoublesALid) {
  base::Prng prng(11);
  MlidPool pool(32);
  std::multiset<mad::Lid> held;
  for (int step = 0; step < 20'000; ++step) {
    if (prng.chance(0.1)) pool.set_capacity(1 + prng.below(40));
    if (!held.empty() && prng.chance(0.5)) {
      const auto one = std::next(held.begin(), static_cast<long>(prng.below(held.size())));
      pool.release(*one);
      held.erase(one);
    } else if (prng.chance(0.2)) {
      const mad::Lid wish{static_cast<std::uint16_t>(0xC000 + prng.below(48))};
      const bool free = held.count(wish) == 0 && wish.value - 0xC000u < pool.capacity();
      ASSERT_EQ(pool.take_free(wish, terms(1)), free);
      if (free) held.insert(wish);
    } else {
      const mad::Lid lid = pool.take(terms(static_cast<std::uint16_t>(1 + prng.below(3))));
      ASSERT_LT(lid.value - 0xC000u, pool.capacity());
      if (held.count(lid) != 0) {
        for (std::size_t i = 0; i < pool.capacity(); ++i) {
          ASSERT_NE(held.count(mad::Lid{static_cast<std::uint16_t>(0xC000 + i)}), 0u);
        }
      }
      held.insert(lid);
    }
    ASSERT_EQ(pool.in_use(), std::set<mad::Lid>(held.begin(), held.end()).size());
  }
  for (const mad::Lid lid : held) EXPECT_EQ(pool.groups_on(lid), held.count(lid));
}

}  // namespace
}  // namespace heddle::multicast
