// SPDX-License-Identifier: BSD-3-Clause
// Dealing in lines against looking for the cheapest each time.
#include "routing/cheapest_first.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::routing {
namespace {

using Traffic = std::vector<std::uint16_t>;
using Loads = std::vector<std::uint64_t>;  // by position: what was sent there

struct Deal {
  std::vector<std::size_t> positions;  // by column
  std::vector<Cost> costs;             // afterwards, in ascending order
  Loads loads;
  friend bool operator==(const Deal&, const Deal&) = default;
};

Deal one_by_one(std::vector<Cost> costs, const Traffic& traffic) {
  const std::vector<Cost> before = costs;
  Deal deal;
  deal.loads.resize(kPosition + 1);
  for (const std::uint16_t one : traffic) {
    const auto least = std::min_element(costs.begin(), costs.end());
    deal.positions.push_back(*least & kPosition);
    deal.loads[*least & kPosition] += one;
    *least += cost_of_one_more(one);
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Cost rise = costs[i] - before[i];
    deal.costs.push_back(before[i] + (rise & kLoad) / (kWeightInTarget / kWeightInSubtree) +
                         (rise & ~kLoad));
  }
  std::sort(deal.costs.begin(), deal.costs.end());
  return deal;
}

template <class Run>
Deal in_lines(std::vector<Cost> costs, std::size_t columns, Run run) {
  const std::size_t count = costs.size();
  costs.push_back(0);  // room for one more
  Deal deal;
  deal.positions.resize(columns);
  deal.loads.resize(kPosition + 1);
  run(
      costs.data(), count,
      [&](std::size_t column, std::size_t position) { deal.positions[column] = position; },
      [&](std::size_t column, std::size_t position, std::uint16_t traffic) {
        EXPECT_EQ(deal.positions[column], position);
        deal.loads[position] += traffic;
      });
  costs.pop_back();
  deal.costs = std::move(costs);
  return deal;
}

Deal in_lines(CheapestFirst& dealer, const std::vector<Cost>& costs, const Traffic& traffic) {
  return in_lines(costs, traffic.size(), [&](Cost* at, std::size_t count, auto send, auto load) {
    dealer.deal(at, count, traffic.data(), traffic.size(), send, load);
  });
}

class AnyCosts {
 public:
  explicit AnyCosts(unsigned seed) : random_(seed) {}
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  // Loads below `spread` apart from each other.
  std::vector<Cost> costs(std::size_t count, unsigned spread) {
    std::vector<Cost> costs;
    for (Cost position = 0; position < count; ++position) {
      costs.push_back(Cost{7'000 + below(spread)} << kLoadShift | below(3) * kOneLid | position);
    }
    std::sort(costs.begin(), costs.end());
    return costs;
  }

 private:
  std::mt19937 random_;
};

TEST(CheapestFirst, DealsToWhoIsCheapestByThen) {
  CheapestFirst dealer;  // one for all: a deal leaves nothing behind
  for (unsigned seed = 0; seed < 400; ++seed) {
    AnyCosts any(seed);
    const auto costs = any.costs(1 + any.below(40), seed % 2 == 0 ? 1 : 2'000);
    Traffic traffic(1 + any.below(70));
    for (auto& one : traffic) {
      one = static_cast<std::uint16_t>(any.below(4) == 0 ? 18 * any.below(20) : 0);
    }
    EXPECT_EQ(in_lines(dealer, costs, traffic), one_by_one(costs, traffic)) << "seed " << seed;
  }
}

TEST(CheapestFirst, DealsInTurnWhatIsAlike) {
  CheapestFirst dealer;
  unsigned turns = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    AnyCosts any(seed);
    const auto costs = any.costs(1 + any.below(40), 1 + any.below(800));
    const auto each = static_cast<std::uint16_t>(1 + any.below(18));
    const std::size_t columns = any.below(100);
    Traffic traffic(columns, each);
    const bool one_more = any.below(2) == 0;
    if (one_more) traffic.push_back(0);
    if (!CheapestFirst::takes_turns(costs.data(), costs.size(), each)) continue;
    ++turns;
    const auto alike =
        in_lines(costs, traffic.size(), [&](Cost* at, std::size_t count, auto send, auto load) {
          dealer.deal_alike(at, count, each, columns, one_more, send, load);
        });
    EXPECT_EQ(alike, one_by_one(costs, traffic)) << "seed " << seed;
  }
  EXPECT_GT(turns, 50u);
}

TEST(CheapestFirst, DealsAsManyLidsAsASwitchMayHave) {
  CheapestFirst dealer;
  AnyCosts any(1);
  const auto costs = any.costs(3, 5);
  const Traffic idle(CheapestFirst::kMostColumns), busy(CheapestFirst::kMostColumns, 49'151);
  EXPECT_EQ(in_lines(dealer, costs, idle), one_by_one(costs, idle));
  EXPECT_EQ(in_lines(dealer, costs, busy), one_by_one(costs, busy));
}

TEST(SortCosts, PutsAnyNumberInOrder) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    AnyCosts any(seed);
    auto costs = any.costs(seed, 4);
    std::vector<Cost> ordered(costs.size());
    const auto right = costs;
    std::shuffle(costs.begin(), costs.end(), std::mt19937(seed));
    sort_costs(costs.data(), costs.size(), ordered.data());
    EXPECT_EQ(ordered, right);
  }
}

}  // namespace
}  // namespace heddle::routing
