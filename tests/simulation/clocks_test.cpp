// SPDX-License-Identifier: BSD-3-Clause
// The clock of one manager jumps, or its process stands still, while others go on. The machine's
// time never goes back, as the system's monotonic clock does not; the clock on the wall it does not
// know at all.
#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using mad::SMState;

class Clocks : public testing::Test {
 protected:
  // `apart`: what the other's clock shows more, from its beginning.
  void bring_up(base::Duration apart = {}) {
    BoxOptions options;
    options.sm.priority = 9;
    options.sm.poll_interval = 1s;
    options.world.hop_delay = 20us;
    box_ = std::make_unique<Box>("fat-tree:3,6", options);
    SeatOptions second;
    second.sm.poll_interval = 1s;
    other_ = &box().add_seat("host-0016", second);
    if (apart > 0s) other().set_clock_ahead(apart);
    if (apart < 0s) box().seat().set_clock_ahead(-apart);
    ASSERT_TRUE(box().run_until_quiet());
    box().run_for(30s);
    expect_master(box().seat());
    full_ = box().snapshot().sweep.gets_sent;
  }
  void expect_master(Seat& master) {
    Seat& standby = &master == other_ ? box().seat() : other();
    EXPECT_EQ(master.core().state(), SMState::Master);
    if (standby.alive()) {
      EXPECT_EQ(standby.core().state(), SMState::Standby);
    }
    EXPECT_EQ(trouble_for(box(), master.endpoint()), "");
  }
  // What both ask and write while this happens and for a minute after it.
  template <class Act>
  void expect_calm(std::uint64_t full_sweeps, Act act) {
    const auto before = box().world().counters();
    act();
    box().run_for(1min);
    const auto& after = box().world().counters();
    // And seven light sweeps, and what is said between the two.
    EXPECT_LE(after.gets - before.gets, (full_sweeps + 2) * full_ + 200);
    EXPECT_EQ(after.sets, before.sets);
  }
  std::size_t changes_of_state() {
    return box().count<sm::StateChanged>() + other().count<sm::StateChanged>();
  }
  Box& box() { return *box_; }
  Seat& other() { return *other_; }

 private:
  std::unique_ptr<Box> box_;
  Seat* other_ = nullptr;
  std::uint64_t full_ = 0;
};

TEST_F(Clocks, ThatShowAnotherTimeAreNoMatter) {
  for (const base::Duration apart : {base::Duration{100'000h}, base::Duration{-100'000h}}) {
    bring_up(apart);
    box().seat().die();
    box().run_for(20s);
    expect_master(other());
  }
}

// At any moment between two polls, and in them.
TEST_F(Clocks, OfAStandbyThatJumpAheadGiveItNoOffice) {
  for (const base::Duration jump : {base::Duration{2s}, base::Duration{20s}, base::Duration{5h}}) {
    bring_up();
    const auto changes = changes_of_state();
    for (int i = 0; i < 60; ++i) {
      expect_calm(0, [&] {
        // A poll takes 0.2 ms.
        while (other().deadline() > box().now() + 10us) box().run_for(10us);
        box().run_for(i * 5us);
        other().set_clock_ahead(jump);
      });
    }
    expect_master(box().seat());
    EXPECT_EQ(changes_of_state(), changes) << jump / 1s;
  }
}

TEST_F(Clocks, OfAMasterThatJumpAheadLeaveItItsOffice) {
  for (const base::Duration jump : {base::Duration{2s}, base::Duration{20s}, base::Duration{5h}}) {
    bring_up();
    const auto changes = changes_of_state();
    for (int i = 0; i < 30; ++i) {
      expect_calm(1, [&] {
        box().run_for(i * 333ms);
        box().seat().set_clock_ahead(jump);
      });
    }
    expect_master(box().seat());
    EXPECT_EQ(changes_of_state(), changes) << jump / 1s;
  }
}

// While the standby waits for the last answers of one that has died.
TEST_F(Clocks, ThatJumpAheadHideNoMasterThatDied) {
  for (int i = 0; i < 20; ++i) {
    bring_up();
    box().seat().die();
    box().run_for(i * 200ms);
    other().set_clock_ahead(5h);
    box().run_for(20s);
    expect_master(other());
  }
}

TEST_F(Clocks, OfAStandbyThatStoodStillGiveItNoOffice) {
  bring_up();
  const auto changes = changes_of_state();
  for (int i = 0; i < 40; ++i) {
    while (other().deadline() > box().now() + 10us) box().run_for(10us);
    box().run_for(i * 10us);
    other().freeze();
    box().run_for(i % 2 == 0 ? 10s : 1h);
    expect_calm(0, [&] { other().thaw(); });
  }
  expect_master(box().seat());
  EXPECT_EQ(changes_of_state(), changes);
}

// The other one has its office when it wakes, and ranks lower: it gets it back, and all is right
// whatever it was about when it fell asleep.
TEST_F(Clocks, OfAMasterThatStoodStillEndWithOneMaster) {
  for (const bool works : {false, true}) {
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(std::to_string(i) + (works ? " in a sweep" : ""));
      bring_up();
      if (works) box().world().cut(cable(box(), "leaf-2", 4));
      box().run_for(works ? i * 40us : i * 500ms);
      box().seat().freeze();
      box().run_for(1min);
      EXPECT_EQ(other().core().state(), SMState::Master);
      if (works) box().world().restore(cable(box(), "leaf-2", 4));
      box().run_for(20s);
      box().seat().thaw();
      box().run_for(1min);
      expect_master(box().seat());
      EXPECT_EQ(sets_during(box(), [&] { box().run_for(1min); }), 0u) << "it does not rest";
    }
  }
}

}  // namespace
}  // namespace heddle::test
