// SPDX-License-Identifier: BSD-3-Clause
#include "routing/dor.hpp"

#include <gtest/gtest.h>

#include "fabric/verification.hpp"
#include "routing/selection.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Without the cables that close the rings of a torus. Switch x + 4 y; ports: x dimension first.
support::Recipe mesh4x4() {
  support::Recipe recipe;
  for (int i = 0; i < 16; ++i) recipe.add_switch("switch");
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 3; ++x) recipe.join(x + 4 * y, x + 1 + 4 * y);
  }
  for (std::size_t x = 0; x < 4; ++x) {
    for (std::size_t y = 0; y < 3; ++y) {
      recipe.join(x + 4 * y, x + 4 * y + 4);
      recipe.join(x + 4 * y, x + 4 * y + 4);
    }
  }
  for (std::size_t at = 0; at < 16; ++at) recipe.add_hosts(at, 2);
  return recipe;
}

TEST(DimensionOrder, GoesThroughTheFirstDimensionBeforeTheSecond) {
  const Subnet subnet(mesh4x4());
  const auto routes = subnet.route("dor");
  const auto proof = fabric::verify(subnet.topology, subnet.lids, routes.tables);
  EXPECT_TRUE(proof.proven());
  subnet.for_each_lid([&](mad::Lid lid, SwitchIndex target, mad::PortNumber) {
    for (std::uint32_t s = 0; s < 16; ++s) {
      if (s == target.value) continue;
      const auto out = routes.tables.out_port(SwitchIndex{s}, lid);
      const auto channel = subnet.topology.channel_by_port(SwitchIndex{s}, out);
      const std::uint32_t next = subnet.topology.channels()[channel.value].to.value;
      EXPECT_EQ(next % 4 == s % 4, target.value % 4 == s % 4) << s << " to " << target.value;
    }
  });
}

TEST(DimensionOrder, UsesAllCablesOfADimension) {
  const Subnet subnet(mesh4x4());
  const auto tables = subnet.route("dor").tables;
  std::vector<unsigned> uses(subnet.topology.channels().size());
  subnet.for_each_lid([&](mad::Lid lid, SwitchIndex target, mad::PortNumber) {
    for (std::uint32_t s = 0; s < 16; ++s) {
      if (s == target.value) continue;
      const auto out = tables.out_port(SwitchIndex{s}, lid);
      ++uses[subnet.topology.channel_by_port(SwitchIndex{s}, out).value];
    }
  });
  for (const unsigned one : uses) EXPECT_GT(one, 0u);
}

TEST(DimensionOrder, OnATorusTheLoopIsNamed) {
  const Subnet subnet(support::torus({5, 5}, 1));
  Policy policy;
  policy.engines = {"dor"};
  policy.fallback = false;
  const auto selected = select_routes(subnet.topology, subnet.lids, policy);
  ASSERT_TRUE(selected.has_error());
  EXPECT_NE(selected.error().message.find("credit loop"), std::string::npos);
}

}  // namespace
}  // namespace heddle::routing
