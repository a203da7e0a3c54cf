// SPDX-License-Identifier: BSD-3-Clause
// Routes are made while LIDs and the like are written, which takes a while both.
#include <chrono>
#include <map>

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

}  // namespace
}  // namespace heddle::test
