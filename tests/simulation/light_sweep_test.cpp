// SPDX-License-Identifier: BSD-3-Clause
// What changes on a running fabric is found by the next light sweep, put right and told.
#include <chrono>

#include <gtest/gtest.h>

#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using std::chrono::seconds;

// The time from one light sweep to the next, and a little for the full sweep that follows.
const auto kInterval = sm::Options{}.sweep_interval + seconds(1);

BoxOptions without_traps() {
  BoxOptions options;
  options.world.traps = false;
  options.sm.full_sweep_interval = {};
  return options;
}

class LightSweep : public testing::Test {
 protected:
  void bring_up(sim::Blueprint blueprint) {
    box_ = std::make_unique<Box>(std::move(blueprint), without_traps());
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    box().forget_events();
  }
  void expect_right_within_one_interval() {
    box().run_for(kInterval);
    EXPECT_EQ(trouble(box()), "");
    EXPECT_EQ(sets_during(box(), [&] { box().run_for(seconds(60)); }), 0u) << "it does not rest";
  }
  Box& box() { return *box_; }

 private:
  std::unique_ptr<Box> box_;
};

TEST_F(LightSweep, WhereNothingChangesSendsNoSetForAnHour) {
  bring_up(fabric("fat-tree:2,4"));
  EXPECT_EQ(sets_during(box(), [&] { box().run_for(std::chrono::hours(1)); }), 0u);
  EXPECT_EQ(box().core().sweeps_finished(), 1u);
  EXPECT_TRUE(box().events().empty()) << sm::sentence(box().events().front());
}

TEST_F(LightSweep, FindsACutCableAndGoesRoundIt) {
  bring_up(dumbbell().finish());
  box().world().cut(cable(box(), "left", 3));
  expect_right_within_one_interval();
  ASSERT_EQ(box().count<sm::LinkDisappeared>(), 1u);
  EXPECT_EQ(box().last<sm::LinkDisappeared>()->a.port.value, 3);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
}

TEST_F(LightSweep, BringsARestoredCableUp) {
  bring_up(dumbbell().finish());
  box().world().cut(cable(box(), "left", 3));
  box().run_for(kInterval);
  box().world().restore(cable(box(), "left", 3));
  expect_right_within_one_interval();
  EXPECT_EQ(box().count<sm::LinkAppeared>(), 1u);
  EXPECT_EQ(state(box(), "left", 3), mad::PortState::Active);
}

TEST_F(LightSweep, FindsACableThatWasCutAndRestoredUnseen) {
  bring_up(dumbbell().finish());
  box().world().cut(cable(box(), "left", 3));
  box().world().restore(cable(box(), "left", 3));
  expect_right_within_one_interval();
  EXPECT_EQ(state(box(), "left", 3), mad::PortState::Active);
}

TEST_F(LightSweep, FollowsASwitchThatGoesAndComesBackEmpty) {
  bring_up(fabric("fat-tree:3,6"));
  const auto before = box().snapshot().topology.node_count();
  const auto spine = node(box(), "spine-1");
  box().world().power_off(spine);
  expect_right_within_one_interval();
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 1u);
  EXPECT_EQ(box().snapshot().topology.node_count(), before - 1);
  box().world().power_on(spine);
  expect_right_within_one_interval();
  EXPECT_EQ(box().count<sm::NodeAppeared>(), 1u);
  EXPECT_EQ(box().snapshot().topology.node_count(), before);
}

TEST_F(LightSweep, FillsTheTablesOfASwitchThatRestartedUnseen) {
  bring_up(fabric("fat-tree:3,6"));
  const auto before = table(box(), "leaf-2");
  box().world().power_off(node(box(), "leaf-2"));
  box().world().power_on(node(box(), "leaf-2"));
  ASSERT_TRUE(table(box(), "leaf-2").empty());
  expect_right_within_one_interval();
  EXPECT_EQ(table(box(), "leaf-2"), before);
}

TEST_F(LightSweep, TakesInANewHost) {
  auto blueprint = fabric("star:6");
  Box box(std::move(blueprint), without_traps());
  box.world().cut(cable(box, "host-0005", 1));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.snapshot().topology.node_count(), 6u);
  box.forget_events();
  box.world().restore(cable(box, "host-0005", 1));
  box.run_for(kInterval);
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.snapshot().topology.node_count(), 7u);
  ASSERT_EQ(box.count<sm::NodeAppeared>(), 1u);
  EXPECT_EQ(box.last<sm::NodeAppeared>()->node.description, "host-0005 HCA-1");
  EXPECT_EQ(box.count<sm::LinkAppeared>(), 1u);
}

TEST_F(LightSweep, FollowsTwoHostsWhoseCablesWereSwapped) {
  bring_up(dumbbell().finish());
  const auto lid = registers(box(), "left-b", 1).lid;
  box().world().swap_cables(cable(box(), "left-b", 1), cable(box(), "right-b", 1));
  expect_right_within_one_interval();
  EXPECT_EQ(box().count<sm::LinkDisappeared>(), 2u);
  EXPECT_EQ(box().count<sm::LinkAppeared>(), 2u);
  EXPECT_EQ(registers(box(), "left-b", 1).lid, lid) << "a host takes its LID along";
}

TEST_F(LightSweep, BringsUpASilentHostOnceItAnswers) {
  Box box(fabric("star:6"), without_traps());
  box.world().silence(node(box, "host-0004"), true);
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(std::chrono::minutes(5));
  EXPECT_EQ(trouble_elsewhere(box, {"host-0004"}), "");
  EXPECT_EQ(state(box, "host-0004", 1), mad::PortState::Init);
  box.world().silence(node(box, "host-0004"), false);
  box.run_for(kInterval + seconds(4));  // a question to the silent one may be under way
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::NodeAppeared>(), 1u);
}

TEST_F(LightSweep, NoticesThatTheOtherHostOfAPairWasReplaced) {
  sim::Planner plan("two pairs", {});
  for (int pair = 0; pair < 2; ++pair) {
    const auto a = plan.add_host(pair == 0 ? "a" : "c");
    plan.cable(a, plan.add_host(pair == 0 ? "b" : "d"));
  }
  bring_up(std::move(plan).finish());
  box().world().swap_cables(cable(box(), "a", 1), cable(box(), "c", 1));
  expect_right_within_one_interval();
  ASSERT_EQ(box().count<sm::NodeAppeared>(), 1u);
  EXPECT_EQ(box().last<sm::NodeAppeared>()->node.description, "d HCA-1");
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 1u);
}

TEST_F(LightSweep, HasTheOwnCableCutAndRestored) {
  bring_up(fabric("star:4"));
  const auto own = cable(box(), "host-0001", 1);
  box().world().cut(own);
  box().run_for(kInterval);
  EXPECT_GE(box().count<sm::LocalPortDown>(), 1u);
  box().run_for(std::chrono::minutes(2));
  box().world().restore(own);
  expect_right_within_one_interval();
}

TEST(Traps, MakeItQuickerThanTheSweepInterval) {
  Box box(fabric("fat-tree:3,6"), {});
  ASSERT_TRUE(box.run_until_quiet());
  box.forget_events();
  box.world().cut(cable(box, "leaf-2", 4));
  box.run_for(seconds(1));
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::LinkDisappeared>(), 1u);
}

}  // namespace
}  // namespace heddle::test
