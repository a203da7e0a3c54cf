// SPDX-License-Identifier: BSD-3-Clause
#include "routing/repair.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using support::Recipe;

// A fabric, its routes, and what is left of it after a loss.
class Loss {
 public:
  Loss(Recipe recipe, const Policy& policy = {}) : recipe_(std::move(recipe)) {
    const Subnet whole(recipe_);
    home_.topology = std::make_shared<const fabric::Topology>(whole.topology);
    home_.lids = std::make_shared<const fabric::LidMap>(whole.lids);
    home_.policy = policy;
    auto selected = select_routes(*home_.topology, *home_.lids, policy);
    EXPECT_TRUE(selected);
    home_.selected = std::make_shared<const Selected>(std::move(*selected));
  }

  const Home& home() const { return home_; }
  const fabric::Topology& now() const { return now_; }
  const Departure& departure() const { return departure_; }
  const fabric::LidMap& lids() const { return lids_; }

  // Nothing if these links cannot go around.
  std::optional<Repair> without_links(const std::vector<std::size_t>& links) {
    Recipe less = recipe_;
    const auto inner = links_between_switches(less);
    std::vector<std::size_t> places;
    for (const std::size_t link : links) places.push_back(inner[link % inner.size()]);
    std::sort(places.rbegin(), places.rend());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const std::size_t place : places) {
      less.links.erase(less.links.begin() + static_cast<std::ptrdiff_t>(place));
    }
    return after(less);
  }
  std::optional<Repair> without_switch(std::size_t number) {
    Recipe less = recipe_;
    const auto& guids = switches();
    const mad::Guid guid = guids[number % guids.size()];
    std::erase_if(less.nodes, [&](const fabric::Node& node) { return node.guid == guid; });
    std::erase_if(less.links, [&](const Recipe::Link& link) {
      return link.a.node == guid || link.b.node == guid;
    });
    return after(less);
  }
  std::size_t link_count() const { return links_between_switches(recipe_).size(); }

  // All that the contract promises, judged by who knows nothing of repairs.
  void judge(const Repair& repair) const {
    const Selected selected = repaired(home_, departure_, now_, lids_, repair);
    const auto proof = fabric::verify(now_, lids_, selected.routes.tables);
    EXPECT_TRUE(proof.proven());
    EXPECT_EQ(proof.routes, selected.proof.routes);
    EXPECT_LE(proof.max_hops, selected.proof.max_hops);
    const auto right = still_right(home_, departure_, lids_);
    const auto& before = home_.selected->routes.tables;
    std::size_t changed = 0;
    for (std::uint32_t s = 0; s < now_.switch_count(); ++s) {
      const SwitchIndex old = departure_.at_home[s];
      for (std::uint32_t number = 1; number < before.row_size(); ++number) {
        const mad::Lid lid{static_cast<std::uint16_t>(number)};
        if (selected.routes.tables.out_port({s}, lid) == before.out_port(old, lid)) continue;
        ++changed;
        EXPECT_FALSE(right[number]) << "LID " << number << " did not use what was lost";
        const bool own = home_.topology->is_switch(home_.topology->node_of(home_.lids->owner(lid)));
        EXPECT_TRUE(own || passed_a_loss(old, lid)) << "LID " << number << " at switch " << s;
      }
    }
    EXPECT_EQ(changed, repair.entries.size());
  }

 private:
  static bool is_switch(const Recipe& recipe, mad::Guid guid) {
    return std::any_of(recipe.nodes.begin(), recipe.nodes.end(), [&](const fabric::Node& node) {
      return node.guid == guid && node.type == mad::NodeType::Switch;
    });
  }
  static std::vector<std::size_t> links_between_switches(const Recipe& recipe) {
    std::vector<std::size_t> links;
    for (std::size_t i = 0; i < recipe.links.size(); ++i) {
      const auto& link = recipe.links[i];
      if (is_switch(recipe, link.a.node) && is_switch(recipe, link.b.node)) links.push_back(i);
    }
    return links;
  }
  std::vector<mad::Guid> switches() const {
    std::vector<mad::Guid> guids;
    for (const auto& node : recipe_.nodes) {
      if (node.type == mad::NodeType::Switch) guids.push_back(node.guid);
    }
    return guids;
  }
  std::optional<Repair> after(const Recipe& less) {
    now_ = support::build(less);
    lids_ = fabric::LidMap(now_.port_count());
    for (const fabric::PortIndex port : now_.endports()) {
      const auto node = home_.topology->find_node(now_.node(now_.node_of(port)).guid);
      EXPECT_TRUE(lids_.assign(
          port, home_.lids->range(home_.topology->port_of(*node, now_.number_of(port)))));
    }
    departure_ = departure_from(home_, now_, lids_, home_.policy);
    EXPECT_TRUE(departure_.comparable);
    return repair(home_, departure_, now_, lids_);
  }
  // Whether packets from here passed a link that is gone, on home's tables.
  bool passed_a_loss(SwitchIndex at, mad::Lid lid) const {
    const auto target = home_.topology->attachment(home_.lids->owner(lid))->at;
    const auto& tables = home_.selected->routes.tables;
    while (at != target) {
      const auto& channel =
          home_.topology
              ->channels()[home_.topology->channel_by_port(at, tables.out_port(at, lid)).value];
      const auto here = now_.find_node(home_.topology->node(channel.from).guid);
      if (!here ||
          now_.channel_by_port(SwitchIndex{here->value}, channel.out) == fabric::kNoChannel) {
        return true;
      }
      at = channel.to;
    }
    return false;
  }

  Recipe recipe_;
  Home home_;
  fabric::Topology now_;
  fabric::LidMap lids_;
  Departure departure_;
};

TEST(Repair, AnyLinkOfATreeGoesAround) {
  Loss loss(support::xgft({4, 4, 4}, {1, 4, 4}));
  for (std::size_t link = 0; link < loss.link_count(); ++link) {
    const auto repair = loss.without_links({link});
    ASSERT_TRUE(repair) << "link " << link;
    EXPECT_FALSE(repair->entries.empty());
    loss.judge(*repair);
  }
}

TEST(Repair, NearlyAnySwitchOfATreeGoesAround) {
  Loss loss(support::xgft({4, 4, 4}, {1, 4, 4}));
  std::size_t mended = 0;
  for (std::size_t number = 0; number < 48; ++number) {
    const auto repair = loss.without_switch(number);
    if (!repair) continue;
    ++mended;
    loss.judge(*repair);
  }
  EXPECT_GE(mended, 44u);
}

TEST(Repair, WhatUsedALostLinkSpreadsOverTheOthers) {
  // One leaf of 4 uplinks loses one: its 48 far hosts' LIDs go by the other three alike.
  Loss loss(support::xgft({4, 16}, {1, 4}));
  const auto repair = loss.without_links({0});
  ASSERT_TRUE(repair);
  std::map<std::pair<std::uint32_t, unsigned>, int> by_port;
  for (const auto& entry : repair->entries) {
    ++by_port[{entry.at.value, entry.out.value}];
  }
  std::map<std::uint32_t, std::vector<int>> by_switch;
  for (const auto& [place, count] : by_port) by_switch[place.first].push_back(count);
  bool found = false;
  for (const auto& [at, counts] : by_switch) {
    if (counts.size() != 3) continue;
    found = true;
    EXPECT_LE(*std::max_element(counts.begin(), counts.end()),
              *std::min_element(counts.begin(), counts.end()) + 2);
  }
  EXPECT_TRUE(found);
}

// On any fabric, with any loss: proven, near, or nothing.
TEST(Repair, IsProvenWhateverWasLost) {
  std::size_t mended = 0, given_up = 0;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    Loss loss(recipe);
    if (loss.link_count() == 0) continue;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      base::Prng prng(seed);
      std::vector<std::size_t> links;
      for (std::uint64_t i = 0; i <= seed; ++i) links.push_back(prng.below(loss.link_count()));
      const auto repair = loss.without_links(links);
      ++(repair ? mended : given_up);
      if (repair) loss.judge(*repair);
    }
  }
  EXPECT_GT(mended, given_up);
}

TEST(Repair, IslandsThatFallApartLeadNowhere) {
  Loss loss(support::parallel_links(1, 3));
  const auto repair = loss.without_links({0});
  ASSERT_TRUE(repair);
  ASSERT_FALSE(repair->entries.empty());
  for (const auto& entry : repair->entries) EXPECT_EQ(entry.out, mad::kNoPortNumber);
  loss.judge(*repair);
}

TEST(Repair, IsWhatTheSubnetManagerTakes) {
  Loss loss(support::xgft({4, 4, 4}, {1, 4, 4}));
  const auto repair = loss.without_links({5, 17});
  ASSERT_TRUE(repair);
  const auto selected = select_near_home(loss.now(), loss.lids(), loss.home().policy, &loss.home());
  ASSERT_TRUE(selected);
  const Selected expected =
      repaired(loss.home(), loss.departure(), loss.now(), loss.lids(), *repair);
  EXPECT_EQ((*selected)->routes.tables, expected.routes.tables);
  EXPECT_FALSE((*selected)->fresh);
}

TEST(Repair, LoopsThatWereAcceptedAreNotMended) {
  Policy policy;
  policy.engines = {"minhop"};
  policy.fallback = false;
  policy.accept_credit_loops = true;
  Loss loss(support::ring(7, 2), policy);
  EXPECT_EQ(loss.home().selected->certificate, nullptr);
  EXPECT_FALSE(loss.without_links({0}));
}

}  // namespace
}  // namespace heddle::routing
