// SPDX-License-Identifier: BSD-3-Clause
#include "routing/column_buffer.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr std::size_t kSwitches = 7;

std::uint8_t entry_of(std::uint32_t at, std::size_t lid) {
  return static_cast<std::uint8_t>((at * 31 + lid * 7) % 250);
}

// Fills the LIDs in, some at a time, and sees that each entry stands in its row and nothing else.
void expect_right(const std::vector<std::uint16_t>& lids, const std::vector<std::size_t>& widths) {
  const std::uint16_t top = *std::max_element(lids.begin(), lids.end());
  fabric::ForwardingTables tables(kSwitches, mad::Lid{top});
  ColumnBuffer buffer(lids, kSwitches, *std::max_element(widths.begin(), widths.end()));
  std::vector<bool> routed(top + 1u);
  std::size_t done = 0;
  for (std::size_t i = 0; done < lids.size(); ++i) {
    const std::size_t width = std::min(widths[i % widths.size()], lids.size() - done);
    buffer.begin(width, tables);
    if (i % 3 == 2) buffer.clear();
    for (std::size_t column = 0; column < width; ++column) {
      EXPECT_EQ(buffer.lids()[column], lids[done + column]);
      routed[lids[done + column]] = i % 3 != 2;
      for (std::uint32_t s = 0; s < kSwitches && i % 3 != 2; ++s) {
        buffer.at(SwitchIndex{s})[column] = entry_of(s, lids[done + column]);
      }
    }
    done += width;
  }
  buffer.flush(tables);
  for (std::uint32_t s = 0; s < kSwitches; ++s) {
    for (std::size_t lid = 0; lid <= top; ++lid) {
      const std::uint8_t right = routed[lid] ? entry_of(s, lid) : mad::kNoPortNumber.value;
      ASSERT_EQ(tables.row(SwitchIndex{s})[lid], right) << "switch " << s << ", LID " << lid;
    }
  }
}

std::vector<std::uint16_t> side_by_side(std::size_t count) {
  std::vector<std::uint16_t> lids(count);
  std::iota(lids.begin(), lids.end(), std::uint16_t{5});
  return lids;
}

TEST(ColumnBuffer, WritesLidsSideBySide) {
  expect_right(side_by_side(1'000), {19});
  expect_right(side_by_side(1'000), {1, 2, 3, 7, 8, 9, 15, 16, 17, 40});
  expect_right(side_by_side(1'000), {300, 1});
}

TEST(ColumnBuffer, WritesLidsOfHostsAndOfTheirSwitches) {
  std::vector<std::uint16_t> lids;
  for (std::uint16_t leaf = 0; leaf < 40; ++leaf) {
    for (std::uint16_t host = 0; host < 18; ++host) {
      lids.push_back(static_cast<std::uint16_t>(1 + leaf * 18 + host));
    }
    lids.push_back(static_cast<std::uint16_t>(2'000 - leaf));
  }
  expect_right(lids, {19});
}

TEST(ColumnBuffer, WritesScatteredLids) {
  auto lids = side_by_side(1'000);
  std::shuffle(lids.begin(), lids.end(), std::mt19937(1));
  expect_right(lids, {1});
  expect_right(lids, {19, 4});
}

TEST(ColumnBuffer, WritesNothingWithoutLids) {
  fabric::ForwardingTables tables(kSwitches, mad::Lid{10});
  ColumnBuffer buffer({}, kSwitches, 0);
  buffer.flush(tables);
  EXPECT_EQ(tables, fabric::ForwardingTables(kSwitches, mad::Lid{10}));
}

}  // namespace
}  // namespace heddle::routing
