// SPDX-License-Identifier: BSD-3-Clause
// VL_High_Limit of what is wanted of links, which may have been wanted of them before.
#include <cstddef>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "sm/programming_arbitration.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::sm {
namespace {

TEST(HighLimits, OfLinksAreThoseOfTheTablesAndGoWithThem) {
  const fabric::Topology topology = support::build(support::ring(3, 1));
  fabric::Intent intent;
  intent.ports.assign(topology.port_count());
  std::size_t links = 0;
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    if (topology.peer({p}) == fabric::kNoPort) continue;
    intent.ports.change(p).link.emplace();
    ++links;
  }
  qos::LaneTables tables;
  tables.all.high_limit = 3;
  const auto that_want = [&](std::optional<std::uint8_t> limit) {
    std::size_t count = 0;
    for (std::size_t p = 0; p < intent.ports.size(); ++p) {
      const auto& link = intent.ports[p].link;
      count += link && link->vl_high_limit == limit;
    }
    return count;
  };
  set_high_limits(tables, topology, intent);
  EXPECT_EQ(that_want(3), links);
  set_high_limits(std::nullopt, topology, intent);
  EXPECT_EQ(that_want(std::nullopt), links) << "as it stands";
}

}  // namespace
}  // namespace heddle::sm
