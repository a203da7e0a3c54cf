// SPDX-License-Identifier: BSD-3-Clause
#include "sm/trap_damping.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr mad::Lid kNoisy{7}, kAnother{8};

class Damping : public testing::Test {
 protected:
  // How many of so many traps, one each `pause`, are heeded.
  unsigned heeded_of(unsigned traps, base::Duration pause, mad::Lid from = kNoisy) {
    unsigned heeded = 0;
    for (unsigned i = 0; i < traps; ++i) {
      now_ += pause;
      last_ = damping_.on_trap(now_, from);
      heeded += last_.heeded ? 1 : 0;
      changes_ += last_.is_new ? 1 : 0;
    }
    return heeded;
  }
  TrapDamping damping_;
  base::Instant now_{1h};
  TrapDamping::Verdict last_;
  unsigned changes_ = 0;
};

TEST_F(Damping, HearsWhoHasSomethingToSay) {
  EXPECT_EQ(heeded_of(TrapDamping::kBurst - 1, 1ms), TrapDamping::kBurst - 1);
  now_ += TrapDamping::kBurst * TrapDamping::kPerTrap;
  EXPECT_EQ(heeded_of(TrapDamping::kBurst - 1, 1ms), TrapDamping::kBurst - 1);
  EXPECT_EQ(heeded_of(10'000, 1500ms, kAnother), 10'000u);
  EXPECT_EQ(changes_, 0u);
}

TEST_F(Damping, HeedsFewOfTooMany) {
  heeded_of(TrapDamping::kBurst, 1ms);
  EXPECT_EQ(last_.level, TrapDamping::Level::Damped);
  EXPECT_EQ(heeded_of(5'500, 10ms), 11u) << "one in five seconds, for almost a minute";
  EXPECT_EQ(heeded_of(1, 1ms, kAnother), 1u) << "others are not concerned";
}

TEST_F(Damping, HeedsNothingOfWhoDoesNotStop) {
  heeded_of(TrapDamping::kBurst, 1ms);
  heeded_of(6'100, 10ms);
  EXPECT_EQ(last_.level, TrapDamping::Level::Quarantined);
  EXPECT_EQ(heeded_of(100'000, 10ms), 0u);
  EXPECT_EQ(changes_, 2u);
  EXPECT_THAT(damping_.take_quiet(now_), IsEmpty());
  now_ += TrapDamping::kQuiet;
  EXPECT_THAT(damping_.take_quiet(now_), ElementsAre(kNoisy));
  EXPECT_THAT(damping_.take_quiet(now_), IsEmpty());
  EXPECT_EQ(heeded_of(5, 1ms), 5u);
}

// A burst long ago, and a trap now and then since: that is no noise.
TEST_F(Damping, PutsNobodyInQuarantineForABurstAlone) {
  heeded_of(TrapDamping::kBurst, 1ms);
  ASSERT_EQ(last_.level, TrapDamping::Level::Damped);
  EXPECT_EQ(heeded_of(20, 30s), 20u);
  EXPECT_EQ(last_.level, TrapDamping::Level::Damped);
}

TEST_F(Damping, HeedsAgainWhoSlowsDown) {
  heeded_of(TrapDamping::kBurst, 1ms);
  heeded_of(6'100, 10ms);
  ASSERT_EQ(last_.level, TrapDamping::Level::Quarantined);
  EXPECT_EQ(heeded_of(20, 30s), 20u);
  EXPECT_EQ(last_.level, TrapDamping::Level::Damped);
}

}  // namespace
}  // namespace heddle::sm
