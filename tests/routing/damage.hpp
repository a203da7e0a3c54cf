// SPDX-License-Identifier: BSD-3-Clause
// What is left of a fabric when some of its switches or links are lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/support/topologies.hpp"

namespace heddle::routing {

// Without these switches (places in recipe.nodes), their links, and the hosts that hung on them.
inline support::Recipe without_switches(const support::Recipe& recipe,
                                        const std::vector<std::size_t>& lost) {
  std::vector<mad::Guid> gone;
  for (const std::size_t place : lost) gone.push_back(recipe.nodes[place].guid);
  const auto is_gone = [&](mad::Guid guid) {
    return std::find(gone.begin(), gone.end(), guid) != gone.end();
  };
  const auto is_switch = [&](mad::Guid guid) {
    for (const auto& node : recipe.nodes) {
      if (node.guid == guid) return node.type == mad::NodeType::Switch;
    }
    return false;
  };
  std::vector<mad::Guid> hosts;
  for (const auto& link : recipe.links) {
    if (is_gone(link.a.node) && !is_switch(link.b.node)) hosts.push_back(link.b.node);
    if (is_gone(link.b.node) && !is_switch(link.a.node)) hosts.push_back(link.a.node);
  }
  gone.insert(gone.end(), hosts.begin(), hosts.end());
  support::Recipe left;
  for (const auto& node : recipe.nodes) {
    if (!is_gone(node.guid)) left.nodes.push_back(node);
  }
  for (const auto& link : recipe.links) {
    if (!is_gone(link.a.node) && !is_gone(link.b.node)) left.links.push_back(link);
  }
  return left;
}

// Without the cables between two switches.
inline support::Recipe without_link(support::Recipe recipe, std::size_t a, std::size_t b) {
  const mad::Guid one = recipe.nodes[a].guid, other = recipe.nodes[b].guid;
  std::erase_if(recipe.links, [&](const auto& link) {
    return (link.a.node == one && link.b.node == other) ||
           (link.a.node == other && link.b.node == one);
  });
  return recipe;
}

}  // namespace heddle::routing
