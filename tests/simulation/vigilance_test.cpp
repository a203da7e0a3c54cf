// SPDX-License-Identifier: BSD-3-Clause
// What must not escape a machine that runs for months, and what must not keep it busy.
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/linear_forwarding_table.hpp"
#include "mad/sm_info.hpp"
#include "mad/smp.hpp"
#include "sim/checker.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

BoxOptions without_periodic_sweeps() {
  BoxOptions options;
  options.sm.sweep_interval = {};
  return options;
}

struct Up : Box {
  explicit Up(std::string_view fabric, BoxOptions options = {}) : Box(fabric, options) {
    EXPECT_TRUE(run_until_quiet());
    EXPECT_THAT(sim::judge(world(), endpoint()), IsEmpty());
    forget_events();
  }
};

// Somebody else at the SM's own port sends a Set.
void write_as_a_stranger(Box& box, mad::Smp smp) {
  smp.method = mad::Method::Set;
  smp.transaction_id = {0x5eed'0000'0001};
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  box.world().send(box.endpoint(), mad::make_datagram({}, smp), box.now());
  box.world().advance(box.now());
  box.world().take_deliveries();
}

void overwrite_first_block(Box& box) {
  mad::Smp smp;
  smp.attribute_id = mad::AttributeId::LinearForwardingTable;
  smp.hop_count = 1;
  smp.initial_path[1] = {1};
  smp.data.fill(std::byte{0xFF});
  write_as_a_stranger(box, smp);
}

sm::MadReceived handover(mad::Guid from) {
  mad::Smp smp;
  smp.method = mad::Method::Set;
  smp.attribute_id = mad::AttributeId::SMInfo;
  smp.attribute_modifier = 1;
  const mad::SMInfo info{from, sm::Options{}.sm_key, 1, 5, mad::SMState::Master};
  mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp.data));
  return {mad::make_datagram({}, smp)};
}

TEST(Vigilance, ACableThatGoesWhileASweepRunsIsNoticedByItsTrap) {
  for (const unsigned steps : {1u, 10u, 40u, 80u, 120u, 160u}) {
    BoxOptions options = without_periodic_sweeps();
    options.world.hop_delay = 1us;
    Up box("fat-tree:2,4", options);
    box.input(sm::ResweepCommand{"test"});
    box.run_for(steps * 1us);
    box.world().cut(cable(box, "leaf-1", 3));
    box.run_for(10s);
    EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty()) << steps;
    EXPECT_GE(box.count<sm::LinkDisappeared>(), 1u) << steps;
  }
}

// Time until every path works again.
base::Duration healing_time(Box& box, base::Duration step = 20ms) {
  const base::Instant began = box.now();
  while (!sim::judge(box.world(), box.endpoint()).empty() && box.now() < began + 60s) {
    box.run_for(step);
  }
  return box.now() - began;
}

// A fabric in which answers take their time, and in which nobody tells of what happens.
BoxOptions far_and_untold() {
  BoxOptions options;
  options.world.traps = false;
  options.world.hop_delay = 10us;
  return options;
}
// Of the fat-tree:8,16: from the SM's leaf to one spine.
void leave_one_way(Box& box) {
  for (std::uint8_t port = 9; port < 16; ++port) box.world().cut(cable(box, "leaf-01", port));
}

// All ways on which the sweep set out are dead; another is there.
TEST(Vigilance, ASweepWhoseWaysDieBeginsAnewRatherThanWaits) {
  for (const unsigned steps : {1u, 20u, 60u, 120u, 200u, 300u, 400u}) {
    BoxOptions options = without_periodic_sweeps();
    options.world.hop_delay = 1us;
    Up box("fat-tree:3,6", options);
    box.world().cut(cable(box, "leaf-1", 4));
    box.input(sm::ResweepCommand{"test"});
    box.run_for(steps * 1us);
    box.world().cut(cable(box, "leaf-1", 5));
    EXPECT_LT(healing_time(box), 300ms) << steps;
  }
}

// Nobody tells of the cut, but that so many fall silent at once does.
TEST(Vigilance, ASweepThatLosesItsWaysUntoldBeginsAnew) {
  for (const unsigned written : {1u, 10u, 20u}) {
    BoxOptions options = far_and_untold();
    unsigned tables = 0;
    options.on_way_out = [&](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      tables += smp && smp->attribute_id == mad::AttributeId::LinearForwardingTable ? 1 : 0;
    };
    Box box("fat-tree:8,16", options);
    while (tables < written) box.run_for(10us);
    leave_one_way(box);
    EXPECT_LT(healing_time(box, 100ms), 2s) << written;
  }
}

// Hosts that have just been met, and have no other way yet, would be waited for one after another,
// and looked for again only when it is time to.
TEST(Vigilance, ADiscoveryThatLosesItsWaysUntoldBeginsAnew) {
  for (const unsigned met : {4u, 32u, 96u}) {
    BoxOptions options = far_and_untold();
    unsigned asked = 0;
    options.on_way_out = [&](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      constexpr std::uint8_t kHops = 4;  // to a host behind a spine and another leaf
      const bool is_host = smp && smp->hop_count == kHops;
      asked += is_host && smp->attribute_id == mad::AttributeId::PortInfo ? 1 : 0;
    };
    Box box("fat-tree:8,16", options);
    while (asked < met) box.run_for(10us);
    leave_one_way(box);
    EXPECT_LT(healing_time(box, 100ms), 2s) << met;
  }
}

// Switches have several ways by then, all but one of which lead through the same dead cables.
TEST(Vigilance, ADiscoveryWhoseWaysDieDoesNotTryThemAll) {
  for (const auto moment : {1000us, 1400us, 2300us}) {
    BoxOptions options = far_and_untold();
    Box box("fat-tree:8,16", options);
    box.run_for(moment);
    leave_one_way(box);
    EXPECT_LT(healing_time(box, 100ms), 2s) << moment.count();
  }
}

// The first switch on every way.
bool is_of_table_of_own_leaf(const std::optional<mad::Smp>& smp) {
  return smp && smp->attribute_id == mad::AttributeId::LinearForwardingTable && smp->hop_count == 1;
}

// A sweep is broken off while it writes a block, by a trap or because the switch is not heard. The
// next one reads that block and finds what it wants there; and only then is the Set done.
void break_off_a_write(bool by_a_trap, bool answers_again) {
  enum class Moment { Before, Writing, Written } moment{};
  std::optional<mad::Smp> late;
  bool read = false;
  BoxOptions options;
  options.world.traps = by_a_trap;
  options.world.hop_delay = 1us;
  options.on_way_out = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || moment == Moment::Before) return;
    const bool writes = moment == Moment::Writing && smp->method == mad::Method::Set;
    if (writes && !late && is_of_table_of_own_leaf(smp)) late = smp;
    // By whatever route it goes.
    const bool is_late = writes && late && smp->data == late->data;
    const bool asks =
        moment == Moment::Written && !answers_again && smp->method == mad::Method::Get;
    if (!is_late && !(asks && is_of_table_of_own_leaf(smp))) return;
    smp->hop_count = 2;
    smp->initial_path[2] = {0xFE};  // where nobody is
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  options.on_way_in = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    const bool of_it = late && is_of_table_of_own_leaf(smp);
    read = read || (of_it && smp->attribute_modifier == late->attribute_modifier);
  };
  Up box("fat-tree:8,16", options);
  const auto link = cable(box, "leaf-01", 9);
  box.world().cut(link);
  box.run_for(20s);
  moment = Moment::Writing;
  box.world().restore(link);
  while (!late) box.run_for(50us);
  box.forget_events();
  while (!by_a_trap && box.count<sm::SweepStarted>() == 0) box.run_for(50us);
  box.world().cut(link);
  while (!read) box.run_for(1us);
  EXPECT_EQ(box.last<sm::SweepStarted>()->reason, "the fabric changed during the sweep");
  moment = Moment::Written;
  box.world().send(box.endpoint(), mad::make_datagram({}, *late), box.now());
  box.run_for(10s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Vigilance, ATableThatASweepWritesLongAfterATrapBrokeItOffIsPutRight) {
  break_off_a_write(true, true);
}

TEST(Vigilance, ATableThatASweepWritesLongAfterSilenceBrokeItOffIsPutRight) {
  break_off_a_write(false, true);
}

TEST(Vigilance, ATableThatIsWrittenLateBySomebodyWhoFallsSilentIsPutRight) {
  break_off_a_write(true, false);
}

// Two switches that were met through cables that are cut before they tell who they are: too few to
// begin anew, and nothing is known of them that could be missed.
TEST(Vigilance, ADiscoveryInWhichTwoFallSilentIsFollowedByAnotherSoon) {
  BoxOptions options = far_and_untold();
  Box box("fat-tree:8,16", options);
  box.run_for(400us);  // two of the eight spines
  leave_one_way(box);
  EXPECT_LT(healing_time(box, 100ms), 5s);
}

// It is back before anybody has given it up, and only the repeated requests tell of it.
TEST(Vigilance, ARestartUnderTheFirstSweepIsLookedIntoSoon) {
  BoxOptions options = far_and_untold();
  Box box("fat-tree:8,16", options);
  bool raises = false;
  box.set_listener([&](const sm::Event& event) {
    const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
    raises = raises || (phase != nullptr && phase->phase == sm::Phase::Links);
  });
  while (!raises) box.run_for(10us);
  box.run_for(300us);
  box.world().reboot(node(box, "leaf-05"), 500ms);
  EXPECT_LT(healing_time(box, 100ms), 4s);
}

// Up when they were read, and down when they are first written to: PortStateChange, which would
// have told of it, is cleared in between.
TEST(Vigilance, LinksThatGoBeforeTheyAreFirstRaisedAreMissedAtOnce) {
  BoxOptions options;
  options.world.traps = false;
  Box box("fat-tree:8,16", options);
  bool cut = false;
  box.set_listener([&](const sm::Event& event) {
    const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
    if (phase == nullptr || phase->phase != sm::Phase::Lids || std::exchange(cut, true)) return;
    for (std::uint8_t port = 10; port < 16; ++port) box.world().cut(cable(box, "leaf-05", port));
  });
  while (!cut) box.run_for(10us);
  EXPECT_LT(healing_time(box, 100ms), 3s);
}

// On each of the ways to it, in each phase.
TEST(Vigilance, ASwitchThatDiesUnderTheFirstSweepIsWaitedForOnce) {
  for (const auto when : {sm::Phase::Lids, sm::Phase::Tables, sm::Phase::Links}) {
    BoxOptions options = far_and_untold();
    Box box("fat-tree:8,16", options);
    bool off = false;
    box.set_listener([&](const sm::Event& event) {
      const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
      if (phase == nullptr || phase->phase != when || std::exchange(off, true)) return;
      box.world().power_off(node(box, "spine-3"));
    });
    while (!off) box.run_for(10us);
    EXPECT_LT(healing_time(box, 100ms), 4s) << static_cast<int>(when);
  }
}

// A link to a host that is lost each time it is to be raised, and comes up again after three
// seconds.
struct ShyLink {
  explicit ShyLink(BoxOptions options = {}) {
    options.on_way_out = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      const bool raises = smp && smp->method == mad::Method::Set &&
                          smp->attribute_id == mad::AttributeId::PortInfo &&
                          (smp->attribute_modifier & 0xFF) == 5 && smp->hop_count == 3;
      if (!raises || !shy || is_cut) return;
      const auto wanted = mad::decode<mad::PortInfo>(smp->data).port_state;
      if (wanted != mad::PortState::Armed && wanted != mad::PortState::Active) return;
      box->world().cut(at());
      is_cut = true;
      lost.push_back(box->now());
    };
    box.emplace("fat-tree:8,16", options);
  }
  std::uint32_t at() { return cable(*box, "leaf-05", 5); }
  void run_for(base::Duration time) {
    for (const base::Instant end = box->now() + time; box->now() < end;) {
      box->run_for(100ms);
      if (is_cut && box->now() >= lost.back() + 3s) {
        box->world().restore(at());
        is_cut = false;
      }
    }
  }
  std::optional<Box> box;
  bool shy = true;
  bool is_cut = false;
  std::vector<base::Instant> lost;
};

// Its two ends are read when it comes, when it falls, and when it is told of.
TEST(Vigilance, ALinkThatNeverComesUpCostsNoFullSweeps) {
  ShyLink link;
  link.run_for(10s);
  link.box->forget_events();
  const std::size_t before = link.lost.size();
  const auto gets = link.box->world().counters().gets;
  link.run_for(2min);
  EXPECT_GE(link.lost.size() - before, 25u) << "it has to be tried again";
  EXPECT_EQ(full_sweeps(*link.box), 0u) << said(*link.box);
  const auto asked = link.box->world().counters().gets - gets;
  const std::size_t a_leaf = 17 + 15;  // PortInfo of all its ports, and what the others need
  EXPECT_LE(asked, 3 * (link.lost.size() - before + 1) * a_leaf + 12 * 2 * 24);
  link.shy = false;
  link.run_for(4s);
  link.box->run_for(2s);
  EXPECT_THAT(sim::judge(link.box->world(), link.box->endpoint()), IsEmpty());
  EXPECT_EQ(full_sweeps(*link.box), 0u);
}

// Without traps, and back at once: only the answer to the Set tells that it fell.
TEST(Vigilance, ALinkThatFallsOnceIsRaisedAgainSoon) {
  BoxOptions options;
  options.world.traps = false;
  ShyLink link(options);
  link.shy = false;
  link.box->run_until_quiet();
  link.box->world().cut(link.at());
  link.box->run_for(11s);
  link.box->forget_events();
  link.shy = true;
  link.box->world().restore(link.at());
  for (int i = 0; i < 12'000 && link.lost.empty(); ++i) link.box->run_for(1ms);
  ASSERT_EQ(link.lost.size(), 1u);
  link.shy = false;
  link.box->world().restore(link.at());
  EXPECT_LT(healing_time(*link.box, 100ms), 2s);
  EXPECT_EQ(full_sweeps(*link.box), 0u);
}

TEST(Vigilance, ASwitchThatNeverAnswersOneQuestionIsGoneOnWithout) {
  BoxOptions options;
  options.on_way_in = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    const bool of_switch = smp && smp->hop_count == 1;
    const bool lost = of_switch && smp->attribute_id == mad::AttributeId::PKeyTable;
    if (lost) datagram.payload[0] = std::byte{0xFF};
  };
  Box box("fat-tree:2,4", options);
  box.run_until_quiet();
  box.run_for(15s);
  box.forget_events();
  box.run_for(2min);
  EXPECT_LE(box.count<sm::SweepStarted>(), 12u);
}

// When all was doubted it could not be asked; that nothing had to be written then says nothing.
TEST(Vigilance, TheKeysOfAHostThatWasSilentAreReadOnceItAnswers) {
  Up box("star:4");
  const auto host = node(box, "host-0003");
  const auto port = box.world().find_endpoint("host-0003").value();
  const auto keys = [&] { return box.world().look(port, mad::AttributeId::PKeyTable, 0).value(); };
  const mad::SmpData right = keys();
  mad::Smp smp;
  smp.attribute_id = mad::AttributeId::PKeyTable;
  smp.hop_count = 2;
  smp.initial_path[1] = {1};
  smp.initial_path[2] = {3};  // of the switch
  smp.data.fill(std::byte{0x12});
  write_as_a_stranger(box, smp);
  ASSERT_NE(keys(), right);
  box.world().silence(host, true);
  box.input(sm::ResweepCommand{"a test asked for it"});
  box.run_for(3s);
  ASSERT_EQ(box.count<sm::SilentNodeKept>(), 1u);
  ASSERT_NE(keys(), right);
  box.world().silence(host, false);
  box.run_for(1min);
  EXPECT_EQ(keys(), right);
}

// What goes out and comes in while somebody looks around: switches that are asked, and whether a
// trap has come and led to more than that.
struct Onlooker {
  BoxOptions options() {
    BoxOptions made;
    made.world.hop_delay = 100us;
    made.sm.window = 2;
    made.on_way_out = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      if (!smp || smp->method != mad::Method::Get) return;
      if (smp->attribute_id == mad::AttributeId::SwitchInfo && !read) ++asked;
      read = read || (told && smp->attribute_id == mad::AttributeId::PortInfo);
    };
    made.on_way_in = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      told = told || (smp && smp->method == mad::Method::Trap);
    };
    return made;
  }
  void wait_for_a_look(Box& box) {
    asked = 0;
    told = read = false;
    while (asked == 0) box.run_for(50us);
  }
  unsigned asked = 0;
  bool told = false, read = false;
};

constexpr unsigned kSwitches = 24;  // of the fat-tree:8,16

TEST(Vigilance, ATrapDoesNotWaitForALookAround) {
  Onlooker onlooker;
  Up box("fat-tree:8,16", onlooker.options());
  onlooker.wait_for_a_look(box);
  box.world().cut(cable(box, "host-0100", 1));
  box.run_for(100ms);
  EXPECT_TRUE(onlooker.read);
  EXPECT_LT(onlooker.asked, kSwitches / 2);
}

TEST(Vigilance, TrapsWithoutEndDoNotKeepOthersFromBeingLookedAt) {
  Onlooker onlooker;
  Up box("fat-tree:8,16", onlooker.options());
  unsigned whole = 0;
  constexpr unsigned kLooks = 10;
  for (unsigned look = 0; look < kLooks; ++look) {
    onlooker.wait_for_a_look(box);
    box.world().cut(cable(box, "host-010" + std::to_string(look), 1));
    box.run_for(100ms);
    EXPECT_TRUE(onlooker.read);
    whole += onlooker.asked >= kSwitches ? 1 : 0;
  }
  EXPECT_EQ(whole, kLooks / 2) << "every other look";
}

// The pause between looks that traps ask for is not one after any look.
TEST(Vigilance, ATrapAfterAQuietLookIsHeededAtOnce) {
  Onlooker onlooker;
  Up box("fat-tree:8,16", onlooker.options());
  onlooker.wait_for_a_look(box);
  while (!box.core().quiet()) box.run_for(50us);
  box.world().cut(cable(box, "host-0100", 1));
  box.run_for(20ms);
  EXPECT_TRUE(onlooker.read);
}

TEST(Vigilance, AStormOfTrapsDoesNotMakeAStormOfQuestions) {
  Up box("fat-tree:2,4", without_periodic_sweeps());
  mad::Smp trap;
  trap.management_class = mad::ManagementClass::SubnLidRouted;
  trap.method = mad::Method::Trap;
  trap.attribute_id = mad::AttributeId::Notice;
  const auto before = box.world().counters().gets;
  box.input(sm::MadReceived{mad::make_datagram({mad::Lid{2}}, trap)});
  box.run_for(1s);
  const auto one_look = box.world().counters().gets - before;
  EXPECT_GT(one_look, 0u);
  for (int i = 0; i < 1000; ++i) {
    box.input(sm::MadReceived{mad::make_datagram({mad::Lid{2}}, trap)});
    box.run_for(1ms);
  }
  box.run_for(1s);
  EXPECT_LE(box.world().counters().gets - before, 10 * one_look);
}

TEST(Vigilance, AHostThatNeverAnswersDoesNotCostFullSweepsForEver) {
  Box box("star:4");
  box.world().silence(node(box, "host-0003"), true);
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(10min);
  EXPECT_LE(box.core().sweeps_finished(), 2u);
  EXPECT_LE(box.count<sm::DeviceSilent>(), 2u);
  box.world().silence(node(box, "host-0003"), false);
  box.run_for(30s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

TEST(Vigilance, TablesThatAFormerMasterWroteAreReadAgainWhenItHandsOver) {
  Up box("star:4");
  overwrite_first_block(box);
  EXPECT_FALSE(sim::check_reachability(box.world(), box.endpoint()).empty());
  box.input(handover(mad::Guid{0x1234}));
  box.run_for(30s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

// Another manager that says it is in this state, as long as it lives.
struct Companion {
  explicit Companion(mad::SMState state) : box("star:4", hears_of(state)) {
    other = &box.add_seat("host-0003", {});
    box.run_for(1min);
    before = full_sweeps(box);
    overwrite_first_block(box);
  }
  static BoxOptions hears_of(mad::SMState state) {
    BoxOptions options;
    options.sm.priority = 9;
    options.on_way_in = [state](mad::Datagram& datagram) { say(state, datagram); };
    return options;
  }
  static void say(mad::SMState state, mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::SMInfo) return;
    if (smp->method != mad::Method::GetResp) return;
    auto info = mad::decode<mad::SMInfo>(smp->data);
    info.sm_state = state;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  }
  std::size_t sweeps() { return full_sweeps(box) - before; }
  Up box;
  Seat* other = nullptr;
  std::size_t before = 0;
};

// It may have become master without having met this one, and have written.
TEST(Vigilance, TablesAreReadAgainWhenAManagerIsGoneThatHadNotDecided) {
  Companion undecided(mad::SMState::Discovering), standby(mad::SMState::Standby);
  for (Companion* one : {&undecided, &standby}) {
    one->other->die();
    one->box.run_for(1min);
  }
  EXPECT_EQ(undecided.sweeps(), 1u);
  EXPECT_EQ(trouble(undecided.box), "");
  EXPECT_EQ(standby.sweeps(), 0u) << "who stands by has not written anything";
}

// Another manager that began at the same time, and may have been master as well.
struct Contemporary {
  Contemporary() : box("star:4", of_rank(9)), other(box.add_seat("host-0003", {})) {
    while (box.core().state() != mad::SMState::Master) box.run_for(1ms);
    EXPECT_TRUE(box.run_until_quiet());
    before = full_sweeps(box);
    overwrite_first_block(box);
  }
  static BoxOptions of_rank(std::uint8_t priority) {
    BoxOptions options;
    options.sm.priority = priority;
    return options;
  }
  void expect_one_sweep() {
    box.run_for(1min);
    EXPECT_EQ(full_sweeps(box), before + 1);
    EXPECT_EQ(trouble(box), "");
  }
  Box box;
  Seat& other;
  std::size_t before = 0;
};

// One that stood by for somebody else, or began anew since it was asked, is no better.
TEST(Vigilance, TablesAreReadAgainWhenAManagerIsGoneThatNeverSawThisOneInOffice) {
  Contemporary manager;
  manager.other.die();
  manager.expect_one_sweep();
}

// One that stands by now may have been master in between, and have begun anew. Once is enough.
TEST(Vigilance, TablesAreReadAgainOnceWhenAManagerFollowsThatWasThereBeforeTheOffice) {
  Contemporary manager;
  manager.expect_one_sweep();
  EXPECT_EQ(manager.other.core().state(), mad::SMState::Standby);
}

// Who comes later meets a master, and stands by, though it takes its time.
TEST(Vigilance, TablesAreNotReadAgainForAManagerThatComesLater) {
  bool hesitates = true;
  BoxOptions options;
  options.on_way_in = [&](mad::Datagram& datagram) {
    if (hesitates) Companion::say(mad::SMState::Discovering, datagram);
  };
  Up box("star:4", options);
  const Seat& other = box.add_seat("host-0003", {});
  box.run_for(1s);
  const auto before = full_sweeps(box);
  box.input(sm::ResweepCommand{"somebody has come"});
  box.run_for(20s);
  hesitates = false;
  box.run_for(1min);
  EXPECT_EQ(other.core().state(), mad::SMState::Standby);
  EXPECT_EQ(full_sweeps(box), before + 1) << "the one that was ordered";
}

// Leaf 2 and its hosts, a standby on one of them, without a way to the master for less than a look
// takes to come round.
struct Island {
  explicit Island(std::string_view standby_on, base::Duration full_interval = 1h)
      : box("fat-tree:2,4", quiet_world(full_interval)) {
    if (!standby_on.empty()) box.add_seat(standby_on, {});
    box.run_for(1s);
    box.input(sm::ResweepCommand{"a standby has come"});  // nobody tells
    box.run_for(1min + 3s);                               // between two looks
    before = full_sweeps(box);
  }
  static BoxOptions quiet_world(base::Duration full_interval) {
    BoxOptions options;
    options.sm.full_sweep_interval = full_interval;
    options.world.traps = false;
    options.sm.priority = 9;
    return options;
  }
  void part_from(std::string_view name, std::initializer_list<std::uint8_t> ports) {
    for (const std::uint8_t port : ports) box.world().cut(cable(box, name, port));
    box.run_for(1s);
    for (const std::uint8_t port : ports) box.world().restore(cable(box, name, port));
  }
  // As a master on it might have done.
  void write_to_leaf_2() {
    mad::Smp smp;
    smp.attribute_id = mad::AttributeId::LinearForwardingTable;
    smp.hop_count = 3;
    smp.initial_path[1] = {1};
    smp.initial_path[2] = {3};
    smp.initial_path[3] = {2};
    smp.data.fill(std::byte{0xFF});
    write_as_a_stranger(box, smp);
  }
  std::size_t sweeps() {
    box.run_for(25s);
    return full_sweeps(box) - before;
  }
  Up box;
  std::size_t before = 0;
};

TEST(Vigilance, TablesAreReadAgainWhereAManagerWasCutOffForAMoment) {
  for (const std::string_view standby_on : {"host-0003", "leaf-2"}) {
    Island island(standby_on);
    island.part_from("leaf-2", {3, 4});
    island.write_to_leaf_2();
    EXPECT_NE(trouble(island.box), "");
    EXPECT_EQ(island.sweeps(), 1u) << said(island.box);
    EXPECT_EQ(trouble(island.box), "");
  }
}

// The one that comes instead of a look, and another one that believes nothing.
TEST(Vigilance, AFullSweepReadsTablesWhereAManagerWasCutOffForAMoment) {
  Island island("host-0003", 70s);
  island.part_from("leaf-2", {3, 4});
  island.write_to_leaf_2();
  EXPECT_EQ(island.sweeps(), 2u) << said(island.box);
  EXPECT_EQ(trouble(island.box), "");
}

// Whoever was there may have written, known or not.
TEST(Vigilance, AFullSweepReadsTablesWhereTheOwnPortWasDown) {
  Island island("", 70s);
  island.part_from("host-0001", {1});
  island.write_to_leaf_2();
  EXPECT_EQ(island.sweeps(), 1u) << said(island.box);
  EXPECT_EQ(trouble(island.box), "");
}

// Who was alone, or still had a way, had nothing to write to; nor had who sits on a switch that
// began anew, with all its cables.
TEST(Vigilance, TablesAreNotReadAgainWhereNoManagerWasCutOffWithASwitch) {
  Island empty(""), alone("host-0003"), reached("host-0003"), renewed("host-0003");
  empty.part_from("leaf-2", {3, 4});
  alone.part_from("host-0003", {1});
  reached.part_from("leaf-2", {3});
  renewed.box.world().reboot(node(renewed.box, "leaf-2"), 1s);
  for (Island* one : {&empty, &alone, &reached, &renewed}) {
    EXPECT_EQ(one->sweeps(), 0u) << said(one->box);
    EXPECT_EQ(trouble(one->box), "");
  }
}

TEST(Vigilance, AFullSweepReadsTablesWhileAManagerHasNotDecided) {
  Companion undecided(mad::SMState::Discovering);
  undecided.box.run_for(sm::Options{}.full_sweep_interval);
  EXPECT_EQ(undecided.sweeps(), 1u);
  EXPECT_EQ(trouble(undecided.box), "");
}

TEST(Vigilance, TheOwnCableMayBeOutForLongWithoutPeriodicSweepsOrRepeatedComplaints) {
  Up box("fat-tree:2,4", without_periodic_sweeps());
  box.world().cut(cable(box, "host-0001", 1));
  box.input(sm::ResweepCommand{"test"});
  box.run_for(1h);
  EXPECT_EQ(box.count<sm::LocalPortDown>(), 1u);
  EXPECT_LE(box.count<sm::SweepStarted>(), 2u);
  box.world().restore(cable(box, "host-0001", 1));
  box.run_for(10s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
  EXPECT_EQ(box.count<sm::NodeAppeared>(), 0u);  // nothing came or went but that cable
}

TEST(Vigilance, AMachineThatStartsWithoutALinkWaitsQuietlyForIt) {
  Box box("star:4");
  box.world().cut(cable(box, "host-0001", 1));
  box.run_until_quiet();
  box.run_for(1h);
  EXPECT_EQ(box.count<sm::LocalPortDown>(), 1u);
  EXPECT_LE(box.count<sm::SweepStarted>(), 2u);
  box.world().restore(cable(box, "host-0001", 1));
  box.run_for(3s);
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()), IsEmpty());
}

sim::Blueprint with_capacity_of_spine_2(std::uint16_t capacity) {
  auto plan = *sim::generate_fabric("fat-tree:2,4");
  for (auto& planned : plan.nodes) {
    if (planned.name == "spine-2") planned.linear_fdb_cap = capacity;
  }
  return plan;
}

TEST(Vigilance, ASwitchThatTakesNoTableIsRoutedAround) {
  Box box(with_capacity_of_spine_2(0), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::DeviceLies>(), 1u + 1u);  // both FDB capacities 0, and left out
  EXPECT_EQ(box.count<sm::LidsExhausted>(), 0u);
  EXPECT_EQ(box.snapshot().topology.switch_count(), 5u);
}

TEST(Vigilance, ASwitchTooSmallForTheLidsIsNamed) {
  Box box(with_capacity_of_spine_2(8), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GT(box.count<sm::LidsExhausted>(), 0u);
  ASSERT_EQ(box.count<sm::SwitchTooSmall>(), 1u);
  EXPECT_EQ(box.last<sm::SwitchTooSmall>()->node.description, "spine-2");
  EXPECT_EQ(box.last<sm::SwitchTooSmall>()->capacity, 8u);
}

}  // namespace
}  // namespace heddle::test
