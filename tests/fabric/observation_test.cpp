// SPDX-License-Identifier: BSD-3-Clause
// What is told of a fabric, and what becomes of it when it is frozen.
#include "fabric/observation.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/walk.hpp"
#include "tests/fabric/observed.hpp"

namespace heddle::fabric {
namespace {

std::size_t looks_at(const Observation& observation, ObservedEnd at) {
  std::size_t count = 0;
  for (std::uint32_t n = 0; n < observation.size(); ++n) {
    for (const ObservedPort& port : observation.ports({n})) count += port.sighting == at;
  }
  return count;
}

TEST(Observation, PortsAreTheSameByNodeAndByEnd) {
  Observation observation;
  for (std::uint64_t guid = 1; guid < 40; ++guid) {
    add_switch(observation, guid, static_cast<std::uint8_t>(guid));
  }
  std::vector<bool> keep(observation.size());
  for (std::size_t n = 0; n < keep.size(); n += 3) keep[n] = true;
  observation.keep_only(keep);
  ASSERT_EQ(observation.size(), 13u);
  add_switch(observation, 100, 7);
  const Observation moved = std::move(observation);
  for (std::uint32_t n = 0; n < moved.size(); ++n) {
    const auto& ports = moved[ObservedIndex{n}].ports;
    ASSERT_EQ(moved.ports({n}).size(), ports.size());
    ASSERT_EQ(moved.ports({n}).data(), ports.data());
    for (unsigned p = 0; p < ports.size(); ++p) ASSERT_EQ(&moved.port(end(n, p)), &ports[p]);
    EXPECT_TRUE(moved.is_switch({n}));
  }
}

// A ring of which every third switch goes.
TEST(Observation, WhoStaysIsFoundAndSeesWhoStays) {
  Observation observation;
  constexpr std::uint32_t kNodes = 30;
  for (std::uint32_t n = 0; n < kNodes; ++n) add_switch(observation, 1 + n, 2);
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    see(observation, end(n, 1), end((n + 1) % kNodes, 2));
    see(observation, end((n + 1) % kNodes, 2), end(n, 1));
  }
  std::vector<bool> keep(kNodes);
  for (std::uint32_t n = 0; n < kNodes; ++n) keep[n] = n % 3 != 1;
  const auto moved = observation.keep_only(keep);
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    ASSERT_EQ(moved[n].has_value(), keep[n]);
    ASSERT_EQ(observation.find(mad::Guid{1 + n}), moved[n]);
    if (!moved[n]) continue;
    EXPECT_EQ(observation[*moved[n]].info.node_guid, mad::Guid{1 + n});
    const std::uint32_t next = (n + 1) % kNodes, last = (n + kNodes - 1) % kNodes;
    EXPECT_EQ(observation.port({*moved[n], {1}}).sighting,
              keep[next] ? std::optional(ObservedEnd{*moved[next], {2}}) : std::nullopt);
    EXPECT_EQ(observation.port({*moved[n], {2}}).sighting,
              keep[last] ? std::optional(ObservedEnd{*moved[last], {1}}) : std::nullopt);
  }
}

TEST(Observation, ANodeIsAddedWithWhatIsKnownOfIt) {
  Observation old;
  add_switch(old, 0x10, 2);
  old.add(info_of(0x20, mad::NodeType::ChannelAdapter, 1));
  see(old, end(1, 1), end(0, 2));
  Observation observation;
  const auto index = observation.add(ObservedNode(old[ObservedIndex{1}]));
  EXPECT_EQ(observation.find(mad::Guid{0x20}), index);
  EXPECT_FALSE(observation.is_switch(index));
  EXPECT_EQ(observation.port({index, {1}}).sighting, end(0, 2));
  EXPECT_NE(observation.ports(index).data(), old.ports({1}).data());
}

TEST(Observation, TellsWhoWasChangedSince) {
  Observation observation;
  for (std::uint64_t guid = 1; guid <= 4; ++guid) add_switch(observation, guid, 3);
  const auto changed_since = [&](Observation::Edition edition) {
    std::vector<std::uint64_t> guids;
    for (const ObservedIndex node : observation.changed_since(edition)) {
      guids.push_back(observation[node].info.node_guid.value);
    }
    return guids;
  };
  using Guids = std::vector<std::uint64_t>;
  EXPECT_EQ(changed_since(0), (Guids{1, 2, 3, 4}));
  auto edition = observation.edition();
  EXPECT_EQ(changed_since(edition), Guids{});
  observation.change(ObservedIndex{1}).description = "two";
  observation.change(end(3, 2)).dark = true;
  observation.table({2}).make_room(3);
  EXPECT_EQ(changed_since(edition), (Guids{2, 4})) << "tables do not count";
  edition = observation.edition();
  observation.add(info_of(5, mad::NodeType::ChannelAdapter, 1));
  EXPECT_EQ(changed_since(edition), Guids{5});
  edition = observation.edition();
  observation.keep_only({true, false, true, true, true});
  EXPECT_EQ(changed_since(edition), (Guids{1, 3, 4, 5})) << "who moved may have been another one";
}

TEST(ObservedTable, HoldsSeveralBlocksOnlyIfAllAreKnownAndTheSame) {
  std::vector<std::uint8_t> bytes(3 * kLftBlockLids);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i % 251);
  const auto block = [&](std::size_t at) {
    return std::span(bytes).subspan(at * kLftBlockLids).first<kLftBlockLids>();
  };
  ObservedTable table;
  EXPECT_TRUE(table.holds(0, std::span(bytes).first(0)));
  for (const std::size_t at : {0u, 2u}) table.learn(at, block(at));
  EXPECT_TRUE(table.holds(2, std::span(bytes).last(kLftBlockLids)));
  EXPECT_FALSE(table.holds(0, bytes));
  EXPECT_FALSE(table.holds(2, std::span(bytes).last(2 * kLftBlockLids)));
  table.learn(1, block(1));
  EXPECT_TRUE(table.holds(0, bytes));
  bytes.back() ^= 1;
  EXPECT_FALSE(table.holds(0, bytes));
  EXPECT_TRUE(table.holds(0, std::span(bytes).first(2 * kLftBlockLids)));
  table.forget_block(1);
  EXPECT_FALSE(table.known(1));
  EXPECT_TRUE(table.known(2));
  EXPECT_FALSE(table.holds(0, std::span(bytes).first(2 * kLftBlockLids)));
  table.learn(1, block(1));
  table.forget_from(1);
  EXPECT_FALSE(table.known(2));
  EXPECT_FALSE(table.holds(0, std::span(bytes).first(2 * kLftBlockLids)));
}

// Against a look at each block: rows that share most with each other, and tables of which something
// else is learned, or forgotten, in between.
TEST(ObservedTable, ARowIsHeldIfEachOfItsBlocksIs) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    constexpr std::size_t kBlocks = 11;  // the last chunk is shorter
    const mad::Lid top{kBlocks * kLftBlockLids - 1};
    auto tables = std::make_shared<const ForwardingTables>(2, top);
    ObservedTable held;
    unsigned times_held = 0;
    for (unsigned step = 0; step < 40; ++step) {
      const SwitchIndex row{static_cast<std::uint32_t>(prng.below(2))};
      const std::size_t count = prng.chance(0.8) ? kBlocks : 1 + prng.below(kBlocks);
      if (prng.chance(0.4)) {
        const std::vector<SwitchIndex> rows{{0}, {prng.chance(0.5) ? 0u : 1u}};
        ForwardingTables next(tables, rows);
        const auto lid = static_cast<std::uint16_t>(prng.below(top.value));
        if (prng.chance(0.7)) next.set(row, {lid}, {static_cast<std::uint8_t>(prng.below(3))});
        tables = std::make_shared<const ForwardingTables>(std::move(next));
      }
      const std::size_t block = prng.below(kBlocks);
      if (prng.chance(0.1)) held.forget_from(block);
      if (prng.chance(0.1)) held.forget_block(block);
      if (prng.chance(0.02)) held.forget();
      if (prng.chance(0.6)) {
        for (std::size_t b = 0; b < kBlocks; ++b) held.learn(b, tables->block(row, b));
      } else if (prng.chance(0.5)) {
        held.learn(block, tables->block({1 - row.value}, block));
      }
      bool each = true;
      for (std::size_t b = 0; b < count; ++b) each = each && held.holds(b, tables->block(row, b));
      ASSERT_EQ(held.holds_row(tables, row, count), each) << "step " << step;
      times_held += each;
    }
    EXPECT_GT(times_held, 5u);
    EXPECT_LT(times_held, 40u);
  }
}

TEST(Freeze, ALinkThatOneEndSeesIsOne) {
  Observation observation;
  add_switch(observation, 0x20, 2);
  add_switch(observation, 0x10, 2);
  see(observation, end(1, 2), end(0, 1));
  const auto frozen = freeze(observation);
  ASSERT_EQ(frozen.topology->link_count(), 1u);
  const PortIndex port = frozen.port_of(observation, end(1, 2));
  EXPECT_EQ(frozen.end_of[frozen.topology->peer(port).value], end(0, 1));
  EXPECT_EQ(frozen.node_of[0], ObservedIndex{1});  // by GUID
  EXPECT_TRUE(frozen.contradictions.empty());
}

TEST(Freeze, WhoIsSeenByTwoIsLinkedToTheOneItSees) {
  for (const bool sees_first : {true, false}) {
    Observation observation;
    for (const std::uint64_t guid : {1u, 2u, 3u}) add_switch(observation, guid, 1);
    see(observation, end(0, 1), end(2, 1));
    see(observation, end(1, 1), end(2, 1));
    see(observation, end(2, 1), sees_first ? end(0, 1) : end(1, 1));
    const auto frozen = freeze(observation);
    EXPECT_EQ(frozen.topology->link_count(), 1u);
    ASSERT_EQ(frozen.contradictions.size(), 1u);
    EXPECT_EQ(frozen.contradictions[0].looking, sees_first ? end(1, 1) : end(0, 1));
    EXPECT_EQ(frozen.topology->peer(frozen.port_of(observation, end(2, 1))),
              frozen.port_of(observation, sees_first ? end(0, 1) : end(1, 1)));
  }
}

// A link for each end that sees another one which sees it too, or sees nobody and is claimed by no
// other; a contradiction wherever an end sees one that does not agree.
void expect_rightly_frozen(const Observation& observation, const std::vector<ObservedEnd>& held) {
  const auto frozen = freeze(observation, held);
  const Topology& topology = *frozen.topology;
  const auto counts = [&](ObservedEnd at) {
    return observation.port(at).info && std::find(held.begin(), held.end(), at) == held.end();
  };
  bool contradicted = false;
  for (std::uint32_t n = 0; n < observation.size(); ++n) {
    for (unsigned p = 1; p < observation.ports({n}).size(); ++p) {
      const ObservedEnd here = end(n, p);
      const auto& there = observation.port(here).sighting;
      const PortIndex port = frozen.port_of(observation, here);
      ASSERT_EQ(frozen.end_of[port.value], here);
      if (!there || !counts(here) || !counts(*there)) continue;
      const auto& back = observation.port(*there).sighting;
      const PortIndex peer = frozen.port_of(observation, *there);
      if (back == here) {
        EXPECT_EQ(topology.peer(port), here == *there ? kNoPort : peer);
      } else if (back) {
        contradicted = true;
        EXPECT_NE(topology.peer(port), peer);
      } else if (looks_at(observation, *there) == 1 && looks_at(observation, here) == 0) {
        EXPECT_EQ(topology.peer(port), peer);
      }
    }
  }
  if (contradicted) {
    EXPECT_FALSE(frozen.contradictions.empty());
  }
  for (const PortIndex port : all_ports(observation, frozen)) {
    const PortIndex peer = topology.peer(port);
    if (peer != kNoPort) {
      EXPECT_EQ(topology.peer(peer), port);
    }
    if (peer == kNoPort || peer < port) continue;
    const ObservedEnd a = frozen.end_of[port.value], b = frozen.end_of[peer.value];
    EXPECT_TRUE(observation.port(a).sighting == b || observation.port(b).sighting == a);
    EXPECT_TRUE(counts(a) && counts(b));
  }
}

TEST(Freeze, LinksAreWhatTheEndsSay) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Observation observation;
    const auto nodes = static_cast<std::uint32_t>(2 + prng.below(6));
    for (std::uint32_t n = 0; n < nodes; ++n) add_switch(observation, 100 - n * 7 % 50, 4);
    const auto any = [&] {
      return end(static_cast<std::uint32_t>(prng.below(nodes)),
                 static_cast<unsigned>(1 + prng.below(4)));
    };
    std::vector<ObservedEnd> held;
    for (unsigned cables = 0; cables < nodes * 2; ++cables) {
      const ObservedEnd a = any(), b = any();
      see(observation, a, b);
      if (!prng.chance(0.2)) see(observation, b, a);
      if (prng.chance(0.05)) observation.change(any()).info.reset();
      if (prng.chance(0.05)) held.push_back(any());
    }
    expect_rightly_frozen(observation, held);
  }
}

void expect_same(const Topology& a, const Topology& b) {
  ASSERT_EQ(a.node_count(), b.node_count());
  ASSERT_EQ(a.port_count(), b.port_count());
  EXPECT_EQ(a.switch_count(), b.switch_count());
  EXPECT_EQ(a.link_count(), b.link_count());
  for (std::uint32_t n = 0; n < a.node_count(); ++n) {
    EXPECT_TRUE(a.node(NodeIndex{n}) == b.node(NodeIndex{n})) << n;
    EXPECT_EQ(a.find_node(b.node(NodeIndex{n}).guid), NodeIndex{n});
  }
  for (std::uint32_t p = 0; p < a.port_count(); ++p) {
    const Port &one = a.port({p}), &other = b.port({p});
    EXPECT_EQ(std::tuple(one.guid, one.peer, one.slowness, a.node_of({p})),
              std::tuple(other.guid, other.peer, other.slowness, b.node_of({p})))
        << p;
  }
  EXPECT_TRUE(std::equal(a.endports().begin(), a.endports().end(), b.endports().begin(),
                         b.endports().end()));
  ASSERT_EQ(a.channels().size(), b.channels().size());
  for (std::size_t c = 0; c < a.channels().size(); ++c) {
    const Channel &one = a.channels()[c], &other = b.channels()[c];
    EXPECT_EQ(std::tuple(one.from, one.to, one.out, one.in, one.reverse, one.slowness),
              std::tuple(other.from, other.to, other.out, other.in, other.reverse, other.slowness));
  }
}

bool share_nodes(const Frozen& a, const Frozen& b) {
  return &a.topology->node(NodeIndex{0}) == &b.topology->node(NodeIndex{0});
}

// Cables, and now and then something that a node says of itself. False if it was only cables.
bool change(Observation& observation, base::Prng& prng) {
  move_cables(observation, prng);
  if (prng.chance(0.6)) return false;
  change_a_node(observation, prng);
  return true;
}

TEST(Freeze, WhatWasBeforeChangesNothingOfWhatIs) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Observation observation;
    for (std::uint32_t n = 0; n < 7; ++n) add_switch(observation, 100 - n * 7 % 50, 3);
    Frozen before;
    unsigned shared = 0;
    for (unsigned step = 0; step < 30 && observation.size() > 3; ++step) {
      const bool more_than_cables = change(observation, prng);
      Frozen frozen = freeze(observation, {}, &before), anew = freeze(observation);
      expect_same(*frozen.topology, *anew.topology);
      EXPECT_EQ(frozen.end_of, anew.end_of);
      EXPECT_EQ(frozen.node_of, anew.node_of);
      EXPECT_EQ(frozen.looped_cables, anew.looped_cables);
      EXPECT_EQ(frozen.contradictions.size(), anew.contradictions.size());
      if (step > 0 && !more_than_cables) {
        EXPECT_TRUE(share_nodes(frozen, before));
        ++shared;
      }
      before = std::move(frozen);
    }
    EXPECT_GT(shared, 0u);
  }
}

// A fabric that fits together, of which little changes from look to look: cables that come and go
// at both ends, or are seen by one end only, and ports that tell nothing.
void change_a_bit(Observation& observation, base::Prng& prng) {
  const auto any = [&] {
    return end(static_cast<std::uint32_t>(prng.below(observation.size())),
               static_cast<unsigned>(1 + prng.below(3)));
  };
  const auto is_seen = [&](ObservedEnd at) {
    return observation.port(at).sighting || looks_at(observation, at) > 0;
  };
  const ObservedEnd a = any(), b = any();
  if (prng.chance(0.2)) {
    auto& info = observation.change(a).info;
    info ? info.reset() : static_cast<void>(info.emplace());
  }
  if (const auto there = observation.port(a).sighting) {
    observation.change(a).sighting.reset();
    if (observation.port(*there).sighting == a) observation.change(*there).sighting.reset();
  } else if (!is_seen(a) && !is_seen(b)) {
    see(observation, a, b);
    if (prng.chance(0.7)) see(observation, b, a);
  }
}

TEST(Freeze, GoesOnWithWhatChanged) {
  unsigned without_contradiction = 0, links = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Observation observation;
    for (std::uint32_t n = 0; n < 40; ++n) add_switch(observation, 100 + n * 7 % 40, 3);
    for (unsigned i = 0; i < 200; ++i) change_a_bit(observation, prng);
    Frozen before = freeze(observation);
    std::vector<ObservedEnd> held;
    for (unsigned step = 0; step < 60; ++step) {
      for (auto changes = prng.below(4); changes > 0; --changes) change_a_bit(observation, prng);
      if (prng.chance(0.05)) move_cables(observation, prng);
      if (prng.chance(0.05)) change_a_node(observation, prng);
      if (prng.chance(0.2)) held.assign(prng.below(2), end(prng.below(30) & 31, 1));
      Frozen frozen = freeze(observation, held, &before), anew = freeze(observation, held);
      expect_same(*frozen.topology, *anew.topology);
      EXPECT_EQ(frozen.end_of, anew.end_of);
      EXPECT_EQ(frozen.node_of, anew.node_of);
      EXPECT_EQ(frozen.looped_cables, anew.looped_cables);
      EXPECT_EQ(frozen.contradictions.size(), anew.contradictions.size());
      without_contradiction += frozen.contradictions.empty();
      links += static_cast<unsigned>(frozen.topology->link_count());
      before = std::move(frozen);
    }
  }
  EXPECT_GT(without_contradiction, 1000u);
  EXPECT_GT(links, 20000u);
}

TEST(Freeze, DoesNotGoOnWithAnotherObservation) {
  Observation first, second;
  for (auto* each : {&first, &second}) {
    for (const std::uint64_t guid : {1u, 2u, 3u}) add_switch(*each, guid, 1);
  }
  see(first, end(0, 1), end(1, 1));
  see(second, end(0, 1), end(2, 1));
  const Frozen before = freeze(first);
  const Frozen frozen = freeze(second, {}, &before);
  expect_same(*frozen.topology, *freeze(second).topology);
}

// Walks fetch ahead; what they give is what there is, in order.
TEST(Walk, GivesAllPortsInOrder) {
  for (const std::uint32_t switches : {1u, 3u, 40u}) {
    Observation observation;
    for (std::uint32_t n = 0; n < switches; ++n) add_switch(observation, 50 + n, 3);
    for (std::uint32_t n = 0; n + 1 < switches; ++n) {
      see(observation, end(n, 1), end(n + 1, 2));
      see(observation, end(n + 1, 2), end(n, 1));
    }
    const auto frozen = freeze(observation);
    std::vector<PortIndex> expected;
    for (std::uint32_t p = 0; p < frozen.topology->port_count(); ++p) expected.push_back({p});
    const auto collect = [](const auto& walk) {
      std::vector<PortIndex> ports;
      for (const PortIndex port : walk) ports.push_back(port);
      return ports;
    };
    EXPECT_EQ(collect(all_ports(observation, frozen)), expected);
    const auto endports = frozen.topology->endports();
    EXPECT_EQ(collect(all_endports(observation, frozen)),
              std::vector(endports.begin(), endports.end()));
  }
}

}  // namespace
}  // namespace heddle::fabric
