// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/forwarding_tables.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::fabric {
namespace {

constexpr mad::Lid kTop{1000};
constexpr SwitchIndex kFirst{0}, kSecond{1};

std::shared_ptr<const ForwardingTables> base_tables() {
  ForwardingTables tables(2, kTop);
  std::fill(tables.row(kFirst).begin(), tables.row(kFirst).end(), std::uint8_t{1});
  std::fill(tables.row(kSecond).begin(), tables.row(kSecond).end(), std::uint8_t{2});
  return std::make_shared<const ForwardingTables>(std::move(tables));
}

ForwardingTables sharing_tables() {
  const std::vector<SwitchIndex> row_of{kFirst, kSecond};
  return {base_tables(), row_of};
}

std::span<const std::uint8_t> read(const ForwardingTables& tables, SwitchIndex of) {
  return tables.row(of);
}

// Its chunks lie in several places, so it has been put together.
TEST(ForwardingTables, ARowThatWasReadWholeShowsWhatIsWrittenToItLater) {
  ForwardingTables tables = sharing_tables();
  tables.set(kFirst, mad::Lid{700}, mad::PortNumber{9});
  const auto before = read(tables, kFirst);
  ASSERT_EQ(before[700], 9);
  tables.set(kFirst, mad::Lid{700}, mad::PortNumber{10});
  tables.set(kFirst, mad::Lid{3}, mad::PortNumber{11});
  const auto after = read(tables, kFirst);
  EXPECT_EQ(after[700], 10);
  EXPECT_EQ(after[3], 11);
  EXPECT_EQ(after[4], 1);
  EXPECT_EQ(before[700], 10) << "whoever has the row need not ask again";
  EXPECT_EQ(read(tables, kSecond)[700], 2);
}

TEST(ForwardingTables, ARowThatWasReadWholeIsTheOneThatIsWrittenWhole) {
  ForwardingTables tables = sharing_tables();
  tables.set(kFirst, mad::Lid{700}, mad::PortNumber{9});
  const auto before = read(tables, kFirst);
  ASSERT_EQ(before[700], 9);
  tables.row(kFirst)[3] = 11;
  tables.set(kFirst, mad::Lid{700}, mad::PortNumber{10});
  EXPECT_EQ(read(tables, kFirst)[3], 11);
  EXPECT_EQ(read(tables, kFirst)[700], 10);
  EXPECT_EQ(before[3], 11);
  EXPECT_EQ(tables.entry(kFirst, 3), 11);
  EXPECT_EQ(tables.entry(kFirst, 700), 10);
}

TEST(ForwardingTables, WhatIsWrittenToOneThatSharesLeavesItsBaseAlone) {
  const auto base = base_tables();
  const std::vector<SwitchIndex> row_of{kSecond, kFirst};
  ForwardingTables tables(base, row_of);
  EXPECT_EQ(read(tables, kFirst)[5], 2);
  tables.set(kFirst, mad::Lid{5}, mad::PortNumber{7});
  EXPECT_EQ(read(tables, kFirst)[5], 7);
  EXPECT_EQ(read(*base, kSecond)[5], 2);
}

}  // namespace
}  // namespace heddle::fabric
