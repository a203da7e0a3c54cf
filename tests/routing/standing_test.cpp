// SPDX-License-Identifier: BSD-3-Clause
#include "routing/standing.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Tables that an engine made, as if they had been found.
Home found(const Subnet& subnet, const char* engine) {
  Policy policy;
  policy.engines = {engine};
  auto selected = select_routes(subnet.topology, subnet.lids, policy);
  EXPECT_TRUE(selected);
  return {std::make_shared<const fabric::Topology>(subnet.topology),
          std::make_shared<const fabric::LidMap>(subnet.lids),
          {},
          std::make_shared<const Selected>(std::move(*selected)),
          /*found=*/true};
}

Home with_tables(const Home& home, fabric::ForwardingTables tables) {
  Home changed = home;
  auto selected = std::make_shared<Selected>(*home.selected);
  selected->routes.tables = std::move(tables);
  changed.selected = std::move(selected);
  return changed;
}

std::size_t columns_apart(const fabric::ForwardingTables& a, const fabric::ForwardingTables& b,
                          mad::Lid top) {
  std::size_t apart = 0;
  for (unsigned lid = 1; lid <= top.value; ++lid) {
    bool same = true;
    for (std::uint32_t s = 0; s < a.switch_count(); ++s) {
      const mad::Lid at{static_cast<std::uint16_t>(lid)};
      same = same && a.out_port({s}, at) == b.out_port({s}, at);
    }
    apart += !same;
  }
  return apart;
}

TEST(Standing, RoutesThatAreProvenStayAsTheyAre) {
  const Subnet subnet(support::xgft({4, 4, 4}, {1, 4, 4}));
  const Home home = found(subnet, "updn");
  const auto selected = select_near_home(subnet.topology, subnet.lids, {}, &home);
  ASSERT_TRUE(selected);
  EXPECT_EQ((*selected)->routes.tables, home.selected->routes.tables);
  EXPECT_EQ((*selected)->routes.engine, "standing");
  EXPECT_FALSE((*selected)->fresh);
  EXPECT_TRUE((*selected)->proof.reaches_all());
}

// Entries that are missing, lead back or out of the switch: these destinations move, others stay.
TEST(Standing, OnlyBrokenColumnsAreMadeAnew) {
  const Subnet subnet(support::xgft({4, 4, 4}, {1, 4, 4}));
  const Home home = found(subnet, "updn");
  base::Prng random(5);
  for (int round = 0; round < 20; ++round) {
    auto tables = home.selected->routes.tables;
    std::set<unsigned> touched;
    for (int i = 0; i < 3; ++i) {
      const auto s = static_cast<std::uint32_t>(random.below(subnet.topology.switch_count()));
      const auto lid = static_cast<std::uint16_t>(1 + random.below(subnet.lids.top().value));
      const std::uint8_t outs[] = {255, 254, 0};
      tables.set({s}, {lid}, {outs[random.below(3)]});
      touched.insert(lid);
    }
    const auto arrive = columns_that_arrive(subnet.topology, subnet.lids, tables);
    for (unsigned lid = 1; lid < arrive.size(); ++lid) {
      EXPECT_TRUE(arrive[lid] || touched.count(lid) != 0) << lid;
    }
    const Home damaged = with_tables(home, tables);
    const auto selected = select_near_home(subnet.topology, subnet.lids, {}, &damaged);
    ASSERT_TRUE(selected);
    EXPECT_TRUE((*selected)->proof.reaches_all() && (*selected)->proof.deadlock_free());
    EXPECT_LE(
        columns_apart((*selected)->routes.tables, home.selected->routes.tables, subnet.lids.top()),
        touched.size());
  }
}

// A column arrives when the independent judge finds no fault in it.
TEST(Standing, ColumnsAreJudgedAsTheProofDoes) {
  const Subnet subnet(support::random_regular(20, 4, 2, 8));
  const Home home = found(subnet, "updn");
  base::Prng random(3);
  for (int round = 0; round < 200; ++round) {
    auto tables = home.selected->routes.tables;
    const auto s = static_cast<std::uint32_t>(random.below(subnet.topology.switch_count()));
    const auto lid = static_cast<std::uint16_t>(1 + random.below(subnet.lids.top().value));
    tables.set({s}, {lid}, {static_cast<std::uint8_t>(random.below(8))});
    const bool reaches = fabric::verify(subnet.topology, subnet.lids, tables).reaches_all();
    const auto arrive = columns_that_arrive(subnet.topology, subnet.lids, tables);
    EXPECT_EQ(arrive[lid], reaches) << "LID " << lid << " at switch " << s;
  }
}

// What was found on another fabric is of no use on this one.
TEST(Standing, RoutesOfAnotherFabricAreForgotten) {
  const Subnet before(support::ring(5, 2)), now(support::ring(6, 2));
  const Home home = found(before, "updn");
  const auto selected = select_near_home(now.topology, now.lids, {}, &home);
  ASSERT_TRUE(selected);
  EXPECT_TRUE((*selected)->fresh);
  EXPECT_TRUE((*selected)->proof.reaches_all());
}

// A credit loop is no single column's fault: nothing of it stays that closes it.
TEST(Standing, RoutesWithACreditLoopGiveWay) {
  const Subnet subnet(support::ring(5, 2));
  const Home home = found(subnet, "updn");
  auto tables = home.selected->routes.tables;
  for (std::uint32_t s = 0; s < 5; ++s) {
    for (const auto& channel : subnet.topology.channels_from(SwitchIndex{s})) {
      if (channel.to.value != (s + 1) % 5) continue;
      for (unsigned lid = 1; lid <= subnet.lids.top().value; ++lid) {
        const mad::Lid to{static_cast<std::uint16_t>(lid)};
        const auto at = subnet.topology.attachment(subnet.lids.owner(to));
        if (at->at != SwitchIndex{s}) tables.set({s}, to, channel.out);
      }
    }
  }
  const Home looped = with_tables(home, tables);
  const auto selected = select_near_home(subnet.topology, subnet.lids, {}, &looped);
  ASSERT_TRUE(selected);
  EXPECT_TRUE((*selected)->fresh);
  EXPECT_TRUE((*selected)->proof.deadlock_free());
}

}  // namespace
}  // namespace heddle::routing
