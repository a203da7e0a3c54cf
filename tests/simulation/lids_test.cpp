// SPDX-License-Identifier: BSD-3-Clause
// Whose LID is whose: memory, what ports hold at power-on, conflicts, and too few of them.
#include <chrono>

#include <gtest/gtest.h>

#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

// A star of five whose hosts hold these LIDs at power-on, host by host.
sim::Blueprint star_with(const std::vector<unsigned>& lids) {
  auto blueprint = fabric("star:5");
  std::size_t host = 0;
  for (auto& planned : blueprint.nodes) {
    if (planned.type == mad::NodeType::Switch || host >= lids.size()) continue;
    planned.ports.resize(2);
    planned.ports[1].lid = mad::Lid{static_cast<std::uint16_t>(lids[host++])};
  }
  return blueprint;
}

unsigned lid_of(Box& box, std::string_view name) {
  const sim::Devices& devices = box.world().devices();
  const bool is_switch = devices.is_switch(node(box, name));
  return registers(box, name, is_switch ? 0 : 1).lid.value;
}

TEST(Lids, HeldAtPowerOnAreKept) {
  Box box(star_with({100, 7, 48000, 3, 12}), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(lid_of(box, "host-0001"), 100u);
  EXPECT_EQ(lid_of(box, "host-0002"), 7u);
  EXPECT_EQ(lid_of(box, "host-0003"), 48000u);
  EXPECT_EQ(lid_of(box, "host-0004"), 3u);
  EXPECT_EQ(lid_of(box, "host-0005"), 12u);
}

TEST(Lids, MemoryWinsOverWhatAPortHolds) {
  auto blueprint = star_with({100, 7});
  const sim::World world(blueprint, {});
  const mad::Guid second = world.port_guid(*world.find_endpoint("host-0002"));
  BoxOptions options;
  options.remembered = {{second, mad::Lid{333}, 0}};
  Box box(blueprint, options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(lid_of(box, "host-0001"), 100u);
  EXPECT_EQ(lid_of(box, "host-0002"), 333u);
}

TEST(Lids, AHostThatComesBackFindsItsOwnAgain) {
  Box box("star:5", {});
  ASSERT_TRUE(box.run_until_quiet());
  const unsigned before = lid_of(box, "host-0003");
  box.world().power_off(node(box, "host-0003"));
  box.run_for(std::chrono::seconds(30));
  box.restart(box.stored());
  ASSERT_TRUE(box.run_until_quiet());
  box.world().power_on(node(box, "host-0003"));
  box.run_for(std::chrono::seconds(12));
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(lid_of(box, "host-0003"), before);
}

TEST(Lids, TwoPortsWithOneLidArePartedAndThatIsTold) {
  Box box(star_with({5, 9, 9, 20, 9}), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::LidConflict>(), 2u);
  EXPECT_EQ(box.last<sm::LidConflict>()->lid.value, 9);
  const unsigned keep = (lid_of(box, "host-0002") == 9 ? 1u : 0u) +
                        (lid_of(box, "host-0003") == 9 ? 1u : 0u) +
                        (lid_of(box, "host-0005") == 9 ? 1u : 0u);
  EXPECT_EQ(keep, 1u);
  EXPECT_EQ(lid_of(box, "host-0001"), 5u);
}

TEST(Lids, AreDealtAnewWhenAskedTo) {
  BoxOptions options;
  options.sm.reassign_lids = true;
  auto blueprint = star_with({100, 7, 48000, 3, 12});
  Box box(blueprint, options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.snapshot().lids.top().value, 6) << "six ports, no gap";
  // Once, not with every sweep.
  box.input(sm::ResweepCommand{"asked to"});
  EXPECT_EQ(sets_during(box, [&] { box.run_until_quiet(); }), 0u);
}

TEST(Lids, NonsenseHeldByAPortIsReplaced) {
  auto blueprint = star_with({0xFFFF, 0xC000, 0xBFFF, 0, 1});
  for (auto& planned : blueprint.nodes) {
    if (planned.name == "host-0005") planned.ports[1].lmc = 7;
  }
  Box box(blueprint, {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
}

TEST(Lids, AMemoryFullOfNonsenseDoesNoHarm) {
  BoxOptions options;
  options.remembered = {{mad::Guid{1}, mad::Lid{0}, 0},      {mad::Guid{2}, mad::Lid{0xFFFF}, 0},
                        {mad::Guid{3}, mad::Lid{5}, 3},      {mad::Guid{4}, mad::Lid{5}, 0},
                        {mad::Guid{4}, mad::Lid{6}, 0},      {mad::Guid{0}, mad::Lid{9}, 0},
                        {mad::Guid{5}, mad::Lid{0xBFFF}, 7}, {mad::Guid{6}, mad::Lid{8}, 200}};
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
}

TEST(Lids, AChangeOfLmcMovesOnlyWhoMustMove) {
  BoxOptions options;
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  sm::Options wider;
  wider.lmc = 2;
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(wider)});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(registers(box, "host-0003", 1).lmc, 2);
  EXPECT_EQ(lid_of(box, "host-0003") % 4, 0u);
}

TEST(Lids, ASwitchWithASmallTableLimitsTheFabricAndIsNamed) {
  auto blueprint = fabric("star:8");
  blueprint.nodes[0].linear_fdb_cap = 5;  // LIDs 1 to 4 for nine ports
  ASSERT_EQ(blueprint.nodes[0].type, mad::NodeType::Switch);
  const std::string small = blueprint.nodes[0].description;
  Box box(std::move(blueprint), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::LidsExhausted>(), 5u);
  ASSERT_EQ(box.count<sm::SwitchTooSmall>(), 1u);
  EXPECT_EQ(box.last<sm::SwitchTooSmall>()->node.description, small);
  EXPECT_EQ(box.last<sm::SwitchTooSmall>()->capacity, 5);
  EXPECT_EQ(box.last<sm::SwitchTooSmall>()->needed.value, 9);
  EXPECT_EQ(box.count<sm::SetRefused>(), 0u);
  EXPECT_NE(registers(box, "host-0001", 1).lid, mad::kNoLid) << "the SM itself goes first";
  EXPECT_EQ(box.count<sm::SubnetUp>(), 1u);
}

TEST(Lids, ASwitchWithoutALinearTableDoesNotTakeTheFabricDown) {
  auto plan = dumbbell();
  const auto odd = plan.add_switch("odd");
  plan.cable(1, odd);
  auto blueprint = std::move(plan).finish();
  blueprint.nodes[odd].linear_fdb_cap = 0;
  Box box(std::move(blueprint), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(box.count<sm::DeviceLies>(), 1u);
  EXPECT_EQ(trouble_elsewhere(box, {"odd"}), "");
}

}  // namespace
}  // namespace heddle::test
