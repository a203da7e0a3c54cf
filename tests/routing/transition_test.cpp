// SPDX-License-Identifier: BSD-3-Clause
#include "routing/transition.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "routing/home.hpp"
#include "routing/kin_transition.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/routing/loss.hpp"
#include "tests/routing/mixtures.hpp"

namespace heddle::routing {
namespace {

using fabric::ForwardingTables;
using fabric::SwitchIndex;

Selected selected_of(Routes routes) {
  Selected selected;
  selected.routes = std::move(routes);
  return selected;
}

InPlace place(const Subnet& subnet, const ForwardingTables& tables) {
  return {std::make_shared<const fabric::Topology>(subnet.topology),
          std::make_shared<const ForwardingTables>(tables), nullptr};
}

void expect_no_mixture_harms(const Subnet& subnet, const ForwardingTables& before,
                             const Selected& wanted, const Transition& transition,
                             base::Prng& dice) {
  for (int step = 0; step < static_cast<int>(transition.steps); ++step) {
    for (int i = 0; i < 4; ++i) {
      const auto mixed = mixture(before, wanted.routes.tables, transition, step, dice);
      ASSERT_FALSE(goes_round(subnet, mixed)) << "step " << step;
      ASSERT_TRUE(fabric::verify(subnet.topology, subnet.lids, mixed).deadlock_free())
          << "step " << step;
    }
  }
  const int last = static_cast<int>(transition.steps) - 1;
  for (std::uint32_t s = 0; s < before.switch_count(); ++s) {
    const auto row = wanted.routes.tables.row(SwitchIndex{s});
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
      const mad::Lid number{static_cast<std::uint16_t>(lid)};
      const std::uint8_t old = before.out_port(SwitchIndex{s}, number).value;
      ASSERT_EQ(entry_after(transition, s, lid, old, row[lid], last), row[lid]);
    }
  }
}

TEST(TransitionTest, NoMixtureOfOldAndNewHarms) {
  base::Prng dice(7);
  std::size_t in_order = 0, loops = 0, harmless = 0;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    const Subnet subnet(recipe);
    if (subnet.topology.switch_count() == 0) continue;
    const auto before = subnet.route("updn").tables;
    for (const char* engine : {"updn", "dnup", "weave", "sssp"}) {
      SCOPED_TRACE(engine);
      const auto wanted = selected_of(subnet.route(engine));
      // What nobody would write: it has a credit loop of its own.
      if (!fabric::verify(subnet.topology, subnet.lids, wanted.routes.tables).deadlock_free()) {
        continue;
      }
      const auto transition =
          plan_transition(subnet.topology, subnet.lids, wanted, place(subnet, before));
      expect_no_mixture_harms(subnet, before, wanted, transition, dice);
      in_order += !transition.late.empty();
      loops += transition.clashing > 0;
      harmless += transition.changed > 0 && transition.steps == 1;
    }
  }
  EXPECT_GT(in_order, 5u);
  EXPECT_GT(loops, 5u);
  EXPECT_GT(harmless, 5u);
}

TEST(TransitionTest, WhatStaysIsNotEmptied) {
  const Subnet subnet(support::ring(7, 2));
  const auto tables = subnet.route("updn").tables;
  const auto transition = plan_transition(subnet.topology, subnet.lids,
                                          selected_of(subnet.route("updn")), place(subnet, tables));
  EXPECT_EQ(transition.changed, 0u);
  EXPECT_TRUE(transition.emptied.empty());
  EXPECT_TRUE(transition.beside_losses.empty());
}

// On one lane these routes would lock up by themselves, and who keeps to which lane changes too.
TEST(TransitionTest, RoutesThatNeedLanesAreNotMixedWithOthers) {
  const Subnet subnet(support::ring(7, 2));
  const Request request{subnet.topology, subnet.lids, subnet.options, base::inline_for, 4};
  const auto wanted = selected_of(*find_engine("dfsssp")->route(request));
  ASSERT_GT(wanted.routes.lanes.vls, 1);
  const auto before = subnet.route("updn").tables;
  const auto transition =
      plan_transition(subnet.topology, subnet.lids, wanted, place(subnet, before));
  EXPECT_GT(transition.changed, 0u);
  EXPECT_EQ(transition.emptied_count(), transition.changed);
}

// The other way round the ring: neighbours that send to each other are what goes round.
TEST(TransitionTest, TurningBackGoesRound) {
  const Subnet subnet(support::ring(3, 1));
  auto before = subnet.route("minhop").tables;
  const auto wanted = selected_of(subnet.route("minhop"));
  const auto lid = subnet.lids.base(subnet.topology.attachment(subnet.topology.endports().back())
                                        ? subnet.topology.endports().back()
                                        : subnet.topology.endports().front());
  const SwitchIndex home = subnet.topology.attachment(subnet.lids.owner(lid))->at;
  for (std::uint32_t s = 0; s < 3; ++s) {
    if (s == home.value) continue;
    for (const auto& channel : subnet.topology.channels_from(SwitchIndex{s})) {
      if (channel.to != home && s < channel.to.value) before.set(SwitchIndex{s}, lid, channel.out);
    }
  }
  auto turned = wanted;
  for (std::uint32_t s = 0; s < 3; ++s) {
    if (s == home.value) continue;
    for (const auto& channel : subnet.topology.channels_from(SwitchIndex{s})) {
      if (channel.to != home && s > channel.to.value) {
        turned.routes.tables.set(SwitchIndex{s}, lid, channel.out);
      }
    }
  }
  const auto transition =
      plan_transition(subnet.topology, subnet.lids, turned, place(subnet, before));
  EXPECT_EQ(transition.circling, 1u);
  EXPECT_TRUE(transition.emptied.empty()) << "written in the right order, nothing is lost";
  EXPECT_EQ(transition.steps, 2u);
  ASSERT_EQ(transition.late.size(), 1u);
  EXPECT_EQ(transition.late.front().lid, lid);
}

TEST(TransitionTest, ARepairFitsInWithoutALook) {
  const auto recipe = support::xgft({3, 3, 4}, {1, 3, 2});
  const Subnet whole(recipe);
  auto chosen = select_routes(whole.topology, whole.lids, {});
  ASSERT_TRUE(chosen);
  const auto routes = std::make_shared<const Selected>(std::move(*chosen));
  const Home home{std::make_shared<const fabric::Topology>(whole.topology),
                  std::make_shared<const fabric::LidMap>(whole.lids),
                  {},
                  routes};
  const Subnet less(support::degraded(recipe, 1, 3));
  const auto repaired = select_near_home(less.topology, less.lids, {}, &home);
  ASSERT_TRUE(repaired);
  ASSERT_NE((*repaired)->kin, nullptr);
  EXPECT_EQ((*repaired)->kin->certificate, routes->certificate);
  const InPlace before{home.topology, {routes, &routes->routes.tables}, routes};
  const auto there = plan_transition(less.topology, less.lids, **repaired, before);
  EXPECT_GT(there.changed, 0u);
  EXPECT_EQ(there.clashing, 0u);
  EXPECT_TRUE(there.emptied.empty());
  EXPECT_EQ(there.beside_losses.size(), 2u);
  base::Prng dice(1);
  expect_no_mixture_harms(less, routes->routes.tables, **repaired, there, dice);
  const InPlace after{std::make_shared<const fabric::Topology>(less.topology),
                      {*repaired, &(*repaired)->routes.tables},
                      *repaired};
  const auto back = plan_transition(whole.topology, whole.lids, *routes, after);
  EXPECT_EQ(back.clashing, 0u);
  EXPECT_TRUE(back.emptied.empty());
  expect_no_mixture_harms(whole, (*repaired)->routes.tables, *routes, back, dice);
}

// A repair that does not say what it changed.
void expect_same_untold(const Subnet& subnet, Selected wanted, const InPlace& before,
                        const Transition& plan) {
  wanted.changes.clear();
  const auto untold = plan_transition(subnet.topology, subnet.lids, wanted, before);
  EXPECT_EQ(plan.late, untold.late);
  EXPECT_EQ(plan.emptied, untold.emptied);
  EXPECT_EQ(plan.steps, untold.steps);
  EXPECT_EQ(plan.changed, untold.changed);
  EXPECT_EQ(plan.circling, untold.circling);
  EXPECT_EQ(plan.clashing, untold.clashing);
}

// A loss, another one, the return of the first, and the return of all.
TEST(TransitionTest, NoMixtureOfRepairsHarms) {
  std::size_t among_kin = 0, late = 0, emptied = 0;
  base::Prng dice(11);
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    Loss loss(recipe);
    if (loss.link_count() < 2 || !loss.home().selected->certificate) continue;
    const std::size_t first = dice.below(loss.link_count()), second = dice.below(loss.link_count());
    InPlace before{loss.home().topology,
                   {loss.home().selected, &loss.home().selected->routes.tables},
                   loss.home().selected};
    for (const auto& links :
         std::vector<std::vector<std::size_t>>{{first}, {first, second}, {second}, {}}) {
      loss.without_links(links);
      const auto chosen = select_near_home(loss.now(), loss.lids(), loss.home().policy,
                                           &loss.home(), base::inline_for, before.selected.get());
      ASSERT_TRUE(chosen);
      const Subnet now(loss.now(), loss.lids());
      const auto plan = plan_transition(now.topology, now.lids, **chosen, before);
      if (loss.now().switch_count() == before.topology->switch_count()) {
        expect_no_mixture_harms(now, *before.tables, **chosen, plan, dice);
      }
      const auto kin = plan_among_kin(now.topology, now.lids, **chosen, before);
      among_kin += kin ? 1 : 0;
      expect_same_untold(now, **chosen, before, plan);
      late += plan.late.size();
      emptied += plan.emptied_count();
      before = {std::make_shared<const fabric::Topology>(now.topology),
                {*chosen, &(*chosen)->routes.tables},
                *chosen};
    }
  }
  EXPECT_GT(among_kin, 50u);
  EXPECT_GT(late, 0u);
  RecordProperty("emptied", static_cast<int>(emptied));
}

}  // namespace
}  // namespace heddle::routing
