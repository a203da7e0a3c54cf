// SPDX-License-Identifier: BSD-3-Clause
#include "sm/lid_assignment.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "tests/support/topologies.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;

constexpr mad::Lid kLast{1000};

LidRequest wants(std::uint32_t port, std::uint16_t held = 0, std::uint8_t lmc = 0) {
  return {PortIndex{port}, mad::Guid{0x100u + port}, lmc, mad::Lid{held}};
}
// A virtual port behind `host`.
LidRequest wants_behind(std::uint32_t host, std::uint32_t guest, std::uint16_t held = 0) {
  LidRequest request = wants(guest, held);
  request.port = PortIndex{host};
  request.vport = 1;
  return request;
}
RememberedLids remembers(std::uint32_t port, std::uint16_t base, std::uint8_t lmc = 0) {
  return {mad::Guid{0x100u + port}, mad::Lid{base}, lmc};
}
std::uint16_t lid(const LidAssignment& assigned, std::uint32_t port) {
  return assigned.map.base(PortIndex{port}).value;
}

TEST(LidAssignment, FreshPortsAreNumberedFromOne) {
  const std::vector requests{wants(0), wants(1), wants(2)};
  const auto assigned = assign_lids(3, requests, {}, kLast);
  EXPECT_EQ(lid(assigned, 0), 1);
  EXPECT_EQ(lid(assigned, 1), 2);
  EXPECT_EQ(lid(assigned, 2), 3);
  EXPECT_EQ(assigned.memory.size(), 3u);
}

TEST(LidAssignment, APortKeepsWhatItHolds) {
  const std::vector requests{wants(0), wants(1, 700), wants(2)};
  const auto assigned = assign_lids(3, requests, {}, kLast);
  EXPECT_EQ(lid(assigned, 1), 700);
  EXPECT_EQ(lid(assigned, 2), 2);
}

TEST(LidAssignment, MemoryOutranksWhatThePortHolds) {
  const std::vector requests{wants(0, 9)};
  const std::vector memory{remembers(0, 5)};
  EXPECT_EQ(lid(assign_lids(1, requests, memory, kLast), 0), 5);
}

// As two ports with a copied firmware image do.
TEST(LidAssignment, TwoPortsWithOneGuidKeepWhatTheyHave) {
  std::vector requests{wants(0, 9), wants(1, 4)};
  requests[1].port_guid = requests[0].port_guid;
  const auto once = assign_lids(2, requests, {}, kLast);
  ASSERT_EQ(once.twins.size(), 1u);
  EXPECT_EQ(once.twins[0].second.port, PortIndex{1});
  const auto again = assign_lids(2, requests, once.memory, kLast);
  EXPECT_EQ(lid(again, 0), 9);
  EXPECT_EQ(lid(again, 1), 4);
  EXPECT_EQ(again.memory, once.memory);
}

TEST(LidAssignment, AnAbsentPortsLidsAreNotGivenAway) {
  const std::vector requests{wants(0), wants(1)};
  const std::vector memory{remembers(7, 1), remembers(8, 2)};
  const auto assigned = assign_lids(2, requests, memory, kLast);
  EXPECT_EQ(lid(assigned, 0), 3);
  EXPECT_EQ(lid(assigned, 1), 4);
  EXPECT_EQ(assigned.memory.size(), 4u);
}

TEST(LidAssignment, AnAbsentPortGivesUpItsLidsWhenNoneIsLeft) {
  const std::vector requests{wants(0), wants(1)};
  const std::vector memory{remembers(7, 1), remembers(8, 2)};
  const auto assigned = assign_lids(2, requests, memory, mad::Lid{3});
  EXPECT_TRUE(assigned.left_out.empty());
  EXPECT_EQ(lid(assigned, 0), 3);
  EXPECT_EQ(lid(assigned, 1), 2);
  EXPECT_EQ(assigned.memory.size(), 3u);  // port 7 is still remembered, port 8 is not
}

TEST(LidAssignment, WithoutAnyLidLeftThePortIsNamedAndTheRestServed) {
  const std::vector requests{wants(0), wants(1), wants(2)};
  const auto assigned = assign_lids(3, requests, {}, mad::Lid{2});
  EXPECT_EQ(lid(assigned, 1), 2);
  ASSERT_EQ(assigned.left_out.size(), 1u);
  EXPECT_EQ(assigned.left_out[0].port, PortIndex{2});
  EXPECT_EQ(lid(assigned, 2), 0);
}

TEST(LidAssignment, TwoPortsWithOneLidAreToldApart) {
  const std::vector requests{wants(0, 5), wants(1, 5)};
  const auto assigned = assign_lids(2, requests, {}, kLast);
  EXPECT_EQ(lid(assigned, 0), 5);
  EXPECT_NE(lid(assigned, 1), 5);
  ASSERT_EQ(assigned.clashes.size(), 1u);
  EXPECT_EQ(assigned.clashes[0].keeps.port, PortIndex{0});
  EXPECT_EQ(assigned.clashes[0].moves.port, PortIndex{1});
}

TEST(LidAssignment, RangesAreAlignedToTheirLmc) {
  const std::vector requests{wants(0, 3), wants(1, 0, 2), wants(2, 6, 2), wants(3, 0, 2)};
  const auto assigned = assign_lids(4, requests, {}, kLast);
  EXPECT_EQ(lid(assigned, 0), 3);
  EXPECT_EQ(lid(assigned, 1), 4);
  EXPECT_EQ(lid(assigned, 2), 8);  // 6 is no multiple of 4
  EXPECT_EQ(lid(assigned, 3), 12);
}

TEST(LidAssignment, NonsenseInMemoryAndPortsIsPassedOver) {
  const std::vector requests{wants(0, 0xC001), wants(1, 0xFFFF), wants(2, 900)};
  const std::vector memory{remembers(0, 0), remembers(1, 0xC000), remembers(2, 6, 3),
                           remembers(2, 8, 9), remembers(1, 2000)};
  const auto assigned = assign_lids(3, requests, memory, kLast);
  EXPECT_EQ(lid(assigned, 0), 1);
  EXPECT_EQ(lid(assigned, 1), 2);
  EXPECT_EQ(lid(assigned, 2), 900);
}

TEST(LidAssignment, ContradictingMemoriesLeaveTheFirstWord) {
  const std::vector requests{wants(0), wants(1)};
  const std::vector memory{remembers(0, 5), remembers(1, 5)};
  const auto assigned = assign_lids(2, requests, memory, kLast);
  EXPECT_EQ(lid(assigned, 0), 5);
  EXPECT_EQ(lid(assigned, 1), 1);
}

TEST(LidAssignment, TheWholeUnicastSpaceCanBeGivenOut) {
  std::vector<LidRequest> requests;
  for (std::uint32_t port = 0; port < 49'151; ++port) requests.push_back(wants(port));
  const auto assigned = assign_lids(requests.size(), requests, {}, mad::kLastUnicastLid);
  EXPECT_TRUE(assigned.left_out.empty());
  EXPECT_EQ(assigned.map.top(), mad::kLastUnicastLid);
}

TEST(LidAssignment, ASecondRunWithItsOwnMemoryChangesNothing) {
  const std::vector requests{wants(0, 40), wants(1, 40), wants(2, 0, 3), wants(3)};
  const auto first = assign_lids(4, requests, {}, kLast);
  const auto second = assign_lids(4, requests, first.memory, kLast);
  for (std::uint32_t port = 0; port < 4; ++port) EXPECT_EQ(lid(first, port), lid(second, port));
  EXPECT_EQ(first.memory, second.memory);
}

TEST(LidAssignment, AGuestGetsOneThatLeadsToItsHostAndKeepsIt) {
  LidRequest guest = wants_behind(1, 9);
  const std::vector requests{wants(0), wants(1, 0, 1), guest};
  const auto assigned = assign_lids(2, requests, {}, kLast);
  EXPECT_EQ(lid(assigned, 1), 2);
  EXPECT_EQ(assigned.map.owner(mad::Lid{4}), PortIndex{1});
  EXPECT_TRUE(assigned.map.is_guest(mad::Lid{4}));
  ASSERT_EQ(assigned.memory.size(), 3u);
  EXPECT_EQ(assigned.memory.back(), remembers(9, 4));
  // On another host, and with others before it.
  guest.port = PortIndex{0};
  const std::vector later{wants(0), wants(1, 0, 1), wants(2), guest};
  const auto moved = assign_lids(3, later, assigned.memory, kLast);
  EXPECT_EQ(moved.map.owner(mad::Lid{4}), PortIndex{0});
  EXPECT_EQ(lid(moved, 2), 5);
}

TEST(LidAssignment, GuestsGiveTheirsUpForPortsAndThePortsOfThoseThatAreAbsentComeFirst) {
  const mad::Lid last{4};
  const std::vector requests{wants(0), wants(1), wants_behind(0, 8), wants_behind(1, 9)};
  const auto full = assign_lids(2, requests, {}, last);
  ASSERT_TRUE(full.left_out.empty());
  // A third port, while all LIDs are given out: to remembered guests, and to guests that hold them.
  std::vector more{wants(0, 1), wants(1, 2), wants(2), wants_behind(0, 8, 3),
                   wants_behind(1, 9, 4)};
  for (const auto& memory : {full.memory, std::vector<RememberedLids>{}}) {
    const auto assigned = assign_lids(3, more, memory, last);
    EXPECT_EQ(lid(assigned, 2), 4);
    EXPECT_FALSE(assigned.map.is_guest(mad::Lid{4}));
    EXPECT_TRUE(assigned.map.is_guest(mad::Lid{3})) << "who can stay stays";
    ASSERT_EQ(assigned.left_out.size(), 1u);
    EXPECT_EQ(assigned.left_out[0].port_guid, mad::Guid{0x109});
    EXPECT_EQ(assigned.memory.size(), 4u);
  }
  // A guest that is gone gives its own up first.
  more.pop_back();
  const auto kept = assign_lids(3, more, full.memory, last);
  EXPECT_EQ(lid(kept, 2), 4);
  EXPECT_TRUE(kept.left_out.empty());
}

TEST(LidAssignment, AsManyGuestsGiveTheirsUpAsARangeNeeds) {
  std::vector requests{wants(0)};
  for (std::uint32_t i = 0; i < 14; ++i) requests.push_back(wants_behind(0, 0x10 + i));
  const auto full = assign_lids(1, requests, {}, mad::Lid{15});
  ASSERT_TRUE(full.left_out.empty());
  requests.insert(requests.begin() + 1, wants(1, 0, 2));
  const auto assigned = assign_lids(2, requests, full.memory, mad::Lid{15});
  EXPECT_EQ(lid(assigned, 1), 12);
  EXPECT_EQ(assigned.left_out.size(), 4u);
  EXPECT_EQ(lid(assigned, 0), 1);
}

std::vector<LidRequest> all_want(const fabric::Topology& topology) {
  std::vector<LidRequest> requests;
  for (const PortIndex port : topology.endports()) requests.push_back(wants(port.value));
  return requests;
}

// A tree of 4 pods of 3 leaves with 5 hosts each, whose GUIDs say nothing about who is where.
TEST(LidAssignment, NewLidsOfASwitchAndItsHostsAreNeighboursAndSoAreThoseOfAPod) {
  const auto topology = support::build(support::relabelled(support::xgft({5, 3, 4}, {1, 2, 2}), 7));
  const auto requests = all_want(topology);
  const auto assigned = assign_lids(topology.port_count(), requests, {}, kLast, &topology);
  ASSERT_EQ(assigned.map.top().value, topology.endports().size()) << "no gap";
  // By the pod, which is known by the lowest switch above it: the first and last LID in it.
  std::map<std::uint32_t, std::pair<unsigned, unsigned>> pods;
  for (const PortIndex port : topology.endports()) {
    const auto place = topology.attachment(port);
    const auto own = assigned.map.base(topology.port_of(place->at, mad::PortNumber{0})).value;
    if (place->out.value == 0) continue;
    const unsigned lid = assigned.map.base(port).value;
    EXPECT_GT(lid, own);
    EXPECT_LE(lid, own + 5u);
    auto above = static_cast<std::uint32_t>(topology.switch_count());
    for (const auto& channel : topology.channels_from(place->at)) {
      above = std::min(above, channel.to.value);
    }
    auto& [first, last] = pods.try_emplace(above, own, lid).first->second;
    first = std::min<unsigned>(first, own);
    last = std::max(last, lid);
  }
  ASSERT_EQ(pods.size(), 4u);
  // The two switches above a pod may stand among its own.
  for (const auto& [above, lids] : pods) EXPECT_LE(lids.second - lids.first + 1, 3u * (1 + 5) + 2);
}

TEST(LidAssignment, WhoComesLaterTakesNobodysLidWhereverItHangs) {
  const auto topology = support::build(support::xgft({5, 3, 4}, {1, 2, 2}));
  auto requests = all_want(topology);
  const auto first = assign_lids(topology.port_count(), requests, {}, kLast, &topology);
  std::vector<RememberedLids> memory = first.memory;
  memory.erase(memory.begin() + 10, memory.begin() + 13);
  requests.push_back(wants_behind(requests.front().port.value, 5000));
  const auto again = assign_lids(topology.port_count(), requests, memory, kLast, &topology);
  for (const auto& kept : memory) {
    EXPECT_NE(std::find(again.memory.begin(), again.memory.end(), kept), again.memory.end());
  }
  EXPECT_EQ(again.map.top().value, first.map.top().value + 1) << "the virtual port's, the last";
  EXPECT_TRUE(again.map.is_guest(again.map.top()));
}

TEST(LidAssignment, WhereGuestsHoldAllThatPortsNeedItDoesNotTakeLong) {
  std::vector<LidRequest> requests;
  std::vector<RememberedLids> memory;
  for (std::uint32_t port = 0; port < 40'000; ++port) requests.push_back(wants(port));
  for (std::uint32_t guest = 0; guest < 49'151; ++guest) {
    requests.push_back(wants_behind(0, 100'000 + guest));
    memory.push_back(remembers(100'000 + guest, static_cast<std::uint16_t>(guest + 1)));
  }
  const auto assigned = assign_lids(40'000, requests, memory, mad::kLastUnicastLid);
  EXPECT_EQ(assigned.left_out.size(), 40'000u);
  EXPECT_EQ(assigned.map.base(PortIndex{39'999}), mad::Lid{9'152});
}

}  // namespace
}  // namespace heddle::sm
