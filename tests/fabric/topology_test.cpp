// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/topology.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::fabric {
namespace {

using mad::Guid;
using mad::PortNumber;
using testing::HasSubstr;

Node node(std::uint64_t guid, mad::NodeType type, std::uint8_t ports, std::string name = "") {
  Node made;
  made.guid.value = guid;
  made.type = type;
  made.port_count = ports;
  made.description = std::move(name);
  return made;
}

TopologyBuilder::End end(std::uint64_t guid, unsigned port) {
  return {Guid{guid}, PortNumber{static_cast<std::uint8_t>(port)}};
}

std::string reason(TopologyBuilder builder) {
  const auto built = std::move(builder).build();
  return built ? "" : built.error().message;
}

// Two switches, a host with two ports on both, a host on the first.
TopologyBuilder pair_with_hosts() {
  TopologyBuilder builder;
  builder.add_node(node(0x30, mad::NodeType::ChannelAdapter, 2, "wide"));
  builder.add_node(node(0x20, mad::NodeType::Switch, 4, "right"));
  builder.add_node(node(0x05, mad::NodeType::ChannelAdapter, 1, "narrow"));
  builder.add_node(node(0x10, mad::NodeType::Switch, 4, "left"));
  builder.add_link(end(0x20, 3), end(0x10, 2));
  builder.add_link(end(0x30, 1), end(0x10, 1));
  builder.add_link(end(0x30, 2), end(0x20, 1));
  builder.add_link(end(0x05, 1), end(0x10, 4));
  return builder;
}

TEST(Topology, SwitchesComeFirstAndEachGroupByGuid) {
  const auto topology = *pair_with_hosts().build();
  ASSERT_EQ(topology.node_count(), 4u);
  ASSERT_EQ(topology.switch_count(), 2u);
  EXPECT_EQ(topology.node(NodeIndex{0}).description, "left");
  EXPECT_EQ(topology.node(NodeIndex{1}).description, "right");
  EXPECT_EQ(topology.node(NodeIndex{2}).description, "narrow");
  EXPECT_EQ(topology.node(NodeIndex{3}).description, "wide");
  EXPECT_EQ(topology.find_node(Guid{0x30}), NodeIndex{3});
  EXPECT_EQ(topology.find_node(Guid{0x31}), std::nullopt);
}

TEST(Topology, ChannelsAreTheLinksBetweenSwitchesInBothDirections) {
  const auto topology = *pair_with_hosts().build();
  EXPECT_EQ(topology.link_count(), 4u);
  ASSERT_EQ(topology.channels().size(), 2u);
  const Channel& there = topology.channels()[0];
  EXPECT_EQ(there.from, SwitchIndex{0});
  EXPECT_EQ(there.to, SwitchIndex{1});
  EXPECT_EQ(there.out, PortNumber{2});
  EXPECT_EQ(there.in, PortNumber{3});
  EXPECT_EQ(there.reverse, ChannelIndex{1});
  EXPECT_EQ(topology.channels()[1].reverse, ChannelIndex{0});
  EXPECT_EQ(topology.channel_by_port(SwitchIndex{1}, PortNumber{3}), ChannelIndex{1});
  EXPECT_EQ(topology.channel_by_port(SwitchIndex{1}, PortNumber{1}), kNoChannel);
}

TEST(Topology, EndportsHangWhereTheirCableGoes) {
  const auto topology = *pair_with_hosts().build();
  EXPECT_EQ(topology.endports().size(), 5u);  // two switches, three host ports
  const auto second = topology.port_of(NodeIndex{3}, PortNumber{2});
  const auto attachment = topology.attachment(second);
  ASSERT_TRUE(attachment);
  EXPECT_EQ(attachment->at, SwitchIndex{1});
  EXPECT_EQ(attachment->out, PortNumber{1});
  const auto own = topology.attachment(topology.port_of(SwitchIndex{1}, PortNumber{0}));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->at, SwitchIndex{1});
  EXPECT_EQ(own->out, PortNumber{0});
}

TEST(Topology, TwoHostsAndOneCableHangOnNoSwitch) {
  TopologyBuilder builder;
  builder.add_node(node(1, mad::NodeType::ChannelAdapter, 1));
  builder.add_node(node(2, mad::NodeType::ChannelAdapter, 1));
  builder.add_link(end(1, 1), end(2, 1));
  const auto topology = *std::move(builder).build();
  ASSERT_EQ(topology.endports().size(), 2u);
  for (const auto port : topology.endports()) EXPECT_FALSE(topology.attachment(port));
}

TEST(Topology, ACableFromASwitchToItselfIsALinkButNoChannel) {
  TopologyBuilder builder;
  builder.add_node(node(1, mad::NodeType::Switch, 3));
  builder.add_link(end(1, 1), end(1, 2));
  builder.add_link(end(1, 3), end(1, 3));  // a loopback plug
  const auto topology = *std::move(builder).build();
  EXPECT_EQ(topology.link_count(), 2u);
  EXPECT_TRUE(topology.channels().empty());
  const auto port = [&](unsigned number) {
    return topology.port_of(SwitchIndex{0}, PortNumber{static_cast<std::uint8_t>(number)});
  };
  EXPECT_EQ(topology.peer(port(1)), port(2));
  EXPECT_EQ(topology.peer(port(3)), port(3));
}

TEST(Topology, ALinkToldFromBothEndsIsOneLink) {
  auto builder = pair_with_hosts();
  builder.add_link(end(0x10, 2), end(0x20, 3));
  builder.add_link(end(0x30, 1), end(0x10, 1));
  EXPECT_EQ((*std::move(builder).build()).link_count(), 4u);
}

TEST(Topology, TheLastWordAboutANodeCounts) {
  auto builder = pair_with_hosts();
  builder.add_node(node(0x10, mad::NodeType::Switch, 8, "renamed"));
  const auto topology = *std::move(builder).build();
  EXPECT_EQ(topology.node_count(), 4u);
  EXPECT_EQ(topology.node(SwitchIndex{0}).description, "renamed");
  EXPECT_EQ(topology.node(SwitchIndex{0}).port_count, 8);
}

TEST(Topology, WhatCannotBeIsNamed) {
  auto builder = pair_with_hosts();
  builder.add_link(end(0x77, 1), end(0x10, 3));
  EXPECT_THAT(reason(builder), HasSubstr("0x0000000000000077"));

  builder = pair_with_hosts();
  builder.add_link(end(0x20, 5), end(0x10, 3));
  EXPECT_THAT(reason(builder), HasSubstr("port 5 of node 0x0000000000000020 \"right\""));

  builder = pair_with_hosts();
  builder.add_link(end(0x20, 0), end(0x10, 3));
  EXPECT_THAT(reason(builder), HasSubstr("its ports are 1 to 4"));

  builder = pair_with_hosts();
  builder.add_link(end(0x20, 4), end(0x10, 2));
  EXPECT_THAT(reason(builder), HasSubstr("port 2 of node 0x0000000000000010 \"left\" is in two"));

  builder = pair_with_hosts();
  builder.set_port_guid(end(0x05, 2), Guid{9});
  EXPECT_THAT(reason(builder), HasSubstr("port 2"));

  for (const unsigned ports : {0u, 255u}) {
    builder = pair_with_hosts();
    builder.add_node(node(7, mad::NodeType::Switch, static_cast<std::uint8_t>(ports), "liar"));
    EXPECT_THAT(reason(builder), HasSubstr("\"liar\" claims " + std::to_string(ports)));
  }
}

TEST(Topology, AFullSwitchHas254Ports) {
  const auto topology = support::build(support::star(254));
  EXPECT_EQ(topology.endports().size(), 255u);
  EXPECT_EQ(topology.node(SwitchIndex{0}).port_count, 254);
}

TEST(Topology, TheOrderOfTellingDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto recipe = support::random_mess(seed);
    const auto one = support::build(recipe);
    const auto other = support::build(support::shuffled(recipe, seed + 1));
    ASSERT_EQ(one.port_count(), other.port_count());
    EXPECT_EQ(one.link_count(), other.link_count());
    for (std::uint32_t p = 0; p < one.port_count(); ++p) {
      EXPECT_EQ(one.peer(PortIndex{p}), other.peer(PortIndex{p})) << "seed " << seed;
      EXPECT_EQ(one.node(one.node_of(PortIndex{p})).guid,
                other.node(other.node_of(PortIndex{p})).guid);
    }
  }
}

// What every topology promises, whatever it was built from.
void expect_consistent(const Topology& topology) {
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const PortIndex port{p};
    EXPECT_EQ(topology.port_of(topology.node_of(port), topology.number_of(port)), port);
    if (topology.peer(port) != kNoPort) {
      EXPECT_EQ(topology.peer(topology.peer(port)), port);
    }
  }
  const auto channels = topology.channels();
  for (std::uint32_t c = 0; c < channels.size(); ++c) {
    EXPECT_NE(channels[c].from, channels[c].to);
    EXPECT_EQ(channels[channels[c].reverse.value].reverse, ChannelIndex{c});
    EXPECT_EQ(topology.channel_by_port(channels[c].from, channels[c].out), ChannelIndex{c});
    EXPECT_EQ(topology.peer(topology.port_of(channels[c].from, channels[c].out)),
              topology.port_of(channels[c].to, channels[c].in));
  }
}

TEST(Topology, NonsenseGivesAnErrorOrAConsistentTopologyButNeverACrash) {
  unsigned built_count = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    base::Prng prng(seed);
    TopologyBuilder builder;
    const auto any_guid = [&] { return prng.below(6) == 0 ? prng() : prng.below(5); };
    const auto any_end = [&] {
      const auto wide = prng.chance(0.05);
      return end(any_guid(), static_cast<unsigned>(prng.below(wide ? 256 : 6)));
    };
    for (auto n = prng.below(8); n > 0; --n) {
      const auto type = static_cast<mad::NodeType>(prng.below(prng.chance(0.1) ? 256 : 4));
      const auto ports = prng.chance(0.05) ? prng.below(256) : 1 + prng.below(6);
      builder.add_node(node(any_guid(), type, static_cast<std::uint8_t>(ports)));
    }
    for (auto n = prng.below(3); n > 0; --n) builder.add_link(any_end(), any_end());
    if (prng.chance(0.2)) builder.set_port_guid(any_end(), Guid{prng()});
    const auto built = std::move(builder).build();
    if (!built) {
      EXPECT_FALSE(built.error().message.empty());
      continue;
    }
    ++built_count;
    expect_consistent(*built);
  }
  EXPECT_GT(built_count, 300u);  // else the test says little
}

}  // namespace
}  // namespace heddle::fabric
