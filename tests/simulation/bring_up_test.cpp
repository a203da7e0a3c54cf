// SPDX-License-Identifier: BSD-3-Clause
// Every kind of fabric comes up, judged by the world's own registers.
#include <chrono>

#include <gtest/gtest.h>

#include "sim/checker.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

class EveryKind : public testing::TestWithParam<const char*> {};

TEST_P(EveryKind, ComesUpAndStandsStill) {
  Box box(GetParam());
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
  EXPECT_EQ(box.snapshot().topology.node_count(), box.world().devices().nodes.size());
  EXPECT_EQ(box.snapshot().topology.link_count(), box.world().devices().cables.size());
  EXPECT_EQ(box.count<sm::SubnetUp>(), 1u);
  EXPECT_TRUE(box.snapshot().problems.empty());
  EXPECT_EQ(sets_during(box, [&] { box.run_for(std::chrono::minutes(1)); }), 0u);
  EXPECT_EQ(box.core().sweeps_finished(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Generated, EveryKind,
                         testing::Values("pair", "star:1", "star:30", "fat-tree:3,6",
                                         "fat-tree:2,4,4", "xgft:4,4;1,3", "ring:5,hosts=2",
                                         "torus:4x4,hosts=1", "mesh:3x4,hosts=1",
                                         "hypercube:4,hosts=1", "hyperx:3x3,hosts=2",
                                         "dragonfly:2,2,1",
                                         "random:switches=12,degree=4,hosts=2,seed=1",
                                         "random:switches=20,degree=3,hosts=1,seed=2",
                                         "random:switches=9,degree=8,hosts=3,seed=3"));

class RealFabric : public testing::TestWithParam<const char*> {};

TEST_P(RealFabric, ComesUp) {
  Box box(std::string(HEDDLE_GOLDEN_FABRICS "/") + GetParam() + ".ibnetdiscover.txt");
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
}

INSTANTIATE_TEST_SUITE_P(Golden, RealFabric,
                         testing::Values("selene", "ufm_director", "ufm_small", "loginoff",
                                         "jabl_1", "jabl_3"));

TEST(BringUp, OnARingMinhopIsRejectedForItsCycle) {
  BoxOptions options;
  options.sm.routing.engines = {"minhop"};
  Box box("ring:5,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(box.count<sm::EngineRejected>(), 1u);
  EXPECT_EQ(box.last<sm::EngineRejected>()->engine, "minhop");
  EXPECT_NE(box.last<sm::EngineRejected>()->reason.find("switch-"), std::string::npos)
      << box.last<sm::EngineRejected>()->reason;
  EXPECT_EQ(box.last<sm::RoutesChosen>()->engine, "updn");
}

class WithLmc : public testing::TestWithParam<int> {};

TEST_P(WithLmc, EveryHostHasItsLidsAndSwitchesOnlyWhenTheyMay) {
  for (const bool on_enhanced : {false, true}) {
    sim::Planner plan("two kinds of port 0", {});
    const auto base = plan.add_switch("base", false);
    const auto enhanced = plan.add_switch("enhanced", true);
    plan.cable(base, enhanced);
    plan.cable(base, enhanced);
    plan.add_hosts(base, 2);
    plan.add_hosts(enhanced, 2);
    BoxOptions options;
    options.sm.lmc = static_cast<std::uint8_t>(GetParam());
    options.sm.lmc_on_enhanced_port0 = on_enhanced;
    Box box(std::move(plan).finish(), options);
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_EQ(trouble(box), "");
    EXPECT_EQ(registers(box, "base", 0).lmc, 0);
    EXPECT_EQ(registers(box, "enhanced", 0).lmc, on_enhanced ? GetParam() : 0);
    EXPECT_EQ(registers(box, "host-0003", 1).lmc, GetParam());
    EXPECT_EQ(state(box, "enhanced", 0), mad::PortState::Active);
    EXPECT_EQ(sets_during(box, [&] { box.run_for(std::chrono::minutes(1)); }), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(UpToThree, WithLmc, testing::Range(0, 4));

TEST(BringUp, AnAdapterWithTwoPortsOnOneFabric) {
  sim::Planner plan("two ports", {});
  const auto a = plan.add_switch("a");
  const auto b = plan.add_switch("b");
  const auto twin = plan.add_host("twin", 2);
  plan.cable(a, twin);
  plan.cable(b, twin);
  plan.cable(a, b);
  plan.add_hosts(b, 2);
  const auto blueprint = std::move(plan).finish();
  for (const std::uint8_t port : {std::uint8_t{1}, std::uint8_t{2}}) {
    BoxOptions options;
    options.at = "twin";
    options.port = port;
    Box box(blueprint, options);
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_EQ(trouble(box), "");
    EXPECT_NE(registers(box, "twin", 1).lid, registers(box, "twin", 2).lid);
    EXPECT_EQ(state(box, "twin", 1), mad::PortState::Active);
    EXPECT_EQ(state(box, "twin", 2), mad::PortState::Active);
  }
}

TEST(BringUp, ARouterIsAnEndOfTheFabricAndNoWayThroughIt) {
  sim::Planner plan("router", {});
  const auto a = plan.add_switch("a");
  const auto b = plan.add_switch("b");
  const auto router = plan.add_host("router", 2);
  plan.add_hosts(a, 2);
  plan.add_hosts(b, 2);
  plan.cable(a, router);
  plan.cable(b, router);
  auto blueprint = std::move(plan).finish();
  blueprint.nodes[router].type = mad::NodeType::Router;
  Box box(std::move(blueprint), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(state(box, "router", 1), mad::PortState::Active);
  // The other subnet begins behind the router: another SM's business.
  EXPECT_EQ(state(box, "router", 2), mad::PortState::Init);
  EXPECT_EQ(box.snapshot().topology.node_count(), 4u);
}

TEST(BringUp, OfTwoIslandsOnlyTheOwnIsTouched) {
  sim::Planner plan("islands", {});
  const auto own = plan.add_switch("own");
  const auto other = plan.add_switch("other");
  plan.add_hosts(own, 3);
  plan.add_hosts(other, 3);
  Box box(std::move(plan).finish(), {});
  std::uint64_t seen_abroad = 0;
  box.world().set_watcher([&](const sim::Sighting& sighting) {
    seen_abroad += sighting.node == other || sighting.node >= 5;
  });
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(std::chrono::minutes(1));
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(seen_abroad, 0u);
  EXPECT_EQ(box.snapshot().topology.node_count(), 4u);
  EXPECT_EQ(state(box, "host-0004", 1), mad::PortState::Init);
}

TEST(BringUp, TheManagerSitsOnASwitch) {
  for (const bool enhanced : {false, true}) {
    sim::Planner plan("on a switch", {});
    const auto a = plan.add_switch("a", enhanced);
    const auto b = plan.add_switch("b", enhanced);
    plan.cable(a, b);
    plan.add_hosts(a, 2);
    plan.add_hosts(b, 2);
    BoxOptions options;
    options.at = "a";
    Box box(std::move(plan).finish(), options);
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_EQ(trouble(box), "");
    EXPECT_EQ(box.snapshot().inactive_ports, 0u);
    EXPECT_EQ(box.count<sm::SubnetUp>(), 1u);
    box.world().cut(cable(box, "b", 2));
    box.run_for(std::chrono::seconds(15));
    EXPECT_EQ(trouble(box), "");
    EXPECT_EQ(box.count<sm::NodeDisappeared>(), 1u);
  }
}

TEST(BringUp, ACableFromASwitchToItselfComesUpAndIsTold) {
  auto plan = dumbbell();
  plan.cable(0, 0);
  Box box(std::move(plan).finish(), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
  ASSERT_EQ(box.count<sm::CableLoopsBack>(), 1u);
  EXPECT_EQ(box.last<sm::CableLoopsBack>()->a.node.description, "left");
  EXPECT_EQ(box.last<sm::CableLoopsBack>()->b.node.description, "left");
}

TEST(BringUp, BeyondSixtyThreeHopsNothingIsReachedAndThatIsTold) {
  constexpr unsigned kChain = 70;
  sim::Planner plan("chain", {});
  std::vector<std::uint32_t> chain;
  for (unsigned i = 0; i < kChain; ++i) {
    chain.push_back(plan.add_switch(sim::numbered("link", i + 1, kChain)));
  }
  plan.cable(plan.add_host("first"), chain.front());
  for (unsigned i = 1; i < kChain; ++i) plan.cable(chain[i - 1], chain[i]);
  plan.cable(chain.back(), plan.add_host("last"));
  Box box(std::move(plan).finish(), {});
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(box.count<sm::RouteTooLong>(), 1u);
  // The first switch is one hop away, so the 63rd is the last.
  EXPECT_EQ(box.last<sm::RouteTooLong>()->behind.node.description, "link-63");
  EXPECT_EQ(box.count<sm::SubnetUp>(), 1u);
  EXPECT_EQ(box.snapshot().topology.node_count(), 64u);
  EXPECT_EQ(state(box, "link-63", 1), mad::PortState::Active);
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
  const auto quiet_time = [&] { box.run_for(std::chrono::minutes(1)); };
  EXPECT_EQ(sets_during(box, quiet_time), 0u);
  EXPECT_EQ(box.core().sweeps_finished(), 1u);
}

}  // namespace
}  // namespace heddle::test
