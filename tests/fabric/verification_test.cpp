// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/verification.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::fabric {
namespace {

using mad::Lid;
using mad::PortNumber;

// A fabric with plain shortest-way tables: the first port found, no thought of balance.
struct Routed {
  explicit Routed(const support::Recipe& recipe, std::uint8_t lmc = 0)
      : topology(support::build(recipe)),
        lids(support::number_lids(topology, lmc)),
        tables(topology.switch_count(), lids.top()) {
    for (unsigned lid = 1; lid <= lids.top().value; ++lid) {
      route(Lid{static_cast<std::uint16_t>(lid)});
    }
  }

  void route(Lid lid) {
    const auto owner = lids.owner(lid);
    const auto at = owner == kNoPort ? std::nullopt : topology.attachment(owner);
    if (!at) return;
    std::vector<bool> seen(topology.switch_count());
    std::vector<SwitchIndex> reached{at->at};
    seen[at->at.value] = true;
    tables.set(at->at, lid, at->out);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Channel& channel : topology.channels_from(reached[i])) {
        if (seen[channel.to.value]) continue;
        seen[channel.to.value] = true;
        tables.set(channel.to, lid, channel.in);
        reached.push_back(channel.to);
      }
    }
  }

  Verification verify() const { return fabric::verify(topology, lids, tables); }
  Lid host_lid(std::size_t nth) const {
    return lids.base(topology.endports()[topology.switch_count() + nth]);
  }

  Topology topology;
  LidMap lids;
  ForwardingTables tables;
};

void set_clockwise(Routed& ring) {
  // Everything the same way round: the classic credit loop.
  const auto switches = static_cast<std::uint32_t>(ring.topology.switch_count());
  for (std::uint32_t s = 0; s < switches; ++s) {
    for (const Channel& channel : ring.topology.channels_from(SwitchIndex{s})) {
      if (channel.to.value != (s + 1) % switches) continue;
      for (unsigned lid = 1; lid <= ring.lids.top().value; ++lid) {
        const Lid to{static_cast<std::uint16_t>(lid)};
        const auto at = ring.topology.attachment(ring.lids.owner(to));
        if (at->at != SwitchIndex{s}) ring.tables.set(SwitchIndex{s}, to, channel.out);
      }
    }
  }
}

TEST(Verification, ShortestWaysOnATreeAreProven) {
  const Routed tree(support::xgft({3, 3}, {1, 2}));
  const auto proof = tree.verify();
  EXPECT_TRUE(proof.proven());
  EXPECT_EQ(proof.routes, tree.topology.switch_count() * tree.topology.endports().size());
  EXPECT_EQ(proof.max_hops, 2u);
  EXPECT_GT(proof.dependencies, 0u);
}

TEST(Verification, HopsAreCountedFromEverySwitch) {
  // left - right, one host each: every LID is 0 hops from one switch and 1 from the other.
  const auto proof = Routed(support::parallel_links(1, 1)).verify();
  EXPECT_EQ(proof.routes, 8u);
  EXPECT_EQ(proof.max_hops, 1u);
  EXPECT_DOUBLE_EQ(proof.mean_hops, 0.5);
}

TEST(Verification, WaysOfManyHopsAreCountedToo) {
  const Routed ring(support::ring(600, 5));
  const auto result = ring.verify();
  EXPECT_TRUE(result.reaches_all());
  EXPECT_EQ(result.max_hops, 300u);
  EXPECT_DOUBLE_EQ(result.mean_hops, 150);
}

TEST(Verification, AHoleIsFoundAndBlamedOnTheSwitchThatHasIt) {
  Routed star(support::xgft({2, 4}, {1, 1}));  // four leaves below one top
  const Lid to = star.host_lid(0);
  const auto at = star.topology.attachment(star.lids.owner(to))->at;
  const SwitchIndex top{4};
  ASSERT_NE(at, top);
  star.tables.set(top, to, mad::kNoPortNumber);
  const auto proof = star.verify();
  EXPECT_EQ(proof.faulty_routes, 4u);  // the top and the three other leaves
  ASSERT_EQ(proof.samples.size(), 4u);
  for (const auto& sample : proof.samples) {
    EXPECT_EQ(sample.fault, RouteFault::NoRoute);
    EXPECT_EQ(sample.at, top);
    EXPECT_EQ(sample.to, to);
  }
  EXPECT_FALSE(proof.reaches_all());
}

TEST(Verification, TheWrongHostIsADeadEnd) {
  Routed star(support::star(3));
  const auto other = star.topology.attachment(star.lids.owner(star.host_lid(1)))->out;
  star.tables.set(SwitchIndex{0}, star.host_lid(0), other);
  const auto proof = star.verify();
  ASSERT_EQ(proof.faulty_routes, 1u);
  EXPECT_EQ(proof.samples[0].fault, RouteFault::DeadEnd);
}

TEST(Verification, PortsWithoutLinkOrBeyondTheSwitchAreDeadEnds) {
  auto recipe = support::star(2);
  recipe.nodes[0].port_count = 10;
  for (const unsigned port : {0u, 7u, 11u, 254u}) {
    Routed star(recipe);
    star.tables.set(SwitchIndex{0}, star.host_lid(0), PortNumber{static_cast<std::uint8_t>(port)});
    const auto proof = star.verify();
    ASSERT_EQ(proof.faulty_routes, 1u) << port;
    EXPECT_EQ(proof.samples[0].fault, RouteFault::DeadEnd) << port;
  }
}

TEST(Verification, TwoSwitchesThatPointAtEachOtherAreALoop) {
  Routed ring(support::ring(5, 1));
  const Lid to = ring.host_lid(0);
  const Channel back = ring.topology.channels()[ring.topology.first_channel(SwitchIndex{2}).value];
  ring.tables.set(back.from, to, back.out);
  ring.tables.set(back.to, to, back.in);
  const auto proof = ring.verify();
  EXPECT_GE(proof.faulty_routes, 2u);
  ASSERT_FALSE(proof.samples.empty());
  EXPECT_EQ(proof.samples[0].fault, RouteFault::Loop);
}

TEST(Verification, ACableFromASwitchToItselfIsALoop) {
  auto recipe = support::star(2);
  recipe.join(0, 0);
  Routed star(recipe);
  star.tables.set(SwitchIndex{0}, star.host_lid(0), PortNumber{3});
  const auto proof = star.verify();
  ASSERT_EQ(proof.faulty_routes, 1u);
  EXPECT_EQ(proof.samples[0].fault, RouteFault::Loop);
}

TEST(Verification, TheSwitchsOwnLidMustEndAtPortZero) {
  Routed star(support::star(2));
  const Lid own = star.lids.base(star.topology.port_of(SwitchIndex{0}, PortNumber{0}));
  EXPECT_TRUE(star.verify().proven());
  star.tables.set(SwitchIndex{0}, own, PortNumber{1});
  EXPECT_EQ(star.verify().faulty_routes, 1u);
}

TEST(Verification, NobodyIsBlamedForAnotherIsland) {
  const Routed both(support::two_islands(support::star(2), support::ring(4, 1)));
  const auto proof = both.verify();
  EXPECT_TRUE(proof.reaches_all());
  EXPECT_EQ(proof.routes, 3u + 4u * 8u);
}

TEST(Verification, HostsWithoutASwitchAreNobodysAffair) {
  support::Recipe recipe;
  recipe.join(recipe.add_host("a"), recipe.add_host("b"));
  const auto proof = Routed(recipe).verify();
  EXPECT_EQ(proof.routes, 0u);
  EXPECT_TRUE(proof.proven());
}

TEST(Verification, TablesTooSmallForTheLidsAreHoles) {
  Routed star(support::star(100));
  star.tables = ForwardingTables(1, Lid{10});
  EXPECT_EQ(star.verify().faulty_routes, 101u);
}

TEST(Verification, OneWayRoundARingIsACreditLoop) {
  Routed ring(support::ring(4, 2));
  set_clockwise(ring);
  const auto proof = ring.verify();
  EXPECT_TRUE(proof.reaches_all());
  EXPECT_FALSE(proof.deadlock_free());
  ASSERT_EQ(proof.credit_cycle.size(), 4u);
  const auto channels = ring.topology.channels();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(channels[proof.credit_cycle[i].channel.value].to,
              channels[proof.credit_cycle[(i + 1) % 4].channel.value].from);
  }
  const std::string words = describe_cycle(ring.topology, proof.credit_cycle);
  EXPECT_THAT(words, testing::MatchesRegex("(switch[0-3]/[12] -> ){4}switch[0-3]/[12]"));
}

// One destination's ways form a tree; with those to hosts that have gone they close the ring.
TEST(Verification, PacketsToHostsThatHaveGoneCount) {
  Routed ring(support::ring(4, 2));
  set_clockwise(ring);
  const Lid stays = ring.host_lid(0);
  LidMap alone(ring.topology.port_count());
  ASSERT_TRUE(alone.assign(ring.lids.owner(stays), {stays, 0}));
  std::vector<DepartedLid> departed;
  for (std::uint16_t lid = 1; lid <= ring.lids.top().value; ++lid) {
    if (lid != stays.value) departed.push_back({{lid}, false});
  }
  const auto judge = [&](const std::vector<DepartedLid>& gone) {
    return verify(ring.topology, alone, ring.tables, {}, base::inline_for, gone).deadlock_free();
  };
  EXPECT_TRUE(judge({}));
  EXPECT_FALSE(judge(departed));
}

// A clockwise ring of four, each half of the destinations on a level of its own: no half alone
// closes the ring. But whoever answers on the level of the request brings the other half's back.
TEST(Verification, LevelsOfDestinationsBreakALoopThatAnswersClose) {
  Routed ring(support::ring(4, 1));
  set_clockwise(ring);
  std::vector<std::uint8_t> levels(ring.lids.top().value + 1u);
  for (unsigned lid = 1; lid < levels.size(); ++lid) {
    const auto owner = ring.lids.owner(Lid{static_cast<std::uint16_t>(lid)});
    levels[lid] = ring.topology.attachment(owner)->at.value < 2 ? 0 : 1;
  }
  const Lanes lanes{2, ServiceLevels::by_destination(levels), VlMaps(even_map(2))};
  const auto proof = verify(ring.topology, ring.lids, ring.tables, lanes);
  EXPECT_TRUE(proof.proven());
  EXPECT_FALSE(proof.replies_safe());
  ASSERT_EQ(proof.reply_cycle.size(), 4u);
  EXPECT_EQ(proof.reply_cycle[0].vl, proof.reply_cycle[1].vl);
  // Both levels on one VL are as bad as one level.
  const Lanes merged{2, lanes.levels, VlMaps(even_map(1))};
  EXPECT_FALSE(verify(ring.topology, ring.lids, ring.tables, merged).deadlock_free());
}

TEST(Verification, LevelsThatAreTheSameBothWaysAreSafeForAnswers) {
  // Every pair of switches has a level of its own, both ways: two ways never share a lane.
  Routed ring(support::ring(4, 1));
  set_clockwise(ring);
  std::vector<std::uint32_t> row_of{0, 1, 2, 3}, column_of(ring.lids.top().value + 1u);
  for (unsigned lid = 1; lid < column_of.size(); ++lid) {
    const auto owner = ring.lids.owner(Lid{static_cast<std::uint16_t>(lid)});
    column_of[lid] = ring.topology.attachment(owner)->at.value;
  }
  std::vector<std::uint8_t> levels(16);
  std::uint8_t next = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) levels[a * 4 + b] = levels[b * 4 + a] = next++;
  }
  const Lanes lanes{6, ServiceLevels(row_of, column_of, 4, levels), VlMaps(even_map(6))};
  EXPECT_TRUE(verify(ring.topology, ring.lids, ring.tables, lanes).replies_safe());
  levels[1] = levels[2];  // from switch 0 to 1 as from 0 to 2, but not back
  const Lanes uneven{6, ServiceLevels(row_of, column_of, 4, levels), VlMaps(even_map(6))};
  EXPECT_TRUE(verify(ring.topology, ring.lids, ring.tables, uneven).proven());
}

// A ring of three, one way round: who has come over a link goes on by VL 1.
TEST(Verification, TablesByInputPortShiftPacketsToAnotherLane) {
  Routed ring(support::ring(3, 1));
  set_clockwise(ring);
  Lanes lanes{2, {}, {}};
  EXPECT_EQ(verify(ring.topology, ring.lids, ring.tables, lanes).credit_cycle.size(), 3u);
  VlMap second;
  second.fill(1);
  for (std::uint32_t s = 0; s < 3; ++s) {
    const unsigned ports = ring.topology.node(SwitchIndex{s}).port_count;
    for (const Channel& in : ring.topology.channels_from(SwitchIndex{s})) {
      for (const Channel& out : ring.topology.channels_from(SwitchIndex{s})) {
        lanes.maps.set(SwitchIndex{s}, ports, in.out, out.out, second);
      }
    }
  }
  const auto proof = verify(ring.topology, ring.lids, ring.tables, lanes);
  EXPECT_TRUE(proof.replies_safe());
  EXPECT_EQ(proof.dependencies, 3u);
}

TEST(Verification, SwitchesWithoutHostsSendNothingThatCounts) {
  Routed ring(support::ring(4, 0));
  set_clockwise(ring);
  EXPECT_TRUE(ring.verify().proven());
}

TEST(Verification, WhatHostsSendToSwitchesCountsWhatSwitchesSendEachOtherDoesNot) {
  // Six turns onward exist on the way round. To the host at switch 0 packets take those at 2 to 5,
  // from it to the switches those at 1 to 4; only switches would use the turn at 0.
  auto recipe = support::ring(6, 0);
  recipe.add_hosts(0, 1);
  Routed ring(recipe);
  set_clockwise(ring);
  const auto proof = ring.verify();
  EXPECT_TRUE(proof.proven());
  EXPECT_EQ(proof.dependencies, 5u);
}

TEST(Verification, TheSplitOfTheWorkDoesNotShow) {
  const auto one_by_one = [](std::size_t count, const base::RangeWork& work) {
    for (std::size_t i = count; i-- > 0;) work(i, i + 1);
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Routed ring(support::ring(7, 20));
    base::Prng prng(seed);
    for (int i = 0; i < 40; ++i) {
      const SwitchIndex at{static_cast<std::uint32_t>(prng.below(7))};
      ring.tables.set(at, Lid{static_cast<std::uint16_t>(1 + prng.below(ring.lids.top().value))},
                      PortNumber{static_cast<std::uint8_t>(prng.below(24))});
    }
    const auto whole = ring.verify();
    const auto split = verify(ring.topology, ring.lids, ring.tables, {}, one_by_one);
    EXPECT_GT(whole.faulty_routes, 0u);
    EXPECT_EQ(whole.faulty_routes, split.faulty_routes);
    EXPECT_EQ(whole.dependencies, split.dependencies);
    EXPECT_EQ(whole.credit_cycle, split.credit_cycle);
    ASSERT_EQ(whole.samples.size(), split.samples.size());
    for (std::size_t i = 0; i < whole.samples.size(); ++i) {
      EXPECT_EQ(whole.samples[i].from, split.samples[i].from);
      EXPECT_EQ(whole.samples[i].to, split.samples[i].to);
      EXPECT_EQ(whole.samples[i].at, split.samples[i].at);
    }
  }
}

// What a plain walk says, which follows each route by itself.
struct Plain {
  std::uint64_t routes = 0, faults = 0, hops = 0;
  unsigned max_hops = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> dependencies;  // of channels
};

// The channel by which a switch forwards packets to a LID; kNoChannel if by none.
ChannelIndex channel_to(const Routed& fabric, SwitchIndex at, Lid to) {
  const auto out = fabric.tables.out_port(at, to);
  if (out.value > fabric.topology.node(at).port_count) return kNoChannel;
  return fabric.topology.channel_by_port(at, out);
}

void walk_plainly(const Routed& fabric, SwitchIndex from, Lid to, Plain& plain) {
  const auto target = fabric.topology.attachment(fabric.lids.owner(to));
  bool arrived = false;
  unsigned hops = 0;
  for (SwitchIndex at = from; hops <= fabric.topology.switch_count(); ++hops) {
    arrived = at == target->at && fabric.tables.out_port(at, to) == target->out;
    const auto next = channel_to(fabric, at, to);
    if (arrived || next == kNoChannel) break;
    at = fabric.topology.channels()[next.value].to;
  }
  ++plain.routes;
  plain.faults += !arrived;
  if (!arrived) return;
  plain.hops += hops;
  plain.max_hops = std::max(plain.max_hops, hops);
}

// By switch: whether packets of hosts to this LID come there.
std::vector<bool> passed_by_hosts(const Routed& fabric, Lid to) {
  std::vector<bool> passed(fabric.topology.switch_count());
  for (const PortIndex port : fabric.topology.endports()) {
    const auto sender = fabric.topology.attachment(port);
    if (!sender || sender->out.value == 0) continue;
    for (SwitchIndex at = sender->at; !passed[at.value];) {
      passed[at.value] = true;
      const auto next = channel_to(fabric, at, to);
      if (next != kNoChannel) at = fabric.topology.channels()[next.value].to;
    }
  }
  return passed;
}

Plain walk_plainly(const Routed& fabric) {
  Plain plain;
  for (unsigned number = 1; number <= fabric.lids.top().value; ++number) {
    const Lid to{static_cast<std::uint16_t>(number)};
    if (fabric.lids.owner(to) == kNoPort) continue;  // below the first aligned range
    const bool is_host = fabric.topology.attachment(fabric.lids.owner(to))->out.value != 0;
    const auto passed = passed_by_hosts(fabric, to);
    for (std::uint32_t s = 0; s < fabric.topology.switch_count(); ++s) {
      walk_plainly(fabric, SwitchIndex{s}, to, plain);
      if (!is_host && !passed[s]) continue;
      const auto held = channel_to(fabric, SwitchIndex{s}, to);
      if (held == kNoChannel) continue;
      const auto next = channel_to(fabric, fabric.topology.channels()[held.value].to, to);
      if (next != kNoChannel) plain.dependencies.insert({held.value, next.value});
    }
  }
  return plain;
}

void expect_agreement(const Routed& fabric) {
  const auto plain = walk_plainly(fabric);
  // On one VL, and where lanes have others look at the dependencies.
  for (std::uint8_t vls = 1; vls <= 2; ++vls) {
    const auto proof = verify(fabric.topology, fabric.lids, fabric.tables, Lanes{vls, {}, {}});
    EXPECT_EQ(proof.routes, plain.routes);
    EXPECT_EQ(proof.faulty_routes, plain.faults);
    EXPECT_EQ(proof.max_hops, plain.max_hops);
    const auto arrived = static_cast<double>(plain.routes - plain.faults);
    EXPECT_DOUBLE_EQ(proof.mean_hops * arrived, static_cast<double>(plain.hops));
    if (vls == 1) {
      EXPECT_EQ(proof.dependencies, plain.dependencies.size());
    }
  }
}

// LIDs of hosts at one switch, by number.
std::vector<Lid> host_lids_at(const Routed& fabric, SwitchIndex at) {
  std::vector<Lid> found;
  for (unsigned number = 1; number <= fabric.lids.top().value; ++number) {
    const Lid lid{static_cast<std::uint16_t>(number)};
    if (fabric.lids.owner(lid) == kNoPort) continue;
    const auto target = fabric.topology.attachment(fabric.lids.owner(lid));
    if (target->at == at && target->out.value != 0) found.push_back(lid);
  }
  return found;
}

Lid own_lid(const Routed& fabric, SwitchIndex at) {
  return fabric.lids.base(fabric.topology.port_of(at, PortNumber{0}));
}

// The port of a ring's switch that leads to the one with the other number.
PortNumber port_to(const Routed& ring, SwitchIndex from, SwitchIndex to) {
  for (const Channel& channel : ring.topology.channels_from(from)) {
    if (channel.to == to) return channel.out;
  }
  return mad::kNoPortNumber;
}

// LIDs of one switch are looked at together, in the order that the first of them gives.
TEST(Verification, AFirstLidThatIsLostHidesNothingOfTheOthers) {
  Routed ring(support::ring(7, 20));
  const SwitchIndex last{6};
  const auto there = host_lids_at(ring, last);
  ASSERT_GE(there.size(), 20u);
  ring.tables.set(last, there[0], mad::kNoPortNumber);
  ring.tables.set(SwitchIndex{0}, there[2], mad::kNoPortNumber);
  const auto proof = ring.verify();
  expect_agreement(ring);
  EXPECT_GT(proof.faulty_routes, 7u);
  EXPECT_LT(proof.max_hops, 7u);
  EXPECT_LT(proof.mean_hops, 7);
}

// The way to a switch's own LID stands for those to its hosts' until one of them goes another way.
TEST(Verification, AHostsWayMayBeOfAnotherLengthThanThatToItsSwitch) {
  Routed ring(support::ring(7, 6));
  const Lid to = host_lids_at(ring, SwitchIndex{0})[3];
  for (const std::uint32_t s : {1u, 2u, 3u}) {  // the long way round
    ring.tables.set(SwitchIndex{s}, to, port_to(ring, SwitchIndex{s}, SwitchIndex{s + 1}));
  }
  const auto proof = ring.verify();
  EXPECT_TRUE(proof.reaches_all());
  EXPECT_EQ(proof.max_hops, 6u);
  expect_agreement(ring);
}

TEST(Verification, AHostIsLostThoughItsSwitchIsNot) {
  const SwitchIndex near{1}, far{2};
  for (const int damage : {0, 1, 2, 3}) {
    Routed ring(support::ring(7, 6));
    const auto there = host_lids_at(ring, SwitchIndex{0});
    const Lid to = there[4];
    if (damage == 0) ring.tables.set(near, to, mad::kNoPortNumber);
    if (damage == 1) ring.tables.set(near, to, port_to(ring, near, far));  // a loop of two
    if (damage == 2) ring.tables.set(near, to, PortNumber{5});             // to some host
    const auto other = ring.topology.attachment(ring.lids.owner(there[0]))->out;
    if (damage == 3) ring.tables.set(SwitchIndex{0}, to, other);
    EXPECT_GT(ring.verify().faulty_routes, 2u) << damage;
    expect_agreement(ring);
  }
}

TEST(Verification, HostsAreReachedThoughTheirSwitchIsNot) {
  Routed ring(support::ring(7, 6));
  ring.tables.set(SwitchIndex{1}, own_lid(ring, SwitchIndex{0}), mad::kNoPortNumber);
  const auto proof = ring.verify();
  EXPECT_EQ(proof.faulty_routes, 3u);
  for (const auto& sample : proof.samples) EXPECT_EQ(sample.to, own_lid(ring, SwitchIndex{0}));
  expect_agreement(ring);
}

// More hops than fit where those of a switch are noted for all of its LIDs.
TEST(Verification, HostsFarAwayAreReached) {
  Routed ring(support::ring(600, 5));
  EXPECT_TRUE(ring.verify().reaches_all());
  ring.tables.set(SwitchIndex{2}, host_lids_at(ring, SwitchIndex{0})[2], mad::kNoPortNumber);
  EXPECT_EQ(ring.verify().faulty_routes, 299u);
}

TEST(Verification, AgreesWithAPlainWalkOnDamagedTables) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Prng prng(seed);
    Routed fabric(support::random_regular(12, 4, 3, seed), static_cast<std::uint8_t>(seed % 3));
    for (auto damage = prng.below(30); damage > 0; --damage) {
      const SwitchIndex at{static_cast<std::uint32_t>(prng.below(12))};
      const Lid lid{static_cast<std::uint16_t>(1 + prng.below(fabric.lids.top().value))};
      fabric.tables.set(at, lid, PortNumber{static_cast<std::uint8_t>(prng.below(10))});
    }
    expect_agreement(fabric);
  }
}

// LIDs by place: a switch's, then those of its hosts.
void number_by_place(Routed& fabric) {
  LidMap lids(fabric.topology.port_count());
  std::uint16_t next = 1;
  for (std::uint32_t s = 0; s < fabric.topology.switch_count(); ++s) {
    for (const PortIndex port : fabric.topology.endports()) {
      if (fabric.topology.attachment(port)->at != SwitchIndex{s}) continue;
      ASSERT_TRUE(lids.assign(port, {Lid{next++}, 0}));
    }
  }
  fabric.lids = lids;
  fabric.tables = ForwardingTables(fabric.topology.switch_count(), lids.top());
}

// Each entry is one of those that lead nearer, by chance.
void spread(Routed& fabric, base::Prng& prng) {
  const Topology& topology = fabric.topology;
  for (unsigned number = 1; number <= fabric.lids.top().value; ++number) {
    const Lid to{static_cast<std::uint16_t>(number)};
    const auto target = topology.attachment(fabric.lids.owner(to));
    std::vector<unsigned> hops(topology.switch_count(), ~0u);
    std::vector<SwitchIndex> reached{target->at};
    hops[target->at.value] = 0;
    fabric.tables.set(target->at, to, target->out);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      std::vector<PortNumber> nearer;
      for (const Channel& channel : topology.channels_from(reached[i])) {
        unsigned& there = hops[channel.to.value];
        if (there == ~0u) {
          there = hops[reached[i].value] + 1;
          reached.push_back(channel.to);
        }
        if (there < hops[reached[i].value]) nearer.push_back(channel.out);
      }
      if (i > 0) fabric.tables.set(reached[i], to, nearer[prng.below(nearer.size())]);
    }
  }
}

// The next switch sends packets back. Which LIDs have pairs of ports in common does not show that.
void send_back(Routed& fabric, base::Prng& prng) {
  const SwitchIndex at{static_cast<std::uint32_t>(prng.below(fabric.topology.switch_count()))};
  const Lid to{static_cast<std::uint16_t>(1 + prng.below(fabric.lids.top().value))};
  const auto next = channel_to(fabric, at, to);
  if (next == kNoChannel) return;
  const Channel& channel = fabric.topology.channels()[next.value];
  fabric.tables.set(channel.to, to, channel.in);
}

void harm(Routed& fabric, base::Prng& prng) {
  const SwitchIndex at{static_cast<std::uint32_t>(prng.below(fabric.topology.switch_count()))};
  const Lid to{static_cast<std::uint16_t>(1 + prng.below(fabric.lids.top().value))};
  fabric.tables.set(at, to, PortNumber{static_cast<std::uint8_t>(prng.below(256))});
}

void expect_agreement_however_harmed(const support::Recipe& recipe) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Prng prng(seed);
    Routed fabric(support::relabelled(recipe, seed));
    if (seed % 2 == 1) number_by_place(fabric);
    spread(fabric, prng);
    expect_agreement(fabric);
    send_back(fabric, prng);
    expect_agreement(fabric);
    for (std::uint64_t damage = 0; damage < seed; ++damage) harm(fabric, prng);
    expect_agreement(fabric);
  }
}

// Then pairs of ports are not there that who leads to it takes for granted, by the ways to LIDs of
// switches, which go on.
TEST(Verification, ASwitchThatSendsAllHostsByOnePortMakesNoOtherDependencies) {
  const Routed empty(support::xgft({4, 6, 5}, {1, 3, 2}));
  for (std::uint32_t s = 0; s < empty.topology.switch_count(); ++s) {
    SCOPED_TRACE("switch " + std::to_string(s));
    base::Prng prng(s);
    Routed fabric = empty;
    spread(fabric, prng);
    const auto channels = fabric.topology.channels_from(SwitchIndex{s});
    const PortNumber out = channels[prng.below(channels.size())].out;
    for (std::uint16_t lid = 1; lid <= fabric.lids.top().value; ++lid) {
      const auto target = fabric.topology.attachment(fabric.lids.owner(Lid{lid}));
      if (target->out.value != 0) fabric.tables.set(SwitchIndex{s}, Lid{lid}, out);
    }
    expect_agreement(fabric);
  }
}

TEST(Verification, AgreesWithAPlainWalkOnATree) {
  expect_agreement_however_harmed(support::xgft({5, 4, 6}, {1, 4, 3}));
}

TEST(Verification, AgreesWithAPlainWalkOnATreeThatLacksLinks) {
  expect_agreement_however_harmed(support::degraded(support::xgft({5, 4, 6}, {1, 4, 3}), 6, 1));
}

TEST(Verification, AgreesWithAPlainWalkWhereSwitchesHaveManyPorts) {
  expect_agreement_however_harmed(support::xgft({4, 12}, {1, 70}));
}

TEST(Verification, AgreesWithAPlainWalkWhereLinksAreParallel) {
  auto recipe = support::xgft({6, 8}, {1, 4});
  const auto node = [&](mad::Guid guid) {
    return static_cast<std::size_t>(
        std::find_if(recipe.nodes.begin(), recipe.nodes.end(),
                     [&](const Node& candidate) { return candidate.guid == guid; }) -
        recipe.nodes.begin());
  };
  const auto links = recipe.links;
  for (const auto& [a, b] : links) {
    const auto from = node(a.node), to = node(b.node);
    const bool is_cable_of_switches = recipe.nodes[from].type == mad::NodeType::Switch &&
                                      recipe.nodes[to].type == mad::NodeType::Switch;
    if (is_cable_of_switches) recipe.join(from, to);
  }
  expect_agreement_however_harmed(recipe);
}

// Hosts of a switch whose LIDs stand apart, with those of another between them.
TEST(Verification, LidsOfOneSwitchMayStandApart) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    base::Prng prng(seed);
    Routed fabric(support::xgft({12, 6}, {1, 4}));
    LidMap lids(fabric.topology.port_count());
    std::vector<PortIndex> hosts;
    std::uint16_t next = 1;
    for (const PortIndex port : fabric.topology.endports()) {
      if (fabric.topology.attachment(port)->out.value != 0) hosts.push_back(port);
    }
    for (std::size_t i = 0; i < hosts.size(); ++i) {  // six of each, then six more of each
      const std::size_t nth = i % 36 / 6 * 12 + i % 6 + i / 36 * 6;
      ASSERT_TRUE(lids.assign(hosts[nth], {Lid{next++}, 0}));
    }
    for (std::uint32_t s = 0; s < fabric.topology.switch_count(); ++s) {
      const PortIndex own = fabric.topology.port_of(SwitchIndex{s}, PortNumber{0});
      ASSERT_TRUE(lids.assign(own, {Lid{next++}, 0}));
    }
    fabric.lids = lids;
    fabric.tables = ForwardingTables(fabric.topology.switch_count(), lids.top());
    spread(fabric, prng);
    expect_agreement(fabric);
    send_back(fabric, prng);
    expect_agreement(fabric);
  }
}

}  // namespace
}  // namespace heddle::fabric
