// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/table_changes.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"

namespace heddle::fabric {
namespace {

constexpr mad::Lid kTop{1000};

ForwardingTables random_tables(std::size_t switches, base::Prng& dice) {
  ForwardingTables tables(switches, kTop);
  for (std::uint32_t s = 0; s < switches; ++s) {
    for (auto& out : tables.row(SwitchIndex{s})) out = static_cast<std::uint8_t>(dice.below(200));
  }
  return tables;
}

std::vector<TableChange> look_at_all(const ForwardingTables& now, const ForwardingTables& old,
                                     const std::vector<SwitchIndex>& before) {
  TableChanges changes(now, old, before);
  for (std::size_t slice = TableChanges::kSlices; slice-- > 0;) changes.look_at(slice);
  return changes.by_lid();
}

// Entry by entry.
std::vector<TableChange> plainly(const ForwardingTables& now, const ForwardingTables& old,
                                 const std::vector<SwitchIndex>& before) {
  std::vector<TableChange> changes;
  for (std::uint16_t lid = 0; lid < now.row_size(); ++lid) {
    for (std::uint32_t s = 0; s < before.size(); ++s) {
      if (before[s] == TableChanges::kNew) continue;
      const std::uint8_t was = old.entry(before[s], lid), is = now.entry(SwitchIndex{s}, lid);
      if (was != is) changes.push_back({lid, s, was, is});
    }
  }
  return changes;
}

// Switches have moved, one is new; entries of all blocks change, more than are given memory for at
// a time.
TEST(TableChanges, AreThoseOfEachEntryByLidAndSwitch) {
  base::Prng dice(1);
  for (const std::size_t switches : {1u, 7u, 40u}) {
    const auto old = std::make_shared<const ForwardingTables>(random_tables(switches, dice));
    std::vector<SwitchIndex> before;
    for (std::uint32_t s = 0; s < switches; ++s) before.push_back(SwitchIndex{s});
    std::reverse(before.begin(), before.end());
    ForwardingTables now(old, before);
    EXPECT_TRUE(look_at_all(now, *old, before).empty());
    for (int i = 0; i < 300; ++i) {
      const SwitchIndex at{static_cast<std::uint32_t>(dice.below(switches))};
      const mad::Lid lid{static_cast<std::uint16_t>(dice.below(now.row_size()))};
      now.set(at, lid, {static_cast<std::uint8_t>(dice.below(200))});
      ASSERT_EQ(now.column(lid).entry(at), now.entry(at, lid.value));
    }
    const auto changes = look_at_all(now, *old, before);
    EXPECT_GT(changes.size(), 200u);
    EXPECT_EQ(changes, plainly(now, *old, before));
    const ForwardingTables moved = std::move(now);
    EXPECT_EQ(look_at_all(moved, *old, before), changes);
    before[0] = TableChanges::kNew;
    EXPECT_EQ(look_at_all(moved, *old, before), plainly(moved, *old, before));
  }
}

// Rows that are read whole, written whole, and written here and there in any order.
TEST(TableChanges, OfRowsThatWereWrittenWholeAreTheSame) {
  base::Prng dice(2);
  const auto old = std::make_shared<const ForwardingTables>(random_tables(5, dice));
  std::vector<SwitchIndex> before;
  for (std::uint32_t s = 0; s < 5; ++s) before.push_back(SwitchIndex{s});
  ForwardingTables now(old, before);
  for (std::uint16_t lid = 0; lid < now.row_size(); lid += 100) {
    now.set(SwitchIndex{1}, mad::Lid{lid}, {201});
    now.set(SwitchIndex{2}, mad::Lid{lid}, {202});
  }
  now.row(SwitchIndex{1})[5] = 203;
  now.set(SwitchIndex{2}, mad::Lid{7}, {204});
  const ForwardingTables& read = now;
  for (std::uint32_t s = 0; s < 5; ++s) {
    const auto row = read.row(SwitchIndex{s});
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
      ASSERT_EQ(row[lid], read.entry(SwitchIndex{s}, lid));
    }
  }
  EXPECT_EQ(look_at_all(now, *old, before), plainly(now, *old, before));
}

}  // namespace
}  // namespace heddle::fabric
