// SPDX-License-Identifier: BSD-3-Clause
// Devices that lie and fabrics that cannot be routed; the rest must not notice.
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

TEST(Safety, WithoutFallbackNoTableIsWrittenAndNoLinkGoesUp) {
  BoxOptions options;
  options.sm.routing.fallback = false;
  Box box("ring:6", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::RoutingFailed>(), 1u);
  EXPECT_EQ(box.snapshot().active_ports, 0u);
  EXPECT_FALSE(box.snapshot().problems.empty());
}

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
