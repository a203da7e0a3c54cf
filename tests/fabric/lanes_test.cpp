// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/lanes.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace heddle::fabric {
namespace {

using mad::Lid;

// Three switches of which the last two are alike, and LIDs 1 to 4 of which 2 and 3 are.
ServiceLevels some() {
  return {{0, 1, 1}, {0, 1, 2, 2, 3}, 4, {0, 1, 2, 3, 0, 4, 5, 6}};
}

TEST(ServiceLevels, OfSwitchesInAnotherOrderAreTheSame) {
  const ServiceLevels here = some();
  const ServiceLevels other = here.of_switches({{2}, {0}});
  for (std::uint16_t lid = 0; lid < 7; ++lid) {
    EXPECT_EQ(other.level({0}, Lid{lid}), here.level({2}, Lid{lid}));
    EXPECT_EQ(other.level({1}, Lid{lid}), here.level({0}, Lid{lid}));
  }
}

TEST(ServiceLevels, OfSwitchesThatWereNotKnownAreNone) {
  const ServiceLevels other = some().of_switches({{0}, {7}});
  EXPECT_EQ(other.level({0}, Lid{1}), 1);
  EXPECT_EQ(other.level({1}, Lid{1}), 0);
}

TEST(ServiceLevels, OfOneRowStayAsTheyAre) {
  const auto levels = ServiceLevels::by_destination({0, 3, 1});
  EXPECT_EQ(levels.of_switches({{5}, {2}}), levels);
}

// One path's change is nobody else's, though rows and columns were shared.
TEST(ServiceLevels, ChangeOnlyWhereTheyAreToldTo) {
  for (const ServiceLevels& before : {some(), ServiceLevels::by_destination({0, 3, 1, 1, 9})}) {
    const ServiceLevels after =
        before.with({{{1}, Lid{2}, 9}, {{1}, Lid{2}, 7}, {{0}, Lid{4}, 8}}, 3);
    for (std::uint32_t s = 0; s < 3; ++s) {
      for (std::uint16_t lid = 0; lid < 7; ++lid) {
        const int expected = s == 1 && lid == 2   ? 7
                             : s == 0 && lid == 4 ? 8
                                                  : before.level({s}, Lid{lid});
        EXPECT_EQ(after.level({s}, Lid{lid}), expected) << s << " to " << lid;
      }
    }
  }
}

TEST(ServiceLevels, TakeALidThatTheyDidNotKnow) {
  const ServiceLevels after = some().with({{{2}, Lid{6}, 5}}, 3);
  EXPECT_EQ(after.level({2}, Lid{6}), 5);
  EXPECT_EQ(after.level({1}, Lid{6}), 0);
  EXPECT_EQ(after.level({2}, Lid{5}), 0);
  EXPECT_EQ(after.level({2}, Lid{3}), 5);
}

TEST(ServiceLevels, WithoutChangesAreTheSame) {
  EXPECT_EQ(some().with({}, 3), some());
}

}  // namespace
}  // namespace heddle::fabric
