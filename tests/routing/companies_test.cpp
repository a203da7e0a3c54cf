// SPDX-License-Identifier: BSD-3-Clause
// Deals in company must be the deals that each switch would have made alone.
#include "routing/companies.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/independence.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Three levels, with so many choices that they are kept in order.
support::Recipe tree() {
  return support::xgft({7, 8, 6}, {1, 7, 8});
}

TEST(Companies, DealAsEachWouldAlone) {
  expect_independent(tree());
  expect_independent(support::xgft({9, 12, 3}, {1, 6, 9}));
  expect_independent(support::xgft({20, 14}, {1, 10}));
}

// What such as stand before the target bring stays there, and is no affair of the next one's.
TEST(Companies, DealAsEachWouldAloneBesideTheTarget) {
  constexpr std::size_t kCables = 7;
  support::Recipe recipe;
  const std::size_t hub = recipe.add_switch("hub");
  for (const char* name : {"one", "other"}) {
    const std::size_t beside = recipe.add_switch(name);
    for (std::size_t cable = 0; cable < kCables; ++cable) recipe.join(hub, beside);
    recipe.add_hosts(beside, 9);
  }
  recipe.add_hosts(hub, 5);
  expect_independent(recipe);
}

TEST(Companies, AreLeftByThoseOfWhomALinkIsLost) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    expect_independent(support::degraded(tree(), 1 + 9 * static_cast<unsigned>(seed), seed));
  }
}

// As GUIDs mostly are: without any order, in a fabric that is cabled in order.
support::Recipe with_scattered_guids(support::Recipe recipe) {
  std::map<mad::Guid, mad::Guid> other;
  for (auto& node : recipe.nodes) {
    const mad::Guid scattered{node.guid.value * 0x9E37'79B9'7F4A'7C15};
    other.emplace(node.guid, scattered);
    node.guid = node.system_image_guid = scattered;
  }
  for (auto& link : recipe.links) {
    link.a.node = other.at(link.a.node);
    link.b.node = other.at(link.b.node);
  }
  return recipe;
}

TEST(Companies, DealAsEachWouldAloneWhateverTheOrderOfSwitches) {
  expect_independent(with_scattered_guids(tree()));
  expect_independent(with_scattered_guids(support::degraded(tree(), 7, 3)));
}

TEST(Companies, AreOfSwitchesWithTheSamePorts) {
  expect_independent(support::relabelled(tree(), 1));
  expect_independent(support::relabelled(support::degraded(tree(), 5, 2), 3));
}

TEST(Companies, AreOfSwitchesWithAsManyHosts) {
  support::Recipe recipe = tree();
  for (std::size_t i = 0, nth = 0; i < recipe.nodes.size(); ++i) {
    const bool is_switch = recipe.nodes[i].type == mad::NodeType::Switch;
    if (is_switch && ++nth % 5 == 0) recipe.add_hosts(i, 2);  // spines among them
  }
  expect_independent(recipe);
}

TEST(Companies, EndWhereTargetsHaveOneLidOrAreNotReached) {
  support::Recipe recipe = tree();
  // A switch with one LID between two with several.
  for (std::size_t i = 0, nth = 0; i < recipe.nodes.size(); ++i) {
    if (recipe.nodes[i].type != mad::NodeType::Switch || ++nth % 9 != 0) continue;
    const auto beside = recipe.add_switch("beside");
    recipe.join(i, beside);
  }
  expect_independent(recipe);
  expect_independent(support::two_islands(tree(), support::xgft({7, 9}, {1, 6})));
}

TEST(Companies, DealAsEachWouldAloneWhereThereIsNoTree) {
  expect_independent(support::random_regular(60, 14, 5, 4));
  expect_independent(support::random_regular(24, 20, 6, 5));
}

TEST(Companies, DealSeveralLidsToOnePort) {
  expect_independent(tree(), 1);
}

// Whether two switches have the same ports to the same switches, and no others.
bool are_kin(const CompactChannels& channels, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t first = channels.first[a], there = channels.first[b];
  const std::uint32_t count = channels.first[a + 1] - first;
  bool same = a != b && channels.first[b + 1] - there == count;
  for (std::uint32_t i = 0; i < count && same; ++i) {
    same = channels.to[first + i] == channels.to[there + i] &&
           channels.out[first + i] == channels.out[there + i];
  }
  return same;
}

TEST(Companies, KinHaveTheSamePortsToTheSameSwitches) {
  std::size_t with_kin = 0;
  for (const auto& recipe :
       {support::xgft({3, 5}, {1, 2}), support::relabelled(support::xgft({3, 5}, {1, 2}), 5)}) {
    const Subnet subnet(recipe);
    const CompactChannels channels(subnet.topology);
    for (std::uint32_t s = 0; s < 7; ++s) {
      bool has_kin = false;
      for (std::uint32_t other = 0; other < 7; ++other) has_kin |= are_kin(channels, s, other);
      const std::uint32_t count = channels.first[s + 1] - channels.first[s];
      EXPECT_EQ(Companies::with_kin(subnet.topology, count)[s] != 0, has_kin) << "switch " << s;
      with_kin += has_kin ? 1 : 0;
    }
  }
  EXPECT_GE(with_kin, 5u) << "the leaves, as long as their ports are in order";
  EXPECT_LT(with_kin, 14u);
}

// Four leaves of two spines, and what the companies know of them.
class InCompany : public testing::Test {
 protected:
  Subnet subnet_{support::xgft({3, 4}, {1, 2})};
  CompactChannels channels_{subnet_.topology};
  std::vector<std::uint32_t> hosts_ = std::vector<std::uint32_t>(6, 3);
  std::vector<std::uint8_t> with_kin_ = Companies::with_kin(subnet_.topology, 2);
  PortCosts costs_{channels_};
  Companies companies_{channels_, hosts_, with_kin_, costs_};
  std::vector<std::uint16_t> nothing_ = std::vector<std::uint16_t>(8);
  std::vector<SwitchIndex> leaves_;
  const std::vector<std::uint8_t> both_{0, 1};

  void SetUp() override {
    for (std::uint32_t s = 0; s < 6; ++s) {
      if (channels_.first[s + 1] - channels_.first[s] == 2) leaves_.push_back({s});
    }
    ASSERT_EQ(leaves_.size(), 4u);
    companies_.gather();
  }
  // The next target, which is no leaf.
  void begin_target() {
    companies_.begin_target(SwitchIndex{channels_.to[channels_.first[leaves_[0].value]]});
  }
  Companies::Company* company_of(std::size_t leaf) {
    return companies_.of(leaves_[leaf], both_, nothing_);
  }
  // Which has dealt for this target, and nobody else has.
  bool is_with_first(std::size_t leaf) { return companies_.has_dealt(*company_of(leaf)); }
  // One LID to the cheapest port.
  void deal(Companies::Company& company, std::size_t leaf) {
    companies_.deal_for(company, leaves_[leaf], nothing_);
    auto& costs = company.costs.in_order;
    const Cost raised = costs[0] + cost_of_one_more(3);
    costs[0] = costs[1];
    costs[1] = raised;
  }
};

TEST_F(InCompany, OneDealsForAll) {
  begin_target();
  auto* company = company_of(0);
  ASSERT_NE(company, nullptr);
  EXPECT_FALSE(companies_.has_dealt(*company));
  deal(*company, 0);
  for (std::size_t leaf = 1; leaf < 4; ++leaf) EXPECT_EQ(company_of(leaf), company);
  EXPECT_TRUE(companies_.has_dealt(*company));
  EXPECT_EQ(company->size, 4u);
  begin_target();
  EXPECT_EQ(company_of(3), company);
  EXPECT_FALSE(companies_.has_dealt(*company));
}

TEST_F(InCompany, WhoLeavesKnowsWhatWasDealt) {
  begin_target();
  deal(*company_of(0), 0);
  company_of(1);
  begin_target();
  const Cost* costs = costs_.at(leaves_[1]);
  EXPECT_EQ(costs[0], 0u) << "still the company's affair";
  companies_.leave(leaves_[1]);
  costs = costs_.at(leaves_[1]);
  EXPECT_EQ(costs[0] & ~kPosition, cost_of_one_more(3));
  EXPECT_EQ(costs[1], 1u);
}

TEST_F(InCompany, WhoBringsSomethingElseDealsFromWhatWasBefore) {
  begin_target();
  deal(*company_of(0), 0);
  company_of(1);
  company_of(2);
  begin_target();
  auto* first = company_of(0);
  deal(*first, 0);
  nothing_[0] = 5;
  auto* other = company_of(1);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(other, first);
  EXPECT_EQ(other->costs.in_order[0], 1u) << "the port that nothing was dealt to yet";
  deal(*other, 1);
  EXPECT_EQ(company_of(2), other) << "it brings the same";
}

// What makes another company, before the first target or after some.
TEST_F(InCompany, MoreHostsMakeAnother) {
  hosts_[leaves_[1].value] = 4;
  begin_target();
  deal(*company_of(0), 0);
  EXPECT_FALSE(is_with_first(1));
  EXPECT_TRUE(is_with_first(2));
}

TEST_F(InCompany, OtherCostsMakeAnother) {
  costs_.at(leaves_[1])[1] += kOneLid;
  begin_target();
  deal(*company_of(0), 0);
  EXPECT_FALSE(is_with_first(1));
  EXPECT_TRUE(is_with_first(2));
}

TEST_F(InCompany, OtherCostsWhenTheSubtreeBeganMakeAnother) {
  const Cost rise = Cost{4} << kLoadShift;
  costs_.at(leaves_[1])[1] += 9 * rise;  // what is left of it is one ninth
  costs_.begin_subtree();
  costs_.at(leaves_[1]);
  costs_.at(leaves_[0])[1] += rise;
  costs_.at(leaves_[2])[1] += rise;
  begin_target();
  deal(*company_of(0), 0);
  ASSERT_EQ(costs_.at(leaves_[1])[1], costs_.at(leaves_[2])[1]);
  EXPECT_FALSE(is_with_first(1));
  EXPECT_TRUE(is_with_first(2));
}

TEST_F(InCompany, OtherPortsMakeAnother) {
  std::swap(channels_.out[channels_.first[leaves_[1].value]],
            channels_.out[channels_.first[leaves_[1].value] + 1]);
  begin_target();
  deal(*company_of(0), 0);
  EXPECT_FALSE(is_with_first(1));
  EXPECT_TRUE(is_with_first(2));
}

TEST_F(InCompany, WhoIsAloneStaysAlone) {
  begin_target();
  deal(*company_of(0), 0);
  begin_target();
  EXPECT_EQ(company_of(0), nullptr);
  EXPECT_EQ(costs_.at(leaves_[0])[0] & ~kPosition, cost_of_one_more(3));
  begin_target();
  EXPECT_EQ(company_of(0), nullptr);
}

TEST_F(InCompany, NobodySeeksAnyWhereItWasNotWorthIt) {
  begin_target();
  deal(*company_of(0), 0);
  hosts_[leaves_[1].value] = 4;
  deal(*company_of(1), 1);
  companies_.disband();
  companies_.gather();
  begin_target();
  EXPECT_EQ(company_of(2), nullptr);
}

}  // namespace
}  // namespace heddle::routing
