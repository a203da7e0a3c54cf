// SPDX-License-Identifier: BSD-3-Clause
#include "sm/lid_assignment.hpp"

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using fabric::PortIndex;

constexpr mad::Lid kLast{1000};

LidRequest wants(std::uint32_t port, std::uint16_t held = 0, std::uint8_t lmc = 0) {
  return {PortIndex{port}, mad::Guid{0x100u + port}, lmc, mad::Lid{held}};
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
  EXPECT_EQ(assigned.left_out[0], PortIndex{2});
  EXPECT_EQ(lid(assigned, 2), 0);
}

TEST(LidAssignment, TwoPortsWithOneLidAreToldApart) {
  const std::vector requests{wants(0, 5), wants(1, 5)};
  const auto assigned = assign_lids(2, requests, {}, kLast);
  EXPECT_EQ(lid(assigned, 0), 5);
  EXPECT_NE(lid(assigned, 1), 5);
  ASSERT_EQ(assigned.clashes.size(), 1u);
  EXPECT_EQ(assigned.clashes[0].keeps, PortIndex{0});
  EXPECT_EQ(assigned.clashes[0].moves, PortIndex{1});
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
  LidRequest guest = wants(9);
  guest.port = PortIndex{1};
  guest.guest = true;
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

}  // namespace
}  // namespace heddle::sm
