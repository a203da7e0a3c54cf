// SPDX-License-Identifier: BSD-3-Clause
// Registers that go on with an observation are what they would be if they were read from it anew.
#include "fabric/registers.hpp"

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/fabric/observed.hpp"

namespace heddle::fabric {
namespace {

template <class Pages>
void expect_same(const Pages& a, const Pages& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i] == b[i]) << i;
}

void expect_same(const Registers& a, const Registers& b) {
  expect_same(a.nodes, b.nodes);
  expect_same(a.ports, b.ports);
  expect_same(a.fdr10, b.fdr10);
  expect_same(a.switches, b.switches);
}

TEST(KnownRegisters, AreThoseOfTheObservationAsItStands) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Observation observation;
    for (std::uint32_t n = 0; n < 7; ++n) add_switch(observation, 100 - n * 7 % 50, 3);
    KnownRegisters known;
    Frozen before;
    for (unsigned step = 0; step < 30 && observation.size() > 3; ++step) {
      if (prng.chance(0.5)) change_a_port(observation, prng);
      if (prng.chance(0.3)) move_cables(observation, prng);
      if (prng.chance(0.2)) change_a_node(observation, prng);
      Frozen frozen = freeze(observation, {}, &before);
      expect_same(*known.of(observation, frozen), *KnownRegisters().of(observation, frozen));
      before = std::move(frozen);
    }
  }
}

TEST(KnownRegisters, WhatWasGivenStaysAsItWas) {
  Observation observation;
  add_switch(observation, 1, 3);
  const Frozen frozen = freeze(observation);
  KnownRegisters known;
  observation.change(end(0, 2)).info->lid = mad::Lid{7};
  const auto first = known.of(observation, frozen);
  observation.change(end(0, 2)).info->lid = mad::Lid{8};
  const auto second = known.of(observation, frozen);
  EXPECT_EQ(first->ports[2].lid, mad::Lid{7});
  EXPECT_EQ(second->ports[2].lid, mad::Lid{8});
}

TEST(KnownRegisters, ShareWhatDidNotChange) {
  Observation observation;
  for (std::uint32_t n = 0; n < 40; ++n) add_switch(observation, 100 + n, 36);
  const Frozen frozen = freeze(observation);
  KnownRegisters known;
  const auto before = known.of(observation, frozen);
  observation.change(end(20, 5)).info->lid = mad::Lid{7};
  const auto after = known.of(observation, frozen);
  ASSERT_EQ(after->ports.page_count(), 24u);
  std::size_t own = 0;
  for (std::size_t page = 0; page < after->ports.page_count(); ++page) {
    own += !after->ports.shares_page(page, before->ports);
  }
  EXPECT_LE(own, 2u) << "of one switch";
}

TEST(KnownRegisters, TellWhatWasNeverReadFromWhatWas) {
  Observation observation;
  add_switch(observation, 1, 3);
  observation.change(end(0, 1)).info->port_state = mad::PortState::Down;
  observation.change(end(0, 2)).info.reset();
  const auto registers = KnownRegisters().of(observation, freeze(observation));
  ASSERT_NE(registers->info({1}), nullptr);
  EXPECT_EQ(registers->info({1})->port_state, mad::PortState::Down);
  EXPECT_EQ(registers->info({2}), nullptr);
}

}  // namespace
}  // namespace heddle::fabric
