// SPDX-License-Identifier: BSD-3-Clause
// The main job on whole fabrics, judged by the world's own registers.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/checker.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using testing::IsEmpty;

class BringUp : public testing::TestWithParam<std::string> {};

TEST_P(BringUp, EndsWithAFabricThatIsRight) {
  Box box(GetParam());
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
  EXPECT_THAT(box.snapshot().problems, IsEmpty());
  EXPECT_EQ(box.snapshot().inactive_ports, 0u);
  EXPECT_EQ(box.count<sm::SubnetUp>(), 1u);
}

TEST_P(BringUp, ASecondSweepWritesNothing) {
  Box box(GetParam());
  ASSERT_TRUE(box.run_until_quiet());
  const sim::Quiescence quiescence(box.world());
  box.input(sm::ResweepCommand{"test"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.core().sweeps_finished(), 2u);
  EXPECT_EQ(quiescence.sets_since(box.world()), 0u);
}

TEST_P(BringUp, ARestartedMachineWritesNothingWithAndWithoutMemory) {
  Box box(GetParam());
  ASSERT_TRUE(box.run_until_quiet());
  const auto memory = box.stored();
  for (const bool remembers : {true, false}) {
    const sim::Quiescence quiescence(box.world());
    box.restart(remembers ? memory : std::vector<sm::RememberedLids>{});
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_EQ(quiescence.sets_since(box.world()), 0u) << (remembers ? "with" : "without");
    EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, BringUp,
                         testing::Values("pair", "star:1", "star:20", "ring:3", "ring:8,hosts=2",
                                         "fat-tree:2,4", "fat-tree:3,3,6", "xgft:4,2,4;1,4,2",
                                         "torus:3x4,hosts=1", "mesh:4x3,hosts=2",
                                         "hypercube:4,hosts=1", "hyperx:3x3,hosts=1",
                                         "dragonfly:3,1,1",
                                         "random:switches=12,degree=4,hosts=2,seed=1",
                                         "random:switches=30,degree=3,hosts=1,seed=2"),
                         [](const auto& of) {
                           std::string name = of.param;
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

class Dump : public testing::TestWithParam<const char*> {};

TEST_P(Dump, OfARealFabricComesUp) {
  Box box(HEDDLE_GOLDEN_FABRICS "/" + std::string(GetParam()) + ".ibnetdiscover.txt");
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
  EXPECT_THAT(box.snapshot().problems, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Dump,
                         testing::Values("jabl_1", "jabl_3", "loginoff", "selene", "ufm_small"),
                         [](const auto& of) { return std::string(of.param); });

TEST(Dumps, SelfLoopedCablesAreToldAndComeUp) {
  Box box(HEDDLE_GOLDEN_FABRICS "/jabl_3.ibnetdiscover.txt");
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::CableLoopsBack>(), 3u);
}

TEST(Safety, ARingIsNotRoutedByMinhopAndTheCycleIsTold) {
  Box box("ring:6");
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_NE(box.last<sm::EngineRejected>(), nullptr);
  EXPECT_EQ(box.last<sm::EngineRejected>()->engine, "minhop");
  EXPECT_THAT(box.last<sm::EngineRejected>()->reason, testing::HasSubstr("->"));
  EXPECT_EQ(box.snapshot().routes->routes.engine, "updn");
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

class Lmc : public testing::TestWithParam<int> {};

TEST_P(Lmc, EveryPortOwnsItsRangeAndAllOfItIsReachable) {
  for (const bool enhanced : {false, true}) {
    auto plan = *sim::generate_fabric("fat-tree:2,4");
    for (auto& node : plan.nodes) {
      node.enhanced_port0 = enhanced && node.type == mad::NodeType::Switch;
    }
    BoxOptions options;
    options.sm.lmc = static_cast<std::uint8_t>(GetParam());
    options.sm.lmc_on_enhanced_port0 = true;
    Box box(std::move(plan), options);
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
    const auto& topology = box.snapshot().topology;
    for (const auto port : topology.endports()) {
      const bool base_port0 = topology.is_switch(topology.node_of(port)) && !enhanced;
      EXPECT_EQ(box.snapshot().lids.range(port).lmc, base_port0 ? 0 : GetParam());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Values, Lmc, testing::Range(0, 8));

}  // namespace
}  // namespace heddle::test
