// SPDX-License-Identifier: BSD-3-Clause
#include "plan/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "plan/sketch.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::plan {
namespace {

using fabric::NodeIndex;
using fabric::SwitchIndex;
using fabric::Topology;

double apart(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// Whatever the fabric: everything on the page, no switch on another, every cable drawn once.
TEST(Layout, EveryFabricHasAPicture) {
  for (const auto& [name, recipe] : routing::all_kinds_of_fabrics()) {
    const Topology topology = support::build(recipe);
    const Layout layout = lay_out(topology);
    ASSERT_EQ(layout.at.size(), topology.node_count()) << name;
    ASSERT_EQ(layout.rank.size(), topology.switch_count()) << name;
    for (const Point& at : layout.at) {
      EXPECT_TRUE(at.x >= 0 && at.x <= layout.width && at.y >= 0 && at.y <= layout.height)
          << name << ": " << at.x << ' ' << at.y;
    }
    for (std::size_t a = 0; a < topology.switch_count(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GT(apart(layout.at[a], layout.at[b]), 0.3) << name;
      }
    }
    std::size_t cables = 0;
    for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
      const auto peer = topology.peer(fabric::PortIndex{p});
      if (peer == fabric::kNoPort || peer.value < p) continue;
      const NodeIndex a = topology.node_of(fabric::PortIndex{p}), b = topology.node_of(peer);
      if (a != b && topology.is_switch(a) == topology.is_switch(b)) ++cables;
    }
    EXPECT_EQ(layout.links.size(), cables) << name;
    for (const DrawnLink& link : layout.links) {
      EXPECT_EQ(topology.peer(link.from), link.to) << name;
      if (link.forward == fabric::kNoChannel) continue;
      EXPECT_EQ(topology.channels()[link.forward.value].from.value,
                topology.node_of(link.from).value)
          << name;
    }
  }
}

TEST(Layout, IsTheSameWhateverOrderTheFabricIsToldIn) {
  const auto recipe = support::random_mess(11);
  const Layout one = lay_out(support::build(recipe));
  const Layout other = lay_out(support::build(support::shuffled(recipe, 4)));
  ASSERT_EQ(one.at.size(), other.at.size());
  for (std::size_t n = 0; n < one.at.size(); ++n) EXPECT_LT(apart(one.at[n], other.at[n]), 1e-9);
}

TEST(Layout, ATreeStandsInLevelsAndItsPodsTogether) {
  const Topology topology = support::build(support::xgft({3, 4, 5}, {1, 4, 2}));
  const Layout layout = lay_out(topology);
  EXPECT_EQ(layout.kind, Layout::Kind::Tree);
  EXPECT_EQ(layout.title, "tree of 3 levels");
  std::map<std::uint32_t, std::pair<double, double>> band;  // by level: highest and lowest y
  std::map<std::uint32_t, std::size_t> count;
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    const double y = layout.at[s].y;
    const auto [place, first] = band.emplace(layout.rank[s], std::pair(y, y));
    place->second = {std::min(place->second.first, y), std::max(place->second.second, y)};
    ++count[layout.rank[s]];
  }
  EXPECT_EQ(count, (std::map<std::uint32_t, std::size_t>{{0, 20}, {1, 20}, {2, 8}}));
  EXPECT_GT(band[0].first, band[1].second) << "leaves are below";
  EXPECT_GT(band[1].first, band[2].second);
  std::size_t levels = 0;
  for (const Frame& frame : layout.frames) levels += frame.kind == Frame::Kind::Level ? 1u : 0u;
  EXPECT_EQ(levels, 3u);
  // A leaf and the switches above it are in one column of the page: nobody of another pod between.
  for (const auto& channel : topology.channels()) {
    if (layout.rank[channel.from.value] != 0) continue;
    EXPECT_LT(std::abs(layout.at[channel.from.value].x - layout.at[channel.to.value].x),
              layout.width / 5)
        << "a pod is a fifth of the page";
  }
}

TEST(Layout, ADamagedTreeKeepsItsLevelsAndBlocks) {
  const auto recipe = support::xgft({3, 4, 5}, {1, 4, 2});
  const Layout whole = lay_out(support::build(recipe));
  const Layout damaged = lay_out(support::build(support::degraded(recipe, 8, 3)));
  EXPECT_EQ(damaged.rank, whole.rank);
  for (std::size_t s = 0; s < whole.rank.size(); ++s) {
    EXPECT_LT(apart(whole.at[s], damaged.at[s]), 1e-9) << s;
  }
}

TEST(Layout, AGridShowsItsRows) {
  const Topology topology = support::build(support::torus({5, 4}, 2));
  const Layout layout = lay_out(topology);
  EXPECT_EQ(layout.kind, Layout::Kind::Grid);
  std::set<long> columns, rows;
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    columns.insert(std::lround(layout.at[s].x * 1000));
    rows.insert(std::lround(layout.at[s].y * 1000));
  }
  EXPECT_EQ(columns.size() * rows.size(), 20u);
  // Neighbours are side by side, and what closes a ring is an arc and does not lie on them.
  std::size_t straight = 0, arcs = 0;
  for (const DrawnLink& link : layout.links) {
    const double length = apart(layout.at[topology.node_of(link.from).value],
                                layout.at[topology.node_of(link.to).value]);
    const bool near = length < 1.8;
    ++(near ? straight : arcs);
    EXPECT_EQ(link.bend != 0, !near);
  }
  EXPECT_EQ(arcs, 9u);
  EXPECT_EQ(straight, 31u);
}

TEST(Layout, ThreeAxesGoIntoTheDepth) {
  const Topology topology = support::build(support::torus({4, 3, 5}, 1));
  const Layout layout = lay_out(topology);
  EXPECT_EQ(layout.kind, Layout::Kind::Grid);
  std::set<std::pair<long, long>> steps;
  for (const DrawnLink& link : layout.links) {
    if (link.bend != 0) continue;
    const Point a = layout.at[topology.node_of(link.from).value];
    const Point b = layout.at[topology.node_of(link.to).value];
    steps.insert(
        {std::lround(std::abs(a.x - b.x) * 1000), std::lround(std::abs(a.y - b.y) * 1000)});
  }
  EXPECT_EQ(steps.size(), 3u) << "one direction for each axis";
}

TEST(Layout, GroupsOfADragonflyStandTogether) {
  const Topology topology = support::build(support::dragonfly(9, 4, 2, 2));
  const Layout layout = lay_out(topology);
  ASSERT_EQ(layout.kind, Layout::Kind::Groups) << layout.title;
  EXPECT_EQ(layout.frames.size(), 9u);
  std::size_t inside = 0;
  for (const auto& channel : topology.channels()) {
    inside += layout.rank[channel.from.value] == layout.rank[channel.to.value] ? 1u : 0u;
  }
  EXPECT_EQ(inside, 9u * 4 * 3) << "in a group everybody is everybody's neighbour";
  for (std::size_t a = 0; a < topology.switch_count(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_EQ(apart(layout.at[a], layout.at[b]) < 2.1, layout.rank[a] == layout.rank[b]);
    }
  }
}

TEST(Layout, GroupsOfLeavesAndSpinesStandTogetherToo) {
  const Topology topology = support::build(support::dragonfly_plus(7, 4, 4, 6, 2));
  const Layout layout = lay_out(topology);
  ASSERT_EQ(layout.kind, Layout::Kind::Groups) << layout.title;
  EXPECT_EQ(layout.frames.size(), 7u);
}

// Of a graph without shape one may want that neighbours are nearer to each other than others are.
TEST(Layout, NeighboursOfAnyGraphAreNear) {
  const Topology topology = support::build(support::random_regular(80, 4, 1, 3));
  const Layout layout = lay_out(topology);
  ASSERT_EQ(layout.kind, Layout::Kind::General);
  double near = 0, all = 0;
  for (const auto& channel : topology.channels()) {
    near += apart(layout.at[channel.from.value], layout.at[channel.to.value]);
  }
  near /= static_cast<double>(topology.channels().size());
  for (std::size_t a = 0; a < 80; ++a) {
    for (std::size_t b = 0; b < 80; ++b) all += apart(layout.at[a], layout.at[b]);
  }
  EXPECT_LT(near, 0.75 * all / (80 * 79));
}

TEST(Layout, HostsStandBelowTheirSwitchInTheOrderOfItsPorts) {
  const Topology topology = support::build(support::star(30));
  const Layout layout = lay_out(topology);
  const Point middle = layout.at[0];
  std::set<std::pair<long, long>> places;
  for (std::size_t n = 1; n < topology.node_count(); ++n) {
    const Point at = layout.at[n];
    EXPECT_LE(std::abs(at.x - middle.x), 0.5);
    EXPECT_GE(at.y, middle.y + kHostsTop);
    EXPECT_LE(at.y, middle.y + kHostsBottom);
    places.insert({std::lround(at.x * 1e4), std::lround(at.y * 1e4)});
  }
  EXPECT_EQ(places.size(), 30u);
  const auto host_at = [&](std::uint8_t port) {
    const auto peer = topology.peer(topology.port_of(SwitchIndex{0}, mad::PortNumber{port}));
    return layout.at[topology.node_of(peer).value];
  };
  EXPECT_LT(host_at(1).x, host_at(2).x);
  EXPECT_LT(host_at(1).y, host_at(30).y);
}

TEST(Layout, IslandsDoNotOverlap) {
  const auto tree = support::xgft({4, 6}, {1, 4});
  const Topology topology = support::build(support::two_islands(tree, support::ring(9, 1)));
  const Layout layout = lay_out(topology);
  std::vector<Frame> islands;
  for (const Frame& frame : layout.frames) {
    if (frame.kind == Frame::Kind::Island) islands.push_back(frame);
  }
  ASSERT_EQ(islands.size(), 2u);
  const auto& [a, b] = std::tie(islands[0], islands[1]);
  EXPECT_TRUE(a.corner.x + a.width < b.corner.x || b.corner.x + b.width < a.corner.x ||
              a.corner.y + a.height < b.corner.y || b.corner.y + b.height < a.corner.y);
  EXPECT_NE(layout.title.find("2 islands"), std::string::npos);
}

TEST(Layout, ParallelCablesAreSeenOneByOne) {
  const Topology topology = support::build(support::parallel_links(4, 2));
  std::set<long> bends;
  for (const DrawnLink& link : lay_out(topology).links) {
    bends.insert(std::lround(link.bend * 1e6));
  }
  EXPECT_EQ(bends.size(), 4u);
}

TEST(NaturalOrder, CountsNumbersAsNumbers) {
  std::vector<std::string> names{"leaf-10", "leaf-9",  "leaf-009b", "a",
                                 "leaf",    "leaf-9a", "10",        "9"};
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return natural_less(a, b); });
  EXPECT_EQ(names, (std::vector<std::string>{"9", "10", "a", "leaf", "leaf-9", "leaf-9a",
                                             "leaf-009b", "leaf-10"}));
}

}  // namespace
}  // namespace heddle::plan
