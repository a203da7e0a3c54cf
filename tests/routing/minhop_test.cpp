// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "routing/quality.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr unsigned kFar = 1'000'000;

// All distances between switches by relaxing every channel until nothing changes.
std::vector<std::vector<unsigned>> plain_distances(const fabric::Topology& topology) {
  const std::size_t count = topology.switch_count();
  std::vector<std::vector<unsigned>> distance(count, std::vector<unsigned>(count, kFar));
  for (std::size_t s = 0; s < count; ++s) distance[s][s] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& channel : topology.channels()) {
      for (std::size_t to = 0; to < count; ++to) {
        const unsigned over = distance[channel.to.value][to] + 1;
        if (over >= distance[channel.from.value][to]) continue;
        distance[channel.from.value][to] = over;
        changed = true;
      }
    }
  }
  return distance;
}

TEST(MinHop, EveryStepComesNearer) {
  for (const auto& tried : all_kinds_of_fabrics()) {
    const Subnet subnet(tried.recipe, 1);
    const auto tables = subnet.route("minhop").tables;
    const auto distance = plain_distances(subnet.topology);
    subnet.for_each_lid([&](mad::Lid lid, SwitchIndex target, mad::PortNumber) {
      for (std::uint32_t s = 0; s < distance.size(); ++s) {
        if (s == target.value || distance[s][target.value] == kFar) continue;
        const auto channel =
            subnet.topology.channel_by_port(SwitchIndex{s}, tables.out_port(SwitchIndex{s}, lid));
        ASSERT_NE(channel, fabric::kNoChannel) << tried.name;
        const auto next = subnet.topology.channels()[channel.value].to;
        EXPECT_EQ(distance[next.value][target.value] + 1, distance[s][target.value]) << tried.name;
      }
    });
  }
}

// How many LIDs of hosts leave a switch by each port to another switch.
std::map<unsigned, unsigned> lids_by_port(const Subnet& subnet,
                                          const fabric::ForwardingTables& tables, SwitchIndex at) {
  std::map<unsigned, unsigned> count;
  for (const auto& channel : subnet.topology.channels_from(at)) count[channel.out.value] = 0;
  subnet.for_each_lid([&](mad::Lid lid, SwitchIndex, mad::PortNumber own) {
    const auto out = tables.out_port(at, lid).value;
    if (own.value != 0 && count.count(out) != 0) ++count[out];
  });
  return count;
}

TEST(MinHop, ParallelCablesCarryAlike) {
  const Subnet subnet(support::parallel_links(4, 10));
  const auto tables = subnet.route("minhop").tables;
  for (std::uint32_t s : {0u, 1u}) {
    for (const auto& [port, count] : lids_by_port(subnet, tables, SwitchIndex{s})) {
      EXPECT_GE(count, 2u) << "port " << port;
      EXPECT_LE(count, 3u) << "port " << port;
    }
  }
}

TEST(MinHop, UplinksOfALeafCarryAlike) {
  const Subnet subnet(support::relabelled(support::xgft({6, 8}, {1, 4}), 2));
  const auto tables = subnet.route("minhop").tables;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    const auto counts = lids_by_port(subnet, tables, SwitchIndex{s});
    if (counts.size() != 4) continue;  // a top switch
    const auto [least, most] =
        std::minmax_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_LE(most->second - least->second, 1u);
  }
}

// A fat tree is routed perfectly when every channel of one level and direction carries the same.
double overload(const support::Recipe& recipe, const char* engine) {
  const Subnet subnet(recipe);
  const auto quality = measure_quality(subnet.topology, subnet.lids, subnet.route(engine).tables);
  EXPECT_EQ(quality.lost, 0u);
  return static_cast<double>(quality.greatest_load) / quality.mean_load;
}

TEST(Balance, TheLevelsOfATreeDoNotMarchInLockstep) {
  const auto tree = support::xgft({6, 6, 12}, {1, 6, 6});
  for (const char* engine : {"minhop", "updn"}) {
    EXPECT_LT(overload(tree, engine), 1.1) << engine;
    // GUIDs and port numbers as they come from the factory and the installer.
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      EXPECT_LT(overload(support::relabelled(tree, seed), engine), 1.1) << engine << seed;
    }
  }
}

TEST(Balance, LidsOfLeavesThemselvesAreSpreadLikeOthers) {
  for (const unsigned leaves : {6u, 30u}) {
    const Subnet subnet(support::xgft({6, leaves}, {1, 6}));
    for (const char* engine : {"minhop", "updn", "dnup"}) {
      const auto tables = subnet.route(engine).tables;
      std::map<std::uint8_t, unsigned> by_port;
      subnet.for_each_lid([&](mad::Lid lid, fabric::SwitchIndex at, mad::PortNumber out) {
        if (out.value != 0 || at.value == 0 || at.value >= leaves) return;
        ++by_port[tables.entry(fabric::SwitchIndex{0}, lid.value)];
      });
      EXPECT_EQ(by_port.size(), std::min(leaves - 1, 6u)) << engine;
      for (const auto& [port, count] : by_port) EXPECT_LE(count, (leaves + 5) / 6) << engine;
    }
  }
}

TEST(Balance, ALostLinkDoesNotDisturbTheRest) {
  // A leaf without one of its six links must share five, so some link carries twice; none more.
  const auto tree = support::xgft({6, 6, 12}, {1, 6, 6});
  for (const char* engine : {"minhop", "updn"}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      EXPECT_LT(overload(support::degraded(tree, 20, seed), engine), 2.5) << engine << seed;
    }
  }
}

// Two chassis with two switches each, between two leaves; two cables to each switch.
support::Recipe chassis_fabric() {
  support::Recipe recipe;
  recipe.add_switch("left");
  recipe.add_switch("right");
  for (const std::uint64_t chassis : {0x100u, 0x200u}) {
    for (int i = 0; i < 2; ++i) {
      const auto spine = recipe.add_switch("spine", mad::Guid{chassis});
      for (const std::size_t leaf : {0u, 1u}) {
        recipe.join(leaf, spine);
        recipe.join(leaf, spine);
      }
    }
  }
  for (const std::size_t leaf : {0u, 1u}) recipe.add_hosts(leaf, 5);
  return recipe;
}

TEST(MinHop, TheLidsOfAPortGoByDifferentSystemsThenSwitchesThenLinks) {
  for (std::uint8_t lmc = 1; lmc <= 3; ++lmc) {
    const Subnet subnet(chassis_fabric(), lmc);
    const auto tables = subnet.route("minhop").tables;
    for (const auto port : subnet.topology.endports()) {
      const auto at = subnet.topology.attachment(port);
      if (!at || at->out.value == 0) continue;
      const SwitchIndex other{1 - at->at.value};
      std::set<mad::Guid> systems;
      std::set<std::uint32_t> switches;
      std::set<std::uint8_t> links;
      for (unsigned i = 0; i < 1u << lmc; ++i) {
        const mad::Lid lid{static_cast<std::uint16_t>(subnet.lids.base(port).value + i)};
        const auto out = tables.out_port(other, lid);
        const auto next =
            subnet.topology.channels()[subnet.topology.channel_by_port(other, out).value].to;
        links.insert(out.value);
        switches.insert(next.value);
        systems.insert(subnet.topology.node(next).system_image_guid);
      }
      EXPECT_EQ(systems.size(), 2u);
      EXPECT_EQ(switches.size(), std::min(4u, 1u << lmc));
      EXPECT_EQ(links.size(), 1u << lmc);
    }
  }
}

}  // namespace
}  // namespace heddle::routing
