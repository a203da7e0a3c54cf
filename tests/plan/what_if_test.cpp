// SPDX-License-Identifier: BSD-3-Clause
#include "plan/what_if.hpp"

#include <memory>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plot.hpp"
#include "routing/quality.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::plan {
namespace {

using testing::HasSubstr;

class WhatIfTest : public testing::Test {
 protected:
  explicit WhatIfTest(const support::Recipe& recipe = support::xgft({4, 4, 4}, {1, 4, 4})) {
    const auto topology = support::build(recipe);
    lids_ = support::number_lids(topology);
    auto made = WhatIfs::make(topology, lids_, {}, base::inline_for);
    EXPECT_TRUE(made);
    asked_ = std::move(*made);
  }
  // What the subnet manager's own function chooses, compared without any shortcut.
  void judge(const Loss& loss) {
    const WhatIf answer = asked_->ask(loss);
    ASSERT_EQ(answer.error, "");
    const Left left = without(asked_->topology(), lids_, loss);
    const routing::Home home{std::make_shared<const fabric::Topology>(asked_->topology()),
                             std::make_shared<const fabric::LidMap>(lids_),
                             {},
                             std::make_shared<const routing::Selected>(asked_->selected())};
    const auto chosen = routing::select_near_home(left.topology, left.lids, {}, &home);
    ASSERT_TRUE(chosen);
    const auto changes = compare_tables(asked_->topology(), asked_->selected().routes.tables,
                                        left.topology, left.lids, (*chosen)->routes.tables);
    EXPECT_EQ(answer.entries, changes.entries);
    ASSERT_EQ(answer.writes.size(), changes.writes.size());
    for (std::size_t i = 0; i < changes.writes.size(); ++i) {
      EXPECT_EQ(answer.writes[i].guid, changes.writes[i].guid);
      EXPECT_EQ(answer.writes[i].blocks, changes.writes[i].blocks);
    }
    const auto quality =
        routing::measure_quality(left.topology, left.lids, (*chosen)->routes.tables);
    EXPECT_EQ(answer.after.load.greatest, quality.greatest_load);
    EXPECT_NEAR(answer.after.load.mean, quality.mean_load, 1e-9);
  }

  fabric::LidMap lids_;
  std::unique_ptr<const WhatIfs> asked_;
};

TEST_F(WhatIfTest, NothingLostIsNothingChanged) {
  const WhatIf answer = asked_->ask({});
  EXPECT_EQ(answer.entries, 0u);
  EXPECT_TRUE(answer.writes.empty());
  EXPECT_EQ(answer.after.pairs, asked_->before().pairs);
  EXPECT_EQ(answer.after.load.greatest, asked_->before().load.greatest);
  EXPECT_DOUBLE_EQ(answer.after.bandwidth, asked_->before().bandwidth);
  EXPECT_EQ(asked_->before().pairs, 64u * 63u);
}

TEST_F(WhatIfTest, IsWhatTheSubnetManagerWouldDo) {
  const auto links = shuffled(asked_->topology(), Kind::Links, 3);
  for (std::size_t i = 0; i < 12; ++i) judge(links[i]);
  Loss several;
  for (std::size_t i = 0; i < 5; ++i) several.cables.push_back(links[i].cables.front());
  judge(several);
  const auto switches = shuffled(asked_->topology(), Kind::Switches, 3);
  for (std::size_t i = 0; i < 8; ++i) judge(switches[i]);
  judge(shuffled(asked_->topology(), Kind::Hosts, 3).front());
}

TEST_F(WhatIfTest, AHostThatGoesTakesItsPairsAndChangesNoTable) {
  const WhatIf answer = asked_->ask(shuffled(asked_->topology(), Kind::Hosts, 1).front());
  EXPECT_EQ(answer.after.pairs, 63u * 62u);
  EXPECT_EQ(answer.entries, 0u);
}

TEST_F(WhatIfTest, LessIsNotMoreBandwidth) {
  const auto links = shuffled(asked_->topology(), Kind::Links, 5);
  Loss many;
  for (std::size_t i = 0; i < 20; ++i) many.cables.push_back(links[i].cables.front());
  const WhatIf answer = asked_->ask(many);
  EXPECT_LT(answer.after.bandwidth, asked_->before().bandwidth);
  EXPECT_GT(answer.after.load.greatest, asked_->before().load.greatest);
}

TEST(WhatIfTwoSwitches, TheirOnlyCableParts) {
  const auto topology = support::build(support::parallel_links(1, 3));
  const auto lids = support::number_lids(topology);
  const auto asked = WhatIfs::make(topology, lids, {}, base::inline_for);
  ASSERT_TRUE(asked);
  const WhatIf answer = (*asked)->ask(shuffled(topology, Kind::Links, 1).front());
  EXPECT_EQ((*asked)->before().pairs, 30u);
  EXPECT_EQ(answer.after.pairs, 12u);
  EXPECT_EQ(answer.error, "");
}

TEST(ColumnLoadsTest, AreThoseOfTheQuality) {
  const auto topology = support::build(support::xgft({3, 3, 4}, {1, 3, 2}));
  const auto lids = support::number_lids(topology, 1);
  const auto routes = routing::find_engine("ftree")->route({topology, lids, {}});
  ASSERT_TRUE(routes);
  const ColumnLoads loads(topology, lids, routes->tables);
  const auto quality = routing::measure_quality(topology, lids, routes->tables);
  EXPECT_EQ(loads.figures().greatest, quality.greatest_load);
  EXPECT_NEAR(loads.figures().mean, quality.mean_load, 1e-9);
}

TEST(Plot, HasALineForEachSeriesAndNothingThatBreaksXml) {
  const std::string svg = plot_svg({"a < b & \"c\"", "links", {0, 1, 2}, {{"load", {1, 2, 4}}}});
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr("<polyline"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
}

}  // namespace
}  // namespace heddle::plan
