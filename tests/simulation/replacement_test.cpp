// SPDX-License-Identifier: BSD-3-Clause
// A device is taken out and another one is put in its place, on the same cables; and what was taken
// out turns up somewhere else.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "sim/devices.hpp"
#include "sm/keys.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kFabric = "fat-tree:6,12";

class Replacement : public testing::Test {
 protected:
  void bring_up(const BoxOptions& options, std::string_view on = kFabric) {
    box_ = std::make_unique<Box>(on, options);
    rest();
  }
  void rest() {
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    box().run_for(15s);  // a light sweep confirms what the first one saw
    box().forget_events();
  }
  static BoxOptions with_traps(bool traps) {
    BoxOptions options;
    options.world.traps = traps;
    return options;
  }
  // Of the same make as that node, with GUIDs of its own, on a shelf.
  std::uint32_t spare_for(std::string_view name) {
    sim::PlannedNode spare = box().world().devices().plan.nodes[node(box(), name)];
    spare.name += "-spare";
    spare.description = spare.name;
    spare.guid = mad::Guid{0xAB'0000'0000'0000 + 0x100 * ++spares_};
    spare.system_image_guid = spare.guid;
    for (auto& port : spare.ports) port.guid = {};
    return box().world().add_node(spare).value();
  }
  bool knows(std::uint32_t which) {
    const auto guid = box().world().devices().nodes[which].info.node_guid;
    return box().snapshot().topology.find_node(guid).has_value();
  }
  // `in` is where `out` was, and nobody waits for that one.
  void expect_replaced(std::uint32_t out, std::uint32_t in) {
    EXPECT_EQ(trouble(box()), "");
    EXPECT_TRUE(knows(in));
    EXPECT_FALSE(knows(out));
    EXPECT_EQ(box().count<sm::SilentNodeKept>(), 0u) << said(box());
    EXPECT_EQ(box().count<sm::DuplicateGuid>(), 0u) << said(box());
    EXPECT_TRUE(box().snapshot().problems.empty());
    EXPECT_EQ(sets_during(box(), [&] { box().run_for(60s); }), 0u) << "it does not rest";
  }
  Box& box() { return *box_; }

  std::unique_ptr<Box> box_;

 private:
  std::uint64_t spares_ = 0;
};

// Of the upper level, with hosts, and the SM's own.
TEST_F(Replacement, OfASwitchIsFollowed) {
  for (const bool traps : {true, false}) {
    for (const std::string name : {"spine-2", "leaf-02", "leaf-01"}) {
      SCOPED_TRACE(name + (traps ? "" : " without traps"));
      bring_up(with_traps(traps), kFabric);
      const auto lid = registers(box(), "host-0009", 1).lid;
      const auto old = node(box(), name), spare = spare_for(name);
      box().world().exchange(old, spare);
      // No trap finds its way through a switch that has no tables yet.
      box().run_for(traps && name != "leaf-01" ? 1s : 11s);
      expect_replaced(old, spare);
      EXPECT_EQ(box().count<sm::NodeDisappeared>(), 1u) << said(box());
      EXPECT_EQ(box().count<sm::NodeAppeared>(), 1u) << said(box());
      EXPECT_EQ(registers(box(), "host-0009", 1).lid, lid);
    }
  }
}

TEST_F(Replacement, OfAHostIsFollowed) {
  for (const bool traps : {true, false}) {
    SCOPED_TRACE(traps);
    bring_up(with_traps(traps));
    const auto old = node(box(), "host-0009"), spare = spare_for("host-0009");
    box().world().exchange(old, spare);
    box().run_for(traps ? 1s : 11s);
    expect_replaced(old, spare);
    EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
    EXPECT_EQ(box().count<sm::NodeDisappeared>(), 1u) << said(box());
  }
}

// Behind it are a switch, that nothing else leads to, and hosts.
TEST_F(Replacement, OfTheOnlySwitchThatLeadsToOthersLosesNone) {
  for (const bool traps : {true, false}) {
    SCOPED_TRACE(traps);
    sim::Planner plan("chain", {});
    const auto left = plan.add_switch("left"), middle = plan.add_switch("middle"),
               right = plan.add_switch("right");
    for (const auto at : {left, middle, right}) plan.add_hosts(at, 2);
    plan.cable(left, middle);
    plan.cable(middle, right);
    box_ = std::make_unique<Box>(std::move(plan).finish(), with_traps(traps));
    rest();
    const auto old = node(box(), "middle"), spare = spare_for("middle");
    box().world().exchange(old, spare);
    box().run_for(traps ? 1s : 11s);
    expect_replaced(old, spare);
    EXPECT_EQ(box().count<sm::NodeDisappeared>(), 1u) << said(box());
  }
}

// It has what it was told in its former place, or has forgotten it without power.
TEST_F(Replacement, TurnsUpInThePlaceOfAnother) {
  struct Places {
    const char* first;
    const char* second;
  };
  for (const auto& [first, second] : {Places{"spine-2", "spine-4"}, Places{"leaf-02", "leaf-05"},
                                      Places{"host-0009", "host-0040"}}) {
    for (const bool traps : {true, false}) {
      for (const bool forgets : {true, false}) {
        SCOPED_TRACE(std::string(first) + (traps ? "" : " no traps") + (forgets ? "" : " kept"));
        bring_up(with_traps(traps));
        const auto old = node(box(), first), spare = spare_for(first), other = node(box(), second);
        box().world().exchange(old, spare);
        box().run_for(30s);
        EXPECT_EQ(trouble(box()), "");
        if (forgets) box().world().power_off(old);
        if (forgets) box().world().power_on(old);
        box().world().exchange(other, old);
        box().run_for(traps ? 1s : 11s);
        expect_replaced(other, old);
        EXPECT_TRUE(knows(spare));
      }
    }
  }
}

// At any moment of a full sweep, or of what a lost cable leads to.
TEST_F(Replacement, WhileASweepRunsIsFollowed) {
  for (const std::string name : {"spine-2", "leaf-2", "host-8"}) {
    for (const bool full : {true, false}) {
      for (auto moment = 0us; moment < 1200us; moment += 30us) {
        BoxOptions options;
        options.world.agent_delay = 10us;
        bring_up(options, "fat-tree:2,4");
        const std::string of = name == "host-8" ? "host-0008" : name;
        const auto old = node(box(), of), spare = spare_for(of);
        if (full) box().input(sm::ResweepCommand{"a test asked for it"});
        if (!full) box().world().cut(cable(box(), "leaf-1", 3));
        box().run_for(moment);
        box().world().exchange(old, spare);
        box().run_for(60s);
        ASSERT_EQ(trouble(box()), "") << of << moment.count() << " us\n" << said(box());
        ASSERT_TRUE(knows(spare)) << of << moment.count() << " us\n" << said(box());
        ASSERT_FALSE(knows(old)) << of << moment.count() << " us\n" << said(box());
        ASSERT_TRUE(box().snapshot().problems.empty()) << box().snapshot().problems.front();
      }
    }
  }
}

// Somebody else hides every change of a port: the table that the new one lacks tells of it.
TEST_F(Replacement, OfASwitchThatNothingTellsOfIsFollowed) {
  BoxOptions options = with_traps(false);
  options.on_way_in = hide_port_changes;
  for (const std::string name : {"spine-2", "leaf-02"}) {
    SCOPED_TRACE(name);
    bring_up(options);
    const auto old = node(box(), name), spare = spare_for(name);
    box().world().exchange(old, spare);
    box().run_for(40s);
    expect_replaced(old, spare);
  }
}

// The newcomer gets a key of its own, and is not shown that of the one before.
TEST_F(Replacement, GetsAKeyOfItsOwn) {
  BoxOptions options;
  options.sm.m_key = mad::MKey{0xA1B2'C3D4'E5F6'0718};
  options.sm.m_key_per_port = true;
  for (const std::string name : {"leaf-02", "host-0009"}) {
    SCOPED_TRACE(name);
    bring_up(options);
    const auto old = node(box(), name), spare = spare_for(name);
    box().world().exchange(old, spare);
    box().run_for(11s);
    expect_replaced(old, spare);
    const auto& devices = box().world().devices();
    const auto port = devices.first_endpoint(spare);
    EXPECT_EQ(devices.ports[port].info.m_key,
              sm::derive_m_key(options.sm.m_key, devices.port_guid(port)));
    box().world().exchange(spare, old);
    box().run_for(11s);
    expect_replaced(spare, old);
    EXPECT_EQ(box().count<sm::PortLocked>(), 0u) << "it had its key yet";
  }
}

}  // namespace
}  // namespace heddle::test
