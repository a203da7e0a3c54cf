// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fabric/recheck.hpp"
#include "fabric/verification.hpp"
#include "routing/repair.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {

// The judge's view of the whole, at once.
inline bool follows(const fabric::Proven& proven, const fabric::Remains& remains,
                    const fabric::Claim& claim,
                    std::vector<fabric::TableChange>* changes = nullptr) {
  fabric::Recheck judge(proven, remains);
  for (std::size_t i = 0; i < judge.kLooks; ++i) judge.look(i);
  return judge.follows(claim, base::inline_for, changes);
}

// A fabric, its routes, and what is left of it after a loss.
class Loss {
 public:
  Loss(support::Recipe recipe, const Policy& policy = {}) : recipe_(std::move(recipe)) {
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
    support::Recipe less = recipe_;
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
    support::Recipe less = recipe_;
    const auto& guids = switches();
    const mad::Guid guid = guids[number % guids.size()];
    std::erase_if(less.nodes, [&](const fabric::Node& node) { return node.guid == guid; });
    std::erase_if(less.links, [&](const support::Recipe::Link& link) {
      return link.a.node == guid || link.b.node == guid;
    });
    return after(less);
  }
  std::size_t link_count() const { return links_between_switches(recipe_).size(); }

  // All that the contract promises, judged by who knows nothing of repairs.
  void judge(const Repair& repair) const {
    const Selected selected = repaired(home_, departure_, now_, repair);
    EXPECT_TRUE(is_shown(selected.routes.tables, repair.places));
    const auto proof = fabric::verify(now_, lids_, selected.routes.tables);
    EXPECT_TRUE(proof.proven());
    EXPECT_EQ(proof.routes, selected.proof.routes);
    EXPECT_LE(proof.max_hops, selected.proof.max_hops);
    const auto right = still_right(home_, departure_, lids_);
    const auto& before = home_.selected->routes.tables;
    std::size_t changed = 0;
    for (std::uint32_t s = 0; s < now_.switch_count(); ++s) {
      const fabric::SwitchIndex old = departure_.at_home[s];
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

  // By the judge who looks only at what differs. places: as in Repair.
  bool is_shown(const fabric::ForwardingTables& tables, const std::vector<std::uint32_t>& places,
                std::vector<fabric::TableChange>* changes = nullptr) const {
    const Selected& before = *home_.selected;
    return follows(
        {*home_.topology, *home_.lids, before.routes.tables, before.certificate->witness()},
        {now_, lids_, departure_.at_home}, {tables, before.certificate->by_topology(places)},
        changes);
  }

  // Whether packets from here passed a link that is gone, on home's tables.
  bool passed_a_loss(fabric::SwitchIndex at, mad::Lid lid) const {
    const auto target = home_.topology->attachment(home_.lids->owner(lid))->at;
    const auto& tables = home_.selected->routes.tables;
    while (at != target) {
      const auto& channel =
          home_.topology
              ->channels()[home_.topology->channel_by_port(at, tables.out_port(at, lid)).value];
      const auto here = now_.find_node(home_.topology->node(channel.from).guid);
      if (!here || now_.channel_by_port(fabric::SwitchIndex{here->value}, channel.out) ==
                       fabric::kNoChannel) {
        return true;
      }
      at = channel.to;
    }
    return false;
  }

 private:
  static bool is_switch(const support::Recipe& recipe, mad::Guid guid) {
    return std::any_of(recipe.nodes.begin(), recipe.nodes.end(), [&](const fabric::Node& node) {
      return node.guid == guid && node.type == mad::NodeType::Switch;
    });
  }
  static std::vector<std::size_t> links_between_switches(const support::Recipe& recipe) {
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
  std::optional<Repair> after(const support::Recipe& less) {
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
  support::Recipe recipe_;
  Home home_;
  fabric::Topology now_;
  fabric::LidMap lids_;
  Departure departure_;
};

}  // namespace heddle::routing
