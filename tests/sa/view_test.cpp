// SPDX-License-Identifier: BSD-3-Clause
// A view that takes over from the one before answers as one that was made anew, and one that knows
// what is proven as one that looks at the tables.
#include "sa/view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "routing/engine.hpp"
#include "tests/fabric/observed.hpp"
#include "tests/support/administration.hpp"
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
      const PortIndex owner = a.lids().owner(lid);
      if (owner == fabric::kNoPort) continue;
      const auto mine = a.walk_both(from, a.lids().base(from), owner, lid);
      const auto theirs = b.walk_both(from, a.lids().base(from), owner, lid);
      EXPECT_TRUE(same(mine.there, theirs.there) && same(mine.back, theirs.back));
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

// Links between switches.
enum class Trunks : std::uint8_t { AsHosts, OneIsSlow, Slow };

Subnet subnet_of(const support::Recipe& recipe, std::uint8_t lmc, Trunks trunks) {
  Subnet subnet = support::administered(recipe, lmc);
  fabric::Registers registers = subnet.registers->successor();
  const fabric::Topology& topology = *subnet.topology;
  const auto slow_down = [&](PortIndex port) {
    auto& info = registers.ports.change(port.value);
    info.link_speed_ext_active = mad::entry(mad::LinkSpeed::FDR).bit;
    info.neighbor_mtu = mad::Mtu::Bytes2048;
  };
  const PortIndex host = topology.endports().back();
  slow_down(host);
  slow_down(topology.peer(host));
  for (const fabric::Channel& channel : topology.channels()) {
    const bool is_first = &channel == topology.channels().data();
    if (trunks == Trunks::AsHosts || (trunks == Trunks::OneIsSlow && !is_first)) continue;
    slow_down(topology.port_of(channel.from, channel.out));
  }
  subnet.registers = std::make_shared<const fabric::Registers>(std::move(registers));
  return subnet;
}
Subnet proven(Subnet subnet) {
  const auto proof = fabric::verify(*subnet.topology, *subnet.lids, *subnet.tables);
  EXPECT_TRUE(proof.reaches_all());
  subnet.proven_routes = proof.routes;
  return subnet;
}

TEST(View, WhatIsProvenComesToWhatTheTablesSay) {
  const support::Recipe recipes[] = {support::xgft({3, 2, 2}, {1, 2, 2}), support::torus({4, 3}, 2),
                                     support::ring(6, 1), support::star(4),
                                     support::random_regular(10, 3, 2, 1)};
  for (const auto& recipe : recipes) {
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
      for (const Trunks trunks : {Trunks::AsHosts, Trunks::OneIsSlow, Trunks::Slow}) {
        const Subnet subnet = subnet_of(recipe, lmc, trunks);
        EXPECT_GT(expect_same(View(proven(subnet)), View(subnet)), 0u);
      }
    }
  }
}

// How many hosts still reach how many when no switch above the leaves knows a way any more.
std::size_t arrivals_without_spines(Subnet subnet) {
  auto tables = std::make_shared<fabric::ForwardingTables>(*subnet.tables);
  std::vector<bool> has_hosts(subnet.topology->switch_count());
  for (const PortIndex port : subnet.topology->endports()) {
    const auto last = subnet.topology->attachment(port);
    if (!subnet.topology->is_switch(subnet.topology->node_of(port)))
      has_hosts[last->at.value] = true;
  }
  for (std::uint32_t s = 0; s < has_hosts.size(); ++s) {
    const auto row = tables->row(fabric::SwitchIndex{s});
    if (!has_hosts[s]) std::fill(row.begin(), row.end(), mad::kNoPortNumber.value);
  }
  subnet.tables = std::move(tables);
  const View view(subnet);
  std::size_t arrived = 0;
  const auto hosts = view.topology().endports().subspan(view.topology().switch_count());
  for (const PortIndex from : hosts) {
    for (const PortIndex to : hosts) arrived += view.walk(from, view.lids().base(to)).has_value();
  }
  return arrived;
}

// How many hosts are reached over what slow_down() has made slow.
std::size_t hosts_behind_slow(const Subnet& subnet) {
  const fabric::Topology& topology = *subnet.topology;
  const fabric::Channel& slow = topology.channels().front();
  const auto hosts = topology.endports().subspan(topology.switch_count());
  return static_cast<std::size_t>(std::count_if(hosts.begin(), hosts.end(), [&](PortIndex host) {
    return subnet.tables->entry(slow.from, subnet.lids->base(host).value) == slow.out.value;
  }));
}

TEST(View, TablesAreLookedAtWhereSomethingIsNotProvenOrALinkOnTheWayIsAnother) {
  const auto tree = support::xgft({2, 3}, {1, 2});  // three leaves with two hosts each
  constexpr std::size_t kAll = 6 * 6, kAtOneLeaf = 6 * 2;
  const Subnet all = proven(subnet_of(tree, 0, Trunks::AsHosts));
  EXPECT_EQ(arrivals_without_spines(all), kAll);
  const Subnet odd = proven(subnet_of(tree, 0, Trunks::OneIsSlow));
  const std::size_t behind = hosts_behind_slow(odd);
  ASSERT_GT(behind, 0u);
  EXPECT_EQ(arrivals_without_spines(odd), kAll - behind * 4) << "from two leaves each";
  Subnet some = all;
  --some.proven_routes;
  EXPECT_EQ(arrivals_without_spines(some), kAtOneLeaf) << "one route is not proven";
  EXPECT_EQ(arrivals_without_spines(subnet_of(tree, 0, Trunks::AsHosts)), kAtOneLeaf);
}

}  // namespace
}  // namespace heddle::sa
