// SPDX-License-Identifier: BSD-3-Clause
#include "plan/loss.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/topologies.hpp"

namespace heddle::plan {
namespace {

using testing::HasSubstr;

// Names with hyphens and colons, as directors have them.
class Losses : public testing::Test {
 protected:
  Losses() {
    const auto a = recipe_.add_switch("MF0;leaf-1:MQM/U1"), b = recipe_.add_switch("spine-1");
    const auto twin = recipe_.add_switch("twin"), other = recipe_.add_switch("twin");
    recipe_.join(a, b);
    recipe_.join(a, b);
    recipe_.join(b, twin);
    recipe_.join(b, other);
    recipe_.add_hosts(a, 3);
    topology_ = support::build(recipe_);
    lids_ = support::number_lids(topology_);
  }
  std::string error(const std::string& text) {
    const auto loss = parse_loss(topology_, text);
    return loss ? std::string() : loss.error().message;
  }
  std::string parsed(const std::string& text) {
    const auto loss = parse_loss(topology_, text);
    return loss ? describe(topology_, *loss) : loss.error().message;
  }

  support::Recipe recipe_;
  fabric::Topology topology_;
  fabric::LidMap lids_;
};

TEST_F(Losses, ACableByBothEndsOrOne) {
  EXPECT_EQ(parsed("MF0;leaf-1:MQM/U1:2 - spine-1:2"), "MF0;leaf-1:MQM/U1:2 - spine-1:2");
  EXPECT_EQ(parsed("spine-1:2-MF0;leaf-1:MQM/U1:2"), "spine-1:2 - MF0;leaf-1:MQM/U1:2");
  EXPECT_EQ(parsed(" spine-1:1 "), "spine-1:1 - MF0;leaf-1:MQM/U1:1");
  EXPECT_THAT(error("spine-1:2 - MF0;leaf-1:MQM/U1:1"), HasSubstr("no cable joins"));
  EXPECT_THAT(error("spine-1:9"), HasSubstr("names no node"));
}

TEST_F(Losses, ANodeByNameGuidOrPattern) {
  EXPECT_EQ(parsed("spine-1"), "spine-1");
  EXPECT_EQ(parse_loss(topology_, "tw*")->nodes.size(), 2u);
  EXPECT_EQ(parse_loss(topology_, "t?i?")->nodes.size(), 2u);
  EXPECT_EQ(parse_loss(topology_, "*")->nodes.size(), topology_.node_count());
  const auto guid = topology_.node(fabric::NodeIndex{0}).guid.value;
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(guid));
  EXPECT_EQ(parse_loss(topology_, text)->nodes.front(), fabric::NodeIndex{0});
  EXPECT_EQ(parse_loss(topology_, "S-" + std::string(text + 2))->nodes.front(),
            fabric::NodeIndex{0});
  EXPECT_THAT(error("twin"), HasSubstr("2 nodes are called"));
  EXPECT_THAT(error("nobody*"), HasSubstr("names no node"));
}

TEST_F(Losses, OneWrongWordIsNamed) {
  const auto all = parse_losses(topology_, {"spine-1:1", "nonsense"});
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message, HasSubstr("nonsense"));
}

TEST_F(Losses, TheSeedDealsAllOfAKindAndAlwaysTheSame) {
  const auto links = shuffled(topology_, Kind::Links, 7);
  EXPECT_EQ(links.size(), 4u);  // hosts' cables are no links between switches
  std::set<std::string> names;
  for (const auto& link : links) names.insert(describe(topology_, link));
  EXPECT_EQ(names.size(), 4u);
  const auto again = shuffled(topology_, Kind::Links, 7);
  for (std::size_t i = 0; i < links.size(); ++i) EXPECT_EQ(links[i].cables, again[i].cables);
  EXPECT_EQ(shuffled(topology_, Kind::Switches, 7).size(), 4u);
  EXPECT_EQ(shuffled(topology_, Kind::Hosts, 7).size(), 3u);
}

TEST_F(Losses, WhoIsLeftKeepsItsLids) {
  auto loss = parse_loss(topology_, "spine-1:1");
  loss->nodes.push_back(*topology_.find_node(recipe_.nodes[2].guid));
  const Left left = without(topology_, lids_, *loss);
  EXPECT_EQ(left.topology.node_count(), topology_.node_count() - 1);
  EXPECT_EQ(left.topology.link_count(), topology_.link_count() - 2);
  std::size_t kept = 0;
  for (const auto port : left.topology.endports()) {
    const auto was = topology_.find_node(left.topology.node(left.topology.node_of(port)).guid);
    const auto old = topology_.port_of(*was, left.topology.number_of(port));
    EXPECT_EQ(left.lids.range(port), lids_.range(old));
    ++kept;
  }
  EXPECT_EQ(kept, topology_.endports().size() - 1);
}

}  // namespace
}  // namespace heddle::plan
