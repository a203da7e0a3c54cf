// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/counterparts.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::fabric {
namespace {

struct Made {
  std::uint64_t guid;
  mad::NodeType type;
  std::uint8_t ports;
};
constexpr auto kSwitch = mad::NodeType::Switch;
constexpr auto kHost = mad::NodeType::ChannelAdapter;

Topology topology(const std::vector<Made>& nodes) {
  TopologyBuilder builder;
  for (const Made& made : nodes) {
    Node node;
    node.guid = mad::Guid{made.guid};
    node.type = made.type;
    node.port_count = made.ports;
    builder.add_node(node);
  }
  return *std::move(builder).build();
}

// Two switches, the second one's description as said, joined by these of their ports.
Topology pair(const std::string& second, std::uint8_t port) {
  TopologyBuilder builder;
  for (std::uint64_t guid = 1; guid <= 2; ++guid) {
    Node node;
    node.guid = mad::Guid{guid};
    node.type = kSwitch;
    node.port_count = 4;
    if (guid == 2) node.description = second;
    builder.add_node(node);
  }
  builder.add_link({mad::Guid{1}, mad::PortNumber{1}}, {mad::Guid{2}, mad::PortNumber{port}});
  return *std::move(builder).build();
}

TEST(Topologies, AreTheSameWhereNoNodeAndNoLinkIsAnother) {
  EXPECT_TRUE(are_same(pair("b", 1), pair("b", 1)));
  EXPECT_FALSE(are_same(pair("b", 1), pair("c", 1)));
  EXPECT_FALSE(are_same(pair("b", 1), pair("b", 2)));
  EXPECT_FALSE(are_same(pair("b", 1), topology({{1, kSwitch, 4}})));
}

TEST(Counterparts, NodesAndPortsAreFoundByGuidAndNumber) {
  const auto of =
      topology({{1, kSwitch, 4}, {3, kSwitch, 4}, {5, kSwitch, 4}, {10, kHost, 2}, {12, kHost, 1}});
  const auto in = topology({{2, kSwitch, 4},
                            {3, kSwitch, 2},
                            {5, kHost, 4},
                            {9, kHost, 1},
                            {10, kHost, 2},
                            {12, kHost, 1}});
  const Counterparts there(of, in);
  EXPECT_FALSE(there.node(NodeIndex{0}));             // 1 is gone
  EXPECT_EQ(there.node(NodeIndex{1}), NodeIndex{1});  // 3
  EXPECT_EQ(there.node(NodeIndex{2}), in.find_node(mad::Guid{5}));
  EXPECT_EQ(there.node(NodeIndex{3}), in.find_node(mad::Guid{10}));
  EXPECT_EQ(there.node(NodeIndex{4}), in.find_node(mad::Guid{12}));

  EXPECT_FALSE(there.switch_at(SwitchIndex{0}));
  EXPECT_EQ(there.switch_at(SwitchIndex{1}), SwitchIndex{1});
  EXPECT_FALSE(there.switch_at(SwitchIndex{2}));  // a host there

  const auto port = [](const Topology& topology, std::uint64_t guid, std::uint8_t number) {
    return topology.port_of(*topology.find_node(mad::Guid{guid}), mad::PortNumber{number});
  };
  EXPECT_EQ(there.port(port(of, 1, 1)), kNoPort);
  EXPECT_EQ(there.port(port(of, 3, 2)), port(in, 3, 2));
  EXPECT_EQ(there.port(port(of, 3, 3)), kNoPort);  // has fewer ports there
  EXPECT_EQ(there.port(port(of, 10, 2)), port(in, 10, 2));
}

TEST(Counterparts, OfNothingAndInNothing) {
  const auto one = topology({{1, kSwitch, 4}});
  const Topology none;
  EXPECT_FALSE(Counterparts(one, none).node(NodeIndex{0}));
  const Counterparts of_nothing(none, one);  // has nothing to be asked for
}

}  // namespace
}  // namespace heddle::fabric
