// SPDX-License-Identifier: BSD-3-Clause
#include "plan/compact_tables.hpp"

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::plan {
namespace {

using fabric::ForwardingTables;
using fabric::SwitchIndex;

constexpr std::size_t kPlenty = 1u << 30;

void expect_the_same(const ForwardingTables& tables, const CompactTables& packed) {
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const auto row = expand(packed, s);
    ASSERT_TRUE(row) << s;
    const auto wanted = tables.row(SwitchIndex{s});
    ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), row->begin(), row->end())) << s;
  }
}

TEST(CompactTables, EveryRowComesBack) {
  for (const auto& [name, recipe] : routing::all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    const routing::Subnet subnet(recipe);
    if (subnet.topology.switch_count() == 0) continue;
    const auto tables = subnet.route("minhop").tables;
    const auto packed = compact(tables, kPlenty);
    ASSERT_TRUE(packed);
    expect_the_same(tables, *packed);
  }
}

TEST(CompactTables, NoiseComesBackToo) {
  base::Prng random(5);
  ForwardingTables tables(20, mad::Lid{700});
  for (std::uint32_t s = 0; s < 20; ++s) {
    for (auto& entry : tables.row(SwitchIndex{s})) {
      entry = static_cast<std::uint8_t>(random.below(s % 2 == 0 ? 256 : 3));
    }
  }
  const auto packed = compact(tables, kPlenty);
  ASSERT_TRUE(packed);
  expect_the_same(tables, *packed);
  EXPECT_LT(packed->bytes.size(), 20 * 704 * 1.1) << "what cannot be packed hardly grows";
}

TEST(CompactTables, RowsThatAreAlikeCostNextToNothing) {
  const routing::Subnet subnet(support::xgft({8, 8, 8}, {1, 8, 8}));
  const auto tables = subnet.route("ftree").tables;
  const auto packed = compact(tables, kPlenty);
  ASSERT_TRUE(packed);
  expect_the_same(tables, *packed);
  EXPECT_LT(packed->bytes.size() * 10, tables.switch_count() * tables.row_size());
}

TEST(CompactTables, TheyDoNotDependOnWhoMakesThem) {
  const routing::Subnet subnet(support::torus({5, 4, 4}, 2));
  const auto tables = subnet.route("updn").tables;
  const auto backwards = [](std::size_t count, const base::RangeWork& work) {
    for (std::size_t i = count; i-- > 0;) work(i, i + 1);
  };
  const auto one = compact(tables, kPlenty), other = compact(tables, kPlenty, backwards);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->bytes, other->bytes);
  EXPECT_EQ(one->first, other->first);
}

TEST(CompactTables, WhatDoesNotFitIsRefused) {
  const routing::Subnet subnet(support::random_regular(30, 6, 2, 1));
  const auto tables = subnet.route("updn").tables;
  const auto packed = compact(tables, kPlenty);
  ASSERT_TRUE(packed);
  EXPECT_TRUE(compact(tables, packed->bytes.size()));
  EXPECT_FALSE(compact(tables, packed->bytes.size() - 1));
}

TEST(CompactTables, BytesThatAreNoRowAreRefused) {
  const auto refused = [](std::vector<std::uint8_t> bytes) {
    CompactTables tables{8, std::move(bytes), {}, {CompactTables::kNoBase}};
    tables.first = {0, static_cast<std::uint32_t>(tables.bytes.size())};
    return !expand(tables, 0);
  };
  EXPECT_FALSE(refused({2, 7, 9, 6, 2}));
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({2, 7})) << "ends too early";
  EXPECT_TRUE(refused({2, 7, 9, 6, 3})) << "before the beginning";
  EXPECT_TRUE(refused({2, 7, 9, 7, 2})) << "too long";
  EXPECT_TRUE(refused({2, 7, 9, 0, 1, 0})) << "nothing";
  EXPECT_TRUE(refused({9, 1, 1, 1, 1, 1, 1, 1, 1, 1})) << "too many entries";
  EXPECT_TRUE(refused({2, 7, 9, 6, 2, 0})) << "something behind it";
  EXPECT_TRUE(refused({255, 255, 255, 255, 255, 1}));
}

}  // namespace
}  // namespace heddle::plan
