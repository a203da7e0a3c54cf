// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/trees.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "multicast/verification.hpp"
#include "tests/multicast/floods.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using testing::all_served;
using ::testing::ElementsAre;
using testing::flood;
using ::testing::IsEmpty;
using testing::stage_ports;
using testing::staged;

constexpr mad::Lid kMlid{0xC000};

using Members = std::map<mad::Guid, Role>;
using ByMlid = std::map<mad::Lid, Members>;

// Trees and a plain record of who they are for.
struct Planted {
  explicit Planted(std::shared_ptr<const fabric::Topology> topology, TreeOptions options = {})
      : trees(topology, options) {}

  void set(mad::Lid mlid, mad::Guid port, Role role) {
    const RoleChange change{mlid, port, role};
    trees.apply({&change, 1});
    if (role == Role::None) {
      members[mlid].erase(port);
      if (members[mlid].empty()) members.erase(mlid);
    } else {
      members[mlid][port] = role;
    }
  }
  std::vector<RoleChange> roles() const {
    std::vector<RoleChange> all;
    for (const auto& [mlid, these] : members) {
      for (const auto& [port, role] : these) all.push_back({mlid, port, role});
    }
    return all;
  }
  TreeVerification verify() const {
    return multicast::verify(trees.topology(), trees.tables(), roles());
  }

  Trees trees;
  ByMlid members;
};

std::string complaint(const Planted& planted) {
  const auto proof = planted.verify();
  return proof.samples.empty() ? "" : describe(planted.trees.topology(), proof.samples.front());
}

struct Named {
  const char* name;
  support::Recipe recipe;
};

std::vector<Named> fabrics() {
  return {{"star", support::star(6)},
          {"ring", support::ring(7, 2)},
          {"fat tree", support::xgft({4, 4, 3}, {1, 2, 2})},
          {"torus", support::torus({3, 3, 3}, 2)},
          {"random", support::random_regular(20, 4, 2, 8)},
          {"parallel cables", support::parallel_links(3, 3)},
          {"mess", support::random_mess(4)},
          {"another mess", support::random_mess(17)},
          {"islands", support::two_islands(support::ring(4, 2), support::xgft({3, 3}, {1, 2}))}};
}

TEST(Trees, ServeAnySequenceOfJoinsAndLeaves) {
  for (const auto& [name, recipe] : fabrics()) {
    SCOPED_TRACE(name);
    Planted planted(staged(recipe));
    const auto ports = stage_ports(planted.trees.topology(), true);
    base::Prng prng(7);
    for (int step = 0; step < 400 && !ports.empty(); ++step) {
      const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + prng.below(3) * 33)};
      const auto port = ports[prng.below(ports.size())];
      planted.set(mlid, port, static_cast<Role>(prng.below(3)));
      ASSERT_TRUE(planted.verify().proven()) << step << ": " << complaint(planted);
    }
    for (const auto& role : planted.roles()) planted.set(role.mlid, role.port, Role::None);
    EXPECT_EQ(planted.trees.tables().blocks_in_use(), 0u);
    for (const auto load : planted.trees.load()) EXPECT_EQ(load, 0u);
    EXPECT_THAT(planted.trees.mlids(), IsEmpty());
  }
}

TEST(Trees, PacketsReachEachReceiverOnce) {
  for (const auto& [name, recipe] : fabrics()) {
    if (std::string_view(name) == "islands" || std::string_view(name).ends_with("mess")) continue;
    SCOPED_TRACE(name);
    Planted planted(staged(recipe));
    const auto ports = stage_ports(planted.trees.topology(), true);
    base::Prng prng(9);
    for (int step = 0; step < 60; ++step) {
      planted.set(kMlid, ports[prng.below(ports.size())], static_cast<Role>(prng.below(3)));
      ASSERT_TRUE(all_served(planted.trees.topology(), planted.trees.tables(), kMlid,
                             planted.members[kMlid]));
    }
  }
}

TEST(Trees, SendersInjectAndGetNothing) {
  Planted planted(staged(support::ring(5, 1)));
  const auto ports = stage_ports(planted.trees.topology());
  planted.set(kMlid, ports[0], Role::Receiver);
  planted.set(kMlid, ports[2], Role::Sender);
  EXPECT_TRUE(planted.verify().proven());
  const auto& tables = planted.trees.tables();
  EXPECT_EQ(flood(planted.trees.topology(), tables, kMlid, ports[2]).copies.count(ports[0]), 1u);
  EXPECT_TRUE(flood(planted.trees.topology(), tables, kMlid, ports[0]).copies.empty());
  planted.set(kMlid, ports[2], Role::Receiver);
  EXPECT_EQ(flood(planted.trees.topology(), tables, kMlid, ports[0]).copies.count(ports[2]), 1u);
}

TEST(Trees, JoinOnATreeSwitchChangesOneBlock) {
  Planted planted(staged(support::xgft({4, 4, 3}, {1, 2, 2})));
  const auto ports = stage_ports(planted.trees.topology());
  planted.set(kMlid, ports[0], Role::Receiver);
  planted.set(kMlid, ports[40], Role::Receiver);
  const auto links = planted.trees.link_count(kMlid);
  EXPECT_EQ(links, 4u);
  const Tables before = planted.trees.tables();
  planted.set(kMlid, ports[1], Role::Receiver);
  EXPECT_EQ(changed_blocks(planted.trees.tables(), before).size(), 1u);
  EXPECT_EQ(planted.trees.link_count(kMlid), links);
  planted.set(kMlid, ports[1], Role::None);
  EXPECT_EQ(planted.trees.tables(), before);
  // A third pod: one leaf, one switch above it, and the switch that they hang on.
  planted.set(kMlid, ports[20], Role::Receiver);
  EXPECT_EQ(planted.trees.link_count(kMlid), links + 2);
  EXPECT_EQ(changed_blocks(planted.trees.tables(), before).size(), 3u);
}

TEST(Trees, SwitchesWithoutATableAreLeftOut) {
  // A ring of six where one switch has no table: the long way round.
  const auto recipe = support::ring(6, 1);
  const mad::Guid mute = recipe.nodes[1].guid;
  Planted planted(staged(recipe, 64, [&](const fabric::Node& node) { return node.guid == mute; }));
  const auto& topology = planted.trees.topology();
  std::map<mad::Guid, mad::Guid> host_of;  // by switch
  for (const auto port : stage_ports(topology)) {
    host_of[topology.node(PortFinder(topology).find(port)->at).guid] = port;
  }
  planted.set(kMlid, host_of[recipe.nodes[0].guid], Role::Receiver);
  for (const auto& [at, port] : host_of) planted.set(kMlid, port, Role::Receiver);
  EXPECT_TRUE(planted.verify().proven()) << complaint(planted);
  EXPECT_EQ(planted.trees.link_count(kMlid), 4u);
  EXPECT_THAT(planted.trees.unserved(kMlid), ElementsAre(host_of[mute]));
  // A LID above what the switches hold has no place at all.
  planted.set(mad::Lid{0xC040}, host_of[recipe.nodes[0].guid], Role::Receiver);
  EXPECT_EQ(planted.trees.unserved(mad::Lid{0xC040}).size(), 1u);
  EXPECT_EQ(planted.trees.tables().block_count(fabric::SwitchIndex{0}), 1u);
}

TEST(Trees, TwoHostsAndOneCableNeedNone) {
  support::Recipe pair;
  pair.join(pair.add_host("a"), pair.add_host("b"));
  Planted planted(staged(pair));
  const auto& topology = planted.trees.topology();
  for (const auto endport : topology.endports()) {
    planted.set(kMlid, topology.port(endport).guid, Role::Receiver);
  }
  EXPECT_EQ(planted.trees.unserved(kMlid).size(), 2u);
  EXPECT_TRUE(planted.verify().proven());
}

TEST(Trees, IslandsHaveTreesOfTheirOwnUntilTheyMeet) {
  const auto apart = support::two_islands(support::ring(4, 2), support::ring(3, 2));
  Planted planted(staged(apart));
  const auto ports = stage_ports(planted.trees.topology());
  for (const auto port : ports) planted.set(kMlid, port, Role::Receiver);
  EXPECT_TRUE(planted.verify().proven()) << complaint(planted);
  EXPECT_EQ(planted.trees.link_count(kMlid), 3u + 2u);
  auto joined = apart;
  std::size_t last_switch = 0;
  for (std::size_t i = 0; i < joined.nodes.size(); ++i) {
    if (joined.nodes[i].type == mad::NodeType::Switch) last_switch = i;
  }
  joined.join(0, last_switch);
  planted.trees.set_topology(staged(joined));
  EXPECT_TRUE(planted.verify().proven()) << complaint(planted);
  EXPECT_EQ(planted.trees.link_count(kMlid), 3u + 2u + 1u);
  planted.trees.set_topology(staged(apart));
  EXPECT_TRUE(planted.verify().proven()) << complaint(planted);
}

TEST(Trees, TopologyChangeKeepsWhatIsWhole) {
  const auto recipe = support::xgft({4, 4, 3}, {1, 2, 2});
  Planted planted(staged(recipe));
  const auto ports = stage_ports(planted.trees.topology());
  base::Prng prng(3);
  for (std::uint16_t group = 0; group < 40; ++group) {
    for (int i = 0; i < 5; ++i) {
      planted.set(mad::Lid{static_cast<std::uint16_t>(0xC000 + group)},
                  ports[prng.below(ports.size())], Role::Receiver);
    }
  }
  const Tables before = planted.trees.tables();
  planted.trees.set_topology(staged(recipe));
  EXPECT_EQ(planted.trees.tables(), before) << "the same fabric again";
  EXPECT_EQ(planted.trees.statistics().repairs, 0u);
  for (unsigned round = 0; round < 30; ++round) {
    const auto damaged = support::degraded(recipe, 1 + round % 6, 100 + round);
    planted.trees.set_topology(staged(damaged));
    ASSERT_TRUE(planted.verify().proven()) << complaint(planted);
  }
  EXPECT_GT(planted.trees.statistics().repairs, 0u);
}

TEST(Trees, CablesThatWereSwappedAreOtherLinks) {
  for (const auto& recipe : {support::torus({4, 3}, 1), support::xgft({3, 3, 2}, {1, 3, 2})}) {
    Planted planted(staged(recipe));
    const auto ports = stage_ports(planted.trees.topology());
    base::Prng prng(6);
    std::map<mad::Guid, bool> is_switch;
    for (const auto& node : recipe.nodes) {
      is_switch[node.guid] = node.type == mad::NodeType::Switch;
    }
    for (const auto port : ports) planted.set(kMlid, port, Role::Receiver);
    for (int round = 0; round < 60; ++round) {
      auto swapped = recipe;
      for (int i = 0; i < 3; ++i) {
        auto& a = swapped.links[prng.below(swapped.links.size())];
        auto& b = swapped.links[prng.below(swapped.links.size())];
        if (is_switch[a.b.node] && is_switch[b.b.node]) std::swap(a.b, b.b);
      }
      planted.trees.set_topology(staged(swapped));
      ASSERT_TRUE(planted.verify().proven()) << round << ": " << complaint(planted);
    }
  }
}

TEST(Trees, OnlyTreesThatLostALinkChange) {
  const auto recipe = support::xgft({4, 4, 3}, {1, 2, 2});
  Planted planted(staged(recipe));
  const auto ports = stage_ports(planted.trees.topology());
  for (std::uint16_t group = 0; group < 40; ++group) {
    const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + group)};
    planted.set(mlid, ports[group % ports.size()], Role::Receiver);
    planted.set(mlid, ports[(group + 23) % ports.size()], Role::Receiver);
  }
  const Tables before = planted.trees.tables();
  const auto old_topology = staged(recipe);
  const auto damaged = support::degraded(recipe, 1, 5);
  planted.trees.set_topology(staged(damaged));
  const auto& topology = planted.trees.topology();
  ASSERT_EQ(topology.switch_count(), old_topology->switch_count());
  std::size_t changed = 0;
  for (const mad::Lid mlid : planted.trees.mlids()) {
    bool lost = false;
    bool same = true;
    for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
      const fabric::SwitchIndex at{s};
      same &= before.entry(at, mlid) == planted.trees.tables().entry(at, mlid);
      before.entry(at, mlid).for_each([&](mad::PortNumber port) {
        lost |= topology.peer(topology.port_of(at, port)) == fabric::kNoPort;
      });
    }
    EXPECT_EQ(same, !lost);
    changed += !same;
  }
  EXPECT_GT(changed, 0u);
  EXPECT_EQ(planted.trees.statistics().repairs, changed);
}

TEST(Trees, MembersThatAppearAreLetInAndThoseThatGoAreRemembered) {
  const auto recipe = support::ring(6, 2);
  Planted planted(std::make_shared<const fabric::Topology>());
  const auto full = staged(recipe);
  const auto ports = stage_ports(*full);
  for (const auto port : ports) planted.set(kMlid, port, Role::Receiver);
  EXPECT_EQ(planted.trees.unserved(kMlid).size(), ports.size());
  planted.trees.set_topology(full);
  EXPECT_THAT(planted.trees.unserved(kMlid), IsEmpty());
  EXPECT_EQ(planted.trees.link_count(kMlid), 5u);
  EXPECT_TRUE(all_served(*full, planted.trees.tables(), kMlid, planted.members[kMlid]));
  planted.trees.set_topology(std::make_shared<const fabric::Topology>());
  EXPECT_EQ(planted.trees.members(kMlid).size(), ports.size());
}

// Members that leave in the middle of a long way leave the way behind.
// What another manager left is taken over as it stands, bit by bit.
TEST(Trees, AdoptWhatTheyFind) {
  for (const auto& fabric : fabrics()) {
    const auto topology = staged(fabric.recipe);
    Planted planted(topology);
    base::Prng random(11);
    const auto ports = stage_ports(*topology);
    for (std::uint16_t group = 0; group < 40; ++group) {
      for (const mad::Guid port : ports) {
        const bool joins = random.below(3) == 0;
        if (joins) planted.set({static_cast<std::uint16_t>(0xC000 + group)}, port, Role::Receiver);
      }
    }
    Trees heir(topology);
    EXPECT_EQ(heir.adopt(planted.trees.tables()), planted.roles()) << fabric.name;
    EXPECT_EQ(heir.tables(), planted.trees.tables()) << fabric.name;
    EXPECT_THAT(heir.adopt(planted.trees.tables()), IsEmpty());
  }
}

// Circles, bits without a cable, links that only one end knows of: what comes out is right.
TEST(Trees, AdoptNothingThatIsWrong) {
  for (const auto& fabric : fabrics()) {
    const auto topology = staged(fabric.recipe);
    base::Prng random(7);
    for (int round = 0; round < 20; ++round) {
      Tables standing(topology->switch_count());
      for (std::uint32_t s = 0; s < topology->switch_count(); ++s) {
        for (unsigned port = 0; port < 40; ++port) {
          if (random.below(2) == 0)
            standing.set({s}, kMlid, {static_cast<std::uint8_t>(port)}, true);
        }
      }
      Trees heir(topology);
      const auto members = heir.adopt(standing);
      const auto proof = verify(*topology, heir.tables(), members);
      EXPECT_TRUE(proof.proven()) << fabric.name << ": "
                                  << describe(*topology, proof.samples.front());
    }
  }
}

TEST(Trees, DriftFromAFreshTreeIsBounded) {
  const auto topology = staged(support::ring(60, 1));
  const auto ports = stage_ports(*topology);
  const auto wandered = [&](TreeOptions options) {
    Planted planted(topology, options);
    // Half of the ring, so that the way between its ends leads through it; then the other half.
    for (std::size_t i = 0; i <= 40; ++i) planted.set(kMlid, ports[i], Role::Receiver);
    for (std::size_t i = 1; i < 40; ++i) planted.set(kMlid, ports[i], Role::None);
    EXPECT_TRUE(planted.verify().proven());
    return std::pair{planted.trees.link_count(kMlid), planted.trees.statistics().rebuilds};
  };
  EXPECT_EQ(wandered({.drift_percent = 1'000'000}), std::pair(std::size_t{40}, std::uint64_t{0}));
  EXPECT_EQ(wandered({}), std::pair(std::size_t{20}, std::uint64_t{1}));
}

TEST(Trees, FreshAndGrownTreesAreOfOneSize) {
  for (const auto& recipe : {support::random_regular(60, 4, 2, 21), support::torus({5, 5, 5}, 1),
                             support::xgft({6, 6, 6}, {1, 6, 6})}) {
    const auto topology = staged(recipe);
    Planted planted(topology);
    const auto ports = stage_ports(*topology);
    base::Prng prng(4);
    std::size_t grown = 0;
    std::size_t fresh = 0;
    for (std::uint16_t group = 0; group < 40; ++group) {
      const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + group)};
      for (int i = 0; i < 12; ++i) {
        planted.set(mlid, ports[prng.below(ports.size())], Role::Receiver);
      }
      grown += planted.trees.link_count(mlid);
      planted.trees.rebuild(mlid);
      fresh += planted.trees.link_count(mlid);
      ASSERT_TRUE(planted.verify().proven()) << complaint(planted);
    }
    // Nothing of the old ways is left for others to hang on to.
    for (const mad::Lid mlid : planted.trees.mlids()) {
      for (int i = 0; i < 6; ++i) {
        planted.set(mlid, ports[prng.below(ports.size())], static_cast<Role>(prng.below(3)));
      }
    }
    ASSERT_TRUE(planted.verify().proven()) << complaint(planted);
    EXPECT_LE(fresh * 100, grown * 125);
    EXPECT_LE(grown * 100, fresh * 115);
  }
}

TEST(Trees, ManyTreesSpreadOverRootsAndLinks) {
  // 18 leaves, 9 spines: groups of members on all leaves each need one spine.
  const auto topology = staged(support::xgft({4, 18}, {1, 9}));
  Planted planted(topology);
  const auto ports = stage_ports(*topology);
  constexpr unsigned kGroups = 180;
  for (std::uint16_t group = 0; group < kGroups; ++group) {
    const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + group)};
    for (std::size_t p = 0; p < ports.size(); p += 4) {
      planted.set(mlid, ports[p], Role::Receiver);
    }
    EXPECT_EQ(planted.trees.link_count(mlid), 18u);
  }
  const auto load = planted.trees.load();
  const auto [least, most] = std::minmax_element(load.begin(), load.end());
  EXPECT_GE(*least, kGroups / 9 / 2) << "20 would be the mean";
  EXPECT_LE(*most, kGroups / 9 * 2);
  // Fresh trees spread as well, by what is loaded and then by LID.
  for (const mad::Lid mlid : planted.trees.mlids()) planted.trees.rebuild(mlid);
  const auto [low, high] = std::minmax_element(load.begin(), load.end());
  EXPECT_GE(*low, kGroups / 9 / 2);
  EXPECT_LE(*high, kGroups / 9 * 2);
  EXPECT_TRUE(planted.verify().proven());
}

TEST(Trees, TreesBetweenTheSamePortsTakeEveryWayThereIs) {
  for (const auto& recipe : {support::xgft({2, 2}, {1, 9}), support::parallel_links(9, 2)}) {
    Planted planted(staged(recipe));
    const auto ports = stage_ports(planted.trees.topology());
    for (std::uint16_t group = 0; group < 9; ++group) {
      const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + group)};
      planted.set(mlid, ports.front(), Role::Receiver);
      planted.set(mlid, ports.back(), Role::Receiver);
    }
    for (const auto load : planted.trees.load()) EXPECT_EQ(load, 1u);
  }
}

TEST(Trees, FreshTreesTakeTheLeastLoadedOfParallelCables) {
  Planted planted(staged(support::parallel_links(9, 2)));
  const auto ports = stage_ports(planted.trees.topology());
  for (std::uint16_t group = 0; group < 18; ++group) {
    const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + group)};
    for (const auto port : ports) planted.set(mlid, port, Role::Receiver);
    planted.trees.rebuild(mlid);
  }
  for (const auto load : planted.trees.load()) EXPECT_EQ(load, 2u);
}

TEST(Trees, SameCallsGiveTheSameTables) {
  const auto topology = staged(support::torus({4, 4}, 2));
  const auto run = [&] {
    Planted planted(topology);
    const auto ports = stage_ports(*topology);
    base::Prng prng(99);
    for (int step = 0; step < 300; ++step) {
      planted.set(mad::Lid{static_cast<std::uint16_t>(0xC000 + prng.below(9))},
                  ports[prng.below(ports.size())], static_cast<Role>(prng.below(3)));
    }
    return planted.trees.tables();
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace heddle::multicast
