// SPDX-License-Identifier: BSD-3-Clause
#include "routing/way_finder.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Two switches with links whose ports stand in other orders at both ends, and a third one between
// them in the topology's order.
fabric::Topology crossed() {
  fabric::TopologyBuilder builder;
  for (const std::uint64_t guid : {1u, 2u, 3u}) {
    fabric::Node node;
    node.guid = mad::Guid{guid};
    node.type = mad::NodeType::Switch;
    node.port_count = 8;
    builder.add_node(node);
  }
  const auto link = [&](std::uint64_t a, std::uint8_t port, std::uint64_t b, std::uint8_t far) {
    builder.add_link({mad::Guid{a}, mad::PortNumber{port}}, {mad::Guid{b}, mad::PortNumber{far}});
  };
  for (const auto& [port, far] : {std::pair(1, 6), {2, 5}, {5, 8}, {6, 1}, {7, 4}}) {
    link(1, static_cast<std::uint8_t>(port), 3, static_cast<std::uint8_t>(far));
  }
  link(1, 3, 2, 8);
  link(1, 4, 2, 2);
  link(2, 1, 3, 3);
  return std::move(builder).build().value();
}

void expect_in_order(const fabric::Topology& topology) {
  const CompactChannels channels(topology);
  ASSERT_EQ(channels.count(), topology.channels().size());
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto all = topology.channels_from(SwitchIndex{s});
    std::vector<std::pair<std::uint32_t, std::uint8_t>> wanted;  // where to, and the port
    for (const fabric::Channel& channel : all) {
      wanted.emplace_back(channel.to.value, channel.out.value);
    }
    std::sort(wanted.begin(), wanted.end());
    ASSERT_EQ(channels.first[s + 1] - channels.first[s], all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t c = channels.first[s] + i;
      EXPECT_EQ(channels.from[c], s);
      EXPECT_EQ(std::pair(channels.to[c], channels.out[c]), wanted[i]);
    }
  }
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    const auto back = channels.reverse(c);
    const auto index =
        topology.channel_by_port(SwitchIndex{channels.from[c]}, mad::PortNumber{channels.out[c]});
    const auto& way_back = topology.channels()[topology.channels()[index.value].reverse.value];
    EXPECT_EQ(channels.from[back], way_back.from.value);
    EXPECT_EQ(channels.out[back], way_back.out.value);
  }
}

TEST(CompactChannels, StandByWhereTheyLeadThenByPort) {
  expect_in_order(crossed());
  const auto tree = support::xgft({6, 6, 12}, {1, 6, 6});
  expect_in_order(support::build(tree));
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    expect_in_order(support::build(support::relabelled(tree, seed)));
  }
}

TEST(CompactChannels, MayHaveNoSwitch) {
  EXPECT_EQ(CompactChannels(fabric::Topology()).count(), 0u);
}

}  // namespace
}  // namespace heddle::routing
