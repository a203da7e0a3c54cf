// SPDX-License-Identifier: BSD-3-Clause
#include "routing/ftree.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/islands.hpp"
#include "fabric/verification.hpp"
#include "routing/quality.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

base::Result<Routes> try_route(const Subnet& subnet,
                               const base::ParallelFor& parallel = base::inline_for) {
  return FatTree().route({subnet.topology, subnet.lids, subnet.options, parallel});
}

fabric::Verification proof_of(const Subnet& subnet, const Routes& routes) {
  return fabric::verify(subnet.topology, subnet.lids, routes.tables, routes.lanes);
}

void split_among_two(std::size_t count, const base::RangeWork& work) {
  for (std::size_t i = count; i-- > 0;) work(i, i + 1);
}

// What must hold whatever the fabric is; returns whether it was taken.
bool is_proven_or_refused(const Subnet& subnet, const std::string& name) {
  const auto routes = try_route(subnet);
  if (routes.has_error()) {
    EXPECT_NE(routes.error().message.find("no tree"), std::string::npos) << name;
    return false;
  }
  const auto proof = proof_of(subnet, *routes);
  EXPECT_TRUE(proof.reaches_all()) << name << ": " << proof.faulty_routes << " of " << proof.routes;
  EXPECT_TRUE(proof.deadlock_free())
      << name << ": " << fabric::describe_cycle(subnet.topology, proof.credit_cycle);
  return true;
}

TEST(FatTree, IsProvenOnEveryKindOfFabricOrSaysWhyNot) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    for (std::uint8_t lmc = 0; lmc <= 3; ++lmc) {
      const bool taken = is_proven_or_refused(Subnet(recipe, lmc), name);
      EXPECT_TRUE(taken || name.find("tree") == std::string::npos) << name;
    }
  }
}

TEST(FatTree, GivesTheSameBytesHoweverTheFabricIsToldAndTheWorkIsSplit) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const Subnet subnet(recipe, 1);
    const auto routes = try_route(subnet);
    if (routes.has_error()) continue;
    EXPECT_EQ(routes->tables, try_route(subnet, split_among_two)->tables) << name;
    EXPECT_EQ(routes->tables, try_route(Subnet(support::shuffled(recipe, 5), 1))->tables) << name;
  }
}

TEST(FatTree, RefusesRingsAndToriAndSaysWhy) {
  for (const auto& recipe : {support::ring(7, 2), support::torus({4, 3, 3}, 1)}) {
    const auto routes = try_route(Subnet(recipe));
    ASSERT_TRUE(routes.has_error());
    EXPECT_NE(routes.error().message.find("join two of one level"), std::string::npos)
        << routes.error().message;
  }
}

TEST(FatTree, TakesAnyFabricWhoseSwitchesFormNoRing) {
  support::Recipe line;
  for (int i = 0; i < 300; ++i) {
    line.add_switch("switch");
    if (i > 0) line.join(static_cast<std::size_t>(i - 1), static_cast<std::size_t>(i));
  }
  line.add_hosts(0, 2);
  line.add_hosts(150, 2);
  line.add_hosts(299, 2);
  EXPECT_TRUE(is_proven_or_refused(Subnet(line), "a line of 300 switches"));
  EXPECT_TRUE(is_proven_or_refused(Subnet(support::parallel_links(127, 127)), "254 ports"));
}

struct Damage {
  const char* name;
  support::Recipe recipe;
};

std::vector<Damage> trees_to_damage() {
  return {
      {"two levels", support::xgft({4, 6}, {1, 4})},
      {"three levels", support::xgft({3, 3, 4}, {1, 3, 2})},
      {"three levels, scattered", support::relabelled(support::xgft({2, 4, 3}, {1, 4, 4}), 3)},
      {"four levels", support::xgft({2, 2, 3, 2}, {1, 2, 2, 3})},
      {"hosts on two rails", support::xgft({3, 3, 3}, {2, 2, 2})},
  };
}

// Rows are written as if every way up led everywhere, at first.
TEST(FatTree, SendsNothingTowardAnotherIsland) {
  const auto tree = support::xgft({2, 2, 2}, {1, 2, 2});
  const Subnet subnet(support::two_islands(tree, tree));
  const auto routes = try_route(subnet);
  ASSERT_TRUE(routes);
  const fabric::Islands islands(subnet.topology);
  subnet.for_each_lid([&](mad::Lid lid, SwitchIndex to, mad::PortNumber) {
    for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
      const bool is_sent = routes->tables.out_port({s}, lid) != mad::kNoPortNumber;
      EXPECT_EQ(is_sent, islands.of({s}) == islands.of(to)) << lid.value << " at switch " << s;
    }
  });
}

TEST(FatTree, TakesEveryDamagedTreeWhateverIsMissing) {
  for (const auto& [name, recipe] : trees_to_damage()) {
    const Subnet whole(recipe);
    const auto links = static_cast<unsigned>(whole.topology.channels().size() / 2);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const auto lost = static_cast<unsigned>(base::Prng(seed).below(links + 1));
      const Subnet subnet(support::degraded(recipe, lost, seed), seed % 3 == 0 ? 2 : 0);
      const auto text = std::string(name) + ", seed " + std::to_string(seed);
      EXPECT_TRUE(is_proven_or_refused(subnet, text));
    }
  }
}

// Cables where none belong, on top of missing ones.
TEST(FatTree, IsProvenOnMiscabledTreesOrSaysWhyNot) {
  unsigned taken = 0;
  for (const auto& [name, recipe] : trees_to_damage()) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      base::Prng prng(seed);
      auto wrong = support::degraded(recipe, static_cast<unsigned>(prng.below(6)), seed);
      for (auto extra = prng.below(5) + 1; extra > 0; --extra) {
        wrong.join(prng.below(wrong.nodes.size()), prng.below(wrong.nodes.size()));
      }
      taken += is_proven_or_refused(Subnet(wrong), name + (", seed " + std::to_string(seed)));
    }
  }
  EXPECT_GT(taken, 900u);
}

TEST(FatTree, IsProvenOnMessesOrSaysWhyNot) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    is_proven_or_refused(Subnet(support::random_mess(seed)), "mess " + std::to_string(seed));
  }
}

// Whatever roots the operator names.
TEST(FatTree, IsProvenWithAnyRoots) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    base::Prng prng(seed);
    const auto recipe = seed % 2 == 0 ? support::xgft({2, 3, 3}, {1, 2, 2})
                                      : support::random_regular(12, 4, 2, seed);
    Subnet subnet(support::degraded(recipe, static_cast<unsigned>(prng.below(4)), seed));
    for (auto roots = prng.below(4) + 1; roots > 0; --roots) {
      subnet.options.root_guids.push_back(subnet.topology
                                              .node(fabric::NodeIndex{static_cast<std::uint32_t>(
                                                  prng.below(subnet.topology.node_count()))})
                                              .guid);
    }
    is_proven_or_refused(subnet, "seed " + std::to_string(seed));
  }
}

// Leaves that lack different ways up, so that none shows all there could be: whatever can go on as
// in the whole tree does.
TEST(FatTree, LeavesTheOtherWaysAsTheyWereWhereEachLeafLostOne) {
  const auto recipe = support::xgft({4, 2}, {1, 4});
  auto damaged = recipe;
  const auto is_between_switches = [&](const support::Recipe::Link& link) {
    return std::count_if(recipe.nodes.begin(), recipe.nodes.end(), [&](const fabric::Node& node) {
             return node.type == mad::NodeType::Switch &&
                    (node.guid == link.a.node || node.guid == link.b.node);
           }) == 2;
  };
  const auto first = std::find_if(damaged.links.begin(), damaged.links.end(), is_between_switches);
  ASSERT_NE(first, damaged.links.end());
  const auto lost = *first;
  damaged.links.erase(first);
  damaged.links.erase(std::find_if(damaged.links.begin(), damaged.links.end(), [&](auto& link) {
    return is_between_switches(link) && link.a.node != lost.a.node && link.b.node != lost.b.node;
  }));
  const Subnet before(recipe), after(damaged);
  const auto whole = try_route(before), left = try_route(after);
  ASSERT_TRUE(whole && left);
  std::size_t kept = 0;
  for (const fabric::PortIndex port : after.topology.endports()) {
    const auto place = after.topology.attachment(port);
    if (!place || place->out.value == 0) continue;
    const mad::Lid lid = after.lids.base(port);
    for (std::uint32_t s = 0; s < after.topology.switch_count(); ++s) {
      if (after.topology.channels_from({s}).size() != 3 || s == place->at.value) continue;
      const auto was = whole->tables.out_port({s}, lid);
      const auto channel = after.topology.channel_by_port(SwitchIndex{s}, was);
      if (channel == fabric::kNoChannel) continue;
      const auto above = after.topology.channels()[channel.value].to;
      const auto onward = after.topology.channels_from(above);
      if (std::none_of(onward.begin(), onward.end(),
                       [&](const auto& down) { return down.to == place->at; })) {
        continue;
      }
      EXPECT_EQ(left->tables.out_port({s}, lid), was);
      ++kept;
    }
  }
  EXPECT_EQ(kept, 4u) << "two of four hosts of either leaf";
}

TEST(FatTree, LoadsTheLinksOfAWholeTreeAsEvenlyAsTheyCanBe) {
  const auto tree = support::xgft({6, 6, 6}, {1, 6, 6});
  for (const auto& recipe : {tree, support::relabelled(tree, 1)}) {
    const Subnet subnet(recipe);
    const auto quality = measure_quality(subnet.topology, subnet.lids, try_route(subnet)->tables);
    // A leaf's 6 hosts to the 210 of other leaves, by 6 links.
    EXPECT_EQ(quality.greatest_load, 210u);
    EXPECT_EQ(quality.lost, 0u);
    EXPECT_EQ(quality.max_hops, 4u);
  }
}

TEST(FatTree, LoadsTheCablesToTheOnlySpineEvenly) {
  support::Recipe recipe;
  const std::size_t spine = recipe.add_switch("spine");
  for (const char* name : {"a", "b", "c", "d"}) {
    const std::size_t leaf = recipe.add_switch(name);
    for (int cable = 0; cable < 3; ++cable) recipe.join(leaf, spine);
    recipe.add_hosts(leaf, 6);
  }
  const Subnet subnet(recipe);
  const auto quality = measure_quality(subnet.topology, subnet.lids, try_route(subnet)->tables);
  // A leaf's 6 hosts and the 18 of other leaves, by 3 cables, each way.
  EXPECT_EQ(quality.greatest_load, 36u);
  EXPECT_EQ(quality.lost, 0u);
}

// The switches passed from a leaf to a LID, both ends left out.
std::set<std::uint32_t> passed(const Subnet& subnet, const fabric::ForwardingTables& tables,
                               SwitchIndex from, mad::Lid to, SwitchIndex end) {
  std::set<std::uint32_t> switches;
  for (auto at = from; at != end;) {
    const auto channel = subnet.topology.channel_by_port(at, tables.out_port(at, to));
    at = subnet.topology.channels()[channel.value].to;
    if (at != end) switches.insert(at.value);
  }
  return switches;
}

TEST(FatTree, TheLidsOfOnePortPassDifferentSwitches) {
  const Subnet subnet(support::xgft({4, 4, 3}, {1, 4, 4}), 2);
  const auto tables = try_route(subnet)->tables;
  const auto from = subnet.topology.attachment(subnet.topology.endports().back());
  for (const auto endport : subnet.topology.endports()) {
    const auto end = subnet.topology.attachment(endport);
    const auto range = subnet.lids.range(endport);
    if (end->out.value == 0) continue;
    for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
      const auto channels = subnet.topology.channels_from(SwitchIndex{s});
      const bool leaf = channels.size() == 4 && s < 12;
      if (!leaf || end->at.value == s) continue;
      std::set<std::uint32_t> all;
      std::size_t sum = 0;
      for (std::uint16_t i = 0; i < range.count(); ++i) {
        const mad::Lid lid{static_cast<std::uint16_t>(range.base.value + i)};
        const auto one = passed(subnet, tables, SwitchIndex{s}, lid, end->at);
        all.insert(one.begin(), one.end());
        sum += one.size();
      }
      EXPECT_EQ(all.size(), sum);
    }
  }
  EXPECT_TRUE(from);
}

}  // namespace
}  // namespace heddle::routing
