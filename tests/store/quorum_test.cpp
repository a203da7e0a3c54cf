// SPDX-License-Identifier: BSD-3-Clause
// Managers and a replicated store in virtual time, whatever becomes of the links between them.
#include "store/quorum.hpp"

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/simulation/seeds.hpp"
#include "tests/store/quorum_world.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using store::Quorum;

class QuorumTest : public testing::Test {
 protected:
  QuorumTest() : one(world.add("one")), two(world.add("two")) {}

  // The first is master, the second believes what it is told.
  void begin() {
    one.become_master(1);
    world.run_for(1s);
    ASSERT_EQ(one.count<Quorum::Whole>(), 1u);
    ASSERT_TRUE(two.believes());
  }
  std::string value_of(const std::string& key) const {
    const auto found = world.store.keys().find(key);
    return found == world.store.keys().end() ? "" : found->second.value;
  }

  QuorumWorld world;
  Member &one, &two;
};

TEST_F(QuorumTest, AStandbyHasWhatWasAcknowledged) {
  begin();
  const auto number = one.say("a 1", "x y");
  EXPECT_LT(one.taken(), number);
  world.run_for(20ms);
  EXPECT_GE(one.taken(), number);
  EXPECT_EQ(two.copy().at("a 1"), "x y");
  EXPECT_EQ(value_of("p/record/a 1"), "0 x y");
  EXPECT_EQ(value_of("p/at/master"), "1 one");
  EXPECT_EQ(value_of("p/at/whole"), "1");
  one.say("a 1", std::nullopt);
  world.run_for(20ms);
  EXPECT_EQ(two.copy().count("a 1"), 0u);
  EXPECT_EQ(value_of("p/record/a 1"), "");
}

TEST_F(QuorumTest, WhatWaitsGoesTogether) {
  begin();
  const auto before = world.store.commits();
  for (int n = 0; n < 500; ++n) one.say(fmt::format("a {}", n), "x");
  world.run_for(100ms);
  EXPECT_EQ(two.copy().size(), 500u);
  EXPECT_LE(world.store.commits() - before, 8u);
}

TEST_F(QuorumTest, OnlyWhatDiffersIsWrittenByASuccessor) {
  begin();
  for (int n = 0; n < 1000; ++n) one.say(fmt::format("a {}", n), "x");
  world.run_for(200ms);
  one.die();
  two.become_master(2);
  two.say("a 7", "y");
  const auto before = world.store.commits();
  world.run_for(100ms);
  EXPECT_EQ(two.count<Quorum::Whole>(), 1u);
  EXPECT_EQ(value_of("p/record/a 7"), "0 y");
  EXPECT_LE(world.store.commits() - before, 5u);
}

TEST_F(QuorumTest, AMasterThatFallsSilentIsMissedAtOnce) {
  begin();
  one.die();
  world.run_for(100ms);
  EXPECT_EQ(two.count<Quorum::Silent>(), 0u);
  world.run_for(300ms);
  EXPECT_EQ(two.count<Quorum::Silent>(), 1u);
  world.run_for(20s);
  EXPECT_EQ(two.count<Quorum::Silent>(), 1u) << "said once";
  EXPECT_EQ(value_of("p/at/master"), "") << "its lease has ended";
}

// The old master wakes, and still believes to be one.
TEST_F(QuorumTest, AStaleMasterWritesNothing) {
  begin();
  one.stop();
  world.run_for(400ms);
  two.become_master(2);
  two.say("a 1", "new");
  world.run_for(1s);
  one.resume();
  one.say("a 1", "old");
  one.say("b 1", "old");
  world.run_for(10s);
  EXPECT_EQ(value_of("p/record/a 1"), "0 new");
  EXPECT_EQ(value_of("p/record/b 1"), "");
  EXPECT_GT(world.store.refused(), 0u);
  EXPECT_EQ(one.count<Quorum::Overtaken>(), 1u);
  EXPECT_EQ(one.count<Quorum::Behind>(), 0u) << "as long as the other one is there";
  EXPECT_EQ(one.count<Quorum::Lost>(), 1u);
  EXPECT_EQ(one.taken(), std::numeric_limits<std::uint64_t>::max()) << "nobody waits for it";
  one.stand_by();
  world.run_for(1s);
  EXPECT_TRUE(one.believes());
  EXPECT_EQ(one.copy().at("a 1"), "new");
}

// Whatever its clock did meanwhile: first it learns that it was succeeded, and by then its machine
// has nothing to promise any more.
TEST(QuorumSleep, AMasterPromisesNothingBeforeItKnows) {
  for (const bool clock_stood_still : {false, true}) {
    for (const bool asks_meanwhile : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", clock_stood_still, asks_meanwhile));
      QuorumWorld world;
      Member& one = world.add("one");
      Member& two = world.add("two");
      one.become_master(1);
      world.run_for(1s);
      one.cut_out = asks_meanwhile;
      std::uint64_t number = asks_meanwhile ? one.say("a 1", "x") : 0;
      one.stop();
      one.cut_out = false;
      world.run_for(400ms);
      two.become_master(2);
      world.run_for(5s);
      one.resume();
      if (clock_stood_still) one.clock.ahead -= 5400ms;
      if (!asks_meanwhile) number = one.say("a 1", "x");
      while (one.taken() < number) world.run_for(1ms);
      EXPECT_EQ(one.count<Quorum::Overtaken>(), 1u);
    }
  }
}

// It may have gone on without the store, and died.
TEST_F(QuorumTest, AStandbyThatSleptBelievesNothing) {
  begin();
  world.run_for(1s);
  ASSERT_TRUE(two.believes());
  two.stop();
  world.run_for(100ms);
  world.store_up = false;
  const auto number = one.say("a 1", "x");
  world.run_for(1s);
  EXPECT_GE(one.taken(), number);
  one.die();
  world.store_up = true;
  two.resume();
  world.run_for(10s);
  EXPECT_FALSE(two.believes());
  EXPECT_EQ(two.count<Quorum::Doubted>(), 1u);
}

// The fabric decides for the earlier one: it takes a later epoch once the other has given way.
TEST_F(QuorumTest, AnEarlierEpochComesBackByALaterOne) {
  begin();
  two.become_master(2);
  world.run_for(1s);
  EXPECT_EQ(one.count<Quorum::Overtaken>(), 1u);
  std::uint64_t behind = 0;
  one.on_event = [&](const Quorum::Event& event) {
    if (const auto* told = std::get_if<Quorum::Behind>(&event)) behind = told->epoch;
  };
  two.stand_by();
  world.run_for(1s);
  ASSERT_EQ(behind, 2u);
  one.on_event = nullptr;
  one.become_master(3);
  world.run_for(1s);
  EXPECT_EQ(value_of("p/at/master"), "3 one");
  EXPECT_TRUE(two.believes());
}

TEST_F(QuorumTest, WithoutTheStoreAMasterGoesOn) {
  begin();
  world.store_up = false;
  const auto number = one.say("a 1", "x");
  world.run_for(500ms);
  EXPECT_LT(one.taken(), number);
  EXPECT_EQ(two.count<Quorum::Silent>(), 1u) << "before anybody is promised what it cannot know";
  world.run_for(200ms);
  EXPECT_GE(one.taken(), number);
  EXPECT_EQ(one.count<Quorum::Lost>(), 1u);
  world.run_for(30s);
  one.say("b 1", "y");
  EXPECT_EQ(one.count<Quorum::Lost>(), 1u) << "said once";
  world.store_up = true;
  world.run_for(3s);
  EXPECT_EQ(one.count<Quorum::Whole>(), 2u);
  EXPECT_EQ(value_of("p/record/a 1"), "0 x");
  EXPECT_EQ(value_of("p/record/b 1"), "0 y");
  EXPECT_TRUE(two.believes());
  EXPECT_EQ(two.copy().size(), 2u);
}

TEST_F(QuorumTest, AnAnswerThatIsLostIsFoundOut) {
  begin();
  one.cut_in = true;
  one.say("a 1", "x");
  world.run_for(10ms);
  EXPECT_EQ(value_of("p/record/a 1"), "0 x");
  world.run_for(2s);
  one.cut_in = false;
  world.run_for(2s);
  EXPECT_EQ(one.count<Quorum::Whole>(), 2u);
  EXPECT_EQ(value_of("p/record/a 1"), "0 x");
}

// Both sides go by the clock of the beats.
TEST_F(QuorumTest, AgesDoNotDependOnWhatTimeItIs) {
  begin();
  one.clock.wall_ahead = std::chrono::hours(-24 * 400);
  one.say("aged 1", "x");
  one.say("b", "x");
  world.run_for(30s);
  Member& three = world.add("three");
  three.clock = {5'000, std::chrono::hours(77), std::chrono::hours(24 * 400)};
  std::uint64_t age = 0, ageless = 1;
  three.on_event = [&](const Quorum::Event& event) {
    const auto* told = std::get_if<Quorum::Told>(&event);
    if (told == nullptr || !told->live || !told->batch.whole) return;
    for (const auto& record : told->batch.records) {
      (record.name == "b" ? ageless : age) = record.age;
    }
  };
  world.run_for(1s);
  EXPECT_NEAR(static_cast<double>(age), 30, 1);
  EXPECT_EQ(ageless, 0u);
}

// Someone who comes when no master is there is told what it may take for a beginning.
TEST_F(QuorumTest, ACopyWithoutAMasterIsNoMoreThanABeginning) {
  begin();
  one.say("a 1", "x");
  world.run_for(100ms);
  one.die();
  world.run_for(10s);
  Member& three = world.add("three");
  world.run_for(6s);
  EXPECT_EQ(three.count<Quorum::Told>(), 1u);
  EXPECT_FALSE(three.believes());
  EXPECT_FALSE(std::get<Quorum::Told>(three.events[0]).live);
}

// Links that are slow or cut, a store that is gone, masters that die at any moment: a standby whose
// master never answered the fabric when it was silent has all that was promised.
class QuorumChaos : public testing::Test {
 protected:
  void begin(std::uint64_t seed) {
    prng_ = base::Prng(seed);
    world_ = std::make_unique<QuorumWorld>();
    waiting_.clear();
    overtaken_.clear();
    promised_.clear();
    for (const char* name : {"a", "b", "c"}) {
      Member& member = world_->add(name);
      member.delay = std::chrono::milliseconds(1 + prng_.below(30));
      set_clock(member);
      member.on_event = [this, &member](const Quorum::Event& event) { hear(member, event); };
    }
    master_ = world_->members[0].get();
    master_->become_master(epoch_ = 1);
  }
  // No two hosts agree what time it is, nor how long a second takes.
  void set_clock(Member& member) {
    constexpr std::int64_t kWorst = 20'000;  // 2 %, a hundred times what a bad quartz does
    member.clock.drift_ppm = static_cast<std::int64_t>(prng_.below(2 * kWorst)) - kWorst;
    member.clock.ahead = std::chrono::hours(prng_.below(5000));
    turn_date(member);
  }
  void turn_date(Member& member) {
    constexpr std::int64_t kYear = 365 * 24 * 3600;
    const auto ahead = static_cast<std::int64_t>(prng_.below(4 * kYear)) - 2 * kYear;
    member.clock.wall_ahead = std::chrono::seconds(ahead);
  }
  // Who does not hear its master asks the fabric, which answers for one that lives and is awake.
  void hear(Member& member, const Quorum::Event& event) {
    const bool silent = std::holds_alternative<Quorum::Silent>(event);
    if (silent && master_ != &member && master_->alive() && !master_->stopped()) member.forget();
    if (std::holds_alternative<Quorum::Overtaken>(event)) overtaken_.push_back(&member);
  }
  void heal() {
    for (auto& member : world_->members) member->cut_in = member->cut_out = false;
    world_->store_up = true;
  }
  void say() {
    const std::string fact = fmt::format("fact {}", ++facts_);
    waiting_[master_][master_->say(fact, fact)] = fact;
  }
  // A host is suspended, with a clock that goes on or stands still, and another one is made master
  // if it was that one. No other thing fails with it, unless it can know that it slept.
  void sleep(Member& any) {
    const bool clock_stands_still = prng_.below(2) == 0;
    if (clock_stands_still || &any == master_) {
      heal();
      run_for(1s);
    }
    say();
    run_for(std::chrono::milliseconds(prng_.below(10)));
    const base::Instant began = world_->now;
    any.stop();
    ++sleeps_;
    if (&any == master_) {
      run_for(std::chrono::milliseconds(prng_.below(1000)));
      if (prng_.below(3) != 0 && take_over()) run_for(1s);  // it has the place
    } else {
      for (int n = 0; n < 5; ++n) {
        if (!clock_stands_still) world_->store_up = prng_.below(3) != 0;
        say();
        run_for(std::chrono::milliseconds(prng_.below(400)));
      }
    }
    any.resume();
    if (clock_stands_still) any.clock.ahead -= world_->now - began;
    if (any.master()) run_for(2s);
  }
  void meddle() {
    Member& any = *world_->members[prng_.below(world_->members.size())];
    switch (prng_.below(14)) {
      case 0:
        any.cut_in = !any.cut_in;
        break;
      case 1:
        any.cut_out = !any.cut_out;
        break;
      case 2:
        world_->store_up = !world_->store_up || prng_.below(3) != 0;
        break;
      case 3:
        for (auto& member : world_->members) member->cut_in = member->cut_out = false;
        break;
      case 4:
        turn_date(any);
        break;
      case 5:
        if (any.alive()) sleep(any);
        break;
      default:
        say();
    }
  }
  void run_for(std::chrono::milliseconds time) {
    for (auto waited = 0ms; waited < time; waited += 1ms) {
      world_->run_for(1ms);
      for (Member* former : std::exchange(overtaken_, {})) {
        waiting_.erase(former);  // its machine drops what it had not promised yet
        if (former != master_) former->stand_by();
      }
      for (auto& [who, waiting] : waiting_) {
        if (who->stopped()) continue;
        while (!waiting.empty() && waiting.begin()->first <= who->taken()) {
          promised_.insert(waiting.begin()->second);
          waiting.erase(waiting.begin());
        }
      }
    }
  }
  // From a master that dies, or sleeps. Who takes over has the store, so that no more than one
  // thing fails at once. False: nobody is left.
  bool take_over() {
    if (!master_->stopped()) {
      master_->die();
      waiting_.erase(master_);
    }
    std::vector<Member*> others;
    for (auto& member : world_->members) {
      if (member->alive() && !member->stopped()) others.push_back(member.get());
    }
    if (others.empty()) return false;
    Member* next = others[prng_.below(others.size())];
    next->cut_in = next->cut_out = false;
    world_->store_up = true;
    world_->run_for(3s);
    ++takeovers_;
    believed_ += next->believes();
    for (const std::string& fact : promised_) {
      EXPECT_TRUE(!next->believes() || next->copy().count(fact) == 1) << fact;
    }
    if (!next->believes()) {  // clients are asked again
      promised_.clear();
      waiting_.clear();
    }
    master_ = next;
    for (Member* other : others) {
      if (other != next) other->forget();  // the fabric's new master answers them
    }
    master_->become_master(++epoch_);
    return true;
  }

  base::Prng prng_{0};
  std::unique_ptr<QuorumWorld> world_;
  Member* master_ = nullptr;
  std::uint64_t epoch_ = 0, facts_ = 0, takeovers_ = 0, believed_ = 0, sleeps_ = 0;
  std::map<Member*, std::map<std::uint64_t, std::string>> waiting_;  // by number
  std::vector<Member*> overtaken_;
  std::set<std::string> promised_;
};

TEST_F(QuorumChaos, NoPromiseIsMissingInACopyThatIsBelieved) {
  const Seeds these = seeds(300);
  for (std::uint64_t seed = these.first; seed != these.end && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    begin(seed);
    for (int step = 0; step < 60; ++step) {
      meddle();
      run_for(std::chrono::milliseconds(prng_.below(200)));
      if (prng_.below(15) == 0 && !take_over()) break;
    }
  }
  EXPECT_GT(believed_, takeovers_ / 4) << takeovers_;
  EXPECT_GT(sleeps_, 0u);
}

}  // namespace
}  // namespace heddle::test
