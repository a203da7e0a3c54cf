// SPDX-License-Identifier: BSD-3-Clause
// A manager that only watches: it writes nothing, and what it foresees is what happens.
#include <chrono>

#include <gtest/gtest.h>

#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

BoxOptions watching() {
  BoxOptions options;
  options.sm.shadow = true;
  return options;
}

TEST(Shadow, WritesNothingToAFabricThatIsDown) {
  Box box("fat-tree:3,6", watching());
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.world().counters().sets, 0u);
  ASSERT_TRUE(box.published());
  const auto& report = box.snapshot().shadow;
  ASSERT_TRUE(report);
  // It foresees what a manager that takes part then does.
  Box other("fat-tree:3,6");
  ASSERT_TRUE(other.run_until_quiet());
  EXPECT_EQ(report->sets(), other.world().counters().sets);
  EXPECT_EQ(box.snapshot().routes->routes.tables, other.snapshot().routes->routes.tables);
  EXPECT_TRUE(box.stored().empty()) << "its LIDs are only thought of";
}

// Beside a master of the same mind nothing but the master's name would change.
TEST(Shadow, FindsNothingToChangeBesideAnEqual) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  SeatOptions options;
  options.sm.shadow = true;
  Seat& shadow = box.add_seat("host-0016", options);
  EXPECT_EQ(sets_during(box, [&] { box.run_for(60s); }), 0u);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  ASSERT_TRUE(shadow.published());
  const auto& report = shadow.snapshot().shadow;
  ASSERT_TRUE(report);
  EXPECT_EQ(report->sets(), report->of_the_office) << text(*report);
  EXPECT_GT(report->of_the_office, 0u);
  EXPECT_EQ(shadow.count<sm::ShadowCompared>(), 1u);
}

// With routes of its own it says which switches would get others.
TEST(Shadow, TellsOfOtherRoutes) {
  BoxOptions master;
  master.sm.routing.engines = {"updn"};
  Box box("fat-tree:3,6", master);
  ASSERT_TRUE(box.run_until_quiet());
  SeatOptions options;
  options.sm.shadow = true;
  options.sm.keep_routes_on_takeover = false;
  Seat& shadow = box.add_seat("host-0016", options);
  EXPECT_EQ(sets_during(box, [&] { box.run_for(60s); }), 0u);
  const auto& report = shadow.snapshot().shadow;
  ASSERT_TRUE(report);
  EXPECT_GT(report->writes.at(mad::AttributeId::LinearForwardingTable), 0u);
  bool told = false;
  for (const auto& event : shadow.events()) {
    const auto* change = std::get_if<sm::WouldWrite>(&event.value);
    told = told || (change != nullptr && change->node.description == "leaf-2" &&
                    change->attribute == mad::AttributeId::LinearForwardingTable &&
                    change->change.find("entries") != std::string::npos);
  }
  EXPECT_TRUE(told);
}

// A configuration that is read again does not make it one that writes, nor the other way round.
// What is written there holds the key of the switch, and changes none.
TEST(Shadow, KnowsThatOuterPortsOfSwitchesHaveNoKey) {
  auto options = watching();
  options.sm.m_key = mad::MKey{0x5EC2E7};
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet());
  std::size_t outer = 0, keys = 0;
  for (const auto& event : box.events()) {
    const auto* change = std::get_if<sm::WouldWrite>(&event.value);
    if (change == nullptr || change->attribute != mad::AttributeId::PortInfo) continue;
    const bool is_host = change->node.description.rfind("host", 0) == 0;
    const bool names_key = change->change.find("M_Key ") != std::string::npos;
    keys += names_key;
    if (is_host || (change->modifier & 0xFF) == 0) continue;
    ++outer;
    EXPECT_FALSE(names_key) << change->change;
  }
  EXPECT_GT(outer, 0u);
  EXPECT_GT(keys, 0u) << "hosts and switches would get one";
}

TEST(Shadow, StaysOneUntilItIsRestarted) {
  Box box("fat-tree:3,6", watching());
  ASSERT_TRUE(box.run_until_quiet());
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>()});
  box.run_for(30s);
  EXPECT_EQ(box.count<sm::ShadowCompared>(), 2u);
  EXPECT_EQ(box.world().counters().sets, 0u);
}

TEST(Shadow, LooksAgainFromTimeToTime) {
  BoxOptions options = watching();
  options.sm.full_sweep_interval = 5min;
  Box box("fat-tree:3,6", options);
  box.run_for(11min);
  EXPECT_EQ(box.count<sm::ShadowCompared>(), 3u);
  EXPECT_EQ(box.world().counters().sets, 0u);
}

}  // namespace
}  // namespace heddle::test
