// SPDX-License-Identifier: BSD-3-Clause
// What is neither well nor gone: nodes that fall silent behind a live cable, links that come and
// go, changes that nobody tells of, and clients that must all be asked something.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/switch_info.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/simulation/virtual_judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class Endurance : public testing::Test {
 protected:
  void bring_up(std::string_view expression, BoxOptions options = {}) {
    box_ = std::make_unique<Box>(expression, std::move(options));
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    box().run_for(15s);  // a light sweep confirms what the first one saw
    box().forget_events();
  }
  void resweep() {
    box().input(sm::ResweepCommand{"a test asked for it"});
    box().run_for(5s);
  }
  bool has(std::string_view description) {
    const auto& topology = box().snapshot().topology;
    for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
      if (topology.node(fabric::NodeIndex{n}).description == description) return true;
    }
    return false;
  }
  // How often the clients there were asked to register anew.
  static std::uint32_t reregistrations(Box& box, std::string_view name) {
    const sim::Devices& devices = box.world().devices();
    return devices.ports[devices.port_at(node(box, name), 1)].reregistrations;
  }
  Box& box() { return *box_; }

 private:
  std::unique_ptr<Box> box_;
};

// --- silent nodes -------------------------------------------------------------------------------

TEST_F(Endurance, ASilentHostStaysForTwoLooksAndIsGoneAtTheThird) {
  bring_up("fat-tree:3,6");
  box().world().silence(node(box(), "host-0005"), true);
  const auto sets = sets_during(box(), [&] { resweep(); });
  EXPECT_EQ(sets, 0u) << "nothing is written about it";
  EXPECT_TRUE(has("host-0005 HCA-1"));
  ASSERT_EQ(box().count<sm::SilentNodeKept>(), 1u);
  EXPECT_EQ(box().last<sm::SilentNodeKept>()->misses, 1u);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  resweep();
  EXPECT_TRUE(has("host-0005 HCA-1"));
  resweep();
  EXPECT_FALSE(has("host-0005 HCA-1"));
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 1u);
  box().world().silence(node(box(), "host-0005"), false);
  box().run_for(30s);
  EXPECT_TRUE(has("host-0005 HCA-1"));
  EXPECT_EQ(trouble(box()), "");
}

// A fabric that moves is swept again and again, and each of these sweeps misses the same host.
TEST_F(Endurance, SweepsInARowMissASilentHostOnce) {
  bring_up("fat-tree:3,6");
  box().world().silence(node(box(), "host-0005"), true);
  for (int n = 0; n < 5; ++n) {
    box().input(sm::ResweepCommand{"a test asked for it"});
    box().run_for(900ms);
  }
  EXPECT_GE(box().count<sm::SweepFinished>(), 4U);
  EXPECT_TRUE(has("host-0005 HCA-1"));
  resweep();
  EXPECT_TRUE(has("host-0005 HCA-1"));
  for (int n = 0; n < 2; ++n) resweep();
  EXPECT_FALSE(has("host-0005 HCA-1"));
}

// From nowhere, so that each makes the machine look around.
sm::MadReceived trap_from_nowhere() {
  mad::Smp trap;
  trap.management_class = mad::ManagementClass::SubnLidRouted;
  trap.method = mad::Method::Trap;
  trap.attribute_id = mad::AttributeId::Notice;
  return {mad::make_datagram({mad::Lid{0xBEEF}}, trap)};
}

// Each second somebody makes it look around, and each look misses the same switch.
TEST_F(Endurance, LooksThatTrapsAskForDoNotUseUpThePatience) {
  bring_up("fat-tree:3,6");
  box().world().silence(node(box(), "spine-1"), true);
  const auto gets = box().world().counters().gets;
  for (int n = 0; n < 20; ++n) {
    box().input(trap_from_nowhere());
    box().run_for(1s);
  }
  EXPECT_GE(box().world().counters().gets - gets, 100u) << "it looked";
  EXPECT_EQ(box().count<sm::SilentNodeKept>(), 1u);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  EXPECT_TRUE(has("spine-1"));
  box().run_for(1min);
  EXPECT_FALSE(has("spine-1"));
}

TEST_F(Endurance, OneThatAnswersAgainIsReadAgain) {
  bring_up("fat-tree:3,6");
  box().world().silence(node(box(), "host-0005"), true);
  resweep();
  box().world().set_description(node(box(), "host-0005"), "renamed");
  box().world().silence(node(box(), "host-0005"), false);
  box().run_for(30s);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  EXPECT_TRUE(has("renamed"));
  resweep();
  EXPECT_EQ(box().count<sm::SilentNodeKept>(), 1u);
  EXPECT_EQ(trouble(box()), "");
}

// A look is under way, and one switch is slow to answer; it has found one that answers again when
// another one tells of itself.
TEST_F(Endurance, ATrapCountsAlthoughTheLookUnderWayFindsSomethingElse) {
  BoxOptions options;
  options.world.hop_delay = 10us;
  bring_up("fat-tree:3,6", options);
  for (std::uint8_t uplink = 4; uplink <= 6; ++uplink) {
    box().world().set_delay(cable(box(), "leaf-6", uplink), 10ms);
  }
  box().world().silence(node(box(), "host-0005"), true);
  resweep();
  box().world().silence(node(box(), "host-0005"), false);
  box().forget_events();
  const auto gets = box().world().counters().gets;
  while (box().world().counters().gets == gets) box().run_for(10us);
  box().run_for(1ms);
  box().world().set_description(node(box(), "host-0009"), "renamed");
  box().run_for(1s);
  ASSERT_EQ(box().count<sm::SweepStarted>(), 1u) << said(box());
  EXPECT_THAT(box().last<sm::SweepStarted>()->reason, HasSubstr("host-0009"));
  EXPECT_FALSE(box().last<sm::SweepStarted>()->full);
  EXPECT_TRUE(has("renamed"));
  resweep();
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u) << "host-0005 was read, too";
}

TEST_F(Endurance, SeveralThatAnswerAgainAreReadTogether) {
  BoxOptions options;
  options.sm.node_misses = 10;
  bring_up("fat-tree:3,6", options);
  for (const char* name : {"host-0005", "host-0009", "host-0012"}) {
    box().world().silence(node(box(), name), true);
  }
  resweep();
  ASSERT_GE(box().count<sm::SilentNodeKept>(), 3u);
  for (const char* name : {"host-0005", "host-0009", "host-0012"}) {
    box().world().silence(node(box(), name), false);
  }
  box().forget_events();
  box().run_for(15s);
  ASSERT_EQ(box().count<sm::SweepStarted>(), 1u);
  EXPECT_TRUE(box().last<sm::SweepStarted>()->full);
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(Endurance, ASwitchWhoseAgentHangsKeepsItsHosts) {
  bring_up("fat-tree:3,6");
  const auto before = table(box(), "spine-1");
  box().world().silence(node(box(), "leaf-2"), true);
  resweep();
  EXPECT_TRUE(has("leaf-2"));
  EXPECT_TRUE(has("host-0005 HCA-1"));
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  ASSERT_EQ(box().count<sm::SilentNodeKept>(), 1u);
  EXPECT_GE(box().last<sm::SilentNodeKept>()->behind, 3u);
  EXPECT_EQ(table(box(), "spine-1"), before);
  box().world().silence(node(box(), "leaf-2"), false);
  box().run_for(60s);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  EXPECT_EQ(trouble(box()), "");
}

// Who knows what it is now, and whether it is the one that was there.
TEST_F(Endurance, NothingIsWrittenToASilentSwitch) {
  bring_up("fat-tree:3,6");
  const auto silent = node(box(), "leaf-2");
  box().world().silence(silent, true);
  resweep();
  ASSERT_EQ(box().count<sm::SilentNodeKept>(), 1u);
  unsigned sets = 0;
  box().world().set_watcher([&](const sim::Sighting& sighting) {
    const bool is_set = sighting.smp != nullptr && sighting.smp->method == mad::Method::Set;
    sets += is_set && sighting.node == silent;
  });
  // Its table would have to change, too.
  box().world().cut(cable(box(), "leaf-1", 4));
  box().run_for(5s);
  resweep();
  box().world().set_watcher({});
  EXPECT_EQ(sets, 0u);
  box().world().silence(silent, false);
  box().run_for(60s);
  EXPECT_EQ(trouble(box()), "");
}

// Where others would have to send by it what it still sends back to them.
TEST_F(Endurance, NothingGoesInACircleThroughASilentSwitch) {
  for (const char* name : {"leaf-2", "leaf-3", "spine-2", "spine-3"}) {
    SCOPED_TRACE(name);
    bring_up("fat-tree:3,6");
    box().world().silence(node(box(), name), true);
    resweep();
    box().world().cut(cable(box(), "leaf-1", 4));
    for (int i = 0; i < 20; ++i) {
      box().run_for(200ms);
      EXPECT_THAT(trouble(box()), testing::Not(HasSubstr("go in a circle")));
      EXPECT_THAT(trouble(box()), testing::Not(HasSubstr("credit loop")));
    }
    box().world().silence(node(box(), name), false);
    box().run_for(60s);
    EXPECT_EQ(trouble(box()), "");
  }
}

// By the look that would have given it up.
TEST_F(Endurance, ASwitchThatAnswersJustBeforeItIsGivenUpIsWrittenToAgain) {
  BoxOptions options;
  options.sm.node_misses = 2;
  bring_up("fat-tree:1,2", options);
  const auto silent = node(box(), "leaf-2"), neighbour = node(box(), "spine-1");
  box().world().silence(silent, true);
  resweep();
  ASSERT_EQ(box().count<sm::SilentNodeKept>(), 1u);
  bool woken = false;
  unsigned written = 0;
  box().world().set_watcher([&](const sim::Sighting& sighting) {
    if (sighting.smp == nullptr) return;
    const auto what = sighting.smp->attribute_id;
    const bool is_read = sighting.what == sim::Sighting::What::Answered &&
                         sighting.node == neighbour && what == mad::AttributeId::PortInfo;
    if (is_read && !std::exchange(woken, true)) box().world().silence(silent, false);
    constexpr std::uint8_t kHops = 3;  // to the one that was silent
    written += sighting.what == sim::Sighting::What::Sent && sighting.smp->hop_count == kHops &&
               sighting.smp->method == mad::Method::Set &&
               what == mad::AttributeId::MulticastForwardingTable;
  });
  box().run_for(30s);
  ASSERT_TRUE(woken);
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  IpoibClient client(box(), "host-0002");
  EXPECT_EQ(client.join(kIpv4Broadcast, kFull).status(), mad::kStatusOk);
  box().run_for(5s);
  EXPECT_GE(written, 1u);
  box().world().set_watcher({});
  EXPECT_EQ(trouble(box()), "");
}

// However many cables lead to it: each look is one, and the last one is about all of them.
TEST_F(Endurance, ASilentSwitchIsGoneAfterTheLastLookAlongAllItsCables) {
  bring_up("fat-tree:3,6");
  box().world().silence(node(box(), "leaf-2"), true);
  resweep();
  box().run_for(10s);
  EXPECT_TRUE(has("leaf-2"));
  ASSERT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  box().run_for(25s);  // the look that gives it up, and one at what it left unread
  EXPECT_FALSE(has("leaf-2"));
  EXPECT_EQ(trouble_elsewhere(box(), {"leaf-2", "host-0004", "host-0005", "host-0006"}), "");
}

// A full sweep, and five looks of ten seconds and more.
TEST_F(Endurance, ASilentSwitchIsMissedOnceALookByHoweverManyCables) {
  BoxOptions options;
  options.sm.node_misses = 6;
  bring_up("fat-tree:3,6", options);
  box().world().silence(node(box(), "leaf-2"), true);
  resweep();
  box().run_for(45s);
  EXPECT_TRUE(has("leaf-2"));
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0u);
  box().run_for(45s);
  EXPECT_FALSE(has("leaf-2"));
}

// Looked at for another reason, before anything else would have found out that it answers again.
TEST_F(Endurance, ASwitchThatAnswersAgainIsReadBeforeItIsWrittenTo) {
  BoxOptions options;
  options.sm.sweep_interval = 1h;
  options.sm.node_misses = 20;
  bring_up("fat-tree:3,6", options);
  const auto silent = node(box(), "leaf-2");
  box().world().silence(silent, true);
  resweep();
  box().world().cut(cable(box(), "leaf-3", 4));  // its table would have to change, too
  box().run_for(60s);
  ASSERT_GE(box().count<sm::SilentNodeKept>(), 1u);
  box().world().silence(silent, false);
  box().world().set_description(silent, "renamed");
  box().run_for(3s);
  EXPECT_TRUE(has("renamed"));
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(Endurance, OneThatNeverComesBackIsGoneInTheEnd) {
  bring_up("fat-tree:3,6");
  box().world().silence(node(box(), "leaf-2"), true);
  box().run_for(10min);
  EXPECT_FALSE(has("leaf-2"));
  EXPECT_EQ(trouble_elsewhere(box(), {"leaf-2", "host-0004", "host-0005", "host-0006"}), "");
}

TEST_F(Endurance, WithoutPatienceOneMissIsEnough) {
  BoxOptions options;
  options.sm.node_misses = 1;
  bring_up("fat-tree:3,6", options);
  box().world().silence(node(box(), "host-0005"), true);
  resweep();
  EXPECT_FALSE(has("host-0005 HCA-1"));
}

// --- links that come and go ---------------------------------------------------------------------

class Flaps : public Endurance {
 protected:
  void flap(std::uint32_t cable, unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      box().world().cut(cable);
      box().run_for(2s);
      box().world().restore(cable);
      box().run_for(2s);
    }
  }
};

TEST_F(Flaps, ALinkThatComesAndGoesIsHeldBackUntilItHasStood) {
  bring_up("fat-tree:3,6");
  const auto whole = table(box(), "leaf-2");
  const auto shaky = cable(box(), "leaf-2", 4);
  flap(shaky, 4);
  EXPECT_EQ(box().count<sm::LinkHeldBack>(), 0u);
  EXPECT_EQ(trouble(box()), "");
  flap(shaky, 1);
  EXPECT_EQ(box().count<sm::LinkHeldBack>(), 1u);
  EXPECT_EQ(state(box(), "leaf-2", 4), mad::PortState::Init);
  EXPECT_THAT(box().snapshot().problems,
              testing::Contains(HasSubstr("held back, because it comes and goes")));
  const auto sets = sets_during(box(), [&] { flap(shaky, 5); });
  // PortStateChange has to be cleared at both ends, and that is all.
  EXPECT_LE(sets, 30u);
  EXPECT_EQ(state(box(), "leaf-2", 4), mad::PortState::Init);
  box().run_for(4min);
  EXPECT_EQ(state(box(), "leaf-2", 4), mad::PortState::Init);
  box().run_for(2min);
  EXPECT_EQ(box().count<sm::LinkUsedAgain>(), 1u);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(table(box(), "leaf-2"), whole);
}

// Its ends never lead to each other again, and nobody waits for that.
TEST_F(Flaps, OneThatWasHeldBackAndItsCableMovedIsForgotten) {
  bring_up("fat-tree:3,6");
  const auto gets_in_a_while = [&] {
    const auto before = box().world().counters().gets;
    box().run_for(30min);
    return box().world().counters().gets - before;
  };
  const auto usual = gets_in_a_while();
  flap(cable(box(), "leaf-2", 4), 5);
  ASSERT_EQ(box().count<sm::LinkHeldBack>(), 1u);
  box().world().swap_cables(cable(box(), "leaf-2", 4), cable(box(), "leaf-3", 5));
  box().run_for(10min);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_LE(gets_in_a_while(), usual);
}

// Without light sweeps nothing else would ever look.
TEST_F(Flaps, OneThatWasHeldBackIsUsedAgainThoughNobodyLooksAround) {
  BoxOptions options;
  options.sm.sweep_interval = {};
  bring_up("fat-tree:3,6", options);
  flap(cable(box(), "leaf-2", 4), 5);
  ASSERT_EQ(box().count<sm::LinkHeldBack>(), 1u);
  box().run_for(6min);
  EXPECT_EQ(box().count<sm::LinkUsedAgain>(), 1u);
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(Endurance, FullSweepsKeepToTheirIntervalThoughNobodyLooksAround) {
  BoxOptions options;
  options.sm.sweep_interval = {};
  options.sm.full_sweep_interval = 10min;
  bring_up("fat-tree:3,6", options);
  box().run_for(31min);
  EXPECT_EQ(full_sweeps(box()), 3u);
}

TEST_F(Flaps, TheOnlyWayIsUsedAllTheSame) {
  bring_up("fat-tree:1,2");
  flap(cable(box(), "leaf-2", 2), 8);
  EXPECT_EQ(box().count<sm::LinkHeldBack>(), 0u);
  EXPECT_EQ(box().count<sm::LinkFlapsButNeeded>(), 1u);
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(Flaps, SlowOnesAreNone) {
  bring_up("fat-tree:3,6");
  const auto slow = cable(box(), "leaf-2", 4);
  for (int i = 0; i < 12; ++i) {
    flap(slow, 1);
    box().run_for(3min);
  }
  EXPECT_EQ(box().count<sm::LinkHeldBack>(), 0u);
}

TEST_F(Flaps, NothingIsHeldBackWhereNobodyWantsIt) {
  BoxOptions options;
  options.sm.flap_limit = 0;
  bring_up("fat-tree:3,6", options);
  flap(cable(box(), "leaf-2", 4), 12);
  EXPECT_EQ(box().count<sm::LinkHeldBack>(), 0u);
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(Flaps, TheOnlyWayLeftIsTakenBack) {
  bring_up("fat-tree:2,4");
  flap(cable(box(), "leaf-2", 3), 5);
  ASSERT_EQ(box().count<sm::LinkHeldBack>(), 1u);
  box().world().cut(cable(box(), "leaf-2", 4));
  box().run_for(2s);
  EXPECT_EQ(box().count<sm::LinkFlapsButNeeded>(), 1u);
  EXPECT_EQ(trouble(box()), "");
}

// One setting is lost whatever is tried, and nothing else would lead to another sweep.
TEST_F(Endurance, ASweepInWhichSomebodyDidNotHearIsFollowedByAnother) {
  BoxOptions options;
  options.sm.sweep_interval = {};
  options.world.traps = false;
  bool loses = true;
  options.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    const bool is_setting = smp && smp->method == mad::Method::Set &&
                            smp->attribute_id == mad::AttributeId::PortInfo &&
                            mad::decode<mad::PortInfo>(smp->data).lid == mad::Lid{3};
    if (loses && is_setting) datagram.payload[0] = std::byte{0xFF};
  };
  Box box("fat-tree:2,4", options);
  while (box.count<sm::SweepFinished>() == 0) box.run_for(1ms);
  EXPECT_NE(trouble(box), "");
  loses = false;
  box.run_for(3s);
  EXPECT_EQ(trouble(box), "");
}

// --- changes that nobody tells of ---------------------------------------------------------------

TEST_F(Endurance, NobodyLooksAgainWhereNobodyIsToLook) {
  BoxOptions options;
  options.sm.sweep_interval = 0s;
  options.world.loss = 0.05;
  Box box("fat-tree:3,6", std::move(options));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GT(box.snapshot().sweep.retries, 0U);
  const auto before = box.world().counters().gets;
  box.run_for(20s);
  EXPECT_EQ(box.world().counters().gets, before);
}

TEST_F(Endurance, AChangeThatSomebodyElseHidIsSeenInThePortStates) {
  BoxOptions options;
  options.world.traps = false;
  options.on_way_in = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::SwitchInfo) return;
    auto changed = *smp;
    auto info = mad::decode<mad::SwitchInfo>(changed.data);
    info.port_state_change = false;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(changed.data));
    datagram = mad::make_datagram(datagram.peer, changed);
  };
  bring_up("fat-tree:3,6", options);
  box().world().cut(cable(box(), "leaf-2", 4));
  box().run_for(21s);  // every other switch is asked in each look
  EXPECT_EQ(box().count<sm::LinkDisappeared>(), 1u);
  EXPECT_EQ(trouble(box()), "");
  box().run_for(30s);  // once more along the cables of what was read again
  const auto gets = box().world().counters().gets;
  box().run_for(60s);
  const auto switches = box().snapshot().topology.switch_count();
  EXPECT_EQ(box().world().counters().gets - gets, 3 * (3 * switches + 4))
      << "two requests for every other switch, one for the others, in turn";
}

TEST_F(Endurance, ASwitchThatLostItsTablesIsSeenByTheTopOfThem) {
  BoxOptions options;
  options.world.traps = false;
  options.on_way_in = hide_port_changes;
  bring_up("fat-tree:3,6", options);
  const auto before = table(box(), "leaf-2");
  box().world().power_off(node(box(), "leaf-2"));
  box().world().power_on(node(box(), "leaf-2"));
  ASSERT_TRUE(table(box(), "leaf-2").empty());
  box().run_for(15s);
  EXPECT_EQ(table(box(), "leaf-2"), before);
}

// --- clients that must be asked -----------------------------------------------------------------

TEST_F(Endurance, ClientsAreAskedAFewAtATime) {
  BoxOptions options;
  options.sm.reregister_rate = 20;
  bring_up("fat-tree:3,6", options);
  std::vector<base::Instant> asked;
  box().world().set_watcher([&](const sim::Sighting& seen) {
    const auto* smp = seen.what == sim::Sighting::What::Sent ? seen.smp : nullptr;
    if (smp == nullptr || smp->attribute_id != mad::AttributeId::PortInfo) return;
    if (smp->method != mad::Method::Set) return;
    if (mad::decode<mad::PortInfo>(smp->data).client_reregister) asked.push_back(seen.when);
  });
  box().restart(box().stored());
  box().run_for(5s);
  ASSERT_GE(asked.size(), 9u);
  EXPECT_GE(asked.back() - asked.front(), 300ms);
  for (std::size_t i = 2; i < asked.size(); ++i) EXPECT_GE(asked[i] - asked[i - 2], 99ms);
  EXPECT_EQ(trouble(box()), "");
}

// A manager that knows of no registration, first on a new fabric and then on one that stands.
TEST_F(Endurance, ClientsAreNotAskedWhereTheConfigurationForbidsIt) {
  for (const bool forbidden : {false, true}) {
    BoxOptions options;
    options.sm.reregister = !forbidden;
    Box subnet("star:4,vports=2", options);
    ASSERT_TRUE(subnet.run_until_quiet());
    subnet.restart(subnet.stored());
    subnet.run_for(10s);
    EXPECT_EQ(reregistrations(subnet, "host-0003"), forbidden ? 0u : 2u);
    for (const auto& vport : behind(subnet, "host-0003").ports) {
      EXPECT_EQ(vport.reregistrations, forbidden ? 0u : 1u);
    }
    EXPECT_EQ(trouble(subnet), "");
  }
}

// The trap comes while a question is under way, or between two of them; it does not tell of what.
TEST_F(Endurance, ATrapIsHeededWhileClientsAreAsked) {
  // After the look that follows a sweep in which devices were slow.
  for (base::Duration after = 2100ms; after < 2250ms; after += 10ms) {
    SCOPED_TRACE(std::chrono::duration_cast<std::chrono::milliseconds>(after).count());
    BoxOptions options;
    options.sm.reregister_rate =
        5;  // one each time, whose answer takes nearly as long as the pause
    options.sm.sweep_interval = 1h;
    options.world.traps = false;
    options.world.agent_delay = 45ms;
    options.world.hop_delay = 10ms;
    bring_up("fat-tree:3,6", options);
    box().restart(box().stored());
    while (box().count<sm::SubnetUp>() == 0) box().run_for(1ms);
    box().run_for(after);
    // Only one end is left to tell, and nothing more is to be said to the host.
    box().world().cut(cable(box(), "host-0002", 1));
    box().input(trap_from_nowhere());
    box().run_for(10s);
    EXPECT_EQ(box().count<sm::LinkDisappeared>(), 1u);
    EXPECT_EQ(trouble(box()), "");
  }
}

// The switch's end of its cable was read before, and it afterwards, in Init; nobody tells of it.
// Later than that it is the next look's affair.
TEST_F(Endurance, AHostThatRestartsUnderASweepIsSeenByTheOtherEndOfItsCable) {
  for (base::Duration after = 100us; after <= 700us; after += 20us) {
    SCOPED_TRACE(std::chrono::duration_cast<std::chrono::microseconds>(after).count());
    BoxOptions options;
    options.world.traps = false;
    options.world.hop_delay = 10us;
    bring_up("fat-tree:2,4", options);
    box().input(sm::ResweepCommand{"a test asked for it"});
    box().run_for(after);
    box().world().reboot(node(box(), "host-0003"), 1us);
    box().run_for(4s);
    EXPECT_EQ(trouble(box()), "");
  }
}

// Nothing but that question is lost, again and again: no look around finds anything amiss.
TEST_F(Endurance, AClientIsAskedUntilItHears) {
  BoxOptions options;
  bool loses = false;
  std::optional<mad::Lid> deaf;  // the first that is asked
  std::uint32_t asked = 0;
  options.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!loses || !smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    const auto info = mad::decode<mad::PortInfo>(smp->data);
    if (smp->method != mad::Method::Set || !info.client_reregister) return;
    if (!deaf) deaf = info.lid;
    if (*deaf != info.lid) return;
    ++asked;
    datagram.payload[0] = std::byte{0xFF};  // no version of management that anybody knows
  };
  bring_up("fat-tree:3,6", options);
  loses = true;
  box().restart(box().stored());
  box().run_for(35s);
  const auto before = asked;
  EXPECT_GT(before, 2 * options.sm.attempts);
  box().run_for(30s);
  EXPECT_GT(asked, before) << "not forgotten";
  loses = false;
  box().run_for(30s);
  const auto sets = sets_during(box(), [&] { box().run_for(60s); });
  EXPECT_EQ(sets, 0u) << "once it has heard there is nothing left to say";
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(Endurance, AClientThatDidNotHearIsAskedAgain) {
  BoxOptions options;
  options.sm.reregister_rate = 10;
  bring_up("fat-tree:3,6", options);
  box().restart(box().stored());
  while (box().count<sm::SubnetUp>() == 0) box().run_for(1ms);
  std::vector<std::string> unasked;
  for (const char* name : {"host-0002", "host-0003", "host-0004", "host-0005"}) {
    if (reregistrations(box(), name) == 1) unasked.emplace_back(name);
  }
  ASSERT_GE(unasked.size(), 2u) << "asked once, at the bring-up";
  box().world().silence(node(box(), unasked[0]), true);
  box().run_for(4s);  // its turn passes, and no look around sees that it is silent
  EXPECT_EQ(reregistrations(box(), unasked[0]), 1u);
  EXPECT_EQ(reregistrations(box(), unasked[1]), 2u);
  box().world().silence(node(box(), unasked[0]), false);
  box().run_for(30s);
  EXPECT_EQ(reregistrations(box(), unasked[0]), 2u);
  EXPECT_EQ(reregistrations(box(), unasked[1]), 2u) << "who has heard is left in peace";
  EXPECT_EQ(trouble(box()), "");
}

}  // namespace
}  // namespace heddle::test
