// SPDX-License-Identifier: BSD-3-Clause
// Things go wrong on the way up and afterwards; the rest of the fabric must not notice.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/checker.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::uint32_t node(Box& box, std::string_view name) {
  return box.world().find_node(name).value();
}

std::uint32_t cable(Box& box, std::string_view name, std::uint8_t port) {
  return box.world().find_cable(node(box, name), port).value();
}

// A fabric that is up, with the events of its bring-up forgotten.
struct Up : Box {
  explicit Up(std::string_view fabric, BoxOptions options = {}) : Box(fabric, options) {
    EXPECT_TRUE(run_until_quiet());
    EXPECT_THAT(sim::judge(world(), endpoint()), IsEmpty());
    forget_events();
  }
};

TEST(Watching, AnUnchangedFabricIsNeitherSweptNorWritten) {
  Up box("fat-tree:2,4");
  const sim::Quiescence quiescence(box.world());
  box.run_for(10min);
  EXPECT_EQ(box.core().sweeps_finished(), 1u);
  EXPECT_EQ(quiescence.sets_since(box.world()), 0u);
  EXPECT_THAT(box.events(), IsEmpty());
}

TEST(Watching, ACutCableIsRoutedAroundAndItsReturnTakenBack) {
  Up box("fat-tree:2,4");
  box.world().cut(cable(box, "leaf-1", 3));  // to a spine
  box.run_for(25s);
  EXPECT_GE(box.count<sm::LinkDisappeared>(), 1u);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
  box.world().restore(cable(box, "leaf-1", 3));
  box.run_for(25s);
  EXPECT_GE(box.count<sm::LinkAppeared>(), 1u);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Watching, ARebootedSwitchGetsItsTablesAgain) {
  Up box("fat-tree:2,4");
  box.world().power_off(node(box, "spine-1"));
  box.run_for(25s);
  EXPECT_EQ(box.count<sm::NodeDisappeared>(), 1u);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
  box.world().power_on(node(box, "spine-1"));
  box.run_for(25s);
  EXPECT_EQ(box.count<sm::NodeAppeared>(), 1u);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Watching, ASwitchThatRebootsBetweenTwoLooksIsNoticed) {
  Up box("fat-tree:2,4");
  box.world().power_off(node(box, "spine-1"));
  box.world().power_on(node(box, "spine-1"));
  box.run_for(25s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Watching, ARebootedHostKeepsItsLids) {
  Up box("star:4");
  const auto before = box.stored();
  box.world().power_off(node(box, "host-0002"));
  box.run_for(25s);
  box.world().power_on(node(box, "host-0002"));
  box.run_for(25s);
  EXPECT_EQ(box.stored(), before);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Watching, SwappedCablesAreFollowed) {
  Up box("fat-tree:2,4");
  box.world().swap_cables(cable(box, "leaf-2", 1), cable(box, "leaf-3", 1));
  box.run_for(25s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Watching, TheOwnCableMayGoAndComeBack) {
  Up box("star:4");
  box.world().cut(cable(box, "host-0001", 1));
  box.run_for(30s);
  EXPECT_GE(box.count<sm::LocalPortDown>(), 1u);
  box.world().restore(cable(box, "host-0001", 1));
  box.run_for(30s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Silence, OneDeadAgentDoesNotStopTheRestAndIsToldOnce) {
  Box box("fat-tree:2,4");
  box.world().silence(node(box, "spine-2"), true);
  ASSERT_TRUE(box.run_until_quiet(120s));
  EXPECT_GT(box.snapshot().active_ports, 0u);
  EXPECT_GT(box.count<sm::DeviceSilent>(), 0u);
  EXPECT_LE(box.count<sm::DeviceSilent>(), 8u);  // one for each link that leads to it
  box.forget_events();
  box.world().silence(node(box, "spine-2"), false);
  box.run_for(30s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Silence, ABusyDeviceIsWaitedFor) {
  Box box("star:4");
  box.world().make_busy(node(box, "host-0003"), true);
  ASSERT_TRUE(box.run_until_quiet(120s));
  box.world().make_busy(node(box, "host-0003"), false);
  box.run_for(30s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

class Loss : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Loss, IsOvercomeByRepeating) {
  BoxOptions options;
  options.world.seed = GetParam();
  options.world.loss = 0.01;
  options.world.hop_delay = 1us;
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet(300s));
  box.run_for(60s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, Loss, testing::Range<std::uint64_t>(1, 6));

TEST(Lies, ADeviceWithoutPortsIsIgnoredAndToldOf) {
  Box box("star:4");
  box.world().claim_ports(node(box, "host-0003"), 0);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(box.count<sm::DeviceLies>(), 1u);
  EXPECT_EQ(box.snapshot().topology.node_count(), 4u);
  EXPECT_THAT(box.snapshot().problems, Contains(HasSubstr("is ignored")));
}

TEST(Lies, ATableTopAboveTheCapacityIsToldAndTheFabricComesUp) {
  Box box("star:4");
  box.world().claim_linear_top(0, 0xFFF0);
  box.world().claim_linear_top(node(box, "switch-1"), 0xFFF0);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(box.count<sm::DeviceLies>(), 1u);
  EXPECT_THAT(sim::check_reachability(box.world(), box.endpoint()), IsEmpty());
}

TEST(Lies, TwoHostsWithOneGuidAreToldAndTheRestComesUp) {
  auto plan = *sim::generate_fabric("star:4");
  for (auto& planned : plan.nodes) {
    if (planned.name == "host-0003") {
      for (const auto& other : plan.nodes) {
        if (other.name == "host-0002") {
          planned.guid = other.guid;
          planned.ports = other.ports;
        }
      }
    }
  }
  Box box(std::move(plan), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(box.count<sm::DuplicateGuid>(), 1u);
  EXPECT_GE(box.snapshot().active_ports, 6u);
}

TEST(Lies, TwoSwitchesWithOneGuidDoNotBringTheMachineDown) {
  auto plan = *sim::generate_fabric("fat-tree:2,4");
  std::optional<mad::Guid> first;
  for (auto& planned : plan.nodes) {
    if (planned.name != "spine-1" && planned.name != "spine-2") continue;
    if (first) planned.guid = *first;
    first = planned.guid;
  }
  Box box(std::move(plan), {});
  ASSERT_TRUE(box.run_until_quiet(120s));
  EXPECT_GE(box.count<sm::DuplicateGuid>(), 1u);
  EXPECT_GT(box.snapshot().active_ports, 0u);
}

}  // namespace
}  // namespace heddle::test
