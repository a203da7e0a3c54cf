// SPDX-License-Identifier: BSD-3-Clause
// A view that takes over from the one before answers as one that was made anew.
#include "sa/view.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "routing/engine.hpp"
#include "tests/fabric/observed.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::sa {
namespace {

using fabric::PortIndex;

// Some ports get none.
fabric::LidMap deal(const fabric::Topology& topology, std::uint64_t seed) {
  base::Prng prng(seed);
  fabric::LidMap lids(topology.port_count());
  std::uint16_t next = 1;
  for (const PortIndex port : topology.endports()) {
    if (prng.chance(0.9)) lids.assign(port, {mad::Lid{next++}, 0});
  }
  return lids;
}

Subnet subnet_of(const fabric::Frozen& frozen, std::shared_ptr<const fabric::Registers> registers,
                 std::uint64_t deal_seed) {
  Subnet subnet;
  auto lids = std::make_shared<const fabric::LidMap>(deal(*frozen.topology, deal_seed));
  const routing::Options options;
  auto routes = routing::find_engine("minhop")->route({*frozen.topology, *lids, options});
  if (routes) {
    subnet.tables = std::make_shared<const fabric::ForwardingTables>(std::move(routes->tables));
  }
  subnet.topology = frozen.topology;
  subnet.registers = std::move(registers);
  subnet.lids = std::move(lids);
  return subnet;
}

bool same(Reach a, Reach b) {
  return a.mtu == b.mtu && a.rate == b.rate;
}
bool same(const std::optional<Reach>& a, const std::optional<Reach>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

// How many walks arrive.
std::size_t expect_same(const View& a, const View& b) {
  std::size_t arrived = 0;
  for (std::uint32_t p = 0; p < a.topology().port_count(); ++p) {
    EXPECT_TRUE(same(a.reach(PortIndex{p}), b.reach(PortIndex{p}))) << p;
    const mad::Guid guid = a.topology().port(PortIndex{p}).guid;
    EXPECT_EQ(a.find(guid), b.find(guid)) << p;
  }
  for (const PortIndex from : a.topology().endports()) {
    for (unsigned to = 1; to <= a.lids().top().value; ++to) {
      const mad::Lid lid{static_cast<std::uint16_t>(to)};
      const auto walk = a.walk(from, lid);
      EXPECT_TRUE(same(walk, b.walk(from, lid))) << from.value << " to " << to;
      arrived += walk.has_value();
    }
  }
  return arrived;
}

TEST(View, WhatWasBeforeChangesNothingOfWhatIs) {
  std::size_t arrived = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    fabric::Observation observation;
    for (std::uint32_t n = 0; n < 25; ++n) fabric::add_switch(observation, 100 + n, 3);
    for (unsigned i = 0; i < 20; ++i) fabric::move_cables(observation, prng);
    for (unsigned i = 0; i < 200; ++i) fabric::change_a_port(observation, prng);
    fabric::KnownRegisters known;
    fabric::Frozen frozen;
    std::unique_ptr<const View> before;
    std::uint64_t dealt = 0;
    for (unsigned step = 0; step < 12; ++step) {
      if (prng.chance(0.5)) fabric::change_a_port(observation, prng);
      if (prng.chance(0.5)) fabric::move_cables(observation, prng);
      if (prng.chance(0.1)) fabric::change_a_node(observation, prng);
      if (prng.chance(0.3)) dealt = prng();
      frozen = freeze(observation, {}, &frozen);
      const Subnet subnet = subnet_of(frozen, known.of(observation, frozen), dealt);
      auto now = std::make_unique<const View>(subnet, before.get());
      arrived += expect_same(*now, View(subnet));
      before = std::move(now);
    }
  }
  EXPECT_GT(arrived, 1000u);
}

}  // namespace
}  // namespace heddle::sa
