// SPDX-License-Identifier: BSD-3-Clause
#include "routing/quality.hpp"

#include <gtest/gtest.h>

#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Pair by pair.
Quality measure_plainly(const Subnet& subnet, const fabric::ForwardingTables& tables,
                        std::vector<std::uint64_t>* loads = nullptr) {
  Quality quality;
  std::vector<std::uint64_t> load(subnet.topology.channels().size());
  std::uint64_t hops = 0;
  subnet.for_each_lid([&](mad::Lid, SwitchIndex from, mad::PortNumber own) {
    if (own.value == 0) return;
    subnet.for_each_lid([&](mad::Lid to, SwitchIndex target, mad::PortNumber out) {
      if (out.value == 0 || target == from) return;
      std::vector<std::uint32_t> passed;
      auto at = from;
      while (at != target && passed.size() < load.size()) {
        const auto port = tables.out_port(at, to);
        const auto channel = port == mad::kNoPortNumber ? fabric::kNoChannel
                                                        : subnet.topology.channel_by_port(at, port);
        if (channel == fabric::kNoChannel) break;
        passed.push_back(channel.value);
        at = subnet.topology.channels()[channel.value].to;
      }
      ++(at == target ? quality.routes : quality.lost);
      if (at != target) return;
      for (const auto channel : passed) ++load[channel];
      hops += passed.size();
      quality.max_hops = std::max(quality.max_hops, static_cast<unsigned>(passed.size()));
      if (quality.hops.size() <= passed.size()) quality.hops.resize(passed.size() + 1);
      ++quality.hops[passed.size()];
    });
  });
  if (loads != nullptr) *loads = load;
  if (load.empty()) return quality;
  quality.greatest_load = *std::max_element(load.begin(), load.end());
  quality.least_load = *std::min_element(load.begin(), load.end());
  quality.mean_load = static_cast<double>(hops) / static_cast<double>(load.size());
  std::sort(load.begin(), load.end());
  quality.p99_load = load[(load.size() - 1) * 99 / 100];
  if (quality.routes > 0) {
    quality.mean_hops = static_cast<double>(hops) / static_cast<double>(quality.routes);
  }
  return quality;
}

TEST(Quality, AgreesWithCountingPairByPair) {
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    const Subnet subnet(recipe);
    const auto tables = subnet.route("minhop").tables;
    const auto measured = measure_loads(subnet.topology, subnet.lids, tables);
    const auto& quality = measured.quality;
    std::vector<std::uint64_t> loads;
    const auto plain = measure_plainly(subnet, tables, &loads);
    EXPECT_EQ(measured.load, loads) << name;
    EXPECT_EQ(quality.routes, plain.routes) << name;
    EXPECT_EQ(quality.lost, plain.lost) << name;
    EXPECT_EQ(quality.least_load, plain.least_load) << name;
    EXPECT_EQ(quality.greatest_load, plain.greatest_load) << name;
    EXPECT_DOUBLE_EQ(quality.mean_load, plain.mean_load) << name;
    EXPECT_DOUBLE_EQ(quality.mean_hops, plain.mean_hops) << name;
    EXPECT_EQ(quality.max_hops, plain.max_hops) << name;
    EXPECT_EQ(quality.p99_load, plain.p99_load) << name;
    EXPECT_EQ(quality.hops, plain.hops) << name;
    EXPECT_EQ(quality.fewest_hops, plain.hops) << name << ": minhop takes no longer way";
  }
}

TEST(Quality, TellsWaysThatAreLongerThanNeeded) {
  const Subnet subnet(support::ring(5, 1));
  const auto quality = measure_quality(subnet.topology, subnet.lids, subnet.route("updn").tables);
  // Two of the five links must not be passed one after the other: from each to the other end.
  EXPECT_EQ(quality.fewest_hops, (std::vector<std::uint64_t>{0, 10, 10}));
  EXPECT_EQ(quality.hops, (std::vector<std::uint64_t>{0, 10, 8, 2}));
}

TEST(Quality, WhatDoesNotArriveIsLost) {
  const Subnet subnet(support::parallel_links(1, 2));
  auto tables = subnet.route("minhop").tables;
  EXPECT_EQ(measure_quality(subnet.topology, subnet.lids, tables).routes, 8u);
  const auto host = subnet.topology.endports()[2];
  const SwitchIndex other{1 - subnet.topology.attachment(host)->at.value};
  tables.set(other, subnet.lids.base(host), mad::kNoPortNumber);
  const auto quality = measure_quality(subnet.topology, subnet.lids, tables);
  EXPECT_EQ(quality.routes, 6u);
  EXPECT_EQ(quality.lost, 2u);
}

}  // namespace
}  // namespace heddle::routing
