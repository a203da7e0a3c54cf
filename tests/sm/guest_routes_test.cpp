// SPDX-License-Identifier: BSD-3-Clause
#include "sm/guest_routes.hpp"

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using fabric::PortIndex;
using fabric::SwitchIndex;
using mad::Lid;
using mad::PortNumber;

constexpr SwitchIndex kOne{0}, kTwo{1};

// Two hosts: LID 1, and LIDs 2 and 3; two switches send each of them another way.
std::shared_ptr<routing::Selected> plain_routes() {
  auto plain = std::make_shared<routing::Selected>();
  plain->routes.engine = "updn";
  plain->routes.notes = {"root spine-1"};
  plain->routes.tables = fabric::ForwardingTables(2, Lid{3});
  for (std::uint16_t lid = 1; lid <= 3; ++lid) {
    plain->routes.tables.set(kOne, Lid{lid}, PortNumber{static_cast<std::uint8_t>(10 + lid)});
    plain->routes.tables.set(kTwo, Lid{lid}, PortNumber{static_cast<std::uint8_t>(20 + lid)});
  }
  plain->proof.routes = 6;
  plain->rejected = {{"ftree", "no tree"}};
  plain->fresh = false;
  return plain;
}

fabric::LidMap hosts() {
  fabric::LidMap lids(2);
  EXPECT_TRUE(lids.assign(PortIndex{0}, {Lid{1}, 0}));
  EXPECT_TRUE(lids.assign(PortIndex{1}, {Lid{2}, 1}));
  return lids;
}

TEST(GuestRoutes, LeadWhereThoseOfTheHostDo) {
  // Within the block that the tables have, and far beyond it.
  for (const std::uint16_t far : {std::uint16_t{9}, std::uint16_t{5000}}) {
    const auto plain = plain_routes();
    auto lids = hosts();
    ASSERT_TRUE(lids.assign_guest(PortIndex{0}, Lid{7}));
    ASSERT_TRUE(lids.assign_guest(PortIndex{1}, Lid{8}));
    ASSERT_TRUE(lids.assign_guest(PortIndex{1}, Lid{far}));
    const auto with = routes_with_guests(plain, lids);
    const auto& tables = with->routes.tables;
    EXPECT_GT(tables.row_size(), far);
    for (const SwitchIndex at : {kOne, kTwo}) {
      for (std::uint16_t lid = 1; lid <= 3; ++lid) {
        EXPECT_EQ(tables.out_port(at, Lid{lid}), plain->routes.tables.out_port(at, Lid{lid}));
      }
      EXPECT_EQ(tables.out_port(at, Lid{7}), plain->routes.tables.out_port(at, Lid{1}));
      for (const std::uint16_t guest : {std::uint16_t{8}, far}) {
        const Lid like = lids.host_lid(Lid{guest});
        ASSERT_TRUE(like == Lid{2} || like == Lid{3});
        EXPECT_EQ(tables.out_port(at, Lid{guest}), plain->routes.tables.out_port(at, like));
      }
      EXPECT_EQ(tables.out_port(at, Lid{6}), mad::kNoPortNumber) << "nobody's";
    }
  }
}

TEST(GuestRoutes, LeaveTheEnginesTablesAloneAndKeepWhatWasSaidOfThem) {
  const auto plain = plain_routes();
  auto lids = hosts();
  ASSERT_TRUE(lids.assign_guest(PortIndex{0}, Lid{7}));
  const auto with = routes_with_guests(plain, lids);
  EXPECT_EQ(plain->routes.tables.out_port(kOne, Lid{7}), mad::kNoPortNumber);
  EXPECT_EQ(with->routes.engine, "updn");
  EXPECT_EQ(with->routes.notes, plain->routes.notes);
  EXPECT_EQ(with->proof.routes, 6u);
  ASSERT_EQ(with->rejected.size(), 1u);
  EXPECT_EQ(with->rejected[0].engine, "ftree");
  EXPECT_FALSE(with->fresh);
}

TEST(GuestRoutes, OfAHostWithoutAWayThereIsNone) {
  const auto plain = plain_routes();
  plain->routes.tables.set(kTwo, Lid{1}, mad::kNoPortNumber);
  auto lids = hosts();
  ASSERT_TRUE(lids.assign_guest(PortIndex{0}, Lid{7}));
  const auto with = routes_with_guests(plain, lids);
  EXPECT_EQ(with->routes.tables.out_port(kTwo, Lid{7}), mad::kNoPortNumber);
  EXPECT_EQ(with->routes.tables.out_port(kOne, Lid{7}), PortNumber{11});
}

}  // namespace
}  // namespace heddle::sm
