// SPDX-License-Identifier: BSD-3-Clause
// Another M_Key on a fabric with several managers, of which one may know less than the other, or
// die in the middle of it.
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/smp.hpp"
#include "sim/devices.hpp"
#include "sm/keys.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

constexpr mad::MKey kOld{0x01D'0000'0000'0001}, kNew{0x2E3'0000'0000'0002}, kOther{0x77};

struct Kind {
  std::uint8_t protection;
  bool per_port;
};
// Above level 1 all have one key.
constexpr Kind kKinds[] = {{1, false}, {1, true}, {2, false}};

std::string name(const Kind& kind) {
  return "protection " + std::to_string(kind.protection) + (kind.per_port ? ", per port" : "");
}

class KeyRotation : public testing::Test {
 protected:
  void bring_up(const Kind& kind, const sm::Options& standby, base::Duration agent_delay = {}) {
    kind_ = kind;
    BoxOptions options;
    options.sm = with_key(kOld);
    options.sm.priority = 9;
    options.world.agent_delay = agent_delay;
    writes_left_ = ~std::size_t{0};
    options.on_way_out = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      if (!smp || smp->method != mad::Method::Set) return;
      if (writes_left_ == 0) datagram.payload[0] = std::byte{0xFF};  // no class of anybody's
      writes_left_ -= writes_left_ > 0;
    };
    box_ = std::make_unique<Box>("fat-tree:2,4", options);
    ASSERT_TRUE(box().run_until_quiet());
    SeatOptions second;
    second.sm = standby;
    heir_ = &box().add_seat("host-0007", second);
    box().run_for(20s);
    ASSERT_EQ(trouble(box()), "");
    if (can_look(standby.m_key)) {
      ASSERT_EQ(heir().core().state(), mad::SMState::Standby);
    }
  }
  // Above level 1 ports tell nothing to whoever has another key, the own one included.
  bool can_look(mad::MKey known) const {
    return kind_.protection < 2 || registers(box(), "host-0007", 1).m_key == known;
  }
  sm::Options with_key(mad::MKey key, std::vector<mad::MKey> former = {}) const {
    sm::Options options;
    options.m_key = key;
    options.m_key_protection = kind_.protection;
    options.m_key_per_port = kind_.per_port;
    options.former_m_keys = std::move(former);
    options.poll_interval = 300ms;
    return options;
  }
  // The new key is written to so many, and then nobody is master. False if these were all, or none.
  bool die_in_rotation(std::size_t after) {
    writes_left_ = after;
    rotate(box().seat(), with_key(kNew));
    box().run_for(100ms);
    box().seat().die();
    RecordProperty(name(kind_) + " " + std::to_string(after), std::to_string(having(kNew)));
    return having(kNew) > 0 && having(kNew) < all();
  }
  void rotate(Seat& seat, sm::Options options) {
    if (&seat == &box().seat()) options.priority = 9;
    seat.input(sm::OptionsChanged{std::make_shared<const sm::Options>(std::move(options))});
  }
  // How many switches and ports of hosts have the key that follows from this one; and how many
  // there are.
  std::size_t having(mad::MKey key) const {
    std::size_t count = 0;
    for_each_port([&](const mad::PortInfo& info, mad::Guid guid) {
      count += info.m_key == (kind_.per_port ? sm::derive_m_key(key, guid) : key);
    });
    return count;
  }
  std::size_t all() const {
    std::size_t count = 0;
    for_each_port([&](const mad::PortInfo&, mad::Guid) { ++count; });
    return count;
  }
  std::size_t violations() const {
    std::size_t count = 0;
    for_each_port([&](const mad::PortInfo& info, mad::Guid) { count += info.m_key_violations; });
    return count;
  }
  // Everything has this key, and nothing is locked to the one that is master.
  void expect_all_have(mad::MKey key, Seat& master) {
    EXPECT_EQ(master.core().state(), mad::SMState::Master);
    EXPECT_EQ(having(key), all());
    EXPECT_EQ(trouble_for(box(), master.endpoint()), "");
    EXPECT_TRUE(master.snapshot().problems.empty()) << master.snapshot().problems.front();
    EXPECT_EQ(sets_during(box(), [&] { box().run_for(60s); }), 0u) << "it does not rest";
  }
  // What is locked costs no more than looks do.
  void expect_calm(base::Duration time = 10min) {
    const auto before = box().world().counters();
    const auto violated = violations();
    box().run_for(time);
    const auto& after = box().world().counters();
    const auto asked = (after.gets - before.gets) + (after.silent - before.silent);
    RecordProperty(name(kind_), std::to_string(asked));
    EXPECT_EQ(after.sets, before.sets);
    // A look each 10 s at six switches and the ports beside them.
    EXPECT_LE(asked, static_cast<std::uint64_t>(time / 10s) * 40) << name(kind_);
    EXPECT_LE(violations() - violated, static_cast<std::uint64_t>(time / 10s) * 40) << name(kind_);
  }
  Box& box() const { return *box_; }
  Seat& heir() const { return *heir_; }
  void set_kind(const Kind& kind) { kind_ = kind; }

 private:
  template <class Act>
  void for_each_port(const Act& act) const {
    const auto& devices = box().world().devices();
    for (std::uint32_t node = 0; node < devices.nodes.size(); ++node) {
      const auto port = devices.first_endpoint(node);
      act(devices.ports[port].info, devices.port_guid(port));
    }
  }

  Kind kind_{};
  std::size_t writes_left_ = 0;  // of the master
  std::unique_ptr<Box> box_;
  Seat* heir_ = nullptr;
};

// It asks the master with a key that is no longer right.
TEST_F(KeyRotation, LeavesAStandbyOfBeforeStandingBy) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(name(kind));
    set_kind(kind);
    bring_up(kind, with_key(kOld));
    rotate(box().seat(), with_key(kNew));
    box().run_for(2min);
    EXPECT_EQ(heir().core().state(), mad::SMState::Standby);
    expect_all_have(kNew, box().seat());
    // Later it is told, too, and stands by for good.
    rotate(heir(), with_key(kNew));
    box().run_for(1min);
    EXPECT_EQ(heir().core().state(), mad::SMState::Standby);
    box().seat().die();
    box().run_for(30s);
    expect_all_have(kNew, heir());
    EXPECT_EQ(heir().count<sm::PortLocked>(), 0u);
  }
}

// Who knows nothing of the new key keeps away, says so once, and takes all back when it is told.
TEST_F(KeyRotation, LocksOutAStandbyOfBeforeUntilItIsTold) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(name(kind));
    set_kind(kind);
    bring_up(kind, with_key(kOld));
    rotate(box().seat(), with_key(kNew));
    box().run_for(20s);
    ASSERT_EQ(having(kNew), all());
    box().seat().die();
    box().run_for(30s);
    expect_calm();
    EXPECT_EQ(having(kNew), all());
    EXPECT_LE(heir().count<sm::PortLocked>(), all());
    EXPECT_THAT(heir().snapshot().problems, testing::Contains(testing::HasSubstr("M_Key")));
    if (can_look(kOld)) {
      EXPECT_EQ(heir().core().state(), mad::SMState::Master);
      EXPECT_GT(heir().count<sm::PortLocked>(), 0u);
    }
    rotate(heir(), with_key(kNew));
    box().run_for(30s);
    expect_all_have(kNew, heir());
  }
}

// At any moment of it, however the successor comes by both keys.
TEST_F(KeyRotation, OfAMasterThatDiesIsFinishedByWhoKnowsBothKeys) {
  struct Heir {
    const char* what;
    std::function<void()> prepare;
    mad::MKey in_the_end;
  };
  std::size_t mixed = 0;
  for (const Kind& kind : kKinds) {
    set_kind(kind);
    const Heir heirs[] = {
        {"has both", [&] { rotate(heir(), with_key(kNew, {kOld})); }, kNew},
        {"was told before", [&] { rotate(heir(), with_key(kNew)); }, kNew},
        {"will go back", [&] { rotate(heir(), with_key(kOld, {kNew})); }, kOld},
    };
    for (const auto& [what, prepare, in_the_end] : heirs) {
      for (std::size_t after = 0; after < 14; ++after) {
        SCOPED_TRACE(name(kind) + ", " + what + ", after " + std::to_string(after));
        bring_up(kind, with_key(kOld), 10us);
        prepare();
        box().run_for(5s);
        ASSERT_EQ(heir().core().state(), mad::SMState::Standby);
        mixed += die_in_rotation(after);
        box().run_for(60s);
        expect_all_have(in_the_end, heir());
        EXPECT_EQ(heir().count<sm::PortLocked>(), 0u);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GE(mixed, 60u) << "in the middle of it";
}

// What it can reach it keeps right, what it cannot is named, and nobody is asked for ever.
TEST_F(KeyRotation, OfAMasterThatDiesLeavesLockedWhatTheHeirHasNoKeyFor) {
  std::size_t mixed = 0;
  for (const Kind& kind : kKinds) {
    for (const mad::MKey known : {kOld, kOther}) {
      for (const std::size_t after : {1u, 3u, 6u, 9u}) {
        set_kind(kind);
        SCOPED_TRACE(name(kind) + (known == kOld ? ", old, after " : ", none, after ") +
                     std::to_string(after));
        bring_up(kind, with_key(known), 10us);
        if (die_in_rotation(after)) ++mixed;
        const auto locked = known == kOld ? having(kNew) : all();
        box().run_for(60s);
        if (can_look(known)) {
          ASSERT_EQ(heir().core().state(), mad::SMState::Master);
        }
        EXPECT_LE(heir().count<sm::PortLocked>(), locked);
        expect_calm();
        if (known == kOld) {
          EXPECT_EQ(having(kNew), locked);
        }
        rotate(heir(), with_key(kNew, {kOld}));
        box().run_for(60s);
        expect_all_have(kNew, heir());
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GE(mixed, 12u) << "in the middle of it";
}

// The office goes to another while the keys do.
TEST_F(KeyRotation, DuringAHandOverEndsWell) {
  for (const Kind& kind : kKinds) {
    set_kind(kind);
    for (auto moment = 0us; moment < 3ms; moment += 100us) {
      SCOPED_TRACE(name(kind) + ", " + std::to_string(moment.count()) + " us");
      bring_up(kind, with_key(kOld), 10us);
      rotate(box().seat(), with_key(kNew));
      box().run_for(moment);
      auto raised = with_key(kNew, {kOld});
      raised.priority = 12;
      rotate(heir(), raised);
      box().run_for(60s);
      EXPECT_EQ(box().core().state(), mad::SMState::Standby);
      expect_all_have(kNew, heir());
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace heddle::test
