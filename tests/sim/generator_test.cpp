// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "sim/blueprint.hpp"
#include "tests/sim/probe.hpp"

namespace heddle::sim {
namespace {

using ::testing::HasSubstr;

struct Shape {
  std::size_t hosts = 0, switches = 0, links = 0;  // links between switches
};

Shape shape_of(const Blueprint& blueprint) {
  Shape shape;
  for (const PlannedNode& node : blueprint.nodes) {
    ++(node.type == mad::NodeType::Switch ? shape.switches : shape.hosts);
  }
  for (const PlannedCable& cable : blueprint.cables) {
    const auto is_switch = [&](const PlannedEnd& end) {
      return blueprint.nodes[end.node].type == mad::NodeType::Switch;
    };
    if (is_switch(cable.a) && is_switch(cable.b)) ++shape.links;
  }
  return shape;
}

Blueprint generate(std::string_view expression) {
  const auto made = generate_fabric(expression);
  EXPECT_TRUE(made) << expression << ": " << (made ? "" : made.error().message);
  return made ? *made : Blueprint{};
}

std::string error_of(std::string_view expression) {
  const auto made = generate_fabric(expression);
  EXPECT_FALSE(made) << expression;
  return made ? "" : made.error().message;
}

std::size_t reachable_from_first(const Blueprint& blueprint) {
  std::vector<std::vector<std::uint32_t>> peers(blueprint.nodes.size());
  for (const PlannedCable& cable : blueprint.cables) {
    peers[cable.a.node].push_back(cable.b.node);
    peers[cable.b.node].push_back(cable.a.node);
  }
  std::set<std::uint32_t> seen{0};
  std::vector<std::uint32_t> open{0};
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    for (const std::uint32_t peer : peers[node]) {
      if (seen.insert(peer).second) open.push_back(peer);
    }
  }
  return seen.size();
}

// --- counts that are known of each family -------------------------------------------------------

struct Known {
  const char* expression;
  Shape shape;
};

class KnownFabrics : public ::testing::TestWithParam<Known> {};

TEST_P(KnownFabrics, HaveTheirHostsSwitchesAndLinks) {
  const Blueprint blueprint = generate(GetParam().expression);
  const Shape shape = shape_of(blueprint);
  EXPECT_EQ(shape.hosts, GetParam().shape.hosts);
  EXPECT_EQ(shape.switches, GetParam().shape.switches);
  EXPECT_EQ(shape.links, GetParam().shape.links);
}

TEST_P(KnownFabrics, AreConnectedWithEachPortAndNameUsedOnce) {
  const Blueprint blueprint = generate(GetParam().expression);
  EXPECT_EQ(reachable_from_first(blueprint), blueprint.nodes.size());
  std::set<std::pair<std::uint32_t, unsigned>> used;
  for (const PlannedCable& cable : blueprint.cables) {
    for (const PlannedEnd& end : {cable.a, cable.b}) {
      EXPECT_TRUE(used.emplace(end.node, end.port).second);
      EXPECT_GE(end.port, 1);
      EXPECT_LE(end.port, blueprint.nodes[end.node].port_count);
    }
  }
  std::set<std::string> names;
  std::set<mad::Guid> guids;
  for (const PlannedNode& node : blueprint.nodes) {
    EXPECT_TRUE(names.insert(node.name).second) << node.name;
    EXPECT_TRUE(guids.insert(node.guid).second);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, KnownFabrics,
    ::testing::Values(
        Known{"pair", {2, 0, 0}}, Known{"star:16", {16, 1, 0}},
        Known{"fat-tree:18,36", {648, 54, 648}}, Known{"fat-tree:4,4,8", {128, 80, 256}},
        Known{"xgft:18,18,36;1,18,18", {11664, 1620, 23328}},
        Known{"xgft:12,12,24;1,12,12", {3456, 720, 6912}}, Known{"xgft:3;2", {3, 2, 0}},
        Known{"ring:5,hosts=2", {10, 5, 5}}, Known{"torus:6x6x6,hosts=4", {864, 216, 648}},
        Known{"torus:6x5x5,hosts=7", {1050, 150, 450}}, Known{"torus:2x3", {6, 6, 9}},
        Known{"mesh:10x10,hosts=2", {200, 100, 180}},
        Known{"hypercube:10,hosts=4", {4096, 1024, 5120}},
        Known{"hyperx:12x8,hosts=7", {672, 96, 864}},
        Known{"dragonfly:8,4,4,33", {1056, 264, 1452}}, Known{"dragonfly:8,4,4", {1056, 264, 1452}},
        Known{"dragonfly:12,6,6,15", {1080, 180, 1515}}, Known{"whole-tree:8", {128, 80, 256}},
        Known{"whole-tree:36,2", {648, 54, 648}}, Known{"star:5,ports=2", {5, 1, 0}},
        Known{"torus:3x3,hosts=2,ports=2", {18, 9, 18}}, Known{"rail:4,32,8,16", {1024, 48, 512}},
        Known{"dragonfly-plus:4,4,4,4,9", {144, 72, 216}},
        Known{"dragonfly-plus:2,2,3,2", {30, 20, 30}}, Known{"slim-fly:3", {54, 18, 45}},
        Known{"slim-fly:5", {200, 50, 175}}, Known{"slim-fly:7,hosts=2", {196, 98, 539}},
        Known{"slim-fly:13,hosts=1", {338, 338, 3211}}),
    [](const auto& known) {
      std::string name = known.param.expression;
      for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      }
      return name;
    });

// --- wiring -------------------------------------------------------------------------------------

TEST(FatTree, HasEveryPortOfEverySwitchInUse) {
  const Blueprint blueprint = generate("fat-tree:18,36");
  std::map<std::uint32_t, unsigned> used;
  for (const PlannedCable& cable : blueprint.cables) {
    ++used[cable.a.node];
    ++used[cable.b.node];
  }
  for (std::uint32_t node = 0; node < blueprint.nodes.size(); ++node) {
    if (blueprint.nodes[node].type == mad::NodeType::Switch) {
      EXPECT_EQ(used[node], 36u);
      EXPECT_EQ(blueprint.nodes[node].port_count, 36);
    }
  }
}

TEST(FatTree, JoinsEveryLeafToEverySpineOnceAndNamesThemSo) {
  const Blueprint blueprint = generate("fat-tree:2,3");
  std::set<std::pair<std::string, std::string>> links;
  for (const PlannedCable& cable : blueprint.cables) {
    links.emplace(blueprint.nodes[cable.a.node].name, blueprint.nodes[cable.b.node].name);
  }
  for (const char* spine : {"spine-1", "spine-2"}) {
    for (const char* leaf : {"leaf-1", "leaf-2", "leaf-3"}) {
      EXPECT_EQ(links.count({spine, leaf}), 1u) << spine << leaf;
    }
  }
  EXPECT_EQ(links.count({"leaf-2", "host-0003"}), 1u);
}

TEST(Torus, GivesEverySwitchTwoCablesPerDimension) {
  const Blueprint blueprint = generate("torus:4x3,hosts=0");
  for (const PlannedNode& node : blueprint.nodes) EXPECT_EQ(node.port_count, 4);
}

TEST(Dragonfly, SpreadsGlobalCablesOverAllSwitchesOfAGroup) {
  const Blueprint blueprint = generate("dragonfly:8,4,4,33");
  for (const PlannedNode& node : blueprint.nodes) {
    if (node.type != mad::NodeType::Switch) continue;
    EXPECT_EQ(node.port_count, 7 + 4 + 4);
  }
}

class RandomFabrics : public ::testing::TestWithParam<int> {};

TEST_P(RandomFabrics, AreConnectedAndKeepTheDegree) {
  const Blueprint blueprint =
      generate("random:switches=60,degree=4,hosts=2,seed=" + std::to_string(GetParam()));
  EXPECT_EQ(shape_of(blueprint).switches, 60u);
  EXPECT_EQ(shape_of(blueprint).hosts, 120u);
  EXPECT_EQ(reachable_from_first(blueprint), blueprint.nodes.size());
  for (const PlannedNode& node : blueprint.nodes) EXPECT_LE(node.port_count, 4 + 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFabrics, ::testing::Range(1, 21));

TEST(RandomFabric, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto wiring = [](std::string_view expression) {
    std::vector<PlannedEnd> ends;
    for (const PlannedCable& cable : generate(expression).cables) {
      ends.push_back(cable.a);
      ends.push_back(cable.b);
    }
    return ends;
  };
  EXPECT_EQ(wiring("random:switches=50,degree=4,seed=7"),
            wiring("random:switches=50,degree=4,seed=7"));
  EXPECT_NE(wiring("random:switches=50,degree=4,seed=7"),
            wiring("random:switches=50,degree=4,seed=8"));
}

TEST(Options, SpeedAndWidthReachEveryCable) {
  for (const PlannedCable& cable : generate("fat-tree:2,2,speed=NDR,width=2x").cables) {
    EXPECT_EQ(cable.speed, Speed::NDR);
    EXPECT_EQ(cable.width, Width::X2);
  }
}

// Each as the device itself tells it, not as the blueprint says.
TEST(Options, WhatDevicesCanDoReachesTheirRegisters) {
  World world(generate("star:2,mtu=2048,vls=4,lft=64,mft=32,pkeys=40,optimized-sl2vl=1"), {});
  Probe probe(world, *world.find_endpoint("host-0001"));
  for (const Route& route : {Route{}, Route{1, 2}}) {
    const mad::PortInfo info = probe.port_info(route);
    EXPECT_EQ(info.mtu_cap, mad::Mtu::Bytes2048);
    EXPECT_EQ(info.vl_cap, 3);
    const auto answer = probe.get(mad::AttributeId::NodeInfo, route);
    ASSERT_TRUE(answer);
    EXPECT_EQ(mad::decode<mad::NodeInfo>(answer->data).partition_cap, 40);
  }
  const mad::SwitchInfo info = probe.switch_info({1});
  EXPECT_EQ(info.linear_fdb_cap, 64);
  EXPECT_EQ(info.multicast_fdb_cap, 32);
  EXPECT_EQ(info.partition_enforcement_cap, 40);
  EXPECT_EQ(info.optimized_sl_to_vl, 1);
}

// --- mistakes -----------------------------------------------------------------------------------

TEST(GeneratorError, NamesThePieceThatIsWrong) {
  EXPECT_THAT(error_of("fat-tre:18,36"), HasSubstr("did you mean 'fat-tree'"));
  EXPECT_THAT(error_of("fat-tree:18,x"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(error_of("fat-tree:18,abc"), HasSubstr("'abc' is not a number"));
  EXPECT_THAT(error_of("fat-tree:18"), HasSubstr("two or three numbers"));
  EXPECT_THAT(error_of("fat-tree:0,36"), HasSubstr("0 is not a number of children"));
  EXPECT_THAT(error_of("fat-tree:18,36,hosts=3"), HasSubstr("'hosts' is not an option"));
  EXPECT_THAT(error_of("torus:4x4,speed=WARP"), HasSubstr("'WARP' is no speed"));
  EXPECT_THAT(error_of("torus:4x4,width=3x"), HasSubstr("'3x' is no width"));
  EXPECT_THAT(error_of("torus:4x4,hosts=many"), HasSubstr("'hosts=many' needs a number"));
  EXPECT_THAT(error_of("torus:4x4,hosts=1,hosts=2"), HasSubstr("given twice"));
  EXPECT_THAT(error_of("star:2,mtu=1500"), HasSubstr("mtu is one of 256, 512"));
  EXPECT_THAT(error_of("star:2,vls=0"), HasSubstr("vls is one of 1, 2, 4, 8, 15"));
  EXPECT_THAT(error_of("star:2,lft=49153"), HasSubstr("lft is a number from 1 to 49152"));
  EXPECT_THAT(error_of("star:2,mft=0"), HasSubstr("mft is a number from 1 to 16383"));
  EXPECT_THAT(error_of("star:2,optimized-sl2vl=2"), HasSubstr("optimized-sl2vl is 0 or 1"));
  EXPECT_THAT(error_of("xgft:18,18;1"), HasSubstr("as many numbers before the semicolon"));
  EXPECT_THAT(error_of("ring:2"), HasSubstr("three switches or more"));
  EXPECT_THAT(error_of("dragonfly:4,2,2,10"), HasSubstr("10 groups cannot be meshed"));
  EXPECT_THAT(error_of("random:switches=9,degree=1"), HasSubstr("needs degree=2"));
  EXPECT_THAT(error_of("pair:3"), HasSubstr("pair takes no numbers"));
  EXPECT_THAT(error_of("star:0"), HasSubstr("star takes one number"));
}

TEST(GeneratorError, ASlipOfTheFingerDoesNotEatTheMachine) {
  EXPECT_THAT(error_of("star:16000"), HasSubstr("at most 254"));
  EXPECT_THAT(error_of("torus:60000x60000x60000x60000x60000x60000"), HasSubstr("at most 65000"));
  EXPECT_THAT(error_of("torus:10x10,hosts=18446744073709551615"), HasSubstr("at most 254"));
  EXPECT_THAT(error_of("fat-tree:200,200,200"), HasSubstr("at most"));
  EXPECT_THAT(error_of("xgft:100,100,100;1,100,100"), HasSubstr("at most"));
  EXPECT_THAT(error_of("hypercube:63"), HasSubstr("1 to 15"));
  EXPECT_THAT(error_of("hyperx:300x300"), HasSubstr("at most"));
  EXPECT_THAT(error_of("random:switches=65000,degree=250"), HasSubstr("at most"));
  EXPECT_THAT(error_of("dragonfly:200,50,4"), HasSubstr("at most"));
}

TEST(GeneratorHelp, ShowsOnlyExamplesThatWork) {
  const std::string help = generator_help();
  std::size_t examples = 0;
  for (const std::string_view line : base::split(help, '\n')) {
    const std::string_view words = base::trim(line);
    constexpr std::string_view kIntroduction = "for example ";
    if (!words.starts_with(kIntroduction)) continue;
    ++examples;
    EXPECT_TRUE(generate_fabric(words.substr(kIntroduction.size()))) << words;
  }
  EXPECT_EQ(examples, 15u);
}

TEST(LoadFabric, TakesAGeneratorOrAPath) {
  EXPECT_TRUE(load_fabric("star:4"));
  EXPECT_TRUE(load_fabric("pair"));
  const auto misspelt = load_fabric("fat-tre:18,36");
  ASSERT_FALSE(misspelt);
  EXPECT_THAT(misspelt.error().message, HasSubstr("did you mean 'fat-tree'"));
}

// --- what is promised of each family ------------------------------------------------------------

// The switches' neighbours, each as often as there are cables.
std::vector<std::vector<std::uint32_t>> switch_graph(const Blueprint& blueprint) {
  std::vector<std::vector<std::uint32_t>> peers(blueprint.nodes.size());
  for (const PlannedCable& cable : blueprint.cables) {
    if (blueprint.nodes[cable.a.node].type != mad::NodeType::Switch) continue;
    if (blueprint.nodes[cable.b.node].type != mad::NodeType::Switch) continue;
    peers[cable.a.node].push_back(cable.b.node);
    peers[cable.b.node].push_back(cable.a.node);
  }
  return peers;
}

TEST(SlimFly, EverySwitchSeesEveryOtherOverAtMostOneBetween) {
  for (const auto& [expression, degree] :
       {std::pair{"slim-fly:3", 5u}, std::pair{"slim-fly:5", 7u}, std::pair{"slim-fly:7", 11u},
        std::pair{"slim-fly:11,hosts=1", 17u}, std::pair{"slim-fly:13,hosts=1", 19u}}) {
    const Blueprint blueprint = generate(expression);
    const auto peers = switch_graph(blueprint);
    for (std::uint32_t from = 0; from < blueprint.nodes.size(); ++from) {
      if (blueprint.nodes[from].type != mad::NodeType::Switch) continue;
      EXPECT_EQ(peers[from].size(), degree) << expression;
      std::set<std::uint32_t> seen{from};
      for (const std::uint32_t near : peers[from]) {
        EXPECT_TRUE(near != from);
        seen.insert(near);
        seen.insert(peers[near].begin(), peers[near].end());
      }
      EXPECT_EQ(seen.size(), shape_of(blueprint).switches) << expression;
    }
  }
}

TEST(Rail, AdaptersOfOneNumberInAUnitShareALeaf) {
  const Blueprint blueprint = generate("rail:2,3,4,2");
  std::map<std::string, std::string> leaf_of;
  std::map<std::string, mad::Guid> system_of;
  for (const PlannedCable& cable : blueprint.cables) {
    const PlannedNode& adapter = blueprint.nodes[cable.b.node];
    if (adapter.type != mad::NodeType::Switch) {
      leaf_of[adapter.name] = blueprint.nodes[cable.a.node].name;
      system_of[adapter.name] = adapter.system_image_guid;
      EXPECT_EQ(adapter.description, adapter.name);
    }
  }
  EXPECT_EQ(leaf_of.at("gpu-1 mlx5_0"), "unit-1-rail-1");
  EXPECT_EQ(leaf_of.at("gpu-3 mlx5_0"), "unit-1-rail-1");
  EXPECT_EQ(leaf_of.at("gpu-3 mlx5_3"), "unit-1-rail-4");
  EXPECT_EQ(leaf_of.at("gpu-4 mlx5_3"), "unit-2-rail-4");
  EXPECT_EQ(system_of.at("gpu-1 mlx5_0"), system_of.at("gpu-1 mlx5_3"));
  EXPECT_NE(system_of.at("gpu-1 mlx5_0"), system_of.at("gpu-2 mlx5_0"));
}

TEST(DragonflyPlus, EachTwoGroupsAreJoinedEquallyAndOnlyBySpines) {
  const Blueprint blueprint = generate("dragonfly-plus:4,4,2,4,5");
  std::map<std::pair<std::string, std::string>, unsigned> joined;
  for (const PlannedCable& cable : blueprint.cables) {
    const std::string a = blueprint.nodes[cable.a.node].name;
    const std::string b = blueprint.nodes[cable.b.node].name;
    if (!a.starts_with("group") || !b.starts_with("group")) continue;
    if (a.substr(0, 7) == b.substr(0, 7)) {
      EXPECT_NE(a.find("leaf") == a.npos, b.find("leaf") == b.npos);
      continue;
    }
    EXPECT_EQ((a + b).find("leaf"), std::string::npos);
    ++joined[{a.substr(0, 7), b.substr(0, 7)}];
  }
  EXPECT_EQ(joined.size(), 10u);
  for (const auto& [pair, cables] : joined) EXPECT_EQ(cables, 4u);
}

TEST(Ports, HostsOfSeveralPortsUseThemAll) {
  const Blueprint blueprint = generate("ring:3,hosts=2,ports=2");
  EXPECT_EQ(blueprint.cables.size(), 3u + 12u);
  for (const PlannedNode& node : blueprint.nodes) {
    if (node.type == mad::NodeType::Switch) continue;
    EXPECT_EQ(node.port_count, 2);
  }
  EXPECT_THAT(error_of("ring:3,ports=0"), HasSubstr("a host has 1 to 8 ports"));
  EXPECT_THAT(error_of("star:200,ports=2"), HasSubstr("would need 400 ports"));
}

TEST(NewFamilies, RefuseShapesThatCannotBe) {
  EXPECT_THAT(error_of("slim-fly:9"), HasSubstr("9 is no odd prime"));
  EXPECT_THAT(error_of("slim-fly:2"), HasSubstr("2 is no odd prime"));
  EXPECT_THAT(error_of("slim-fly:251"), HasSubstr("ports"));
  EXPECT_THAT(error_of("whole-tree:7"), HasSubstr("an even number"));
  EXPECT_THAT(error_of("whole-tree:8,9"), HasSubstr("2 or 3 levels"));
  EXPECT_THAT(error_of("rail:4,32,8"), HasSubstr("rail:4,32,8,32"));
  EXPECT_THAT(error_of("rail:1,250,8,32"), HasSubstr("a leaf would need 282 ports"));
  EXPECT_THAT(error_of("dragonfly-plus:4,4,4,4,99"), HasSubstr("99 groups cannot be meshed"));
  EXPECT_THAT(error_of("dragonfly-plus:4,0,4,4"), HasSubstr("0 is not a count"));
}

}  // namespace
}  // namespace heddle::sim
