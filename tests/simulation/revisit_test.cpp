// SPDX-License-Identifier: BSD-3-Clause
// What changes on a running fabric is read again, and little else.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

class Revisit : public testing::Test {
 protected:
  void bring_up(sim::Blueprint blueprint, bool traps = true) {
    BoxOptions options;
    options.world.traps = traps;
    bring_up(std::move(blueprint), options);
  }
  // `absent`: a node that is off.
  void bring_up(sim::Blueprint blueprint, const BoxOptions& options, const char* absent = nullptr) {
    box_ = std::make_unique<Box>(std::move(blueprint), options);
    if (absent != nullptr) box().world().power_off(node(box(), absent));
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    box().run_for(15s);  // a light sweep confirms what the first one saw
    full_ = box().snapshot().sweep.gets_sent;
    box().forget_events();
  }
  // All is right again, nobody had to read the whole fabric, and what was read is `share` of it at
  // most.
  void expect_mended(double share, base::Duration within = 11s) {
    const auto before = box().world().counters().gets;
    box().run_for(within);
    EXPECT_EQ(trouble(box()), "");
    EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
    EXPECT_GE(box().count<sm::SweepStarted>(), 1u);
    EXPECT_LE(static_cast<double>(box().world().counters().gets - before),
              share * static_cast<double>(full_));
    EXPECT_EQ(sets_during(box(), [&] { box().run_for(60s); }), 0u) << "it does not rest";
  }
  Box& box() { return *box_; }

 private:
  std::unique_ptr<Box> box_;
  std::uint64_t full_ = 0;
};

TEST_F(Revisit, OfACutCableReadsItsEnds) {
  bring_up(fabric("fat-tree:6,12"));
  box().world().cut(cable(box(), "leaf-01", 7));
  expect_mended(0.3, 1s);
  EXPECT_EQ(box().count<sm::LinkDisappeared>(), 1u);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  box().forget_events();
  box().world().restore(cable(box(), "leaf-01", 7));
  expect_mended(0.3, 1s);
  EXPECT_EQ(box().count<sm::LinkAppeared>(), 1u);
}

TEST_F(Revisit, BringsBackTheTablesOfBefore) {
  bring_up(fabric("fat-tree:6,12"));
  const auto leaf = table(box(), "leaf-03"), spine = table(box(), "spine-2");
  box().world().cut(cable(box(), "leaf-01", 7));
  box().run_for(1s);
  box().world().restore(cable(box(), "leaf-01", 7));
  expect_mended(1, 12s);
  EXPECT_EQ(table(box(), "leaf-03"), leaf);
  EXPECT_EQ(table(box(), "spine-2"), spine);
}

// Nobody else's way changes when a host goes, and its own is there when it comes back.
TEST_F(Revisit, OfAHostThatGoesAndComesBackWritesNoTable) {
  bring_up(fabric("fat-tree:6,12"));
  const auto host = node(box(), "host-0009");
  box().world().power_off(host);
  expect_mended(0.3, 1s);
  EXPECT_EQ(box().last<sm::RoutesChosen>()->blocks_to_write, 0u);
  box().forget_events();
  box().world().power_on(host);
  expect_mended(0.3, 1s);
  EXPECT_EQ(box().last<sm::RoutesChosen>()->blocks_to_write, 0u);
}

TEST_F(Revisit, WithoutTrapsComesWithTheNextLightSweep) {
  bring_up(fabric("fat-tree:6,12"), false);
  box().world().cut(cable(box(), "leaf-01", 7));
  expect_mended(0.4);
  EXPECT_EQ(box().count<sm::LinkDisappeared>(), 1u);
}

TEST_F(Revisit, OfADeadSwitchAsksItsNeighbours) {
  bring_up(fabric("fat-tree:6,12"));
  box().world().power_off(node(box(), "spine-2"));
  expect_mended(1.0);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 1u);
  box().forget_events();
  box().world().power_on(node(box(), "spine-2"));
  expect_mended(1.0);
  EXPECT_EQ(box().count<sm::NodeAppeared>(), 1u);
}

TEST_F(Revisit, ForgetsTheHostsOfALeafThatDied) {
  bring_up(fabric("fat-tree:6,12"));
  const auto nodes = box().snapshot().topology.node_count();
  box().world().power_off(node(box(), "leaf-02"));
  expect_mended(1.0);
  EXPECT_EQ(box().snapshot().topology.node_count(), nodes - 7);
  box().forget_events();
  box().world().power_on(node(box(), "leaf-02"));
  expect_mended(1.0);
  EXPECT_EQ(box().snapshot().topology.node_count(), nodes);
}

TEST_F(Revisit, FillsASwitchThatRestarted) {
  bring_up(fabric("fat-tree:6,12"));
  const auto before = table(box(), "leaf-02");
  box().world().power_off(node(box(), "leaf-02"));
  box().world().power_on(node(box(), "leaf-02"));
  expect_mended(1.0);
  EXPECT_EQ(table(box(), "leaf-02"), before);
}

TEST_F(Revisit, GivesAHostThatRestartedWhatItLost) {
  bring_up(fabric("fat-tree:6,12"));
  const auto lid = registers(box(), "host-0009", 1).lid;
  box().world().reboot(node(box(), "host-0009"), 3s);
  expect_mended(0.3);
  EXPECT_EQ(registers(box(), "host-0009", 1).lid, lid);
}

TEST_F(Revisit, FollowsACableToAnotherPort) {
  bring_up(fabric("fat-tree:6,12"));
  box().world().swap_cables(cable(box(), "leaf-01", 7), cable(box(), "leaf-04", 8));
  expect_mended(0.6);
  box().world().swap_cables(cable(box(), "host-0003", 1), cable(box(), "host-0040", 1));
  box().forget_events();
  expect_mended(0.6);
  EXPECT_EQ(box().count<sm::LinkAppeared>(), 2u);
}

// Suspected when its old cable goes, while nothing else leads there yet: it is read all the same.
TEST_F(Revisit, OfASwitchThatHangsByOneCableFollowsItInOneLook) {
  sim::Planner plan("chain", {});
  const auto first = plan.add_switch("first");
  const auto second = plan.add_switch("second");
  const auto last = plan.add_switch("last");
  plan.cable(first, plan.add_host("host-a"));
  plan.cable(first, plan.add_host("host-b"));
  plan.cable(first, second);
  plan.cable(second, last);
  plan.cable(last, plan.add_host("host-c"));
  bring_up(std::move(plan).finish());
  box().world().swap_cables(cable(box(), "last", 1), cable(box(), "host-b", 1));
  box().run_for(2s);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(box().count<sm::SweepFinished>(), 1u);
}

TEST_F(Revisit, OfHalfAFabricFollowsSplitAndMerge) {
  bring_up(dumbbell().finish());
  const auto nodes = box().snapshot().topology.node_count();
  box().world().cut(cable(box(), "left", 3));
  box().world().cut(cable(box(), "left", 4));
  expect_mended(2.0);
  EXPECT_EQ(box().snapshot().topology.node_count(), nodes / 2);
  box().forget_events();
  box().world().restore(cable(box(), "left", 4));
  expect_mended(2.0);
  EXPECT_EQ(box().snapshot().topology.node_count(), nodes);
  EXPECT_EQ(box().count<sm::NodeAppeared>(), nodes / 2);
}

// One after the other goes, until one way is left to all other leaves.
TEST_F(Revisit, FindsWaysToWhoIsBehindCablesThatWent) {
  bring_up(fabric("fat-tree:6,12"));
  const auto far = node(box(), "host-0036");
  for (std::uint8_t uplink = 7; uplink < 12; ++uplink) {
    SCOPED_TRACE(unsigned{uplink});
    box().world().cut(cable(box(), "leaf-01", uplink));
    box().run_for(11s);
    ASSERT_EQ(trouble(box()), "");
    ASSERT_EQ(full_sweeps(box()), 0u) << said(box());
    box().forget_events();
    box().world().set_description(far, "named-" + std::to_string(uplink));
    box().run_for(5s);
    ASSERT_EQ(box().count<sm::SweepFinished>(), 1u) << "the host was read";
    EXPECT_EQ(box().last<sm::SweepFinished>()->statistics.retries, 0u);
  }
}

TEST_F(Revisit, TellsOfANewNameOfAHost) {
  bring_up(fabric("fat-tree:6,12"));
  box().world().set_description(node(box(), "host-0009"), "login-1");
  expect_mended(0.1);
  const auto& topology = box().snapshot().topology;
  const auto& info = box().world().devices().nodes[node(box(), "login-1")].info;
  const auto known = topology.find_node(info.node_guid);
  ASSERT_TRUE(known);
  EXPECT_EQ(topology.node(*known).description, "login-1");
}

TEST_F(Revisit, GivesWayToAFullSweepFromTimeToTime) {
  bring_up(fabric("star:4"));
  box().run_for(40min);
  EXPECT_EQ(full_sweeps(box()), 1u);
}

// Two new hosts change places after they were met and before the switch was told that its changes
// are known.
TEST_F(Revisit, SortsOutHostsThatChangePlacesMeanwhile) {
  bring_up(fabric("fat-tree:6,12"), false);
  const auto first = cable(box(), "host-0002", 1), second = cable(box(), "host-0003", 1);
  box().world().cut(first);
  box().world().cut(second);
  box().run_for(30s);
  box().forget_events();
  bool swapped = false;
  box().set_listener([&](const sm::Event& event) {
    const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
    if (phase == nullptr || phase->phase != sm::Phase::Lids || std::exchange(swapped, true)) return;
    box().world().swap_cables(first, second);
  });
  box().world().restore(first);
  box().world().restore(second);
  box().run_for(40s);
  EXPECT_TRUE(swapped);
  EXPECT_EQ(trouble(box()), "");
  // What is answered to clients is what the hosts themselves hold.
  const auto& known = box().snapshot();
  for (const auto host : {"host-0002", "host-0003"}) {
    const auto at =
        known.topology.find_node(box().world().devices().plan.nodes[node(box(), host)].guid);
    ASSERT_TRUE(at) << host;
    const auto port = known.topology.port_of(*at, mad::PortNumber{1});
    EXPECT_EQ(known.lids.base(port), registers(box(), host, 1).lid) << host;
  }
}

// Two leaves change places when their tables are about to be written, so that each gets the
// other's; and when that is looked at, the ways there have died, which only later lead elsewhere:
// at once, or after looks at a fabric that stands still.
TEST_F(Revisit, OfWaysThatDiedAndComeBackToOthersReadsTheTables) {
  for (const base::Duration pause : {0s, 20s}) {
    SCOPED_TRACE(pause / 1s);
    BoxOptions options;
    options.world.traps = false;
    bring_up(fabric("fat-tree:2,4"), options);
    const auto first = cable(box(), "leaf-2", 3), second = cable(box(), "leaf-3", 3);
    bool swapped = false;
    box().set_listener([&](const sm::Event& event) {
      const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
      if (phase == nullptr || phase->phase != sm::Phase::Tables) return;
      if (!std::exchange(swapped, true)) box().world().swap_cables(first, second);
    });
    // Each host has blocks of its own then, and nothing later gives reason to write them again.
    options.sm.lmc = 7;
    box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options.sm)});
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_TRUE(swapped);
    box().world().cut(first);
    box().world().cut(second);
    while (box().count<sm::LinkDisappeared>() < 2) box().run_for(100ms);
    box().run_for(pause);
    box().world().restore(first);
    box().world().restore(second);
    box().run_for(60s);
    EXPECT_EQ(trouble(box()), "");
  }
}

// Somebody hides every change of a port, so nothing tells of it but that a host answers in the
// switch's stead, to each look, that it does not know what is asked.
TEST_F(Revisit, OfASwitchWhoseWayLeadsToAHostFindsTheOtherWay) {
  BoxOptions options;
  options.world.traps = false;
  options.on_way_in = hide_port_changes;
  bring_up(dumbbell().finish(), options);
  box().world().swap_cables(cable(box(), "left", 2), cable(box(), "left", 3));
  box().run_for(40s);
  EXPECT_EQ(trouble(box()), "");
}

// Whoever asks for a sweep by hand gets routes that owe nothing to those of before.
TEST_F(Revisit, RoutesStayNearThoseOfBeforeUntilAskedOtherwise) {
  bring_up(fabric("fat-tree:6,12"));
  EXPECT_TRUE(box().snapshot().routes->fresh);
  box().world().cut(cable(box(), "leaf-01", 7));
  box().run_for(5s);
  EXPECT_FALSE(box().snapshot().routes->fresh);
  box().input(sm::ResweepCommand{"by hand"});
  box().run_for(5s);
  EXPECT_TRUE(box().snapshot().routes->fresh);
  box().world().cut(cable(box(), "leaf-01", 8));
  box().run_for(5s);
  EXPECT_FALSE(box().snapshot().routes->fresh);
  box().input(sm::OptionsChanged{std::make_shared<const sm::Options>()});
  box().run_for(5s);
  EXPECT_TRUE(box().snapshot().routes->fresh);
  EXPECT_EQ(trouble(box()), "");
}

// A thousand traps a second from one host, and a link that goes meanwhile.
TEST_F(Revisit, AStormOfTrapsHidesNoLostLink) {
  bring_up(fabric("fat-tree:6,12"));
  box().world().storm(node(box(), "host-0009"), 1ms, 60'000);
  for (const unsigned port : {7u, 8u, 9u}) {
    box().run_for(10s);
    box().world().cut(cable(box(), "leaf-01", static_cast<std::uint8_t>(port)));
    box().run_for(1s);
    EXPECT_EQ(trouble(box()), "") << port;
  }
  EXPECT_EQ(box().count<sm::LinkDisappeared>(), 3u);
  EXPECT_LE(box().count<sm::SweepStarted>(), 12u) << said(box());
  EXPECT_EQ(box().count<sm::NoisyPortDamped>(), 1u);
}

// Whoever does not stop is heard no longer, until it is quiet; changes of its own are found anyway.
TEST_F(Revisit, APortThatDoesNotStopSendingTrapsIsHeardNoLonger) {
  bring_up(fabric("fat-tree:6,12"));
  const auto noisy = node(box(), "host-0009");
  box().world().storm(noisy, 10ms, 20'000);
  box().run_for(70s);
  EXPECT_EQ(box().count<sm::NoisyPortDamped>(), 1u);
  EXPECT_EQ(box().count<sm::NoisyPortQuarantined>(), 1u);
  const auto gets = box().world().counters().gets;
  box().run_for(5s);
  EXPECT_LE(box().world().counters().gets, gets + 40) << "500 traps, and a look around at most";
  box().world().power_off(noisy);
  box().run_for(1s);
  EXPECT_EQ(trouble(box()), "") << "its switch tells";
  EXPECT_EQ(box().count<sm::NoisyPortHeardAgain>(), 0u);
  box().run_for(80s);
  EXPECT_EQ(box().count<sm::NoisyPortHeardAgain>(), 1u);
  box().world().power_on(noisy);
  box().run_for(1s);
  EXPECT_EQ(trouble(box()), "");
}

// A device that answers nothing for a while, though its link is up.
TEST_F(Revisit, OfASilentSwitchLosesNothingElse) {
  bring_up(fabric("fat-tree:6,12"));
  box().world().silence(node(box(), "spine-3"), true);
  box().run_for(40s);
  EXPECT_EQ(trouble_elsewhere(box(), {"spine-3"}), "");
  box().world().silence(node(box(), "spine-3"), false);
  box().run_for(40s);
  EXPECT_EQ(trouble(box()), "");
}

// It has the highest LID, which every switch has to be told, and that alone.
TEST_F(Revisit, OfANewHostReadsNoTables) {
  bring_up(fabric("fat-tree:6,12"), BoxOptions{}, "host-0072");
  std::size_t reads = 0, writes = 0;
  box().world().set_watcher([&](const sim::Sighting& sighting) {
    if (sighting.what != sim::Sighting::What::Sent || sighting.smp == nullptr) return;
    if (sighting.smp->attribute_id != mad::AttributeId::LinearForwardingTable) return;
    ++(sighting.smp->method == mad::Method::Get ? reads : writes);
  });
  box().world().power_on(node(box(), "host-0072"));
  expect_mended(0.3, 1s);
  EXPECT_EQ(reads, 0u);
  EXPECT_EQ(writes, 18u);  // each switch's block of that LID
}

// What a switch does at any moment of what `change` leads to: it restarts.
class RestartIn : public Revisit {
 protected:
  void tell_all() {
    sm::Options options;
    options.subnet_timeout = 17;
    options.packet_life_time = 17;
    box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  }
  void expect_table_again(const char* absent, const std::function<void()>& change) {
    BoxOptions options;
    options.world.agent_delay = 10us;
    for (auto moment = 0us; moment < 1000us; moment += 5us) {
      bring_up(fabric("fat-tree:2,4"), options, absent);
      const std::uint32_t leaf = node(box(), "leaf-2");
      change();
      box().run_for(moment);
      box().world().power_off(leaf);
      box().world().power_on(leaf);
      box().run_for(60s);
      ASSERT_EQ(trouble(box()), "") << moment.count() << " us after the change\n" << said(box());
    }
  }
};

// The Set that clears PortStateChange may hide the restart.
TEST_F(RestartIn, TheWorkAfterALostCableGetsItsTableAgain) {
  expect_table_again(nullptr, [&] { box().world().cut(cable(box(), "leaf-2", 1)); });
}

// And so may one that tells it of a higher LID.
TEST_F(RestartIn, TheWorkForANewHostGetsItsTableAgain) {
  expect_table_again("host-0008", [&] { box().world().power_on(node(box(), "host-0008")); });
}

// What every switch and every port is told may hide it, too: it has its LID again then.
TEST_F(RestartIn, TheWorkForOtherOptionsGetsItsTableAgain) {
  expect_table_again(nullptr, [&] { tell_all(); });
}

// PortStateChange stands, for a cable that came out and in again, and is cleared by the Set.
TEST_F(RestartIn, TheWorkForOtherOptionsAndAFlapGetsItsTableAgain) {
  expect_table_again(nullptr, [&] {
    box().world().cut(cable(box(), "leaf-2", 1));
    box().world().restore(cable(box(), "leaf-2", 1));
    tell_all();
  });
}

}  // namespace
}  // namespace heddle::test
