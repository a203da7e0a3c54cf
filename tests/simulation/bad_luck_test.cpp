// SPDX-License-Identifier: BSD-3-Clause
// Lost, late, doubled and overtaking MADs; devices that do not answer.
#include <chrono>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "sim/checker.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Virtual time until the fabric is right, at most `limit`.
base::Duration time_until_right(Box& box, base::Duration limit) {
  const auto begin = box.now();
  box.run_until_quiet(limit);
  while (!trouble(box).empty() && box.now() - begin < limit) box.run_for(seconds(1));
  return box.now() - begin;
}

class Loss : public testing::TestWithParam<std::tuple<double, int, const char*>> {};

TEST_P(Loss, DelaysTheFabricAndNoMore) {
  const auto [loss, seed, expression] = GetParam();
  BoxOptions options;
  options.world.loss = loss;
  options.world.seed = static_cast<std::uint64_t>(seed);
  options.world.hop_delay = microseconds(1);
  options.world.agent_delay = microseconds(20);
  Box box(expression, options);
  const auto limit = loss > 0.1 ? minutes(5) : minutes(1);
  EXPECT_LT(time_until_right(box, limit), limit);
  EXPECT_EQ(trouble(box), "");
}

INSTANTIATE_TEST_SUITE_P(Rates, Loss,
                         testing::Combine(testing::Values(0.01, 0.05, 0.2), testing::Range(1, 4),
                                          testing::Values("pair", "star:12", "fat-tree:3,6",
                                                          "ring:6,hosts=1")));

// What is asked through it then leads elsewhere, where others answer: silence tells of it late.
TEST(OwnCable, ExchangedInMidSweepOnALossyFabricIsFollowedSoon) {
  for (std::uint64_t seed = 420; seed < 500; ++seed) {
    base::Prng dice(seed);
    BoxOptions options;
    options.world.loss = 0.03;
    options.world.seed = seed;
    options.world.traps = dice.chance(0.5);
    options.world.hop_delay = microseconds(dice.below(20));
    options.world.agent_delay = microseconds(dice.below(200));
    options.sm.node_misses = 1 + static_cast<std::uint32_t>(dice.below(3));
    options.sm.m_key = mad::MKey{0x5EC2E7};
    options.sm.m_key_per_port = true;
    Box box("fat-tree:2,4,4", options);
    box.run_until_quiet(minutes(1));
    box.run_for(seconds(15));
    box.input(sm::ResweepCommand{"test"});
    const auto others = static_cast<std::uint32_t>(box.world().devices().cables.size() - 1);
    for (std::uint64_t changes = 3 + dice.below(3); changes > 0; --changes) {
      box.run_for(microseconds(dice.below(60'000)));
      const auto second = static_cast<std::uint32_t>(1 + dice.below(others));
      const auto first = changes == 1 ? 0u : static_cast<std::uint32_t>(1 + dice.below(others));
      if (second != first) box.world().swap_cables(first, second);
    }
    const auto began = box.now();
    while (!trouble(box).empty() && box.now() - began < minutes(4)) box.run_for(seconds(1));
    EXPECT_LT(box.now() - began, seconds(30)) << seed;
  }
}

TEST(Delays, SlowDevicesAndLongCablesOnlyTakeTime) {
  BoxOptions options;
  options.world.hop_delay = milliseconds(5);
  options.world.agent_delay = milliseconds(120);  // more than the smallest timeout
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet(minutes(10)));
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::DeviceSilent>(), 0u);
}

class Mishap : public testing::TestWithParam<int> {};

TEST_P(Mishap, DoubledLateAndOvertakingMadsDoNoHarm) {
  BoxOptions options;
  options.mishaps.emplace();
  options.mishaps->seed = static_cast<std::uint64_t>(GetParam());
  options.mishaps->duplicate = 0.2;
  options.mishaps->drop = 0.02;
  options.mishaps->delay = 0.3;
  options.mishaps->max_delay = milliseconds(400);
  Box box("fat-tree:3,6", options);
  EXPECT_LT(time_until_right(box, minutes(3)), minutes(3));
  EXPECT_EQ(trouble(box), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Mishap, testing::Range(1, 7));

TEST(Silence, OfAHostCostsOneQuestionAndIsToldOnce) {
  Box box("star:30");
  box.world().silence(node(box, "host-0017"), true);
  ASSERT_TRUE(box.run_until_quiet());
  const sm::Options options;
  EXPECT_LE(box.last<sm::SweepFinished>()->statistics.total,
            options.attempts * options.largest_timeout + milliseconds(100));
  EXPECT_EQ(trouble_elsewhere(box, {"host-0017"}), "");
  ASSERT_EQ(box.count<sm::DeviceSilent>(), 1u);
  box.run_for(minutes(10));
  EXPECT_EQ(box.count<sm::DeviceSilent>(), 1u) << "it is known by now";
  EXPECT_LE(box.core().sweeps_finished(), 2u) << "a silent host is no reason to sweep for ever";
  EXPECT_EQ(trouble_elsewhere(box, {"host-0017"}), "");
}

TEST(Silence, OfASwitchTakesNoOtherWithIt) {
  Box box("fat-tree:3,6");
  box.world().silence(node(box, "spine-2"), true);
  ASSERT_TRUE(box.run_until_quiet());
  const sm::Options options;
  EXPECT_LE(box.last<sm::SweepFinished>()->statistics.total,
            2 * options.attempts * options.largest_timeout);
  EXPECT_EQ(trouble_elsewhere(box, {"spine-2"}), "");
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
  // Six leaves see a dark port each.
  EXPECT_EQ(box.count<sm::DeviceSilent>(), 6u);
}

TEST(Silence, ThatBeginsOnARunningFabricKeepsTheOthersUp) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  box.world().silence(node(box, "spine-2"), true);
  box.run_for(minutes(2));
  EXPECT_EQ(trouble_elsewhere(box, {"spine-2"}), "");
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
  box.world().silence(node(box, "spine-2"), false);
  box.run_for(seconds(30));
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::NodeDisappeared>(), 1u);
  EXPECT_EQ(box.count<sm::NodeAppeared>(), 1u);
}

TEST(Busy, ADeviceThatSaysSoForEverIsLeftAlone) {
  Box box("star:12");
  box.world().make_busy(node(box, "host-0007"), true);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble_elsewhere(box, {"host-0007"}), "");
  EXPECT_EQ(box.count<sm::DeviceSilent>(), 1u);
  box.world().make_busy(node(box, "host-0007"), false);
  box.run_for(seconds(25));
  EXPECT_EQ(trouble(box), "");
}

class Damage : public testing::TestWithParam<int> {};

// A checksum keeps such answers off real cables; a broken device may send them all the same.
TEST_P(Damage, AnswersWithWrongBitsNeverStopTheMachine) {
  BoxOptions options;
  options.world.seed = static_cast<std::uint64_t>(GetParam());
  Box box("fat-tree:3,6", options);
  for (const char* name : {"leaf-2", "spine-3", "host-0004", "host-0011"}) {
    box.world().set_damage(node(box, name), 0.3);
  }
  for (int sweep = 0; sweep < 10; ++sweep) {
    box.input(sm::ResweepCommand{"once more"});
    ASSERT_TRUE(box.run_until_quiet(minutes(5)));
  }
  for (const char* name : {"leaf-2", "spine-3", "host-0004", "host-0011"}) {
    box.world().set_damage(node(box, name), 0);
  }
  box.input(sm::ResweepCommand{"the answers are whole again"});
  box.run_for(seconds(30));
  EXPECT_THAT(sim::check_lids(box.world(), box.endpoint()), testing::IsEmpty());
  EXPECT_THAT(sim::check_master_sm_lid(box.world(), box.endpoint()), testing::IsEmpty());
  EXPECT_THAT(sim::check_reachability(box.world(), box.endpoint()), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, Damage, testing::Range(1, 9));

TEST(DeadCable, IsLeftOutAndTheSwitchBehindItReachedAnotherWay) {
  auto plan = dumbbell();
  Box box(std::move(plan).finish(), {});
  const auto dead = cable(box, "left", 3);
  box.world().set_loss(dead, 1);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.snapshot().topology.node_count(), 6u);
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
  EXPECT_EQ(state(box, "right-b", 1), mad::PortState::Active);
  EXPECT_EQ(state(box, "left", 3), mad::PortState::Init);
  for (const auto out : table(box, "left")) EXPECT_NE(out, 3);
}

TEST(DeadCable, OnTheWayToASwitchMakesOthersServe) {
  Box box(dumbbell().finish(), {});
  ASSERT_TRUE(box.run_until_quiet());
  box.forget_events();
  box.world().set_loss(cable(box, "left", 3), 1);
  box.run_for(minutes(1));
  box.world().cut(cable(box, "right-b", 1));
  box.run_for(seconds(30));
  EXPECT_EQ(box.count<sm::NodeDisappeared>(), 1u) << "only the host whose cable was cut";
}

}  // namespace
}  // namespace heddle::test
