// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/change.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "multicast/trees.hpp"
#include "tests/multicast/floods.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using testing::flood;
using testing::stage_ports;
using testing::staged;

constexpr mad::Lid kChangedMlid{0xC000};

// Executes random parts of each stage, in any order, and sends packets at every moment.
class Switches {
 public:
  Switches(std::shared_ptr<const fabric::Topology> topology, Tables standing)
      : topology_(std::move(topology)), tables_(std::move(standing)) {}

  void execute(std::vector<Stage> stages, const std::vector<mad::Lid>& mlids, base::Prng& prng) {
    const auto ports = stage_ports(*topology_, true);
    for (Stage& stage : stages) {
      prng.shuffle(stage);
      for (const BlockWrite& write : stage) {
        tables_.set_block(write);
        if (stage.size() > 12 && !prng.chance(12.0 / static_cast<double>(stage.size()))) continue;
        for (const mad::Lid mlid : mlids) {
          for (int i = 0; i < 4; ++i) {
            const auto result = flood(*topology_, tables_, mlid, ports[prng.below(ports.size())]);
            ASSERT_FALSE(result.looped);
            ASSERT_FALSE(result.doubled());
          }
        }
      }
    }
  }
  const Tables& tables() const { return tables_; }

 private:
  std::shared_ptr<const fabric::Topology> topology_;
  Tables tables_;
};

Trees planted(const std::shared_ptr<const fabric::Topology>& topology, base::Prng& prng,
              const std::vector<mad::Lid>& mlids) {
  Trees trees(topology);
  const auto ports = stage_ports(*topology, true);
  for (const mad::Lid mlid : mlids) {
    for (std::uint64_t i = prng.below(12); i > 0; --i) {
      const RoleChange change{mlid, ports[prng.below(ports.size())],
                              prng.chance(0.7) ? Role::Receiver : Role::Sender};
      trees.apply({&change, 1});
    }
  }
  return trees;
}

TEST(Change, NoMomentInWhichPacketsLoopOrDouble) {
  const support::Recipe recipes[] = {
      support::ring(6, 2), support::torus({3, 3}, 2), support::xgft({4, 4}, {1, 3}),
      support::random_regular(14, 4, 2, 5), support::parallel_links(4, 4)};
  // Blocks are shared by LIDs with and without a conflict.
  const std::vector<mad::Lid> mlids{mad::Lid{0xC000}, mad::Lid{0xC001}, mad::Lid{0xC005},
                                    mad::Lid{0xC021}};
  base::Prng prng(31);
  unsigned two_stages = 0;
  for (const auto& recipe : recipes) {
    const auto topology = staged(recipe);
    for (int round = 0; round < 40; ++round) {
      const Trees before = planted(topology, prng, mlids);
      const Trees after = planted(topology, prng, mlids);
      const auto stages = plan_change(*topology, before.tables(), after.tables());
      ASSERT_LE(stages.size(), 2u);
      two_stages += stages.size() == 2;
      Switches switches(topology, before.tables());
      switches.execute(stages, mlids, prng);
      ASSERT_FALSE(HasFatalFailure());
      ASSERT_EQ(switches.tables(), after.tables());
    }
  }
  EXPECT_GT(two_stages, 20u);
}

TEST(Change, JoinsAndLeavesTakeOneStage) {
  const auto topology = staged(support::xgft({4, 4, 3}, {1, 2, 2}));
  Trees trees(topology, {.drift_percent = 1'000'000});
  const auto ports = stage_ports(*topology);
  base::Prng prng(2);
  for (int step = 0; step < 500; ++step) {
    const Tables before = trees.tables();
    const RoleChange change{kChangedMlid, ports[prng.below(ports.size())],
                            static_cast<Role>(prng.below(3))};
    trees.apply({&change, 1});
    const auto stages = plan_change(*topology, before, trees.tables());
    ASSERT_LE(stages.size(), 1u);
    const std::size_t writes = stages.empty() ? 0 : stages[0].size();
    EXPECT_EQ(writes, changed_blocks(trees.tables(), before).size());
    EXPECT_LE(writes, 5u) << "a branch is never longer than the fabric is high";
  }
}

TEST(Change, NothingToDoIsNoStage) {
  const auto topology = staged(support::ring(3, 1));
  EXPECT_TRUE(plan_change(*topology, Tables(3), Tables(3)).empty());
}

// Bits of ports that both ends of every cable around the ring have.
Tables circle(const fabric::Topology& topology) {
  Tables tables(topology.switch_count());
  for (const fabric::Channel& channel : topology.channels()) {
    tables.set(channel.from, kChangedMlid, channel.out, true);
  }
  return tables;
}

TEST(Change, CircleThatStandsIsBrokenFirst) {
  const auto topology = staged(support::ring(5, 1));
  const auto ports = stage_ports(*topology);
  EXPECT_TRUE(flood(*topology, circle(*topology), kChangedMlid, ports[0]).looped);
  Trees trees(topology);
  for (const auto port : ports) {
    const RoleChange change{kChangedMlid, port, Role::Receiver};
    trees.apply({&change, 1});
  }
  const auto stages = plan_change(*topology, circle(*topology), trees.tables());
  Tables tables = circle(*topology);
  ASSERT_FALSE(stages.empty());
  for (const BlockWrite& write : stages[0]) tables.set_block(write);
  EXPECT_FALSE(flood(*topology, tables, kChangedMlid, ports[0]).looped);
  base::Prng prng(1);
  Switches switches(topology, tables);
  switches.execute({stages.begin() + 1, stages.end()}, {kChangedMlid}, prng);
  EXPECT_EQ(switches.tables(), trees.tables());
}

TEST(Change, ForeignEntriesAndCablesToTheSameSwitchGo) {
  support::Recipe recipe = support::star(3);
  recipe.join(0, 0);
  const auto topology = staged(recipe);
  Tables standing(1);
  for (unsigned port = 0; port < 16; ++port) {
    standing.set(fabric::SwitchIndex{0}, kChangedMlid,
                 mad::PortNumber{static_cast<std::uint8_t>(port)}, true);
  }
  standing.set(fabric::SwitchIndex{0}, mad::Lid{0xC300}, mad::PortNumber{200}, true);
  Tables tables = standing;
  for (const Stage& stage : plan_change(*topology, standing, Tables(1))) {
    for (const BlockWrite& write : stage) tables.set_block(write);
  }
  EXPECT_EQ(tables, Tables(1));
}

TEST(Change, LinksThatAreInNobodysWayStayUntilTheEnd) {
  // A line a - b - c, and a cable a - c beside it: from {a-b, b-c} to {a-c}, with b leaving.
  const auto topology = staged(support::ring(3, 1));
  // Two LIDs of one block, which must not get into each other's way either.
  const mad::Lid lids[] = {kChangedMlid, mad::Lid{0xC007}};
  Tables line(3), direct(3);
  for (const fabric::Channel& channel : topology->channels()) {
    const bool is_direct = channel.from.value + channel.to.value == 2;
    for (const mad::Lid lid : lids) {
      (is_direct ? direct : line).set(channel.from, lid, channel.out, true);
    }
  }
  const auto stages = plan_change(*topology, line, direct);
  ASSERT_EQ(stages.size(), 2u);
  Tables after_first = line;
  for (const BlockWrite& write : stages[0]) after_first.set_block(write);
  // One of the two old links closes a circle with the new one, not both.
  for (const mad::Lid lid : lids) {
    std::size_t bits = 0;
    for (std::uint32_t s = 0; s < 3; ++s) {
      bits += after_first.entry(fabric::SwitchIndex{s}, lid).size();
    }
    EXPECT_EQ(bits, 2u);
  }
}

}  // namespace
}  // namespace heddle::multicast
