// SPDX-License-Identifier: BSD-3-Clause
#include "plan/traffic.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engine.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::plan {
namespace {

using testing::HasSubstr;

class Traffic : public testing::Test {
 protected:
  explicit Traffic(const support::Recipe& recipe = support::xgft({3, 4}, {1, 3}))
      : topology_(support::build(recipe)), lids_(support::number_lids(topology_)) {
    auto routes = routing::find_engine("ftree")->route({topology_, lids_, {}});
    EXPECT_TRUE(routes);
    tables_ = std::move(routes->tables);
    all_ = routing::order_hosts(topology_, lids_);
  }
  std::vector<PatternLoad> measure(const HostList& job, const HostList& io = {}) {
    return measure_traffic(topology_, lids_, tables_, job, io, {});
  }
  static const PatternLoad& find(const std::vector<PatternLoad>& all, const std::string& name) {
    return *std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  }

  fabric::Topology topology_;
  fabric::LidMap lids_;
  fabric::ForwardingTables tables_;
  HostList all_;
};

TEST_F(Traffic, OfAllHostsIsWhatTheMetricsSay) {
  const auto patterns = measure(all_);
  const auto quality = routing::measure_quality(topology_, lids_, tables_);
  EXPECT_EQ(find(patterns, "all-to-all").greatest, quality.greatest_load);
  EXPECT_EQ(find(patterns, "all-to-all").flows, 12u * 11u);
  const auto shifts = routing::measure_patterns(topology_, lids_, tables_);
  EXPECT_EQ(find(patterns, "shift").greatest, shifts.shift_worst);
  EXPECT_NEAR(find(patterns, "shift").mean_greatest, shifts.shift_mean, 1e-9);
  EXPECT_EQ(find(patterns, "ring").greatest, 1u);
  EXPECT_GE(find(patterns, "bisection").greatest, 1u);
}

TEST_F(Traffic, HostsOfOneSwitchLoadNoLinkBetweenSwitches) {
  const auto patterns = measure({all_[0], all_[1], all_[2]});
  for (const auto& pattern : patterns) {
    EXPECT_EQ(pattern.greatest, 0u) << pattern.name;
    EXPECT_TRUE(pattern.worst.empty());
  }
}

TEST_F(Traffic, AllToOneMeetsOnTheLastLink) {
  const auto patterns = measure(all_, {all_[0]});
  const auto& io = find(patterns, "all-to-io");
  EXPECT_EQ(io.flows, 12u);
  // Nine hosts on other leaves, all by the one way down that the LID has.
  EXPECT_EQ(io.greatest, 9u);
  ASSERT_FALSE(io.worst.empty());
  const auto& link = topology_.channels()[io.worst[0].channel.value];
  EXPECT_EQ(link.to, topology_.attachment(all_[0])->at);
  EXPECT_TRUE(std::is_sorted(io.worst.begin(), io.worst.end(),
                             [](const auto& a, const auto& b) { return a.load > b.load; }));
}

TEST_F(Traffic, AHostFileNamesItsLines) {
  const auto name = topology_.node(topology_.node_of(all_[4])).description;
  const auto good = parse_host_list("# ranks\n" + name + " # first\n\n", "job", topology_, lids_);
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(*good, HostList{all_[4]});
  const auto bad = parse_host_list(name + "\nnobody\n", "job", topology_, lids_);
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("job:2: 'nobody'"));
}

TEST_F(Traffic, NobodyHasNoPattern) {
  EXPECT_TRUE(measure({}).empty());
  EXPECT_TRUE(measure({all_[0]}).empty());
}

}  // namespace
}  // namespace heddle::plan
