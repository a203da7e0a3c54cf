// SPDX-License-Identifier: BSD-3-Clause
// LIDs of switches without hosts, dealt switch by switch, against dealing them one by one.
#include "routing/lone_lids.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "routing/engine.hpp"
#include "tests/routing/independence.hpp"

namespace heddle::routing {
namespace {

using Lanes = LoneLids::Lanes;

constexpr std::size_t kNowhere = 999;

struct Dealt {
  std::vector<std::size_t> position;  // by lane
  std::vector<Cost> costs;            // by position
  friend bool operator==(const Dealt&, const Dealt&) = default;
};

Dealt one_by_one(const std::vector<Lanes>& offers, std::vector<Cost> costs) {
  Dealt dealt{std::vector<std::size_t>(WayFinder::kLanes, kNowhere), {}};
  for (std::size_t lane = 0; lane < WayFinder::kLanes; ++lane) {
    Cost least = kNoCost;
    for (std::size_t position = 0; position < offers.size(); ++position) {
      if ((offers[position] >> lane & 1) != 0) least = std::min(least, costs[position]);
    }
    if (least == kNoCost) continue;
    dealt.position[lane] = least & kPosition;
    costs[least & kPosition] += kOneLid;
  }
  dealt.costs = std::move(costs);
  return dealt;
}

void expect_same(LoneLids& dealer, const std::vector<Lanes>& offers,
                 const std::vector<Cost>& costs) {
  Dealt dealt{std::vector<std::size_t>(WayFinder::kLanes, kNowhere), costs};
  dealer.deal(offers, dealt.costs.data(), [&](std::size_t lane, std::size_t position) {
    EXPECT_EQ(dealt.position[lane], kNowhere) << "lane " << lane << " is sent twice";
    dealt.position[lane] = position;
  });
  EXPECT_EQ(dealt, one_by_one(offers, costs));
}

std::vector<Cost> any_costs(std::mt19937_64& random, std::size_t count, unsigned loads) {
  std::vector<Cost> costs;
  for (Cost position = 0; position < count; ++position) {
    costs.push_back(random() % loads << kLoadShift | random() % 3 * kOneLid | position);
  }
  return costs;
}

TEST(LoneLids, GoToTheOnlyPort) {
  LoneLids dealer;
  expect_same(dealer, {0b0101, 0, 0b1010}, {0, 1, 2});
}

TEST(LoneLids, TakeTurnsAmongPortsThatCostAlike) {
  LoneLids dealer;
  expect_same(dealer, std::vector<Lanes>(18, ~Lanes{0}),
              {0, 1, 2, 3, 4, 5, 0x106, 0x107, 0x108, 0x109, 0x10A, 11, 12, 13, 14, 15, 16, 17});
}

TEST(LoneLids, GoToWhatIsCheapestByThen) {
  LoneLids dealer;
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < 300; ++round) {
    const std::size_t ports = 1 + random() % 40;
    std::vector<Lanes> offers(ports);
    // Neighbours mostly have the same choices, and some have but one.
    for (unsigned lane = 0, kind = 0; lane < random() % 70 && lane < WayFinder::kLanes; ++lane) {
      if (random() % 4 == 0) kind = static_cast<unsigned>(random() % 4);
      const std::size_t only = random() % ports;
      for (std::size_t position = 0; position < ports; ++position) {
        const bool offered = kind == 0 ? position == only : position % 4 <= kind;
        offers[position] |= Lanes{offered ? 1u : 0u} << lane;
      }
    }
    expect_same(dealer, offers, any_costs(random, ports, round % 3 + 1));
  }
}

// What was dealt last is dealt again where nothing is another: neither costs, nor choices.
TEST(LoneLids, AreDealtAgainAsBeforeOnlyWhereAllIsAsBefore) {
  LoneLids dealer;
  const std::vector<Lanes> offers{0b0111, 0b1011, 0b0001};
  const std::vector<Cost> costs{0, 1, 2};
  expect_same(dealer, offers, costs);
  expect_same(dealer, offers, costs);
  expect_same(dealer, offers, {5 * kOneLid, 1, 2});
  expect_same(dealer, {0b0111, 0b1011, 0b1001}, {5 * kOneLid, 1, 2});
  expect_same(dealer, {0b0111, 0b1011}, {5 * kOneLid, 1});
  expect_same(dealer, offers, costs);
}

TEST(LoneLids, DoNotDependOnHowTheyAreDealt) {
  expect_independent(support::xgft({4, 5, 6}, {1, 5, 4}));
  expect_independent(support::degraded(support::xgft({4, 5, 6}, {1, 5, 4}), 60, 3));
  expect_independent(support::random_regular(90, 5, 0, 7));  // updn has detours there
  expect_independent(
      support::two_islands(support::xgft({4, 5, 6}, {1, 5, 4}), support::ring(5, 1)));
}

// The last switch has no channel, and so no costs of its own.
TEST(LoneLids, OfASwitchWithoutCablesLeadNowhereFromElsewhere) {
  support::Recipe recipe = support::random_regular(20, 3, 0, 1);
  recipe.add_switch("alone");
  const Subnet subnet(recipe);
  const auto routes =
      find_engine("minhop")->route({subnet.topology, subnet.lids, {}, base::inline_for});
  ASSERT_TRUE(routes);
  const fabric::SwitchIndex last{static_cast<std::uint32_t>(subnet.topology.switch_count() - 1)};
  ASSERT_TRUE(subnet.topology.channels_from(last).empty());
  const auto own = subnet.lids.base(subnet.topology.port_of(last, mad::PortNumber{0}));
  for (std::uint16_t lid = 1; lid <= subnet.lids.top().value; ++lid) {
    const unsigned wanted = mad::Lid{lid} == own ? 0 : 255;
    EXPECT_EQ(routes->tables.row(last)[lid], wanted) << lid;
  }
}

}  // namespace
}  // namespace heddle::routing
