// SPDX-License-Identifier: BSD-3-Clause
// Balance takes shortcuts where all channels count alike. A channel that does not count has
// everything dealt switch by switch and LID by LID instead, and must change nothing else.
#pragma once

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"

namespace heddle::routing {

// A dead end at the first switch of `recipe` has one way only, so what that counts for is the same.
inline void expect_independent(support::Recipe recipe, std::uint8_t lmc = 0) {
  const auto is_switch = [](const auto& node) { return node.type == mad::NodeType::Switch; };
  const auto first = std::find_if(recipe.nodes.begin(), recipe.nodes.end(), is_switch);
  const auto at = static_cast<std::size_t>(first - recipe.nodes.begin());
  const auto dead_end = recipe.add_switch("dead end");
  recipe.join(dead_end, at);
  const Subnet subnet(recipe, lmc);
  const auto& topology = subnet.topology;
  Options apart;
  apart.uncounted_ports.push_back({recipe.nodes[dead_end].guid, mad::PortNumber{1}});
  for (const char* name : {"minhop", "updn", "dnup"}) {
    const auto* engine = find_engine(name);
    const auto together = engine->route({topology, subnet.lids, {}, base::inline_for});
    const auto alone = engine->route({topology, subnet.lids, apart, base::inline_for});
    ASSERT_TRUE(together && alone);
    for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
      const auto a = together->tables.row({s}), b = alone->tables.row({s});
      ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin())) << name << " at switch " << s;
    }
  }
}

}  // namespace heddle::routing
