// SPDX-License-Identifier: BSD-3-Clause
#include "plan/loads.hpp"

#include <numeric>

#include <gmock/gmock.h>

#include "base/prng.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::plan {
namespace {

TEST(LoadHistogram, HoldsEveryLoadInItsBin) {
  base::Prng random(9);
  for (const std::uint64_t spread : {1u, 7u, 30u, 1000u, 1'000'000u}) {
    std::vector<std::uint64_t> loads;
    for (int i = 0; i < 500; ++i) loads.push_back(12345 + random.below(spread));
    const LoadHistogram histogram = load_histogram(loads, 20);
    EXPECT_LE(histogram.counts.size(), 20u);
    std::vector<std::uint64_t> counted(histogram.counts.size());
    for (const std::uint64_t load : loads) {
      std::size_t bin = 0;
      while (load >= histogram.least + (bin + 1) * histogram.step) ++bin;
      ASSERT_LT(bin, counted.size());
      ASSERT_GE(load, histogram.least);
      ++counted[bin];
    }
    EXPECT_EQ(histogram.counts, counted) << spread;
    EXPECT_GT(histogram.counts.front(), 0u);
    EXPECT_GT(histogram.counts.back(), 0u);
  }
}

TEST(LoadHistogram, HasStepsThatPeopleLike) {
  EXPECT_EQ(load_histogram({0, 20}, 28).step, 1u);
  EXPECT_EQ(load_histogram({0, 50}, 28).step, 2u);
  EXPECT_EQ(load_histogram({0, 100}, 28).step, 5u);
  EXPECT_EQ(load_histogram({0, 100'000}, 28).step, 5000u);
  EXPECT_TRUE(load_histogram({}, 28).counts.empty());
}

TEST(WorstChannels, AreTheHeaviestThatCarryAnything) {
  const std::vector<std::uint64_t> loads{3, 0, 9, 3, 12};
  const auto worst = worst_channels(loads, 4);
  std::vector<std::uint32_t> order;
  for (const LoadedChannel& one : worst) order.push_back(one.channel.value);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 2, 0, 3}));
  EXPECT_EQ(worst_channels(loads, 99).size(), 4u);
  const auto slow = worst_channels(loads, 2, {5, 1, 1, 1, 1});
  EXPECT_EQ(slow[0].channel.value, 0u) << "three routes on a fifth of the speed";
  EXPECT_EQ(slow[0].load, 3u);
  EXPECT_EQ(slow[0].weighted, 15);
  EXPECT_EQ(slow[1].channel.value, 4u);
}

TEST(Weigh, CountsARouteForWhatItTakes) {
  const std::vector<std::uint64_t> loads{6, 0, 4};
  const WeightedLoads alike = weigh(loads, {});
  EXPECT_EQ(alike.greatest, 6);
  EXPECT_NEAR(alike.mean, 10.0 / 3, 1e-12);
  const WeightedLoads weighted = weigh(loads, {0.5, 1, 2});
  EXPECT_EQ(weighted.greatest, 8);
  EXPECT_NEAR(weighted.mean, 11.0 / 3, 1e-12);
  EXPECT_EQ(weigh({}, {}).greatest, 0);
}

TEST(LevelSupply, CountsTheCablesOfEachLevel) {
  // Six leaves with four hosts each, two switches above: oversubscribed two to one.
  const auto topology = support::build(support::xgft({4, 6}, {1, 2}));
  std::vector<std::uint32_t> level;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const bool leaf = topology.channels_from(fabric::SwitchIndex{s}).size() == 2;
    level.push_back(leaf ? 0 : 1);
  }
  const auto supply = supply_of_levels(topology, level);
  ASSERT_EQ(supply.size(), 2u);
  EXPECT_EQ(supply[0].switches, 6u);
  EXPECT_EQ(supply[0].hosts, 24u);
  EXPECT_EQ(supply[0].up, 12u);
  EXPECT_EQ(supply[0].down + supply[0].sideways, 0u);
  EXPECT_EQ(supply[1].switches, 2u);
  EXPECT_EQ(supply[1].down, 12u);
  EXPECT_EQ(supply[1].up + supply[1].hosts, 0u);
}

TEST(HottestLoad, IsHarmlessForNobodyAndNotRuledByAFewBadCables) {
  const WeightedLoads even{90, 90, 0}, skewed{9000, 400, 0};
  EXPECT_EQ(hottest_load({}, 100), 2);
  EXPECT_EQ(hottest_load({even}, 100), 2);
  EXPECT_EQ(hottest_load({skewed}, 100), 6);
  EXPECT_EQ(hottest_load({skewed, even}, 10), 9) << "the best engine sets the scale";
}

}  // namespace
}  // namespace heddle::plan
