// SPDX-License-Identifier: BSD-3-Clause
// From one set of tables to another while packets are under way: at no moment do the tables that
// stand in the switches lead in a circle, and their channels never wait for each other in one.
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

class Transitions : public testing::Test {
 protected:
  void bring_up(std::string_view expression, std::string_view engine) {
    BoxOptions options;
    options.world.hop_delay = 10us;  // so that writes to different switches arrive one by one
    options.sm.routing.engines = {std::string(engine)};
    // Each answer to a write is a moment at which some switches have new entries and some do not.
    options.on_way_in = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      if (smp && smp->attribute_id == mad::AttributeId::LinearForwardingTable) look();
    };
    box_ = std::make_unique<Box>(expression, options);
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    options_ = options.sm;
    looks_ = 0;
    harm_.clear();
  }
  void change_to(std::string_view engine) {
    options_.routing.engines = {std::string(engine)};
    box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options_)});
    box().run_for(5s);
    ASSERT_EQ(trouble(box()), "");
  }
  Box& box() { return *box_; }
  unsigned looks() const { return looks_; }
  const std::string& harm() const { return harm_; }

 private:
  void look() {
    if (!box_ || !harm_.empty()) return;
    ++looks_;
    for (const auto& complaint : sim::check_reachability(box().world(), box().endpoint())) {
      if (complaint.find("circle") != std::string::npos) harm_ = complaint;
    }
    for (const auto& complaint : sim::check_credit_loops(box().world(), box().endpoint())) {
      harm_ = complaint;
    }
  }

  std::unique_ptr<Box> box_;
  sm::Options options_;
  unsigned looks_ = 0;
  std::string harm_;
};

TEST_F(Transitions, FromEngineToEngine) {
  bring_up("torus:4x4,1", "updn");
  for (const char* engine : {"weave", "dnup", "updn", "weave"}) {
    change_to(engine);
    EXPECT_EQ(harm(), "") << "to " << engine;
  }
  EXPECT_GT(looks(), 50u);
  EXPECT_GE(box().count<sm::TablesEmptiedFirst>(), 2u);
}

TEST_F(Transitions, AroundALossAndBack) {
  bring_up("fat-tree:4,8", "auto");
  for (const auto port : {std::uint8_t{5}, std::uint8_t{6}})
    box().world().cut(cable(box(), "leaf-2", port));
  box().run_for(2s);
  EXPECT_EQ(harm(), "");
  box().world().cut(cable(box(), "leaf-5", 5));
  box().run_for(2s);
  box().world().restore(cable(box(), "leaf-2", 5));
  box().run_for(2s);
  EXPECT_EQ(harm(), "");
  EXPECT_EQ(box().count<sm::TablesEmptiedFirst>(), 0u) << "a repair fits in";
  EXPECT_GT(looks(), 5u);
}

}  // namespace
}  // namespace heddle::test
