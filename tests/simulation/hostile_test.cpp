// SPDX-License-Identifier: BSD-3-Clause
// Those who mean harm, or might as well: managers that lie about themselves, traps from nowhere,
// answers with forged or repeated transaction ids, a clock that jumps. Each ends in one master and
// a right fabric.
#include <chrono>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "mad/notice.hpp"
#include "mad/sm_info.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

// --- managers that lie ---------------------------------------------------------------------------

// Whoever asks it hears another priority and another state each time.
TEST(LyingManager, WhoSaysSomethingElseEachTimeIsLivedWith) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  base::Prng prng(1);
  bool lies = true;
  SeatOptions second;
  second.sm.priority = 1;
  second.on_way_out = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    const bool tells =
        smp && smp->attribute_id == mad::AttributeId::SMInfo && smp->method == mad::Method::GetResp;
    if (!lies || !tells) return;
    auto info = mad::decode<mad::SMInfo>(smp->data);
    info.priority = static_cast<std::uint8_t>(prng.below(16));
    info.sm_state = static_cast<mad::SMState>(prng.below(4));
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Seat& liar = box.add_seat("host-0016", second);
  for (int minute = 0; minute < 10; ++minute) {
    box.run_for(1min);
    // Who is master may change; that the fabric works may not.
    EXPECT_EQ(trouble_for(box, box.endpoint()).find("reach"), std::string::npos) << minute;
  }
  lies = false;
  box.run_for(3min);
  const bool ours = box.core().state() == mad::SMState::Master;
  EXPECT_NE(ours, liar.core().state() == mad::SMState::Master) << "one of them is master";
  EXPECT_EQ(trouble_for(box, ours ? box.endpoint() : liar.endpoint()), "");
}

// It ranks highest, calls itself master, and does nothing.
TEST(LyingManager, AMasterThatDoesNothingLeavesTheFabricAsItIs) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  SeatOptions second;
  second.sm.priority = 15;
  second.on_way_out = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    // Its writes go nowhere.
    if (smp && smp->method == mad::Method::Set) datagram.payload.clear();
  };
  Seat& idle = box.add_seat("host-0016", second);
  box.run_for(2min);
  idle.die();
  box.run_for(2min);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble(box), "");
}

// --- forged MADs ---------------------------------------------------------------------------------

// Where sm::Transactions counts how often a place in its window was used.
constexpr std::uint64_t kOneUse = 1u << 18;

mad::Datagram trap(mad::Lid from, mad::TrapNumber number, mad::Lid issuer) {
  mad::Notice notice;
  notice.is_generic = true;
  notice.trap_number = static_cast<std::uint16_t>(number);
  notice.issuer_lid = issuer;
  mad::Smp smp;
  smp.management_class = mad::ManagementClass::SubnLidRouted;
  smp.method = mad::Method::Trap;
  smp.attribute_id = mad::AttributeId::Notice;
  mad::encode(notice, std::span<std::byte, mad::kSmpDataBytes>(smp.data));
  return mad::make_datagram({from}, smp);
}

TEST(ForgedTraps, FromNowhereCostALookAndNoMore) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(15s);
  base::Prng prng(1);
  const auto sets = box.world().counters().sets;
  const auto sweeps = box.core().sweeps_finished();
  for (int i = 0; i < 500; ++i) {
    const mad::Lid from{static_cast<std::uint16_t>(prng.below(0x10000))};
    const mad::Lid issuer{static_cast<std::uint16_t>(prng.below(0x10000))};
    const auto number =
        prng.chance(0.5) ? mad::TrapNumber::LinkStateChange : mad::TrapNumber::LocalChanges;
    box.input(sm::MadReceived{trap(from, number, issuer)});
    box.run_for(base::Duration(20ms));
  }
  EXPECT_EQ(box.core().sweeps_finished(), sweeps) << "nothing was found to have changed";
  EXPECT_EQ(box.world().counters().sets, sets);
  EXPECT_EQ(trouble(box), "");
}

// Each answer brings three forged ones: of the request that had its place before it, of the one
// that will have it, and with the right id but of something else.
TEST(ForgedAnswers, WithOtherTransactionIdsAreIgnored) {
  BoxOptions options;
  options.world.hop_delay = 10us;
  Box* there = nullptr;
  std::vector<mad::Datagram> forged;
  options.on_way_in = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::GetResp || there == nullptr) return;
    auto lie = *smp;
    lie.data.fill(std::byte{0xA5});
    const std::uint64_t id = smp->transaction_id.value & 0xFFFF'FFFF;
    for (const std::uint64_t other : {id + 1000 * kOneUse, id - kOneUse}) {
      lie.transaction_id.value = other & 0xFFFF'FFFF;
      forged.push_back(mad::make_datagram(datagram.peer, lie));
    }
    lie.transaction_id.value = id;
    lie.attribute_id = smp->attribute_id == mad::AttributeId::PortInfo
                           ? mad::AttributeId::SwitchInfo
                           : mad::AttributeId::PortInfo;
    forged.push_back(mad::make_datagram(datagram.peer, lie));
  };
  Box box("fat-tree:3,6", options);
  there = &box;
  for (int i = 0; i < 10'000; ++i) {
    box.run_for(5us);
    for (auto& lie : std::exchange(forged, {})) box.input(sm::MadReceived{std::move(lie)});
  }
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.core().sweeps_finished(), 1u);
}

// --- time ----------------------------------------------------------------------------------------

// The program was stopped, or the whole machine: all that is under way is overdue at once.
TEST(Clock, ThatJumpsAnHourAheadCostsASecondLook) {
  for (const int steps : {1, 5, 10, 20, 40, 80, 1000}) {
    BoxOptions options;
    options.world.hop_delay = 50us;
    Box box("fat-tree:3,6", options);
    box.run_for(steps * 100us);
    box.stall(1h);
    box.run_for(1min);
    EXPECT_EQ(trouble(box), "") << steps;
    EXPECT_LE(box.count<sm::NodeDisappeared>(), 0u) << steps;
    box.world().cut(cable(box, "leaf-2", 4));
    box.stall(1h);
    box.run_for(1min);
    EXPECT_EQ(box.count<sm::LinkDisappeared>(), 1u) << steps;
    EXPECT_EQ(trouble(box), "") << steps;
  }
}

}  // namespace
}  // namespace heddle::test
