// SPDX-License-Identifier: BSD-3-Clause
#include "routing/repair.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/routing/loss.hpp"
#include "tests/routing/splits.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

TEST(Repair, AnyLinkOfATreeGoesAround) {
  Loss loss(support::xgft({4, 4, 4}, {1, 4, 4}));
  for (std::size_t link = 0; link < loss.link_count(); ++link) {
    const auto repair = loss.without_links({link});
    ASSERT_TRUE(repair) << "link " << link;
    EXPECT_FALSE(repair->entries.empty());
    loss.judge(*repair);
  }
}

TEST(Repair, AnySwitchOfATreeGoesAround) {
  Loss loss(support::xgft({4, 4, 4}, {1, 4, 4}));
  for (std::size_t number = 0; number < 48; ++number) {
    const auto repair = loss.without_switch(number);
    ASSERT_TRUE(repair) << "switch " << number;
    loss.judge(*repair);
  }
}

TEST(Repair, WhatUsedALostLinkSpreadsOverTheOthers) {
  // One leaf of 4 uplinks loses one: its 48 far hosts' LIDs go by the other three alike.
  Loss loss(support::xgft({4, 16}, {1, 4}));
  const auto repair = loss.without_links({0});
  ASSERT_TRUE(repair);
  std::map<std::pair<std::uint32_t, unsigned>, int> by_port;
  for (const auto& entry : repair->entries) {
    ++by_port[{entry.at.value, entry.out.value}];
  }
  std::map<std::uint32_t, std::vector<int>> by_switch;
  for (const auto& [place, count] : by_port) by_switch[place.first].push_back(count);
  bool found = false;
  for (const auto& [at, counts] : by_switch) {
    if (counts.size() != 3) continue;
    found = true;
    EXPECT_LE(*std::max_element(counts.begin(), counts.end()),
              *std::min_element(counts.begin(), counts.end()) + 2);
  }
  EXPECT_TRUE(found);
}

// On any fabric, with any loss: proven, near, or nothing.
TEST(Repair, IsProvenWhateverWasLost) {
  std::size_t mended = 0, given_up = 0;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    Loss loss(recipe);
    if (loss.link_count() == 0) continue;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      base::Prng prng(seed);
      std::vector<std::size_t> links;
      for (std::uint64_t i = 0; i <= seed; ++i) links.push_back(prng.below(loss.link_count()));
      const auto repair = loss.without_links(links);
      ++(repair ? mended : given_up);
      if (repair) loss.judge(*repair);
    }
  }
  EXPECT_GT(mended, given_up);
}

TEST(Repair, IsTheSameHoweverTheWorkIsSplit) {
  std::size_t grown = 0;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    Loss loss(recipe);
    if (loss.link_count() == 0) continue;
    for (std::size_t n = 0; n < 6; ++n) {
      const auto one = n < 3   ? loss.without_links({7 * n})
                       : n < 5 ? loss.without_links({n, 5 * n, 9 * n})
                               : loss.without_switch(n);
      grown += one && !one->added.empty() ? 1 : 0;
      for (const base::ParallelFor& parallel : {base::ParallelFor(split_for), {race_for}}) {
        const auto other =
            repair(loss.home(), loss.departure(), loss.now(), loss.lids(), nullptr, parallel);
        ASSERT_EQ(one.has_value(), other.has_value());
        if (!one) continue;
        EXPECT_EQ(one->entries, other->entries);
        EXPECT_EQ(one->places, other->places);
        EXPECT_EQ(one->added, other->added);
        EXPECT_EQ(one->moved, other->moved);
        EXPECT_EQ(one->longer, other->longer);
        EXPECT_EQ(one->max_hops, other->max_hops);
      }
    }
  }
  EXPECT_GT(grown, 0U);
}

TEST(Repair, IslandsThatFallApartLeadNowhere) {
  Loss loss(support::parallel_links(1, 3));
  const auto repair = loss.without_links({0});
  ASSERT_TRUE(repair);
  ASSERT_FALSE(repair->entries.empty());
  for (const auto& entry : repair->entries) EXPECT_EQ(entry.out, mad::kNoPortNumber);
  loss.judge(*repair);
}

TEST(Repair, IsWhatTheSubnetManagerTakes) {
  Loss loss(support::xgft({4, 4, 4}, {1, 4, 4}));
  const auto repair = loss.without_links({5, 17});
  ASSERT_TRUE(repair);
  const auto selected = select_near_home(loss.now(), loss.lids(), loss.home().policy, &loss.home());
  ASSERT_TRUE(selected);
  const Selected expected = repaired(loss.home(), loss.departure(), loss.now(), *repair);
  EXPECT_EQ((*selected)->routes.tables, expected.routes.tables);
  EXPECT_FALSE((*selected)->fresh);
}

TEST(Repair, LoopsThatWereAcceptedAreNotMended) {
  Policy policy;
  policy.engines = {"minhop"};
  policy.fallback = false;
  policy.accept_credit_loops = true;
  Loss loss(support::ring(7, 2), policy);
  EXPECT_EQ(loss.home().selected->certificate, nullptr);
  EXPECT_FALSE(loss.without_links({0}));
}

}  // namespace
}  // namespace heddle::routing
