// SPDX-License-Identifier: BSD-3-Clause
#include "sm/memory.hpp"

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

RememberedLids lids(std::uint64_t guid, std::uint16_t base, std::uint8_t lmc = 0) {
  return {mad::Guid{guid}, mad::Lid{base}, lmc};
}
base::Instant at(int seconds) {
  return base::Instant{} + std::chrono::seconds(1000 + seconds);
}

TEST(MemoryRecords, ComeBackAsTheyWere) {
  const Office office{mad::Guid{0xABC}, mad::Lid{7}, 42};
  const std::vector<RememberedLids> known{lids(1, 10), lids(2, 12, 1)};
  std::vector<base::Record> records{to_record(known[0]), to_record(known[1]), to_record(office)};
  Recalled recalled = recall(records);
  EXPECT_EQ(recalled.lids, known);
  EXPECT_EQ(take_office(recalled.registrations), office);
  EXPECT_EQ(recalled.registrations, "heddle registrations 1\nend\n");
  EXPECT_EQ(take_office(recalled.registrations), std::nullopt);
}

TEST(MemoryRecords, OfKeysComeBackInTheirOrder) {
  RememberedKeys keys;
  for (std::uint64_t n = 0; n < 12; ++n) keys.masters.push_back({0x100 - n});
  keys.by_port = {{mad::Guid{7}, mad::MKey{0x77}}, {mad::Guid{9}, mad::MKey{0x99}}};
  auto records = to_records(keys);
  std::sort(records.begin(), records.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const bool held : {false, true}) {
    if (held) records.push_back(to_record(Office{mad::Guid{0xABC}, mad::Lid{7}, 42}));
    Recalled recalled = recall(records);
    const auto known = take_keys(recalled.registrations);
    EXPECT_EQ(known.masters, keys.masters);
    EXPECT_EQ(known.by_port, keys.by_port);
    EXPECT_TRUE(take_keys(recalled.registrations).empty());
    EXPECT_EQ(take_office(recalled.registrations).has_value(), held);
    EXPECT_EQ(recalled.registrations, held ? "heddle registrations 1\nend\n" : "");
  }
  for (const char* value : {"", "0x0", "x", "0x1 0x2"}) {
    EXPECT_EQ(recall(std::vector<base::Record>{{"m_key 0x00", value}}).registrations, "") << value;
  }
}

TEST(MemoryRecords, WithoutAnOfficeNobodyHasRegistered) {
  const std::vector<base::Record> records{to_record(lids(1, 10)), {"member a", "b"}};
  EXPECT_EQ(recall(records).registrations, "");
  EXPECT_EQ(recall(records).lids.size(), 1u);
}

TEST(MemoryRecords, OfNonsenseAreLeftOut) {
  for (const char* value : {"", "5", "x 0", "5 9", "50000 0", "5 0 0"}) {
    const std::vector<base::Record> records{{"lid 0x0000000000000001", value}};
    EXPECT_TRUE(recall(records).lids.empty()) << value;
  }
  for (const char* value : {"", "0x1 2", "x 2 3", "0x1 2 3 4", "0x1 99999 3"}) {
    EXPECT_EQ(recall(std::vector<base::Record>{{"office", value}}).registrations, "") << value;
  }
}

TEST(MemoryRecords, TellWhatChanged) {
  const std::vector<RememberedLids> before{lids(1, 10), lids(3, 30), lids(5, 50)};
  const std::vector<RememberedLids> after{lids(2, 20), lids(3, 31), lids(5, 50), lids(6, 60)};
  const auto changes = lid_changes(before, after);
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[0].value, std::nullopt);
  EXPECT_EQ(changes[0].name, to_record(before[0]).name);
  EXPECT_EQ(changes[1], to_record(after[0]));
  EXPECT_EQ(changes[2], to_record(after[1]));
  EXPECT_EQ(changes[3], to_record(after[3]));
  EXPECT_TRUE(lid_changes(after, after).empty());
}

TEST(Replica, TakesChangesOfWhatItWasToldOnly) {
  Replica replica;
  replica.take(at(0), 3, false, std::vector<base::Record>{{"a", "1"}});
  EXPECT_TRUE(replica.empty()) << "changes of what?";
  replica.take(at(0), 3, true, std::vector<base::Record>{{"a", "1"}, {"b", "2"}});
  replica.take(at(1), 3, false, std::vector<base::Record>{{"a", std::nullopt}, {"c", "3"}});
  replica.take(at(1), 2, true, std::vector<base::Record>{{"late", "1"}});
  replica.take(at(1), 4, false, std::vector<base::Record>{{"early", "1"}});
  const auto records = replica.records(at(10));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].name, "b");
  EXPECT_EQ(records[0].age, 10u);
  EXPECT_EQ(records[1].name, "c");
  EXPECT_EQ(records[1].age, 9u);
  replica.take(at(20), 4, true, std::vector<base::Record>{{"d", "4", 100}});
  EXPECT_EQ(replica.epoch(), 4u);
  EXPECT_EQ(replica.records(at(20)).at(0).age, 100u);
}

}  // namespace
}  // namespace heddle::sm
