// SPDX-License-Identifier: BSD-3-Clause
#include "routing/orientation.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/islands.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

std::size_t tops(const fabric::Topology& topology, const Orientation& orientation) {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto channels = topology.channels_from(SwitchIndex{s});
    count += std::none_of(channels.begin(), channels.end(), [&](const auto& channel) {
      return orientation.is_up(channel.from, channel.to);
    });
  }
  return count;
}

std::vector<std::string> root_names(const fabric::Topology& topology, const Orientation& found) {
  std::vector<std::string> names;
  for (const SwitchIndex root : found.roots) names.push_back(topology.node(root).description);
  return names;
}

TEST(Orientation, EveryIslandOfAnyFabricHasOneTop) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const auto topology = support::build(recipe);
    const auto orientation = orient(topology, {});
    EXPECT_EQ(orientation.from_top.size(), topology.switch_count());
    EXPECT_EQ(tops(topology, orientation), fabric::Islands(topology).count()) << name;
  }
}

TEST(Orientation, TheRootsOfATreeAreItsTopLevel) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto tree = support::xgft({3, 3, 4}, {1, 3, 2});
    const auto topology = support::build(support::relabelled(tree, seed));
    const auto names = root_names(topology, orient(topology, {}));
    EXPECT_EQ(names.size(), 6u);
    EXPECT_THAT(names, testing::Each(testing::StartsWith("level3-")));
  }
}

TEST(Orientation, AMiddleSwitchCutOffFromItsLeavesIsNoRoot) {
  auto tree = support::xgft({3, 3, 4}, {1, 3, 2});
  const auto cut = [&](const support::Recipe::Link& link) {
    const auto name = [&](const auto& end) {
      for (const auto& node : tree.nodes) {
        if (node.guid == end.node) return node.description;
      }
      return std::string();
    };
    return name(link.b) == "level2-0" && name(link.a).rfind("level1", 0) == 0;
  };
  const auto kept = std::remove_if(tree.links.begin(), tree.links.end(), cut);
  ASSERT_EQ(tree.links.end() - kept, 3);
  tree.links.erase(kept, tree.links.end());
  const auto topology = support::build(tree);
  EXPECT_THAT(root_names(topology, orient(topology, {})),
              testing::Each(testing::StartsWith("level3-")));
}

TEST(Orientation, AFabricThatIsNoTreeHasItsCentreForRoot) {
  // A line of five with hosts everywhere: the middle one is nearest to all.
  support::Recipe line;
  for (int i = 0; i < 5; ++i) line.add_switch("s" + std::to_string(i));
  for (std::size_t i = 0; i < 4; ++i) line.join(i, i + 1);
  for (std::size_t i = 0; i < 5; ++i) line.add_hosts(i, 1);
  const auto topology = support::build(line);
  EXPECT_THAT(root_names(topology, orient(topology, {})), testing::ElementsAre("s2"));
}

TEST(Orientation, OfSeveralMiddlesTheOneNearerToMoreHostsIsTheRoot) {
  // s1 and s2 are as far from their farthest host, but two more hang on s2.
  support::Recipe line;
  for (int i = 0; i < 6; ++i) line.add_switch("s" + std::to_string(i));
  for (std::size_t i = 0; i < 3; ++i) line.join(i, i + 1);
  for (std::size_t i = 4; i < 6; ++i) line.join(2, i);
  for (std::size_t i = 0; i < 6; ++i) line.add_hosts(i, 1);
  const auto topology = support::build(line);
  EXPECT_THAT(root_names(topology, orient(topology, {})), testing::ElementsAre("s2"));
}

TEST(Orientation, GivenRootsAreTakenAndStrangersNoted) {
  const auto topology = support::build(support::ring(6, 1));
  const mad::Guid fourth = topology.node(SwitchIndex{3}).guid;
  const auto host = topology.node(fabric::NodeIndex{6}).guid;
  const auto orientation = orient(topology, {mad::Guid{0xbad}, fourth, host});
  EXPECT_THAT(orientation.roots, testing::ElementsAre(SwitchIndex{3}));
  EXPECT_EQ(orientation.from_top.front(), SwitchIndex{3});
  ASSERT_EQ(orientation.notes.size(), 3u);
  EXPECT_THAT(orientation.notes[0], testing::HasSubstr("0x0000000000000bad"));
  EXPECT_THAT(orientation.notes[2], testing::HasSubstr("given 1 root: switch3"));
}

// A ring of six below its first switch: 1 and 5 are next to it, 2 and 4 behind them.
TEST(Orientation, SwitchesOfEqualDistanceAreOrderedByTheirIds) {
  const auto topology = support::build(support::ring(6, 1));
  const auto guid = [&](std::uint32_t s) { return topology.node(SwitchIndex{s}).guid; };
  const auto above = [&](const std::vector<SwitchId>& ids, std::uint32_t a, std::uint32_t b) {
    const auto orientation = orient(topology, {guid(0)}, ids);
    return orientation.is_up(SwitchIndex{b}, SwitchIndex{a});
  };
  EXPECT_TRUE(above({}, 2, 4)) << "by GUID";
  EXPECT_TRUE(above({{guid(4), 1}, {guid(2), 2}}, 4, 2));
  EXPECT_TRUE(above({{guid(2), ~0ull}}, 4, 2)) << "an ID among GUIDs";
  EXPECT_TRUE(above({{guid(4), 1}, {guid(4), ~0ull}}, 2, 4)) << "the last one holds";
  EXPECT_TRUE(above({{guid(4), 1}, {guid(1), 2}, {guid(0), 3}}, 1, 4)) << "distance goes before";
  EXPECT_TRUE(above({{mad::Guid{0xbad}, 1}}, 2, 4)) << "a stranger";
}

TEST(Orientation, IdsLeaveOneTopWhateverTheySay) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto topology = support::build(support::random_regular(20, 4, 1, seed));
    std::vector<mad::Guid> roots;
    std::vector<SwitchId> ids;
    for (std::uint32_t s = 0; s < 20; ++s) {
      const mad::Guid guid = topology.node(SwitchIndex{s}).guid;
      if (s % 3 == seed % 3) roots.push_back(guid);
      ids.push_back({guid, (s * 7 + seed) % 5});
    }
    EXPECT_EQ(tops(topology, orient(topology, roots, ids)), 1u);
  }
}

TEST(Orientation, BadlyGivenRootsStillLeaveOneTop) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto topology = support::build(support::random_regular(20, 4, 1, seed));
    std::vector<mad::Guid> roots;
    for (std::uint32_t s = 0; s < 20; s += 1 + seed % 4) {
      roots.push_back(topology.node(SwitchIndex{s}).guid);
    }
    EXPECT_EQ(tops(topology, orient(topology, roots)), 1u);
  }
}

}  // namespace
}  // namespace heddle::routing
