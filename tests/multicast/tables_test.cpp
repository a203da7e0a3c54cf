// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/tables.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using fabric::SwitchIndex;
using mad::Lid;
using mad::PortNumber;

constexpr SwitchIndex kFirst{0};

TEST(PortSet, HoldsAnyPortNumber) {
  PortSet ports;
  std::set<unsigned> model;
  base::Prng prng(1);
  for (int i = 0; i < 2000; ++i) {
    const auto number = static_cast<std::uint8_t>(prng.below(256));
    if (prng.chance(0.5)) {
      ports.insert(PortNumber{number});
      model.insert(number);
    } else {
      ports.erase(PortNumber{number});
      model.erase(number);
    }
    ASSERT_EQ(ports.size(), model.size());
    ASSERT_EQ(ports.contains(PortNumber{number}), model.count(number) == 1);
  }
  std::vector<unsigned> listed;
  ports.for_each([&](PortNumber port) { listed.push_back(port.value); });
  EXPECT_EQ(listed, std::vector<unsigned>(model.begin(), model.end()));
  PortSet copy;
  for (std::size_t position = 0; position < kMftPositions; ++position) {
    copy.set_at_position(position, ports.at_position(position));
  }
  EXPECT_EQ(copy, ports);
}

TEST(Tables, BitsAreWhereTheAttributeHasThem) {
  Tables tables(1);
  // LID 0xC021 is entry 1 of block 1; port 17 is bit 1 of position 1.
  tables.set(kFirst, Lid{0xC021}, PortNumber{17}, true);
  EXPECT_EQ(tables.block(kFirst, 1, 1).port_masks[1], 0x0002);
  EXPECT_EQ(tables.blocks_in_use(), 1u);
  EXPECT_EQ(tables.block_count(kFirst), 2u);
  EXPECT_TRUE(tables.contains(kFirst, Lid{0xC021}, PortNumber{17}));
  EXPECT_TRUE(tables.entry(kFirst, Lid{0xC021}).contains(PortNumber{17}));
  EXPECT_TRUE(tables.entry(kFirst, Lid{0xC020}).empty());
  tables.set(kFirst, Lid{0xFFFE}, PortNumber{254}, true);
  EXPECT_EQ(tables.block(kFirst, 511, 15).port_masks[30], 0x4000);
}

TEST(Tables, WhatIsZeroTakesNoMemory) {
  Tables tables(2);
  EXPECT_EQ(tables, Tables(2));
  tables.set(kFirst, Lid{0xC100}, PortNumber{3}, true);
  EXPECT_FALSE(tables == Tables(2));
  tables.set(kFirst, Lid{0xC100}, PortNumber{3}, false);
  EXPECT_EQ(tables.blocks_in_use(), 0u);
  EXPECT_EQ(tables.block_count(kFirst), 0u);
  EXPECT_EQ(tables, Tables(2));
  tables.set_block({kFirst, 7, 2, {}});
  EXPECT_EQ(tables.blocks_in_use(), 0u);
}

TEST(Tables, CopiesDoNotSeeLaterChanges) {
  Tables tables(3);
  tables.set(kFirst, Lid{0xC000}, PortNumber{1}, true);
  const Tables before = tables;
  EXPECT_TRUE(before.same_row(tables, kFirst));
  tables.set(kFirst, Lid{0xC000}, PortNumber{2}, true);
  tables.set(SwitchIndex{2}, Lid{0xC001}, PortNumber{2}, true);
  EXPECT_FALSE(before.contains(kFirst, Lid{0xC000}, PortNumber{2}));
  EXPECT_FALSE(before.same_row(tables, kFirst));
  EXPECT_TRUE(before.same_row(tables, SwitchIndex{1}));
  EXPECT_EQ(before.block_count(SwitchIndex{2}), 0u);
}

TEST(Tables, FollowTheirSwitchesToAnotherTopology) {
  const auto recipe = support::ring(5, 1);
  const auto before = testing::staged(recipe);
  const mad::Guid gone = before->node(SwitchIndex{1}).guid;
  auto smaller = recipe;
  std::erase_if(smaller.nodes, [&](const fabric::Node& node) { return node.guid == gone; });
  std::erase_if(smaller.links,
                [&](const auto& link) { return link.a.node == gone || link.b.node == gone; });
  const auto after = testing::staged(smaller);
  Tables tables(5);
  for (std::uint32_t s = 0; s < 5; ++s) {
    tables.set(SwitchIndex{s}, Lid{0xC000}, PortNumber{static_cast<std::uint8_t>(10 + s)}, true);
  }
  const Tables now = tables.reindexed(*before, *after);
  ASSERT_EQ(now.switch_count(), 4u);
  for (std::uint32_t s = 0; s < 4; ++s) {
    const auto old = before->find_node(after->node(SwitchIndex{s}).guid);
    EXPECT_EQ(now.entry(SwitchIndex{s}, Lid{0xC000}),
              tables.entry(SwitchIndex{old->value}, Lid{0xC000}));
  }
  const Tables back = now.reindexed(*after, *before);
  EXPECT_EQ(back.block_count(SwitchIndex{1}), 0u);
  EXPECT_TRUE(back.same_row(tables, SwitchIndex{4}));
}

TEST(Tables, ChangedBlocksLeadFromOneToTheOther) {
  base::Prng prng(2);
  for (int round = 0; round < 50; ++round) {
    Tables observed(4);
    const auto scribble = [&](Tables& tables, int times) {
      for (int i = 0; i < times; ++i) {
        const SwitchIndex at{static_cast<std::uint32_t>(prng.below(4))};
        const Lid lid{static_cast<std::uint16_t>(0xC000 + prng.below(200))};
        PortSet ports;
        for (int p = 0; p < 3; ++p) {
          if (prng.chance(0.7)) ports.insert(PortNumber{static_cast<std::uint8_t>(prng.below(64))});
        }
        tables.set_entry(at, lid, ports);
        EXPECT_EQ(tables.entry(at, lid), ports);
      }
    };
    scribble(observed, 40);
    Tables wanted = observed;
    EXPECT_TRUE(changed_blocks(wanted, observed).empty());
    scribble(wanted, 20);
    const auto writes = changed_blocks(wanted, observed);
    EXPECT_FALSE(writes.empty());
    for (const BlockWrite& write : writes) {
      EXPECT_NE(observed.block(write.at, write.block, write.position), write.table);
      observed.set_block(write);
    }
    EXPECT_EQ(observed, wanted);
    std::size_t visited = 0;
    for (std::uint32_t s = 0; s < 4; ++s) {
      wanted.for_each_block(SwitchIndex{s}, [&](std::uint16_t block, std::uint8_t position,
                                                const mad::MulticastForwardingTable& table) {
        EXPECT_EQ(observed.block(SwitchIndex{s}, block, position), table);
        ++visited;
      });
    }
    EXPECT_EQ(visited, wanted.blocks_in_use());
  }
}

}  // namespace
}  // namespace heddle::multicast
