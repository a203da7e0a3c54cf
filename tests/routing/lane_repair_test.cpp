// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lane_repair.hpp"

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "routing/home.hpp"
#include "routing/transition.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/routing/loss.hpp"
#include "tests/routing/mixtures.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

Policy on_lanes(const std::string& engine, bool cover_replies) {
  Policy policy;
  policy.engines = {engine};
  policy.fallback = false;
  policy.cover_replies = cover_replies;
  policy.max_vls = 8;
  return policy;
}

std::vector<NamedRecipe> fabrics() {
  return {
      {"torus", support::torus({4, 4, 4}, 2)},
      {"damaged torus", support::degraded(support::torus({5, 5}, 2), 4, 3)},
      {"random graph", support::random_regular(40, 6, 2, 1)},
      {"few cables", support::random_regular(24, 3, 2, 5)},
      {"ring", support::ring(7, 2)},
      {"islands", support::two_islands(support::torus({4, 4}, 1), support::ring(5, 1))},
  };
}

class LaneRepair : public testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  static Policy policy() { return on_lanes(std::get<0>(GetParam()), std::get<1>(GetParam())); }

  // On several VLs.
  static bool has_routes(const support::Recipe& recipe) {
    const Subnet subnet(recipe);
    const auto selected = select_routes(subnet.topology, subnet.lids, policy());
    return selected && selected->routes.lanes.vls > 1;
  }

  // After a loss.
  std::shared_ptr<const Selected> mend(const Loss& loss) {
    const auto chosen = select_near_home(loss.now(), loss.lids(), loss.home().policy, &loss.home());
    if (!chosen) return nullptr;
    ++((*chosen)->lane_kin != nullptr ? mended_ : anew_);
    return *chosen;
  }

  std::size_t mended_ = 0, anew_ = 0;
};

bool is_safe(const fabric::Verification& proof, const Policy& policy) {
  return proof.deadlock_free() && (!policy.cover_replies || proof.replies_safe());
}

// From one switch to another, or back.
bool passed_a_loss(const Loss& loss, SwitchIndex from, SwitchIndex to) {
  const Home& home = loss.home();
  for (std::uint16_t number = 1; number <= loss.lids().top().value; ++number) {
    const mad::Lid lid{number};
    const auto owner = loss.lids().owner(lid);
    if (owner == fabric::kNoPort) continue;
    const auto at = home.topology->attachment(home.lids->owner(lid))->at;
    if (at == to && loss.passed_a_loss(from, lid)) return true;
    if (at == from && loss.passed_a_loss(to, lid)) return true;
  }
  return false;
}

// All that the contract promises, judged by who knows nothing of repairs. Gives how many paths have
// another level.
std::size_t judge(const Loss& loss, const Selected& mended) {
  const Home& home = loss.home();
  const auto& before = home.selected->routes;
  const auto& after = mended.routes;
  const auto proof = fabric::verify(loss.now(), loss.lids(), after.tables, after.lanes);
  EXPECT_TRUE(proof.reaches_all());
  EXPECT_TRUE(is_safe(proof, home.policy));
  EXPECT_EQ(after.lanes.vls, before.lanes.vls);
  EXPECT_EQ(after.lanes.maps, before.lanes.maps);
  std::size_t changed = 0;
  const auto right = still_right(home, loss.departure(), loss.lids());
  for (std::uint32_t s = 0; s < loss.now().switch_count(); ++s) {
    const SwitchIndex was = loss.departure().at_home[s];
    for (std::uint16_t number = 1; number < right.size(); ++number) {
      const mad::Lid lid{number};
      if (loss.lids().owner(lid) == fabric::kNoPort) continue;
      const auto target = home.topology->attachment(home.lids->owner(lid))->at;
      if (after.lanes.levels.level({s}, lid) != before.lanes.levels.level(was, lid)) {
        ++changed;
        EXPECT_TRUE(passed_a_loss(loss, was, target)) << "LID " << number << " at switch " << s;
      } else if (right[number]) {
        EXPECT_EQ(after.tables.out_port({s}, lid), before.tables.out_port(was, lid))
            << "LID " << number << " did not use what was lost";
      }
    }
  }
  return changed;
}

// From one to the other, and from any moment in between. While anything is as it was clients have
// the levels they were told before, in the end those they are told then.
void expect_no_mixture_harms(const Subnet& subnet, const Policy& policy, const Selected& wanted,
                             const fabric::ForwardingTables& before, const fabric::Lanes& lanes,
                             const Transition& plan, base::Prng& dice) {
  for (int step = 0; step < static_cast<int>(plan.steps); ++step) {
    for (int i = 0; i < 4; ++i) {
      const auto mixed = mixture(before, wanted.routes.tables, plan, step, dice);
      ASSERT_FALSE(goes_round(subnet, mixed)) << "step " << step;
      const auto& told = step == 0 ? lanes : wanted.routes.lanes;
      const auto proof = fabric::verify(subnet.topology, subnet.lids, mixed, told);
      ASSERT_TRUE(is_safe(proof, policy)) << "step " << step;
    }
  }
}

// Home's tables as switches of now hold them.
fabric::ForwardingTables as_now(const Home& home, const Departure& departure) {
  return {
      std::shared_ptr<const fabric::ForwardingTables>(home.selected, &home.selected->routes.tables),
      departure.at_home};
}

fabric::Lanes lanes_of(const Selected& selected, const std::vector<SwitchIndex>& at) {
  const auto& lanes = selected.routes.lanes;
  return {lanes.vls, lanes.levels.of_switches(at), lanes.maps};
}

TEST_P(LaneRepair, IsProvenWhateverWasLost) {
  std::size_t changed = 0, paths = 0;
  for (const auto& [name, recipe] : fabrics()) {
    SCOPED_TRACE(name);
    if (!has_routes(recipe)) continue;
    Loss loss(recipe, policy());
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      base::Prng dice(seed);
      std::vector<std::size_t> links;
      for (std::uint64_t i = 0; i <= seed / 2; ++i) links.push_back(dice.below(loss.link_count()));
      if (seed < 6) {
        loss.without_links(links);
      } else {
        loss.without_switch(links.front());
      }
      const auto chosen = mend(loss);
      // Never has the proof to throw one away.
      const auto made = repair_on_lanes(loss.home(), loss.departure(), loss.now(), loss.lids());
      ASSERT_EQ(chosen != nullptr && !chosen->fresh, made.has_value());
      if (!made) continue;
      EXPECT_EQ(chosen->routes.tables, made->routes.tables);
      changed += judge(loss, *chosen);
      paths += loss.now().switch_count() * loss.lids().top().value;
    }
  }
  EXPECT_GT(mended_, anew_);
  EXPECT_LT(changed, paths / 100);
}

TEST_P(LaneRepair, NoMixtureWithHomeHarms) {
  base::Prng dice(11);
  std::size_t changed = 0, emptied = 0, emptied_on_one = 0;
  for (const auto& [name, recipe] : fabrics()) {
    SCOPED_TRACE(name);
    if (!has_routes(recipe)) continue;
    Loss loss(recipe, policy());
    const Home& home = loss.home();
    const InPlace whole{
        home.topology, {home.selected, &home.selected->routes.tables}, home.selected};
    for (std::size_t link = 0; link < loss.link_count(); link += test::stride(7)) {
      loss.without_links({link});
      const auto chosen = mend(loss);
      if (chosen == nullptr || chosen->lane_kin == nullptr) continue;
      const Subnet now(loss.now(), loss.lids());
      const auto there = plan_transition(now.topology, now.lids, *chosen, whole);
      expect_no_mixture_harms(now, home.policy, *chosen, as_now(home, loss.departure()),
                              lanes_of(*home.selected, loss.departure().at_home), there, dice);
      const InPlace left{std::make_shared<const fabric::Topology>(now.topology),
                         {chosen, &chosen->routes.tables},
                         chosen};
      const auto back = plan_transition(*home.topology, *home.lids, *home.selected, left);
      expect_no_mixture_harms({*home.topology, *home.lids}, home.policy, *home.selected,
                              chosen->routes.tables, chosen->routes.lanes, back, dice);
      changed += there.changed;
      emptied += there.emptied_count();
      // As if there were one lane.
      const InPlace strange{home.topology, whole.tables, nullptr};
      emptied_on_one += plan_transition(now.topology, now.lids, *chosen, strange).emptied_count();
    }
  }
  EXPECT_GT(changed, 0u);
  EXPECT_LT(emptied, emptied_on_one / 2);
}

TEST_P(LaneRepair, NoMixtureOfRepairsHarms) {
  base::Prng dice(5);
  std::size_t changed = 0;
  for (const auto& [name, recipe] : fabrics()) {
    SCOPED_TRACE(name);
    if (!has_routes(recipe)) continue;
    Loss loss(recipe, policy());
    const Home& home = loss.home();
    for (std::size_t link = 0; link + 3 < loss.link_count(); link += test::stride(9)) {
      loss.without_links({link});
      const auto one = mend(loss);
      if (one == nullptr || one->lane_kin == nullptr) continue;
      const Subnet then(loss.now(), loss.lids());
      loss.without_links({link, link + 3});
      const auto both = select_near_home(loss.now(), loss.lids(), home.policy, &home,
                                         base::inline_for, one.get());
      if (!both || (*both)->lane_kin == nullptr) continue;
      const Subnet now(loss.now(), loss.lids());
      const InPlace in_place{
          std::make_shared<const fabric::Topology>(then.topology), {one, &one->routes.tables}, one};
      const auto plan = plan_transition(now.topology, now.lids, **both, in_place);
      expect_no_mixture_harms(now, home.policy, **both, one->routes.tables, one->routes.lanes, plan,
                              dice);
      changed += plan.changed;
    }
  }
  EXPECT_GT(changed, 0u);
}

// Nobody waits for a link that is gone: packets may go round a broken ring on any lane.
TEST(LaneRepairs, NeedFewOtherLevelsOnATorus) {
  Policy policy = on_lanes("weave", true);
  policy.max_vls = 4;
  Loss loss(support::torus({6, 6, 6}, 1), policy);
  ASSERT_EQ(loss.home().selected->routes.lanes.vls, 4);
  std::size_t changed = 0, paths = 0;
  for (std::size_t link = 0; link < loss.link_count(); link += 41) {
    loss.without_links({link});
    const auto repair = repair_on_lanes(loss.home(), loss.departure(), loss.now(), loss.lids());
    ASSERT_TRUE(repair) << "link " << link;
    changed += judge(loss, *repair);
    paths += loss.now().switch_count() * loss.lids().top().value;
  }
  EXPECT_LT(changed, paths / 5000);
}

// What is in place has no say in what is chosen.
TEST_P(LaneRepair, IsTheSameWhateverIsInPlace) {
  const auto torus = support::torus({4, 4}, 2);
  ASSERT_TRUE(has_routes(torus));
  Loss loss(torus, policy());
  const Home& home = loss.home();
  loss.without_links({3});
  const auto one = mend(loss);
  ASSERT_NE(one, nullptr);
  loss.without_links({20});
  const auto plain = mend(loss);
  ASSERT_NE(plain, nullptr);
  const auto beside =
      select_near_home(loss.now(), loss.lids(), home.policy, &home, base::inline_for, one.get());
  ASSERT_TRUE(beside);
  EXPECT_EQ((*beside)->routes.tables, plain->routes.tables);
  EXPECT_EQ((*beside)->routes.lanes, plain->routes.lanes);
}

TEST(LaneRepairs, LeaveOneVlAndOtherTablesForEachPortToOthers) {
  for (const char* engine : {"updn", "torus-2QoS"}) {
    SCOPED_TRACE(engine);
    Loss loss(support::torus({4, 4, 4}, 2), on_lanes(engine, true));
    loss.without_links({0});
    EXPECT_FALSE(repair_on_lanes(loss.home(), loss.departure(), loss.now(), loss.lids()));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, LaneRepair,
                         testing::Values(std::tuple("weave", true), std::tuple("weave", false),
                                         std::tuple("dfsssp", true), std::tuple("dfsssp", false),
                                         std::tuple("lash", true), std::tuple("nue", false)));

}  // namespace
}  // namespace heddle::routing
