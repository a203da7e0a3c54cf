// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/dependencies.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::fabric {
namespace {

std::size_t local_of(const Topology& topology, ChannelIndex channel) {
  return channel.value - topology.first_channel(topology.channels()[channel.value].from).value;
}

// Depth first with colours: finds whether there is a cycle, nothing else.
bool has_cycle(const Topology& topology, const Dependencies& graph, std::uint8_t vls) {
  std::vector<int> colours(topology.channels().size() * vls);
  const auto colour = [&](LaneChannel at) -> int& {
    return colours[at.channel.value * vls + at.vl];
  };
  const auto visit = [&](const auto& self, LaneChannel at) -> bool {
    colour(at) = 1;
    bool found = false;
    graph.for_each(at, [&](LaneChannel next) {
      if (colour(next) == 1) found = true;
      if (colour(next) == 0 && !found) found = self(self, next);
    });
    colour(at) = 2;
    return found;
  };
  for (std::uint32_t c = 0; c < topology.channels().size(); ++c) {
    for (std::uint8_t vl = 0; vl < vls; ++vl) {
      const LaneChannel at{ChannelIndex{c}, vl};
      if (colour(at) == 0 && visit(visit, at)) return true;
    }
  }
  return false;
}

TEST(Dependencies, ACycleIsFoundExactlyWhenThereIsOne) {
  unsigned with = 0, without = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    base::Prng prng(seed);
    const auto topology = support::build(support::random_regular(8, 4, 0, seed));
    const auto vls = static_cast<std::uint8_t>(1 + seed % 3);
    Dependencies graph(topology, vls);
    const auto draw_vl = [&] { return static_cast<std::uint8_t>(prng.below(vls)); };
    for (auto edges = prng.below(60u * vls); edges > 0; --edges) {
      const ChannelIndex held{static_cast<std::uint32_t>(prng.below(topology.channels().size()))};
      const auto onward = topology.channels_from(topology.channels()[held.value].to).size();
      graph.add({held, draw_vl()}, static_cast<std::size_t>(prng.below(onward)), draw_vl());
    }
    const auto cycle = graph.find_cycle();
    EXPECT_EQ(!cycle.empty(), has_cycle(topology, graph, vls)) << "seed " << seed;
    (cycle.empty() ? without : with) += 1;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const LaneChannel next = cycle[(i + 1) % cycle.size()];
      EXPECT_EQ(topology.channels()[cycle[i].channel.value].to,
                topology.channels()[next.channel.value].from);
      EXPECT_TRUE(graph.has(cycle[i], local_of(topology, next.channel), next.vl));
    }
  }
  EXPECT_GT(with, 20u);
  EXPECT_GT(without, 20u);
}

TEST(Dependencies, TheShorterOfTwoCyclesIsTold) {
  // One way round a ring of three, and one way round a ring of five, in one fabric.
  const auto topology =
      support::build(support::two_islands(support::ring(5, 0), support::ring(3, 0)));
  Dependencies graph(topology);
  for (const Channel& channel : topology.channels()) {
    const std::uint32_t first = channel.from.value < 5 ? 0 : 5, size = first == 0 ? 5 : 3;
    const auto next_of = [&](SwitchIndex at) { return first + (at.value - first + 1) % size; };
    if (channel.to.value != next_of(channel.from)) continue;
    const auto onward = topology.channels_from(channel.to);
    for (std::size_t i = 0; i < onward.size(); ++i) {
      const auto held = topology.channel_by_port(channel.from, channel.out);
      if (onward[i].to.value == next_of(channel.to)) graph.add(held, i);
    }
  }
  EXPECT_EQ(graph.count(), 8u);
  EXPECT_EQ(graph.find_cycle().size(), 3u);
}

TEST(Dependencies, AFullSwitchNeedsMoreThanOneWord) {
  // 100 switches around one: channel 99 of the middle is beyond the first word.
  support::Recipe recipe;
  recipe.add_switch("middle");
  for (int i = 0; i < 100; ++i) recipe.join(0, recipe.add_switch("around"));
  const auto topology = support::build(recipe);
  Dependencies graph(topology);
  const ChannelIndex in = topology.channels()[0].reverse;
  graph.add(in, 99);
  EXPECT_TRUE(graph.has(in, 99));
  EXPECT_FALSE(graph.has(in, 35));
  EXPECT_EQ(graph.count(), 1u);
  graph.for_each({in, 0}, [&](LaneChannel next) { EXPECT_EQ(next.channel, ChannelIndex{99}); });
}

}  // namespace
}  // namespace heddle::fabric
