// SPDX-License-Identifier: BSD-3-Clause
// Credit loops that really stand still, and the same fabrics with tables that have none.
#include "sim/buffers.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/stage.hpp"

namespace heddle::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

BufferOutcome run(Stage& stage, const std::vector<Flow>& flows, unsigned credits = 1) {
  BufferOptions options;
  options.credits = credits;
  const auto outcome = run_buffers(stage.devices(), flows, options);
  EXPECT_TRUE(outcome);
  return outcome ? *outcome : BufferOutcome{};
}

std::vector<Flow> shifted(Stage& stage, std::uint64_t by) {
  return flows_of(stage.devices(), active_hosts(stage.devices()), Pattern::Shift, by);
}

// Writes tables in which no way goes up again once it has gone down, "up" being towards the
// switches that come first in the fabric. Written for these tests from the definition.
void route_up_then_down(Stage& stage) {
  Devices& devices = stage.devices();
  const auto neighbours = [&](NodeIndex node, const auto& act) {
    for (std::uint8_t port = 1; port <= devices.nodes[node].port_count; ++port) {
      const PortIndex peer = devices.lines[devices.port_at(node, port)].peer;
      if (peer == kNone || !devices.is_switch(devices.lines[peer].node)) continue;
      act(devices.lines[peer].node, port);
    }
  };
  for (const PortIndex host : active_hosts(devices)) {
    const mad::Lid lid = devices.ports[host].info.lid;
    const NodeIndex home = devices.lines[devices.lines[host].peer].node;
    constexpr unsigned kFar = std::numeric_limits<unsigned>::max() / 2;
    std::vector<unsigned> down(devices.nodes.size(), kFar);  // links of a way that only goes down
    down[home] = 0;
    for (std::size_t round = 0; round < devices.switches.size(); ++round) {
      for (NodeIndex node = 0; node < devices.nodes.size(); ++node) {
        if (!devices.is_switch(node)) continue;
        neighbours(node, [&](NodeIndex next, std::uint8_t) {
          if (next > node) down[node] = std::min(down[node], down[next] + 1);
        });
      }
    }
    std::vector<unsigned> cost = down;  // from the first switch on, upper ones are known
    for (NodeIndex node = 0; node < devices.nodes.size(); ++node) {
      if (!devices.is_switch(node) || node == home) continue;
      std::uint8_t best = 255;
      if (down[node] >= kFar) cost[node] = kFar;
      neighbours(node, [&](NodeIndex next, std::uint8_t port) {
        const bool goes_down = next > node;
        if (goes_down && down[node] < kFar && down[next] + 1 == down[node]) best = port;
        if (!goes_down && down[node] >= kFar && cost[next] + 1 < cost[node]) {
          cost[node] = cost[next] + 1;
          best = port;
        }
      });
      devices.switch_at(node).linear[lid.value] = best;
    }
  }
}

TEST(Buffers, ATreeDeliversEverything) {
  Stage stage("fat-tree:3,6");
  const auto hosts = active_hosts(stage.devices());
  const auto flows = flows_of(stage.devices(), hosts, Pattern::AllToAll, 0);
  const BufferOutcome outcome = run(stage, flows);
  EXPECT_FALSE(outcome.deadlocked());
  EXPECT_EQ(outcome.delivered, flows.size() * BufferOptions{}.packets);
  EXPECT_THAT(outcome.circle, IsEmpty());
}

TEST(Buffers, OneCableCarriesOnePacketInACycle) {
  Stage stage("star:2");
  const auto flows = shifted(stage, 1);
  const BufferOutcome outcome = run(stage, flows, 4);
  // Two flows in opposite directions over two links each: the pipe fills in one cycle.
  EXPECT_EQ(outcome.delivered, 64u);
  EXPECT_EQ(outcome.cycles, BufferOptions{}.packets + 1u);
}

// Everybody sends two switches on, all the same way round: each packet in the ring waits for the
// next one to move.
TEST(Buffers, ARingWithShortestWaysStandsStill) {
  Stage stage("ring:5,hosts=1");
  const BufferOutcome outcome = run(stage, shifted(stage, 2));
  EXPECT_TRUE(outcome.deadlocked());
  EXPECT_LT(outcome.delivered, 5u * BufferOptions{}.packets);
  ASSERT_EQ(outcome.circle.size(), 5u);
  const Devices& devices = stage.devices();
  for (std::size_t i = 0; i < 5; ++i) {
    const BufferWait& wait = outcome.circle[i];
    EXPECT_EQ(wait.held, 1u);
    // The next buffer is at the other end of a cable from this switch.
    const PortIndex next = outcome.circle[(i + 1) % 5].port;
    EXPECT_EQ(devices.lines[devices.lines[next].peer].node, devices.lines[wait.port].node);
  }
  EXPECT_THAT(describe(devices, outcome), HasSubstr("VL 0 (1 packets) waits for switch-"));
}

TEST(Buffers, TheSameRingWithUpDownWaysDelivers) {
  for (const std::uint64_t shift : {1u, 2u, 3u, 4u}) {
    for (const unsigned credits : {1u, 2u, 8u}) {
      Stage stage("ring:5,hosts=1");
      route_up_then_down(stage);
      const BufferOutcome outcome = run(stage, shifted(stage, shift), credits);
      EXPECT_FALSE(outcome.deadlocked()) << shift << " " << credits;
      EXPECT_EQ(outcome.delivered, 5u * BufferOptions{}.packets);
    }
  }
}

// A lane for those who cross one place of the ring breaks the circle, as torus routings do.
TEST(Buffers, ASecondLaneBreaksTheCircle) {
  Stage stage("ring:5,hosts=1");
  auto flows = shifted(stage, 2);
  // The two flows that pass the cable from switch-5 to switch-1 travel on lane 1.
  flows[3].sl = flows[4].sl = mad::ServiceLevel{1};
  const BufferOutcome outcome = run(stage, flows);
  EXPECT_FALSE(outcome.deadlocked());
  EXPECT_EQ(outcome.delivered, 5u * BufferOptions{}.packets);
}

TEST(Buffers, FlowsWithoutAWayAreCountedAndNotSent) {
  Stage stage("star:3");
  auto flows = shifted(stage, 1);
  stage.registers("switch-1").linear[flows[0].dlid.value] = 255;
  const BufferOutcome outcome = run(stage, flows);
  EXPECT_EQ(outcome.unroutable, BufferOptions{}.packets);
  EXPECT_EQ(outcome.delivered, 2u * BufferOptions{}.packets);
}

TEST(Buffers, LimitsAreNamed) {
  Stage stage("star:2");
  const std::vector<Flow> many(kMostBufferedFlows + 1);
  EXPECT_THAT(run_buffers(stage.devices(), many).error().message, HasSubstr("at most 10000"));
  BufferOptions none;
  none.credits = 0;
  EXPECT_THAT(run_buffers(stage.devices(), {}, none).error().message, HasSubstr("1 to 1000"));
}

}  // namespace
}  // namespace heddle::sim
