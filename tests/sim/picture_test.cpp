// SPDX-License-Identifier: BSD-3-Clause
#include "sim/picture.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

namespace heddle::sim {
namespace {

Picture picture_of(std::string_view expression) {
  const auto made = generate_fabric(expression);
  EXPECT_TRUE(made) << expression;
  return made ? draw(*made) : Picture{};
}

struct Sum {
  std::size_t switches = 0, hosts = 0, cables = 0;
};

Sum sum_of(const Picture& picture) {
  Sum sum;
  for (const auto& box : picture.boxes) {
    sum.switches += box.nodes;
    sum.hosts += box.hosts;
  }
  for (const auto& strand : picture.strands) sum.cables += strand.cables;
  return sum;
}

TEST(Picture, ATreeStandsInLevelsWithItsHostsBelow) {
  const Picture picture = picture_of("fat-tree:4,4,8");
  EXPECT_TRUE(picture.by_levels);
  std::map<unsigned, std::set<double>> heights;
  std::map<unsigned, std::size_t> counts;
  for (const auto& box : picture.boxes) {
    heights[box.level].insert(box.y);
    ++counts[box.level];
    EXPECT_EQ(box.hosts, box.level == 0 ? 4u : 0u);
  }
  // 32 leaves, 32 spines and 16 cores; what is nearer to the hosts stands lower.
  EXPECT_EQ(counts, (std::map<unsigned, std::size_t>{{0, 32}, {1, 32}, {2, 16}}));
  for (const auto& [level, ys] : heights) EXPECT_EQ(ys.size(), 1u);
  EXPECT_GT(*heights[0].begin(), *heights[1].begin());
  EXPECT_GT(*heights[1].begin(), *heights[2].begin());
}

TEST(Picture, NeighboursOfAMeshStandSideBySide) {
  const Picture picture = picture_of("mesh:5x4,hosts=1");
  EXPECT_FALSE(picture.by_levels);
  ASSERT_EQ(picture.boxes.size(), 20u);
  for (const auto& strand : picture.strands) {
    const auto& a = picture.boxes[strand.from];
    const auto& b = picture.boxes[strand.to];
    EXPECT_LE(std::hypot(a.x - b.x, a.y - b.y), 1.5);
  }
}

// A box is about 0.8 wide and 0.35 high.
TEST(Picture, TheBoxesOfADragonflyDoNotCoverOneAnother) {
  for (const char* expression : {"dragonfly:4,2,2,5", "dragonfly:8,4,4,33", "dragonfly:4,2,2"}) {
    const Picture picture = picture_of(expression);
    for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
      for (std::size_t j = i + 1; j < picture.boxes.size(); ++j) {
        const double across = std::abs(picture.boxes[i].x - picture.boxes[j].x);
        const double down = std::abs(picture.boxes[i].y - picture.boxes[j].y);
        EXPECT_TRUE(across > 0.8 || down > 0.35) << expression << " " << i << " " << j;
      }
    }
  }
}

TEST(Picture, ARingIsACircle) {
  const Picture picture = picture_of("ring:12,hosts=1");
  ASSERT_EQ(picture.boxes.size(), 12u);
  for (const auto& strand : picture.strands) {
    const auto& a = picture.boxes[strand.from];
    const auto& b = picture.boxes[strand.to];
    EXPECT_NEAR(std::hypot(a.x - b.x, a.y - b.y), 2 * 3 * std::sin(std::numbers::pi / 12), 1e-9);
  }
}

class AnyFabric : public ::testing::TestWithParam<const char*> {};

TEST_P(AnyFabric, IsDrawnWholeWithFewBoxesInsideTheFrame) {
  const auto made = generate_fabric(GetParam());
  ASSERT_TRUE(made);
  const Picture picture = draw(*made);
  EXPECT_LE(picture.boxes.size(), 1100u);
  for (const auto& box : picture.boxes) {
    EXPECT_GE(box.x, -1e-9);
    EXPECT_LE(box.x, picture.width);
    EXPECT_GE(box.y, -1e-9);
    EXPECT_LE(box.y, picture.height);
  }
  std::size_t switches = 0;
  for (const PlannedNode& node : made->nodes) switches += node.type == mad::NodeType::Switch;
  const Sum sum = sum_of(picture);
  EXPECT_EQ(sum.switches, switches == 0 ? made->nodes.size() : switches);
  EXPECT_LE(sum.cables + sum.hosts, made->cables.size());
}

INSTANTIATE_TEST_SUITE_P(Sizes, AnyFabric,
                         ::testing::Values("pair", "star:3", "fat-tree:18,36",
                                           "xgft:18,18,36;1,18,18", "torus:30x30x10",
                                           "torus:6x6x6,hosts=4", "hypercube:10,hosts=4",
                                           "dragonfly:8,4,4", "dragonfly:16,8,8",
                                           "dragonfly:2,2,1,1", "ring:2000",
                                           "random:switches=125,degree=16,hosts=8"));

}  // namespace
}  // namespace heddle::sim
