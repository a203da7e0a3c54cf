// SPDX-License-Identifier: BSD-3-Clause
#include "plan/moves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/loss.hpp"
#include "routing/quality.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::plan {
namespace {

using testing::HasSubstr;

// Two leaves and two spines, a cable between each, and two hosts on each leaf. Leaves have ports to
// spare, as do the spines.
class MovesTest : public testing::Test {
 protected:
  MovesTest() {
    support::Recipe recipe;
    const auto a = recipe.add_switch("leaf-a"), b = recipe.add_switch("leaf-b");
    const auto s = recipe.add_switch("spine-s"), t = recipe.add_switch("spine-t");
    for (const auto leaf : {a, b}) {
      for (const auto spine : {s, t}) recipe.join(leaf, spine);
    }
    recipe.add_hosts(a, 2);
    recipe.add_hosts(b, 2);
    for (const auto at : {a, b, s, t}) recipe.nodes[at].port_count = 8;
    topology_ = support::build(recipe);
    lids_ = support::number_lids(topology_);
  }
  std::string error(const std::string& text) const {
    const auto moves = parse_moves(text, "steps.txt", topology_);
    return moves ? std::string() : moves.error().message;
  }
  std::vector<MoveAnswer> take(const std::string& text) {
    const auto moves = parse_moves(text, "steps.txt", topology_);
    EXPECT_TRUE(moves) << error(text);
    auto upgrade = Upgrade::make(topology_, lids_, {}, base::inline_for);
    EXPECT_TRUE(upgrade);
    before_ = (*upgrade)->before();
    std::vector<MoveAnswer> answers;
    if (moves.has_error()) return answers;
    for (const Move& move : *moves) answers.push_back((*upgrade)->take(move, base::inline_for));
    return answers;
  }

  fabric::Topology topology_;
  fabric::LidMap lids_;
  Figures before_;
};

TEST_F(MovesTest, ACableOutAndInAgainIsAsBefore) {
  const auto answers = take("out leaf-a:1\n\n# back\nin leaf-a:1 - spine-s:1\n");
  ASSERT_EQ(answers.size(), 2u);
  ASSERT_EQ(answers[0].phases.size(), 1u);
  const WhatIf& out = answers[0].phases[0].answer;
  const WhatIf& in = answers[1].phases[0].answer;
  EXPECT_TRUE(answers[0].has_out);
  EXPECT_FALSE(answers[1].has_out);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.after.pairs, before_.pairs);
  EXPECT_GT(out.after.load.greatest, before_.load.greatest) << "one way has to carry it all";
  EXPECT_GT(out.entries, 0u);
  EXPECT_EQ(in.entries, out.entries) << "what changed there changes back";
  EXPECT_EQ(in.after.load.greatest, before_.load.greatest);
}

TEST_F(MovesTest, WhatIsOutOneByOneIsWhatALossOfBothIs) {
  const auto answers = take("out leaf-a:1\nout leaf-b:2\n");
  auto both = WhatIfs::make(topology_, lids_, {}, base::inline_for);
  ASSERT_TRUE(both);
  const auto loss = parse_losses(topology_, {"leaf-a:1", "leaf-b:2"});
  ASSERT_TRUE(loss);
  const WhatIf judge = (*both)->ask(*loss);
  const WhatIf& last = answers[1].phases[0].answer;
  EXPECT_EQ(last.after.pairs, judge.after.pairs);
  EXPECT_EQ(last.error, judge.error);
}

TEST_F(MovesTest, PartedAreOnlyThoseWhoseOwnCablesStay) {
  const auto host = take("move leaf-a:3 -> leaf-b:5\n");
  ASSERT_EQ(host.front().phases.size(), 2u);
  EXPECT_EQ(host.front().phases[0].answer.after.pairs, 3u * 2u);
  EXPECT_EQ(host.front().phases[0].parted, 0u);
  EXPECT_EQ(host.front().phases[1].answer.after.pairs, before_.pairs);
  const auto island = take("out leaf-a:1\nmove leaf-a:2 -> leaf-b:5\n");
  EXPECT_EQ(island[1].phases[0].parted, 2u * 2u * 2u) << "each leaf's two cannot reach the other's";
  EXPECT_EQ(island[1].phases[0].answer.after.pairs, 2u * 2u);
}

TEST_F(MovesTest, AHostKeepsItsLidWhereverItGoes) {
  const auto answers = take("move leaf-a:3 -> leaf-b:5\nmove leaf-b:5 -> leaf-a:3\n");
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].phases[1].answer.after.pairs, before_.pairs);
  EXPECT_EQ(answers[1].phases[1].answer.after.load.greatest, before_.load.greatest);
}

TEST_F(MovesTest, ASwapExchangesThePlugs) {
  const auto moves = parse_moves("swap leaf-a:1 <-> leaf-b:1", "steps.txt", topology_);
  ASSERT_TRUE(moves);
  const Move& swap = moves->front();
  ASSERT_EQ(swap.in.size(), 2u);
  EXPECT_EQ(swap.in[0].first, swap.out[1].first);
  EXPECT_EQ(swap.in[0].second, swap.out[0].second);
  EXPECT_EQ(swap.in[1].first, swap.out[0].first);
  EXPECT_EQ(swap.in[1].second, swap.out[1].second);
}

TEST_F(MovesTest, BadLinesAreNamed) {
  EXPECT_THAT(error("out leaf-a:1\npull leaf-a:2"), HasSubstr("steps.txt:2: 'pull' is no step"));
  EXPECT_THAT(error("out nobody:1"), HasSubstr("steps.txt:1: 'nobody:1' is no port"));
  EXPECT_THAT(error("out leaf-a:1\nout leaf-a:1"), HasSubstr("steps.txt:2: there is no cable in"));
  EXPECT_THAT(error("out leaf-a:1 - spine-t:1"), HasSubstr("no cable joins"));
  EXPECT_THAT(error("in leaf-a:1 - spine-s:5"), HasSubstr("leaf-a:1 is taken at this step"));
  EXPECT_THAT(error("in leaf-a:5 - leaf-a:5"), HasSubstr("two ends"));
  EXPECT_THAT(error("move leaf-a:5 -> leaf-b:5"), HasSubstr("no cable in leaf-a:5"));
  EXPECT_THAT(error("swap leaf-a:1 <-> spine-s:1"), HasSubstr("two ends of one cable"));
  EXPECT_THAT(error("move leaf-a:1"), HasSubstr("two ports are wanted"));
  EXPECT_THAT(error("# nothing\n"), HasSubstr("no step"));
}

}  // namespace
}  // namespace heddle::plan
