// SPDX-License-Identifier: BSD-3-Clause
// A sweep that somebody asks for makes the routes anew, but where that would give the same.
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "sm/core.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

class RoutesAgain : public testing::Test {
 protected:
  void SetUp() override {
    options_.routes = [this](const sm::ComputeRoutes& work) {
      auto selected =
          routing::select_near_home(*work.topology, *work.lids, work.policy, work.home.get());
      if (selected && (!work.home || *selected != work.home->selected)) ++made_;
      return selected;
    };
    box_.emplace("fat-tree:4,8", options_);
    ASSERT_TRUE(box_->run_until_quiet());
    ASSERT_EQ(made_, 1u);
  }
  Box& box() { return *box_; }
  void ask_for_a_sweep() {
    const auto before = box().count<sm::SweepFinished>();
    box().input(sm::ResweepCommand{"test"});
    box().run_for(5s);
    ASSERT_GT(box().count<sm::SweepFinished>(), before);
    EXPECT_EQ(trouble(box()), "");
  }

  BoxOptions options_;
  unsigned made_ = 0;  // how often engines were asked

 private:
  std::optional<Box> box_;
};

TEST_F(RoutesAgain, AreThoseThereAreWhereNothingIsAnother) {
  const auto routes = box().snapshot().routes;
  for (int i = 0; i < 3; ++i) ask_for_a_sweep();
  EXPECT_EQ(made_, 1u);
  EXPECT_EQ(box().snapshot().routes, routes);
}

TEST_F(RoutesAgain, AreMadeOfAFabricThatLacksALink) {
  box().world().cut(cable(box(), "leaf-1", 5));
  box().run_for(5s);
  made_ = 0;
  ask_for_a_sweep();
  EXPECT_EQ(made_, 1u);
  EXPECT_TRUE(box().snapshot().routes->fresh);
  ask_for_a_sweep();
  EXPECT_EQ(made_, 1u);
}

TEST_F(RoutesAgain, AreMadeOfAFabricThatLacksALinkWhateverOptionHasChanged) {
  box().world().cut(cable(box(), "leaf-1", 5));
  box().run_for(5s);
  made_ = 0;
  sm::Options options = options_.sm;
  options.sa_rate = options.sa_rate + 1;
  box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  box().run_for(5s);
  EXPECT_EQ(made_, 1u);
  EXPECT_TRUE(box().snapshot().routes->fresh);
}

// It takes no part any more, so its LIDs are nobody's.
TEST_F(RoutesAgain, AreMadeWhereAHostHasGone) {
  box().world().power_off(node(box(), "host-0007"));
  box().run_for(5s);
  made_ = 0;
  ask_for_a_sweep();
  EXPECT_EQ(made_, 1u);
}

TEST_F(RoutesAgain, AreMadeByOtherOptionsAndNotByThoseThatChangeNothing) {
  sm::Options options = options_.sm;
  options.sa_rate = options.sa_rate + 1;
  box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  box().run_for(5s);
  EXPECT_EQ(made_, 1u);
  options.routing.options.scatter_ports = 7;
  options.routing.engines = {"minhop"};
  box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  box().run_for(5s);
  EXPECT_EQ(made_, 2u);
  EXPECT_EQ(box().snapshot().routes->routes.engine, "minhop");
}

}  // namespace
}  // namespace heddle::test
