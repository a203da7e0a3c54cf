// SPDX-License-Identifier: BSD-3-Clause
#include "plan/link_rates.hpp"

#include <gtest/gtest.h>

#include "routing/engine.hpp"
#include "routing/patterns.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::plan {
namespace {

using fabric::PortIndex;

// Two leaves with two hosts each, one switch above.
class LinkRatesTest : public testing::Test {
 protected:
  LinkRatesTest() : topology_(support::build(support::xgft({2, 2}, {1, 1}))) {}

  // The same for all cables of hosts, and for all others.
  LinkRates rates(double hosts, double others) const {
    std::vector<LinkRates::Known> known;
    for (std::uint32_t p = 0; p < topology_.port_count(); ++p) {
      const PortIndex port{p}, peer = topology_.peer(port);
      if (peer == fabric::kNoPort) continue;
      const bool is_host = !topology_.is_switch(topology_.node_of(port)) ||
                           !topology_.is_switch(topology_.node_of(peer));
      known.push_back({topology_.node(topology_.node_of(port)).guid, topology_.number_of(port),
                       is_host ? hosts : others});
    }
    return {known, topology_};
  }
  routing::PatternQuality measure(const std::vector<double>& capacities) const {
    const auto lids = support::number_lids(topology_);
    const auto routes = routing::find_engine("ftree")->route({topology_, lids, {}});
    EXPECT_TRUE(routes);
    routing::PatternOptions options;
    options.capacities = &capacities;
    return routing::measure_patterns(topology_, lids, routes->tables, options);
  }

  fabric::Topology topology_;
};

TEST_F(LinkRatesTest, TheUnitIsTheCableOfAHost) {
  EXPECT_TRUE(rates(100, 100).alike());
  EXPECT_TRUE(rates(100, 100).capacities(topology_).empty());
  const LinkRates mixed = rates(100, 200);
  EXPECT_FALSE(mixed.alike());
  EXPECT_EQ(mixed.unit(), 100);
  EXPECT_EQ(mixed.capacity(50), 0.5);
  const auto capacities = mixed.capacities(topology_);
  for (const auto& channel : topology_.channels()) {
    EXPECT_EQ(capacities[topology_.port_of(channel.from, channel.out).value], 2);
  }
  for (const PortIndex port : topology_.endports()) EXPECT_EQ(capacities[port.value], 1);
}

TEST_F(LinkRatesTest, NothingKnownIsAllAlike) {
  const LinkRates nothing({}, topology_);
  EXPECT_TRUE(nothing.alike());
  EXPECT_EQ(nothing.unit(), 0);
  EXPECT_EQ(nothing.capacity(100), 1);
  EXPECT_TRUE(rates(0, 100).alike());
}

// Two packets up one cable: half a cable for each if it is like theirs, all of theirs if it is
// twice as fast, and a quarter if it is half as fast.
TEST_F(LinkRatesTest, BandwidthFollowsTheSpeedOfTheCableAndCountsDoNot) {
  const auto even = measure({});
  EXPECT_EQ(even.weighted.effective_bandwidth, even.effective_bandwidth);
  EXPECT_EQ(even.weighted.shift_worst, 2);
  const auto fast = measure(rates(100, 200).capacities(topology_));
  EXPECT_EQ(fast.effective_bandwidth, even.effective_bandwidth);
  EXPECT_EQ(fast.shift_worst, 2u);
  EXPECT_EQ(fast.weighted.shift_worst, 1);
  EXPECT_DOUBLE_EQ(fast.weighted.effective_bandwidth, 1);
  EXPECT_DOUBLE_EQ(fast.weighted.rate, 1);
  const auto slow = measure(rates(100, 50).capacities(topology_));
  EXPECT_EQ(slow.effective_bandwidth, even.effective_bandwidth);
  EXPECT_EQ(slow.weighted.shift_worst, 4);
  // A pair on one leaf loses nothing; others get a half when they are alone and a quarter when not.
  EXPECT_LT(slow.weighted.effective_bandwidth, even.effective_bandwidth);
}

// A host that is slower than its partner is measured by what the two of them can do.
TEST_F(LinkRatesTest, ASlowHostIsNoFaultOfTheNetwork) {
  auto capacities = rates(100, 400).capacities(topology_);
  const PortIndex host = routing::order_hosts(topology_, support::number_lids(topology_)).front();
  capacities[host.value] = capacities[topology_.peer(host).value] = 0.5;
  const auto measured = measure(capacities);
  EXPECT_DOUBLE_EQ(measured.weighted.effective_bandwidth, 1);
  EXPECT_DOUBLE_EQ(measured.weighted.rate, 0.75) << "half of the four send at half their speed";
}

}  // namespace
}  // namespace heddle::plan
