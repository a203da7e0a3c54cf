// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "routing/orientation.hpp"
#include "routing/quality.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Walks every route and counts the turns from down to up.
unsigned illegal_turns(const Subnet& subnet, const fabric::ForwardingTables& tables) {
  const auto orientation = orient(subnet.topology, subnet.options.root_guids);
  unsigned turns = 0;
  subnet.for_each_lid([&](mad::Lid lid, SwitchIndex target, mad::PortNumber) {
    for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
      SwitchIndex at{s};
      bool descended = false;
      for (std::size_t step = 0; at != target && step < subnet.topology.switch_count(); ++step) {
        const auto out = tables.out_port(at, lid);
        if (out == mad::kNoPortNumber) break;  // another island
        const auto& channel =
            subnet.topology.channels()[subnet.topology.channel_by_port(at, out).value];
        const bool up = orientation.is_up(at, channel.to);
        turns += up && descended;
        descended |= !up;
        at = channel.to;
      }
    }
  });
  return turns;
}

TEST(UpDown, NoRouteClimbsAfterDescending) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const Subnet subnet(recipe);
    EXPECT_EQ(illegal_turns(subnet, subnet.route("updn").tables), 0u) << name;
  }
}

TEST(UpDown, NoFabricGivesACreditLoopWhateverTheRoots) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    Subnet subnet(recipe, 1);
    for (unsigned given = 0; given < 3; ++given) {
      const auto routes = subnet.route("updn");
      EXPECT_TRUE(fabric::verify(subnet.topology, subnet.lids, routes.tables).proven()) << name;
      const auto switches = subnet.topology.switch_count();
      if (switches == 0) break;
      const SwitchIndex next{static_cast<std::uint32_t>((given + 1) * 7 % switches)};
      subnet.options.root_guids.push_back(subnet.topology.node(next).guid);
    }
  }
}

TEST(UpDown, HostsOnATreeAreAsNearAsWithMinHop) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Subnet subnet(support::relabelled(support::xgft({4, 4, 6}, {1, 4, 4}), seed));
    const auto hops = [&](const char* engine) {
      return measure_quality(subnet.topology, subnet.lids, subnet.route(engine).tables).mean_hops;
    };
    EXPECT_DOUBLE_EQ(hops("updn"), hops("minhop"));
  }
}

TEST(UpDown, ASwitchDescendsThoughClimbingIsNearerWhereAnotherNeedsIt) {
  // From s the short way to t climbs to q. But r must come down through s, a and b, as its other
  // way leads over the root; and what came down to s may not climb.
  support::Recipe recipe;
  for (const char* name : {"root", "r1", "r2", "r", "q1", "q2", "q3", "q", "s", "a", "b", "t"}) {
    recipe.add_switch(name);
  }
  const auto place = [&](std::string_view name) {
    const auto named = [&](const auto& node) { return node.description == name; };
    return static_cast<std::size_t>(std::find_if(recipe.nodes.begin(), recipe.nodes.end(), named) -
                                    recipe.nodes.begin());
  };
  for (const auto& [upper, lower] : std::vector<std::pair<const char*, const char*>>{{"root", "r1"},
                                                                                     {"r1", "r2"},
                                                                                     {"r2", "r"},
                                                                                     {"r", "s"},
                                                                                     {"root", "q1"},
                                                                                     {"q1", "q2"},
                                                                                     {"q2", "q3"},
                                                                                     {"q3", "q"},
                                                                                     {"q", "s"},
                                                                                     {"s", "a"},
                                                                                     {"a", "b"},
                                                                                     {"q", "b"},
                                                                                     {"b", "t"},
                                                                                     {"q", "t"}}) {
    recipe.join(place(upper), place(lower));
  }
  for (const char* name : {"r", "t"}) recipe.add_hosts(place(name), 1);
  Subnet subnet(recipe);
  subnet.options.root_guids = {recipe.nodes[place("root")].guid};
  const auto routes = subnet.route("updn");
  EXPECT_TRUE(fabric::verify(subnet.topology, subnet.lids, routes.tables).proven());
  EXPECT_EQ(illegal_turns(subnet, routes.tables), 0u);
}

// The shortest legal way for each (switch, has descended) state, by relaxation.
std::vector<unsigned> legal_distances(const Subnet& subnet, const Orientation& orientation,
                                      SwitchIndex target) {
  constexpr unsigned kFar = 1'000'000;
  const std::size_t count = subnet.topology.switch_count();
  std::vector<unsigned> climbing(count, kFar), descending(count, kFar);
  climbing[target.value] = descending[target.value] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    const auto improve = [&](unsigned& known, unsigned over) {
      if (over + 1 >= known) return;
      known = over + 1;
      changed = true;
    };
    for (const auto& channel : subnet.topology.channels()) {
      const auto from = channel.from.value, to = channel.to.value;
      if (orientation.is_up(channel.from, channel.to)) {
        improve(climbing[from], climbing[to]);
      } else {
        improve(climbing[from], descending[to]);
        improve(descending[from], descending[to]);
      }
    }
  }
  return climbing;
}

TEST(UpDown, ALineTreeOrRingTakesTheShortestLegalWays) {
  for (const auto& recipe :
       {support::xgft({2, 3, 4}, {1, 2, 2}), support::ring(9, 1), support::parallel_links(3, 2)}) {
    const Subnet subnet(recipe);
    const auto routes = subnet.route("updn");
    const auto orientation = orient(subnet.topology, {});
    const auto proof = fabric::verify(subnet.topology, subnet.lids, routes.tables);
    double hops = 0;
    subnet.for_each_lid([&](mad::Lid, SwitchIndex target, mad::PortNumber) {
      for (const unsigned one : legal_distances(subnet, orientation, target)) hops += one;
    });
    EXPECT_DOUBLE_EQ(proof.mean_hops, hops / static_cast<double>(proof.routes));
  }
}

}  // namespace
}  // namespace heddle::routing
