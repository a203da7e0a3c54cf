// SPDX-License-Identifier: BSD-3-Clause
// What is wanted of ports is the same whether it was planned anew or out of what was wanted before.
#include "fabric/intent.hpp"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/fabric/observed.hpp"

namespace heddle::fabric {
namespace {

PortSettings settings() {
  PortSettings settings;
  settings.sm_lid = mad::Lid{1};
  settings.links.max_operational_vls = 4;
  settings.links.head_of_queue_life = 18;
  settings.links.leaf_head_of_queue_life = 16;
  return settings;
}

// For nearly all.
LidMap deal(const Topology& topology, base::Prng& prng) {
  LidMap lids(topology.port_count());
  std::uint16_t next = 1;
  for (const PortIndex port : topology.endports()) {
    const mad::Lid lid{next++};
    if (prng.chance(0.05)) continue;
    EXPECT_TRUE(lids.assign(port, {lid, 0}));
  }
  return lids;
}

ObservedIndex add_host(Observation& observation, std::uint64_t guid) {
  const auto index = observation.add(info_of(guid, mad::NodeType::ChannelAdapter, 3));
  for (auto& port : observation.change(index).ports) port.info.emplace();
  return index;
}

TEST(PlanPorts, WhatWasWantedBeforeChangesNothingOfWhatIs) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Observation observation;
    for (std::uint32_t n = 0; n < 30; ++n) {
      n % 3 == 2 ? add_host(observation, 100 + n) : add_switch(observation, 100 + n, 3);
    }
    for (unsigned i = 0; i < 100; ++i) change_a_port(observation, prng);
    for (unsigned i = 0; i < 10; ++i) move_cables(observation, prng);
    KnownRegisters known;
    Frozen before;
    PortSettings wanted = settings();
    Intent intent;
    for (unsigned step = 0; step < 20; ++step) {
      if (prng.chance(0.5)) change_a_port(observation, prng);
      if (prng.chance(0.3)) move_cables(observation, prng);
      if (prng.chance(0.1)) change_a_node(observation, prng);
      if (prng.chance(0.1)) wanted.links.head_of_queue_life ^= 1;
      Frozen frozen = freeze(observation, {}, &before);
      const LidMap lids = deal(*frozen.topology, prng);
      const auto registers = known.of(observation, frozen);
      intent = plan_ports(frozen.topology, registers, lids, wanted, std::move(intent));
      const Intent anew = plan_ports(frozen.topology, registers, lids, wanted);
      EXPECT_TRUE(intent.switches == anew.switches);
      ASSERT_EQ(intent.ports.size(), anew.ports.size());
      for (std::size_t p = 0; p < anew.ports.size(); ++p) {
        EXPECT_TRUE(intent.ports[p] == anew.ports[p]) << step << ": port " << p;
      }
      before = std::move(frozen);
    }
  }
}

// A chain of switches, by port 1 to the next one and by port 2 to the one before.
Observation chain(std::uint32_t length) {
  Observation observation;
  for (std::uint32_t n = 0; n < length; ++n) {
    const auto index = add_switch(observation, 100 + n, 36);
    for (auto& port : observation.change(index).ports) port.info->port_state = mad::PortState::Init;
  }
  for (std::uint32_t n = 0; n + 1 < length; ++n) {
    see(observation, end(n, 1), end(n + 1, 2));
    see(observation, end(n + 1, 2), end(n, 1));
  }
  return observation;
}

TEST(PlanPorts, LinksOfWhichNothingChangedAreLeftAlone) {
  constexpr std::uint32_t kSwitches = 40;
  Observation observation = chain(kSwitches);
  const Frozen frozen = freeze(observation);
  KnownRegisters known;
  const LidMap lids(frozen.topology->port_count());
  Intent intent = plan_ports(frozen.topology, known.of(observation, frozen), lids, settings());
  std::size_t links = 0;
  for (std::size_t p = 0; p < intent.ports.size(); ++p) {
    if (!intent.ports[p].link) continue;
    intent.ports.change(p).link->vl_high_limit = 7;
    ++links;
  }
  ASSERT_EQ(links, 2 * (kSwitches - 1));
  observation.change(end(20, 1)).info->port_state = mad::PortState::Active;
  intent = plan_ports(frozen.topology, known.of(observation, frozen), lids, settings(),
                      std::move(intent));
  std::size_t anew = 0;
  for (std::size_t p = 0; p < intent.ports.size(); ++p) {
    anew += intent.ports[p].link && intent.ports[p].link->vl_high_limit != 7;
  }
  EXPECT_GE(anew, 2u);
  EXPECT_LE(anew, 12u) << "as many as are close to it in memory";
}

TEST(PlanPorts, APlugThatLeadsBackIsALinkOfTwoLikeEnds) {
  TopologyBuilder builder;
  Node node;
  node.guid = mad::Guid{1};
  node.type = mad::NodeType::Switch;
  node.port_count = 2;
  builder.add_node(node);
  builder.add_link({node.guid, {1}}, {node.guid, {1}});
  const auto topology = std::make_shared<const Topology>(std::move(builder).build().value());
  auto registers = Registers::room_for(*topology);
  mad::PortInfo& info = registers.ports.change(1);
  info.port_state = mad::PortState::Init;
  info.mtu_cap = mad::Mtu::Bytes2048;
  const Intent intent =
      plan_ports(topology, std::make_shared<const Registers>(std::move(registers)),
                 LidMap(topology->port_count()), settings());
  ASSERT_TRUE(intent.ports[1].link);
  EXPECT_EQ(intent.ports[1].link->neighbor_mtu, mad::Mtu::Bytes2048);
}

}  // namespace
}  // namespace heddle::fabric
