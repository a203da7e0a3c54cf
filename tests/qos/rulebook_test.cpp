// SPDX-License-Identifier: BSD-3-Clause
#include "qos/rulebook.hpp"

#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "qos/language.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::qos {
namespace {

using fabric::PortIndex;

// Port GUIDs are those of the nodes.
fabric::Topology ring_of_three() {
  const support::Recipe recipe = support::ring(3, 2);
  fabric::TopologyBuilder builder;
  for (const fabric::Node& node : recipe.nodes) {
    builder.add_node(node);
    const bool is_switch = node.type == mad::NodeType::Switch;
    builder.set_port_guid(
        {node.guid, mad::PortNumber{is_switch ? std::uint8_t{0} : std::uint8_t{1}}}, node.guid);
  }
  for (const auto& link : recipe.links) builder.add_link(link.a, link.b);
  return std::move(builder).build().value();
}

class RulebookTest : public testing::Test {
 protected:
  PortIndex host(std::size_t n) const { return topology_.endports()[topology_.switch_count() + n]; }
  PortIndex switch_port(std::size_t n) const { return topology_.endports()[n]; }
  std::string name(PortIndex port) const {
    return topology_.node(topology_.node_of(port)).description;
  }
  std::uint64_t guid(PortIndex port) const { return topology_.port(port).guid.value; }

  Rulebook book(std::string_view text, const partitions::Memberships* memberships = nullptr) const {
    auto parsed = parse(text, "f");
    EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message);
    return {std::make_shared<const Policy>(parsed->policy), topology_, memberships, host(1)};
  }
  static int sl(const Rulebook& book, PortIndex from, PortIndex to, const Question& question = {}) {
    const Level* level = book.level(book.rules_for(question), from, to);
    return level == nullptr || !level->sl ? -1 : level->sl->value;
  }

  fabric::Topology topology_ = ring_of_three();
};

// Who is in a group, by a rule that asks for nothing but the destination.
constexpr std::string_view kOneGroup = R"(port-groups
port-group
name: them
{}
end-port-group
end-port-groups
qos-levels
qos-level
name: them
sl: 5
end-qos-level
end-qos-levels
qos-match-rules
qos-match-rule
destination: them
qos-level-name: them
end-qos-match-rule
end-qos-match-rules
)";

TEST_F(RulebookTest, FindsTheMembersOfGroups) {
  const auto members = [this](std::string_view line,
                              const partitions::Memberships* memberships = nullptr) {
    const Rulebook with = book(fmt::format(kOneGroup, line), memberships);
    std::vector<bool> in;
    for (const PortIndex port :
         {switch_port(0), switch_port(2), host(0), host(1), host(2), host(5)}) {
      in.push_back(sl(with, host(3), port) == 5);
    }
    return in;
  };
  using Is = std::vector<bool>;
  EXPECT_EQ(members("node-type: CA"), (Is{false, false, true, true, true, true}));
  EXPECT_EQ(members("node-type: switch"), (Is{true, true, false, false, false, false}));
  EXPECT_EQ(members("node-type: ALL"), (Is{true, true, true, true, true, true}));
  EXPECT_EQ(members("node-type: SELF"), (Is{false, false, false, true, false, false}));
  EXPECT_EQ(members("node-type: ROUTER"), (Is{false, false, false, false, false, false}));
  EXPECT_EQ(members(fmt::format("port-guid: {}", guid(host(2)))),
            (Is{false, false, false, false, true, false}));
  EXPECT_EQ(members(fmt::format("port-name: \"{}/P1\", nobody/P1", name(host(5)))),
            (Is{false, false, false, false, false, true}));
  EXPECT_EQ(members(fmt::format("port-name: {}/P2", name(host(5)))), Is(6, false));
  // Without a policy of partitions everybody is in Default.
  EXPECT_EQ(members("pkey: 0x7fff"), Is(6, true));
  EXPECT_EQ(members("partition: Default"), Is(6, true));
  EXPECT_EQ(members("pkey: 0x10"), Is(6, false));

  partitions::Policy policy = partitions::default_policy();
  partitions::Partition own;
  own.name = "own";
  own.key = partitions::BaseKey{0x10};
  own.rules.push_back({partitions::Who::Port, topology_.port(host(0)).guid, {}});
  policy.partitions.push_back(own);
  const partitions::Memberships memberships(policy, topology_, host(1));
  EXPECT_EQ(members("pkey: 0x8000-0x8011", &memberships),
            (Is{false, false, true, false, false, false}));
  EXPECT_EQ(members("partition: own", &memberships), (Is{false, false, true, false, false, false}));
}

TEST_F(RulebookTest, AsksForAllThatARuleSays) {
  const Rulebook rules = book(fmt::format(R"(port-groups
port-group
name: one
port-guid: {}
end-port-group
end-port-groups
qos-levels
qos-level
name: default
sl: 1
end-qos-level
qos-level
name: first
sl: 2
end-qos-level
qos-level
name: second
sl: 3
end-qos-level
end-qos-levels
qos-match-rules
qos-match-rule
source: one
qos-class: 4
service-id: 100-200
pkey: 0x8010
qos-level-name: first
end-qos-match-rule
qos-match-rule
qos-class: 4
qos-level-name: second
end-qos-match-rule
end-qos-match-rules
)",
                                          guid(host(0))));
  Question question{150, std::uint16_t{4}, mad::PKey{0x10}};
  EXPECT_EQ(sl(rules, host(0), host(1), question), 2);
  EXPECT_EQ(sl(rules, host(1), host(0), question), 3) << "another source";
  question.service_id = 201;
  EXPECT_EQ(sl(rules, host(0), host(1), question), 3);
  question.service_id.reset();
  EXPECT_EQ(sl(rules, host(0), host(1), question), 3) << "what is not said is not met";
  question = {150, std::uint16_t{4}, std::nullopt};
  EXPECT_EQ(sl(rules, host(0), host(1), question), 3);
  question = {150, std::nullopt, mad::PKey{0x10}};
  EXPECT_EQ(sl(rules, host(0), host(1), question), 1) << "the default";
}

TEST_F(RulebookTest, HasNoLevelWhereNothingSaysOne) {
  const Rulebook rules = book("qos-ulps\nany, service-id 5 : 3\nend-qos-ulps\n");
  EXPECT_EQ(sl(rules, host(0), host(1)), -1);
  EXPECT_EQ(sl(rules, host(0), host(1), {5, {}, {}}), 3);
}

}  // namespace
}  // namespace heddle::qos
