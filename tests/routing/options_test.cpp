// SPDX-License-Identifier: BSD-3-Clause
// What operators may ask of engines: orders, weights, classes of hosts, ports to leave out.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr const char* kBalanced[] = {"minhop", "updn", "dnup"};

// A host's port has a GUID of its own, as files name it. slow: by place in recipe.links.
Subnet with_guids(const support::Recipe& recipe,
                  const std::map<std::size_t, std::uint8_t>& slow = {}, std::uint8_t lmc = 0) {
  Subnet subnet(recipe, lmc);
  fabric::TopologyBuilder builder;
  for (fabric::Node node : recipe.nodes) {
    node.port_count = std::max<std::uint8_t>(node.port_count, 1);
    builder.add_node(node);
    const std::uint8_t port = node.type == mad::NodeType::Switch ? 0 : 1;
    builder.set_port_guid({node.guid, mad::PortNumber{port}}, mad::Guid{node.guid.value + 0x5000});
  }
  for (std::size_t i = 0; i < recipe.links.size(); ++i) {
    const auto slowness = slow.find(i);
    builder.add_link(recipe.links[i].a, recipe.links[i].b,
                     slowness == slow.end() ? std::uint8_t{1} : slowness->second);
  }
  subnet.topology = std::move(builder).build().value();
  return subnet;
}

// Of the hosts on a switch, by port.
std::vector<mad::Lid> lids_at(const Subnet& subnet, SwitchIndex at) {
  std::vector<mad::Lid> lids;
  subnet.for_each_lid([&](mad::Lid lid, SwitchIndex target, mad::PortNumber out) {
    if (target == at && out.value != 0) lids.push_back(lid);
  });
  return lids;
}

mad::Guid guid_of(const Subnet& subnet, mad::Lid lid) {
  return subnet.topology.port(subnet.lids.owner(lid)).guid;
}

std::map<unsigned, unsigned> lids_by_port(const Subnet& subnet, const Routes& routes,
                                          SwitchIndex from, const std::vector<mad::Lid>& lids) {
  std::map<unsigned, unsigned> count;
  for (const auto& channel : subnet.topology.channels_from(from)) count[channel.out.value] = 0;
  for (const mad::Lid lid : lids) ++count[routes.tables.out_port(from, lid).value];
  return count;
}

bool proven(const Subnet& subnet, const Routes& routes) {
  return fabric::verify(subnet.topology, subnet.lids, routes.tables, routes.lanes).proven();
}

TEST(RoutingOptions, LidsAreDealtInTheOperatorsOrder) {
  for (const char* engine : kBalanced) {
    Subnet subnet = with_guids(support::parallel_links(4, 9));
    const auto lids = lids_at(subnet, SwitchIndex{1});
    const std::vector<mad::Lid> order{lids[7], lids[2], lids[5], lids[0]};
    for (const mad::Lid lid : order) subnet.options.routing_order.push_back(guid_of(subnet, lid));
    subnet.options.routing_order.push_back(subnet.options.routing_order.front());
    subnet.options.routing_order.push_back(mad::Guid{0xDEAD});
    const auto routes = subnet.route(engine);
    EXPECT_TRUE(proven(subnet, routes));
    const auto cables = subnet.topology.channels_from(SwitchIndex{0});
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(routes.tables.out_port(SwitchIndex{0}, order[i]), cables[i].out) << engine;
    }
    for (const auto& [port, count] : lids_by_port(subnet, routes, SwitchIndex{0}, lids)) {
      EXPECT_GE(count, 2u) << engine << " port " << port;
    }
  }
}

TEST(RoutingOptions, AnOrderIsProvenOnEveryKindOfFabric) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    Subnet subnet = with_guids(recipe, {}, 1);
    subnet.for_each_lid([&](mad::Lid lid, SwitchIndex, mad::PortNumber) {
      if (lid.value % 3 != 1) subnet.options.routing_order.push_back(guid_of(subnet, lid));
    });
    std::reverse(subnet.options.routing_order.begin(), subnet.options.routing_order.end());
    EXPECT_TRUE(proven(subnet, subnet.route("updn"))) << name;
  }
}

TEST(RoutingOptions, HopsThatWeighMoreAreAvoidedInTheirDirection) {
  Subnet subnet = with_guids(support::ring(6, 1));
  const auto from = SwitchIndex{0};
  const auto plain = subnet.route("minhop");
  const mad::Lid next = lids_at(subnet, SwitchIndex{1}).front();
  const auto direct = plain.tables.out_port(from, next);
  subnet.options.hop_weights = {{{subnet.topology.node(from).guid, direct}, 6},
                                {{mad::Guid{0xDEAD}, mad::PortNumber{1}}, 9}};
  const auto weighted = subnet.route("minhop");
  EXPECT_NE(weighted.tables.out_port(from, next), direct);
  // 3 hops the other way are less than 6 and 2 more.
  EXPECT_NE(weighted.tables.out_port(from, lids_at(subnet, SwitchIndex{3}).front()), direct);
  const mad::Lid back = lids_at(subnet, from).front();
  EXPECT_EQ(weighted.tables.out_port(SwitchIndex{1}, back),
            plain.tables.out_port(SwitchIndex{1}, back));
  EXPECT_TRUE(fabric::verify(subnet.topology, subnet.lids, weighted.tables).reaches_all());
}

TEST(RoutingOptions, WeightsOfOneChangeNoDistance) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    Subnet subnet = with_guids(recipe, {}, 1);
    const auto plain = fabric::verify(subnet.topology, subnet.lids, subnet.route("minhop").tables);
    subnet.options.hop_weights = {{{mad::Guid{0xDEAD}, mad::PortNumber{1}}, 9}};
    const auto routes = subnet.route("minhop");
    const auto proof = fabric::verify(subnet.topology, subnet.lids, routes.tables);
    EXPECT_TRUE(proof.reaches_all()) << name;
    EXPECT_EQ(proof.mean_hops, plain.mean_hops) << name;
  }
}

TEST(RoutingOptions, PortsThatAreNotCountedLookEmpty) {
  for (const char* engine : kBalanced) {
    Subnet subnet = with_guids(support::parallel_links(4, 9));
    const auto cable = subnet.topology.channels_from(SwitchIndex{0})[2];
    subnet.options.uncounted_ports = {{subnet.topology.node(SwitchIndex{0}).guid, cable.out}};
    const auto routes = subnet.route(engine);
    const auto lids = lids_at(subnet, SwitchIndex{1});
    EXPECT_GE(lids_by_port(subnet, routes, SwitchIndex{0}, lids)[cable.out.value], 7u) << engine;
    EXPECT_TRUE(proven(subnet, routes));
  }
}

TEST(RoutingOptions, FtreeSpreadsEachClassOfHostsAlone) {
  Subnet subnet = with_guids(support::xgft({4, 8}, {1, 4}));
  std::vector<mad::Lid> storage;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    const auto lids = lids_at(subnet, SwitchIndex{s});
    if (!lids.empty()) storage.push_back(lids.front());
  }
  ASSERT_EQ(storage.size(), 8u);
  const auto most_by_one_way = [&](std::uint32_t leaf) {
    const auto count = lids_by_port(subnet, subnet.route("ftree"), SwitchIndex{leaf}, storage);
    unsigned most = 0;
    for (const auto& [port, lids] : count) most = std::max(most, lids);
    return most;
  };
  std::uint32_t leaf = 0;
  while (lids_at(subnet, SwitchIndex{leaf}).empty()) ++leaf;
  EXPECT_GE(most_by_one_way(leaf), 7u) << "without classes they meet, which makes this test";
  for (const mad::Lid lid : storage) subnet.options.io_guids.push_back(guid_of(subnet, lid));
  EXPECT_LE(most_by_one_way(leaf), 3u);
  EXPECT_TRUE(proven(subnet, subnet.route("ftree")));
  subnet.options.compute_guids = std::move(subnet.options.io_guids);
  subnet.options.io_guids.clear();
  EXPECT_LE(most_by_one_way(leaf), 3u);
}

// Of the LIDs of these hosts, from every leaf that has one of them, the most that leave by one way.
unsigned most_by_one_way(const Subnet& subnet, const char* engine,
                         const std::vector<mad::Lid>& lids) {
  const auto routes = subnet.route(engine);
  EXPECT_TRUE(proven(subnet, routes));
  unsigned most = 0;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    const auto own = lids_at(subnet, SwitchIndex{s});
    std::vector<mad::Lid> far;
    std::set_difference(lids.begin(), lids.end(), own.begin(), own.end(), std::back_inserter(far));
    if (far.size() == lids.size()) continue;
    for (const auto& [port, count] : lids_by_port(subnet, routes, SwitchIndex{s}, far)) {
      most = std::max(most, count);
    }
  }
  return most;
}

// Those that the engine leads over one way from some leaf, when it knows of no classes.
std::vector<mad::Lid> that_meet(const Subnet& subnet, const char* engine) {
  const auto routes = subnet.route(engine);
  std::vector<mad::Lid> most;
  for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
    const auto own = lids_at(subnet, SwitchIndex{s});
    std::map<std::uint8_t, std::vector<mad::Lid>> by_port;
    subnet.for_each_lid([&](mad::Lid lid, SwitchIndex to, mad::PortNumber out) {
      if (own.empty() || to == SwitchIndex{s} || out.value == 0) return;
      by_port[routes.tables.entry(SwitchIndex{s}, lid.value)].push_back(lid);
    });
    for (const auto& [port, lids] : by_port) {
      if (lids.size() > most.size()) most = lids;
    }
  }
  std::sort(most.begin(), most.end());
  return most;
}

TEST(RoutingOptions, SsspSpreadsTheTrafficOfEachClass) {
  for (const char* engine : {"sssp", "dfsssp"}) {
    Subnet subnet = with_guids(support::xgft({4, 8}, {1, 4}));
    const auto storage = that_meet(subnet, engine);
    ASSERT_GE(storage.size(), 7u) << engine;
    EXPECT_GE(most_by_one_way(subnet, engine, storage), 6u) << engine;
    for (const mad::Lid lid : storage) subnet.options.io_guids.push_back(guid_of(subnet, lid));
    // Each class is spread for itself: the others of seven, over four ways.
    EXPECT_LE(most_by_one_way(subnet, engine, storage), 2u) << engine;
    std::swap(subnet.options.compute_guids, subnet.options.io_guids);
    EXPECT_LE(most_by_one_way(subnet, engine, storage), 2u) << engine;
  }
}

TEST(RoutingOptions, ShiftingBeginsWithAnotherPortForEachSwitch) {
  for (const char* engine : kBalanced) {
    // One LID to each of many switches: without counting, each would take the first port.
    Subnet subnet = with_guids(support::xgft({1, 24}, {1, 4}));
    for (const auto& channel : subnet.topology.channels()) {
      subnet.options.uncounted_ports.push_back(
          {subnet.topology.node(channel.from).guid, channel.out});
    }
    const auto used = [&] {
      std::size_t ports = 0;
      const auto routes = subnet.route(engine);
      EXPECT_TRUE(fabric::verify(subnet.topology, subnet.lids, routes.tables).reaches_all());
      for (std::uint32_t s = 0; s < subnet.topology.switch_count(); ++s) {
        std::vector<mad::Lid> all;
        subnet.for_each_lid([&](mad::Lid lid, SwitchIndex to, mad::PortNumber out) {
          if (out.value != 0 && to.value != s) all.push_back(lid);
        });
        if (lids_at(subnet, SwitchIndex{s}).empty()) continue;
        for (const auto& [port, lids] : lids_by_port(subnet, routes, SwitchIndex{s}, all)) {
          ports += lids > 0;
        }
      }
      return ports;
    };
    EXPECT_EQ(used(), 24u) << engine;
    subnet.options.port_shifting = true;
    EXPECT_EQ(used(), 24u * 4) << engine;
  }
}

TEST(RoutingOptions, ScatteringDrawsTheSameUntilTheSeedChanges) {
  for (const char* engine : kBalanced) {
    Subnet subnet = with_guids(support::xgft({3, 3, 4}, {1, 3, 2}), {}, 1);
    subnet.options.scatter_ports = 8;
    const auto routes = subnet.route(engine);
    EXPECT_TRUE(proven(subnet, routes)) << engine;
    EXPECT_EQ(routes.tables, subnet.route(engine).tables);
    subnet.options.scatter_ports = 9;
    EXPECT_NE(routes.tables, subnet.route(engine).tables) << engine;
  }
}

TEST(RoutingOptions, OfScatteredLidsALossMovesOnlyThoseOnIt) {
  const auto recipe = support::parallel_links(4, 40);
  Subnet subnet = with_guids(recipe);
  subnet.options.scatter_ports = 8;
  const auto before = subnet.route("minhop");
  const auto lids = lids_at(subnet, SwitchIndex{1});
  const auto lost = subnet.topology.channels_from(SwitchIndex{0})[1].out;
  for (const auto& [port, count] : lids_by_port(subnet, before, SwitchIndex{0}, lids)) {
    EXPECT_GT(count, 2u) << "port " << port;
  }
  auto damaged = recipe;
  const auto guid = subnet.topology.node(SwitchIndex{0}).guid;
  std::erase_if(damaged.links, [&](const auto& link) {
    return (link.a.node == guid && link.a.port == lost) ||
           (link.b.node == guid && link.b.port == lost);
  });
  ASSERT_EQ(damaged.links.size() + 1, recipe.links.size());
  Subnet left = with_guids(damaged);
  left.options = subnet.options;
  const auto after = left.route("minhop");
  for (const mad::Lid lid : lids) {
    const auto was = before.tables.out_port(SwitchIndex{0}, lid);
    const auto is = after.tables.out_port(SwitchIndex{0}, lid);
    EXPECT_EQ(is == was, was != lost);
  }
}

TEST(RoutingOptions, ASlowLinkGetsLessToCarry) {
  const auto recipe = support::parallel_links(2, 24);
  const Subnet plain = with_guids(recipe);
  const auto first = plain.topology.channels_from(SwitchIndex{0}).front();
  std::map<std::size_t, std::uint8_t> slow;
  for (std::size_t i = 0; i < recipe.links.size(); ++i) {
    const auto& link = recipe.links[i];
    const auto guid = plain.topology.node(SwitchIndex{0}).guid;
    if ((link.a.node == guid && link.a.port == first.out) ||
        (link.b.node == guid && link.b.port == first.out)) {
      slow[i] = 3;
    }
  }
  for (const char* engine : {"minhop", "updn", "dnup", "sssp"}) {
    Subnet subnet = with_guids(recipe, slow);
    const auto lids = lids_at(subnet, SwitchIndex{1});
    const auto on_it = [&] {
      return lids_by_port(subnet, subnet.route(engine), SwitchIndex{0}, lids)[first.out.value];
    };
    EXPECT_EQ(on_it(), 12u) << engine;
    subnet.options.avoid_throttled_links = true;
    EXPECT_EQ(on_it(), 6u) << engine;
  }
}

}  // namespace
}  // namespace heddle::routing
