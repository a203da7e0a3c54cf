// SPDX-License-Identifier: BSD-3-Clause
#include "routing/relief.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/quality.hpp"
#include "routing/shortest_ways.hpp"
#include "routing/sssp.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

// Two ways from the first switch to the last one, over `middle` or over another.
class Diamond : public ::testing::Test {
 protected:
  // What hosts at the first switch send to trees of such weights, all over one middle switch.
  std::vector<std::uint64_t> loads_after(std::vector<std::uint32_t> weights,
                                         std::vector<std::uint8_t> counts = {}) {
    channels.counts_for = std::move(counts);
    TargetTrees trees;
    trees.target.assign(weights.size(), 3);
    trees.weight = weights;
    trees.next.assign(4 * weights.size(), 0);  // the first channel of each: of 0 to 1, of 1 to 0
    for (const std::uint32_t middle : {1u, 2u}) {
      std::fill_n(trees.at(middle), weights.size(), std::uint8_t{1});
    }
    std::fill_n(trees.at(3), weights.size(), TargetTrees::kNone);
    ShortestWays ways(channels);
    relieve(channels, {1, 0, 0, 0}, ways, trees);
    std::vector<std::uint64_t> loads(2);
    for (std::size_t tree = 0; tree < weights.size(); ++tree) {
      loads[trees.at(0)[tree]] += weights[tree];
    }
    return loads;
  }

  static support::Recipe recipe() {
    support::Recipe diamond;
    for (const char* name : {"first", "middle", "other middle", "last"}) diamond.add_switch(name);
    for (const std::size_t middle : {1u, 2u}) {
      diamond.join(0, middle);
      diamond.join(middle, 3);
    }
    return diamond;
  }

  const Subnet subnet{recipe()};
  CompactChannels channels{subnet.topology};
};

TEST_F(Diamond, CarriesAlikeOnBothSides) {
  EXPECT_EQ(loads_after({1, 1, 1, 1, 1, 1}), (std::vector<std::uint64_t>{3, 3}));
}

TEST_F(Diamond, CarriesWhatWeighsMostAlone) {
  EXPECT_THAT(loads_after({1, 5, 1, 1, 1}), testing::UnorderedElementsAre(4, 5));
}

// No other trees could do better, so none is touched.
TEST_F(Diamond, KeepsATreeThatHasToGoSomewhere) {
  EXPECT_EQ(loads_after({7}), (std::vector<std::uint64_t>{7, 0}));
}

TEST_F(Diamond, CarriesLessOverASlowChannel) {
  std::vector<std::uint8_t> counts(channels.count(), 1);
  counts[channels.first[1] + 1] = 2;  // from the middle switch to the last one
  EXPECT_EQ(loads_after({1, 1, 1, 1, 1, 1}, counts), (std::vector<std::uint64_t>{2, 4}));
}

bool relieve_tables(const Subnet& subnet, fabric::ForwardingTables& tables) {
  const CompactChannels channels(subnet.topology);
  ShortestWays ways(channels);
  return relieve(channels, Destinations(subnet.topology, subnet.lids), ways, tables);
}

std::vector<mad::Guid> first_host(const Subnet& subnet) {
  const auto endports = subnet.topology.endports();
  if (endports.empty()) return {};
  return {subnet.topology.port(endports.front()).guid};
}

std::uint64_t unevenness(const MeasuredLoads& measured) {
  return std::accumulate(measured.load.begin(), measured.load.end(), std::uint64_t{0},
                         [](std::uint64_t sum, std::uint64_t load) { return sum + load * load; });
}

// Whether anything changes or not: packets arrive by ways as short as before.
TEST(Relief, LeavesWaysShortAndNoChannelBusierThanTheBusiest) {
  unsigned relieved = 0;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    Subnet subnet(recipe);
    // An order of the operator's, even of one port, leaves ways as minhop dealt them.
    subnet.options.routing_order = first_host(subnet);
    auto tables = subnet.route("minhop").tables;
    const auto before = measure_loads(subnet.topology, subnet.lids, tables);
    const auto untouched = tables;
    const bool changed = relieve_tables(subnet, tables);
    const auto after = measure_loads(subnet.topology, subnet.lids, tables);
    EXPECT_EQ(after.quality.routes, before.quality.routes) << name;
    EXPECT_EQ(after.quality.hops, before.quality.hops) << name;
    EXPECT_LE(after.quality.greatest_load, before.quality.greatest_load) << name;
    EXPECT_EQ(changed, tables != untouched) << name;
    if (!changed) continue;
    EXPECT_LT(unevenness(after), unevenness(before)) << name;
    ++relieved;
  }
  EXPECT_GT(relieved, 20u);
}

// The busiest channel over the mean one, by the engines that let busy ones be relieved.
TEST(Relief, MakesBusiestChannelsCarryLittleMoreThanTheMean) {
  struct Evened {
    const char* engine;
    support::Recipe recipe;
    double most;
  };
  for (const auto& [engine, recipe, most] :
       {Evened{"minhop", support::random_regular(60, 6, 4, 1), 1.25},
        Evened{"minhop", support::torus({5, 5, 5}, 2), 1.2},
        Evened{"dfsssp", support::dragonfly(33, 8, 4, 4), 1.25},
        Evened{"lash", support::xgft({6, 12}, {1, 6}), 1.7},
        Evened{"lash", support::hyperx({6, 4}, 3), 1.5}}) {
    const Subnet subnet(recipe);
    const auto routes = *find_engine(engine)->route(
        {subnet.topology, subnet.lids, subnet.options, base::inline_for, 8});
    const auto quality = measure_quality(subnet.topology, subnet.lids, routes.tables);
    EXPECT_LE(static_cast<double>(quality.greatest_load), most * quality.mean_load) << engine;
  }
}

// A tree with more hosts here than there: no VLs are needed, neither before nor after.
TEST(Relief, IsForDfssspOnTreesToo) {
  support::Recipe recipe;
  std::vector<std::size_t> tops;
  for (unsigned i = 0; i < 17; ++i) tops.push_back(recipe.add_switch("top"));
  for (unsigned i = 0; i < 36; ++i) {
    const auto leaf = recipe.add_switch("leaf");
    for (const auto top : tops) recipe.join(leaf, top);
    recipe.add_hosts(leaf, 8 + 5 * i % 13);
  }
  const Subnet subnet(recipe);
  const auto before = measure_quality(subnet.topology, subnet.lids, subnet.route("sssp").tables);
  const auto routes = find_engine("dfsssp")->route(
      {subnet.topology, subnet.lids, subnet.options, base::inline_for, 1});
  ASSERT_TRUE(routes) << routes.error().message;
  const auto after = measure_quality(subnet.topology, subnet.lids, routes->tables);
  EXPECT_LT(after.greatest_load, before.greatest_load);
}

// Several LIDs of one port keep apart, which is more than even loads.
TEST(Relief, LeavesPortsWithSeveralLidsAsTheyAre) {
  const Subnet subnet(support::random_regular(30, 4, 3, 1), 1);
  auto tables = subnet.route("sssp").tables;
  const auto before = tables;
  EXPECT_FALSE(relieve_tables(subnet, tables));
  EXPECT_EQ(tables, before);
}

// Every shift is without contention there, in that order.
TEST(Relief, LeavesWholeTreesAsTheyAre) {
  const Subnet subnet(support::xgft({6, 6, 12}, {1, 6, 6}));
  auto tables = subnet.route("sssp").tables;
  EXPECT_FALSE(relieve_tables(subnet, tables));
}

}  // namespace
}  // namespace heddle::routing
