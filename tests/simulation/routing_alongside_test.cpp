// SPDX-License-Identifier: BSD-3-Clause
// Routes are made while LIDs and the like are written, which takes a while both.
#include <chrono>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

struct Times {
  std::map<sm::Phase, base::Instant> began;
  base::Duration between(sm::Phase first, sm::Phase then) const {
    return began.at(then) - began.at(first);
  }
};

// Of a first sweep, after which all must be right.
Times times_when_routing_takes(base::Duration routing) {
  BoxOptions options;
  options.world.agent_delay = 100us;
  options.routing_takes = routing;
  Box box("fat-tree:8,16", options);
  Times times;
  box.set_listener([&](const sm::Event& event) {
    const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
    if (phase != nullptr) times.began.emplace(phase->phase, box.now());
  });
  EXPECT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::SweepStarted>(), 1u);
  EXPECT_EQ(trouble(box), "");
  return times;
}

TEST(RoutingAlongside, CostsNoTimeWhereWritingTakesLonger) {
  const auto at_once = times_when_routing_takes(0us);
  const auto writing = at_once.between(sm::Phase::Lids, sm::Phase::Routing);
  ASSERT_GT(writing, 200us);
  const auto beside = times_when_routing_takes(writing / 2);
  EXPECT_EQ(beside.between(sm::Phase::Lids, sm::Phase::Tables), writing);
  EXPECT_EQ(beside.between(sm::Phase::Routing, sm::Phase::Tables), 0us);
}

TEST(RoutingAlongside, IsWaitedForWhereItTakesLonger) {
  const auto writing = times_when_routing_takes(0us).between(sm::Phase::Lids, sm::Phase::Routing);
  const auto late = times_when_routing_takes(3 * writing);
  EXPECT_EQ(late.between(sm::Phase::Lids, sm::Phase::Routing), writing);
  EXPECT_EQ(late.between(sm::Phase::Lids, sm::Phase::Tables), 3 * writing);
}

// What was asked for by a sweep that was broken off arrives while the next one waits for its own.
TEST(RoutingAlongside, RoutesOfASweepThatWasBrokenOffAreNotTaken) {
  constexpr auto kRouting = 30s;
  BoxOptions options;
  options.routing_takes = kRouting;
  Box box("fat-tree:8,16", options);
  std::vector<base::Instant> lids, tables;
  box.set_listener([&](const sm::Event& event) {
    const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
    if (phase == nullptr) return;
    if (phase->phase == sm::Phase::Lids) lids.push_back(box.now());
    if (phase->phase == sm::Phase::Tables) tables.push_back(box.now());
    if (lids.size() == 1 && phase->phase == sm::Phase::Lids) {
      box.world().power_off(node(box, "spine-3"));
    }
  });
  while (tables.empty() && box.now() < base::Instant{120s}) box.run_for(100ms);
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_GE(lids.size(), 2u) << "the first sweep was broken off";
  EXPECT_LT(lids.back() - lids.front(), kRouting) << "its routes came meanwhile";
  EXPECT_GE(tables[0] - lids.back(), kRouting);
  box.run_for(10s);
  EXPECT_EQ(trouble(box), "");
}

}  // namespace
}  // namespace heddle::test
