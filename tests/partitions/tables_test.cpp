// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/tables.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"

namespace heddle::partitions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The entries from index 0 on; all blocks read.
HeldTable held(std::uint16_t capacity, const std::vector<unsigned>& entries) {
  HeldTable table{capacity, {}};
  table.blocks.resize(mad::p_key_block_count(capacity), mad::PKeyTable{});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    table.blocks[i / 32]->p_keys[i % 32].value = static_cast<std::uint16_t>(entries[i]);
  }
  return table;
}

std::vector<mad::PKey> keys(const std::vector<unsigned>& values) {
  std::vector<mad::PKey> keys;
  for (const unsigned value : values) keys.push_back({static_cast<std::uint16_t>(value)});
  return keys;
}

// Without the zeros at the end.
std::vector<unsigned> entries(const TablePlan& plan) {
  std::vector<unsigned> values;
  for (const mad::PKeyTable& block : plan.blocks) {
    for (const mad::PKey key : block.p_keys) values.push_back(key.value);
  }
  while (!values.empty() && values.back() == 0) values.pop_back();
  return values;
}

std::vector<unsigned> left_out(const TablePlan& plan) {
  std::vector<unsigned> values;
  for (const mad::PKey key : plan.left_out) values.push_back(key.value);
  return values;
}

TablePlan plan(std::uint16_t capacity, const std::vector<unsigned>& before,
               const std::vector<unsigned>& wanted) {
  return plan_table(held(capacity, before), keys(wanted));
}

TEST(Tables, WhatStandsRightIsNotWritten) {
  const TablePlan result = plan(64, {0xffff, 0x8001, 0, 0x0002}, {0xffff, 0x0002, 0x8001});
  EXPECT_THAT(entries(result), ElementsAre(0xffff, 0x8001, 0, 0x0002));
  EXPECT_THAT(result.to_write, IsEmpty());
  EXPECT_EQ(result.blocks.size(), 2u);
}

TEST(Tables, KeysThatStayKeepTheirIndex) {
  EXPECT_THAT(entries(plan(32, {0xffff, 0x8001, 0x8002, 0x8003}, {0xffff, 0x8003, 0x8009})),
              ElementsAre(0xffff, 0x8009, 0, 0x8003));
}

TEST(Tables, AChangedMembershipKeepsItsIndex) {
  EXPECT_THAT(entries(plan(32, {0xffff, 0x0001, 0x0002, 0}, {0x7fff, 0x8002, 0x8001})),
              ElementsAre(0x7fff, 0x8001, 0x8002));
  EXPECT_THAT(entries(plan(32, {0xffff, 0x0001, 0x0005}, {0xffff, 0x0001, 0x8001})),
              ElementsAre(0xffff, 0x0001, 0x8001))
      << "both: the one that was there stays";
}

TEST(Tables, Index0IsMadeFree) {
  EXPECT_THAT(entries(plan(32, {0xffff, 0x8001, 0x8002}, {0x8002, 0xffff, 0x8001})),
              ElementsAre(0x8002, 0x8001, 0xffff))
      << "two keys change places";
  EXPECT_THAT(entries(plan(32, {0xffff, 0x8001, 0x8002}, {0x8003, 0xffff, 0x8001, 0x8002})),
              ElementsAre(0x8003, 0x8001, 0x8002, 0xffff))
      << "what was there moves to a free entry";
  EXPECT_THAT(entries(plan(32, {0x8009, 0x8001}, {0xffff, 0x8001})), ElementsAre(0xffff, 0x8001))
      << "what was there goes";
  EXPECT_THAT(entries(plan(32, {0, 0x8001}, {0x8001})), ElementsAre(0x8001));
}

TEST(Tables, WhatIsNotWantedBecomesZero) {
  const TablePlan result = plan(96, {0xffff, 0x8001, 0x8001, 0x8000}, {0xffff, 0x8001});
  EXPECT_THAT(entries(result), ElementsAre(0xffff, 0x8001)) << "a key twice, and no key at all";
  EXPECT_THAT(result.to_write, ElementsAre(0));
}

TEST(Tables, OnlyBlocksThatDifferAreWritten) {
  std::vector<unsigned> before(96, 0);
  std::vector<unsigned> wanted;
  for (unsigned i = 0; i < 70; ++i) before[i] = 0x8001 + i;
  for (unsigned i = 0; i < 70; ++i) {
    if (i != 40) wanted.push_back(0x8001 + i);
  }
  EXPECT_THAT(plan(96, before, wanted).to_write, ElementsAre(1));
}

TEST(Tables, BlocksThatWereNotReadAreWritten) {
  HeldTable unread{96, {mad::PKeyTable{}, std::nullopt}};
  unread.blocks[0]->p_keys[0] = mad::PKey{0xffff};
  const TablePlan result = plan_table(unread, keys({0xffff}));
  EXPECT_THAT(result.to_write, ElementsAre(1, 2));
  EXPECT_EQ(result.blocks.size(), 3u);
  EXPECT_THAT(plan_table({32, {}}, keys({0xffff, 0x8001})).to_write, ElementsAre(0));
}

TEST(Tables, EntriesAboveTheCapacityDoNotExist) {
  std::vector<unsigned> before(32, 0);
  before[0] = 0xffff;
  before[4] = 0x8001;  // the last one that exists
  before[5] = 0x8002;  // what a device answers there is nobody's business
  const TablePlan same = plan(5, before, {0xffff, 0x8001});
  EXPECT_THAT(same.to_write, IsEmpty());
  EXPECT_THAT(entries(same), ElementsAre(0xffff, 0, 0, 0, 0x8001));
  const TablePlan full = plan(2, {0xffff}, {0xffff, 0x8001, 0x8002});
  EXPECT_THAT(entries(full), ElementsAre(0xffff, 0x8001));
  EXPECT_THAT(left_out(full), ElementsAre(0x8002));
}

TEST(Tables, AFullTableKeepsWhatItHas) {
  const TablePlan result = plan(3, {0xffff, 0x8005, 0x8006}, {0xffff, 0x8001, 0x8005, 0x8006});
  EXPECT_THAT(entries(result), ElementsAre(0xffff, 0x8005, 0x8006));
  EXPECT_THAT(left_out(result), ElementsAre(0x8001));
  EXPECT_THAT(result.to_write, IsEmpty());
}

TEST(Tables, DefaultFindsRoomInAFullTable) {
  const TablePlan fresh = plan(2, {}, {0x8001, 0x8002, 0x8003, 0x7fff});
  EXPECT_THAT(entries(fresh), ElementsAre(0x8001, 0x7fff));
  EXPECT_THAT(left_out(fresh), ElementsAre(0x8002, 0x8003));
  const TablePlan taken = plan(3, {0x8001, 0x8002, 0x8003}, {0x8001, 0x8002, 0x8003, 0x7fff});
  EXPECT_THAT(entries(taken), ElementsAre(0x8001, 0x8002, 0x7fff));
  EXPECT_THAT(left_out(taken), ElementsAre(0x8003));
}

TEST(Tables, NoTableHoldsNothing) {
  const TablePlan none = plan_table({0, {}}, keys({0xffff}));
  EXPECT_THAT(none.blocks, IsEmpty());
  EXPECT_THAT(none.to_write, IsEmpty());
  EXPECT_THAT(left_out(none), ElementsAre(0xffff));
  EXPECT_THAT(entries(plan(32, {0xffff}, {})), IsEmpty());
  EXPECT_THAT(entries(plan(32, {}, {0xffff, 0x8000, 0x0000})), ElementsAre(0xffff));
}

// A list as Memberships gives it: Default in it, no key twice.
std::vector<unsigned> random_wish(base::Prng& random) {
  std::set<unsigned> wish;
  for (std::uint64_t n = random.below(12); n > 0; --n) {
    wish.insert(static_cast<unsigned>((1 + random.below(8)) | random.below(2) << 15));
  }
  wish.insert(random.below(2) == 0 ? 0xffff : 0x7fff);
  std::vector<unsigned> list(wish.begin(), wish.end());
  random.shuffle(list);
  return list;
}

// What every plan owes, whatever the table held before.
void expect_served(const HeldTable& table, const std::vector<unsigned>& wish,
                   const TablePlan& result) {
  std::vector<unsigned> now = entries(result);
  ASSERT_EQ(now.at(0), wish.at(0));
  std::erase(now, 0u);
  EXPECT_EQ(now.size(), std::min<std::size_t>(wish.size(), table.capacity));
  EXPECT_EQ(now.size() + result.left_out.size(), wish.size());
  EXPECT_EQ(std::set(now.begin(), now.end()).size(), now.size());
  const auto wished = [&](unsigned key) {
    return std::find(wish.begin(), wish.end(), key) != wish.end();
  };
  EXPECT_TRUE(std::all_of(now.begin(), now.end(), wished));
  EXPECT_TRUE(
      std::any_of(now.begin(), now.end(), [](unsigned k) { return (k & 0x7fff) == 0x7fff; }));
  if (wish.size() > table.capacity) return;
  for (std::size_t i = 1; i < table.capacity; ++i) {
    const unsigned before = table.blocks[i / 32]->p_keys[i % 32].value;
    const bool stays = before != 0 && before != wish[0] && wished(before);
    if (stays) {
      EXPECT_EQ(result.blocks[i / 32].p_keys[i % 32].value, before) << "index " << i;
    }
  }
}

TEST(Tables, AnyHistoryOfWishesIsServed) {
  base::Prng random(7);
  for (int run = 0; run < 300; ++run) {
    const auto capacity = static_cast<std::uint16_t>(2 + random.below(40));
    HeldTable table = held(capacity, {0xffff});
    for (int step = 0; step < 20; ++step) {
      const std::vector<unsigned> wish = random_wish(random);
      const TablePlan result = plan_table(table, keys(wish));
      expect_served(table, wish, result);
      for (const std::uint16_t block : result.to_write) table.blocks[block] = result.blocks[block];
      EXPECT_THAT(plan_table(table, keys(wish)).to_write, IsEmpty()) << "not settled";
    }
    if (HasFailure()) FAIL() << "run " << run;
  }
}

}  // namespace
}  // namespace heddle::partitions
