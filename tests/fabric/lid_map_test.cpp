// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/lid_map.hpp"

#include <gtest/gtest.h>

namespace heddle::fabric {
namespace {

using mad::Lid;

TEST(LidMap, OwnsWholeRanges) {
  LidMap map(4);
  EXPECT_EQ(map.top(), mad::kNoLid);
  EXPECT_TRUE(map.assign(PortIndex{1}, {Lid{8}, 2}));
  EXPECT_EQ(map.top(), Lid{11});
  for (const unsigned lid : {8u, 9u, 10u, 11u}) {
    EXPECT_EQ(map.owner(Lid{static_cast<std::uint16_t>(lid)}), PortIndex{1});
  }
  EXPECT_EQ(map.owner(Lid{7}), kNoPort);
  EXPECT_EQ(map.owner(Lid{12}), kNoPort);
  EXPECT_EQ(map.base(PortIndex{1}), Lid{8});
  EXPECT_EQ(map.base(PortIndex{0}), mad::kNoLid);
}

TEST(LidMap, RefusesWhatIsNotARangeOfItsOwn) {
  LidMap map(4);
  ASSERT_TRUE(map.assign(PortIndex{0}, {Lid{16}, 1}));
  EXPECT_FALSE(map.assign(PortIndex{1}, {Lid{17}, 0})) << "taken";
  EXPECT_FALSE(map.assign(PortIndex{1}, {Lid{16}, 3})) << "taken in part";
  EXPECT_FALSE(map.assign(PortIndex{1}, {Lid{6}, 2})) << "not aligned";
  EXPECT_FALSE(map.assign(PortIndex{1}, {mad::kNoLid, 0})) << "reserved";
  EXPECT_FALSE(map.assign(PortIndex{1}, {mad::kFirstMulticastLid, 0})) << "multicast";
  EXPECT_FALSE(map.assign(PortIndex{1}, {mad::kPermissiveLid, 0})) << "permissive";
  EXPECT_FALSE(map.assign(PortIndex{1}, {Lid{0x100}, 8})) << "no such LMC";
  EXPECT_FALSE(map.assign(PortIndex{0}, {Lid{32}, 0})) << "has LIDs already";
  EXPECT_FALSE(map.assign(PortIndex{4}, {Lid{32}, 0})) << "no such port";
  EXPECT_EQ(map.top(), Lid{17});
  EXPECT_EQ(map.base(PortIndex{1}), mad::kNoLid);
}

TEST(LidMap, LeadsGuestsToTheirHost) {
  LidMap map(4);
  EXPECT_FALSE(map.assign_guest(PortIndex{1}, Lid{20})) << "the host has no LID yet";
  ASSERT_TRUE(map.assign(PortIndex{1}, {Lid{8}, 1}));
  EXPECT_FALSE(map.has_guests());
  ASSERT_TRUE(map.assign_guest(PortIndex{1}, Lid{20}));
  ASSERT_TRUE(map.assign_guest(PortIndex{1}, Lid{23}));
  EXPECT_FALSE(map.assign_guest(PortIndex{1}, Lid{23})) << "taken";
  EXPECT_FALSE(map.assign_guest(PortIndex{1}, mad::kFirstMulticastLid));
  EXPECT_TRUE(map.has_guests());
  EXPECT_EQ(map.top(), Lid{23});
  EXPECT_EQ(map.owner(Lid{20}), PortIndex{1});
  EXPECT_TRUE(map.is_guest(Lid{20}));
  EXPECT_FALSE(map.is_guest(Lid{9}));
  EXPECT_FALSE(map.is_guest(Lid{21}));
  EXPECT_EQ(map.host_lid(Lid{20}), Lid{8});
  EXPECT_EQ(map.host_lid(Lid{23}), Lid{9}) << "guests are spread over their host's LIDs";
  EXPECT_EQ(map.host_lid(Lid{9}), Lid{9});
  const LidMap plain = map.without_guests();
  EXPECT_EQ(plain.owner(Lid{20}), kNoPort);
  EXPECT_EQ(plain.owner(Lid{9}), PortIndex{1});
  EXPECT_EQ(plain.top(), Lid{9});
  EXPECT_FALSE(plain.has_guests());
}

TEST(LidMap, HoldsEveryUnicastLid) {
  LidMap map(mad::kLastUnicastLid.value);
  for (std::uint32_t lid = 1; lid <= mad::kLastUnicastLid.value; ++lid) {
    ASSERT_TRUE(map.assign(PortIndex{lid - 1}, {Lid{static_cast<std::uint16_t>(lid)}, 0}));
  }
  EXPECT_EQ(map.top(), mad::kLastUnicastLid);
  EXPECT_EQ(map.owner(mad::kLastUnicastLid), PortIndex{mad::kLastUnicastLid.value - 1u});
}

}  // namespace
}  // namespace heddle::fabric
