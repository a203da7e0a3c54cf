// SPDX-License-Identifier: BSD-3-Clause
// Subnet managers that claim what is not theirs: the fabric of others, somebody else's GUID, an
// office that nobody gives away.
#include <chrono>

#include <gtest/gtest.h>

#include "mad/sm_info.hpp"
#include "mad/smp.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

constexpr mad::SMKey kSecret{0x5EC2E7};
constexpr std::uint32_t kGiveOffice = 1;
constexpr std::uint32_t kOrderSweep = 5;

sm::MadReceived claim(std::uint32_t modifier, mad::Guid from) {
  mad::Smp smp;
  smp.method = mad::Method::Set;
  smp.attribute_id = mad::AttributeId::SMInfo;
  smp.attribute_modifier = modifier;
  const mad::SMInfo info{from, sm::kPublicSMKey, 1, 5, mad::SMState::Master};
  mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp.data));
  return {mad::make_datagram({}, smp)};
}

// Two subnets of which the other one's master ranks higher become one.
struct Merger {
  Merger(mad::SMKey ours, mad::SMKey theirs) : Merger(left(ours), theirs) {}
  Merger(const BoxOptions& ours, mad::SMKey theirs) : box(dumbbell().finish(), ours) {
    const auto first = cable(box, "left", 3), second = cable(box, "left", 4);
    box.world().cut(first);
    box.world().cut(second);
    SeatOptions right;
    right.sm.priority = 15;
    right.sm.sm_key = theirs;
    rival = &box.add_seat("right-a", right);
    EXPECT_TRUE(box.run_until_quiet());
    box.world().restore(first);
    box.world().restore(second);
    box.run_for(2min);
  }
  static BoxOptions left(mad::SMKey key) {
    BoxOptions options;
    options.at = "left-a";
    options.sm.priority = 3;
    options.sm.sm_key = key;
    return options;
  }
  Box box;
  Seat* rival = nullptr;
};

TEST(Imposter, WhoShowsAnotherKeyIsNotGivenTheFabric) {
  Merger merger(kSecret, sm::kPublicSMKey);
  EXPECT_EQ(merger.box.core().state(), mad::SMState::Master);
  EXPECT_EQ(merger.box.count<sm::HandedOver>(), 0u);
  EXPECT_EQ(merger.box.count<sm::HandoverRefused>(), 0u) << "it was not even asked";
  ASSERT_EQ(merger.box.count<sm::StrangeManagerIgnored>(), 1u);
  EXPECT_TRUE(merger.box.last<sm::StrangeManagerIgnored>()->has_other_key);
  EXPECT_GE(merger.box.count<sm::RivalMasterSeen>(), 1u);
}

// It keeps its key to itself: only that it does not take the office shows that it has another one.
TEST(Imposter, WhoRefusesTheFabricDoesNotGetIt) {
  Merger merger(sm::kPublicSMKey, kSecret);
  EXPECT_EQ(merger.box.core().state(), mad::SMState::Master);
  EXPECT_EQ(merger.box.count<sm::HandedOver>(), 0u);
  EXPECT_EQ(merger.box.count<sm::HandoverRefused>(), 1u);
  merger.rival->die();
  merger.box.input(sm::ResweepCommand{"the rival was stopped"});
  merger.box.run_for(30s);
  EXPECT_EQ(trouble(merger.box), "");
}

TEST(Imposter, WhoHasTheSameSecretIsGivenTheFabric) {
  Merger merger(kSecret, kSecret);
  EXPECT_EQ(merger.box.core().state(), mad::SMState::Standby);
  EXPECT_EQ(merger.box.count<sm::HandedOver>(), 1u);
}

// Nothing tells the lower one of the merger but the other one's word.
TEST(Imposter, AMasterIsToldOfOneThatRanksHigher) {
  auto left = Merger::left(kSecret);
  left.world.traps = false;
  left.on_way_in = hide_port_changes;
  Merger merger(left, kSecret);
  EXPECT_EQ(merger.box.core().state(), mad::SMState::Standby);
  EXPECT_EQ(merger.rival->core().state(), mad::SMState::Master);
  EXPECT_EQ(merger.rival->count<sm::RivalMasterStays>(), 0u);
}

// A laptop that says it sits on the port of the manager that may stand by.
TEST(Imposter, WhoClaimsTheGuidOfAnotherPortIsNobody) {
  BoxOptions options;
  Box probe("fat-tree:3,6");
  const auto own = probe.world().port_guid(probe.endpoint());
  const auto friendly = probe.world().port_guid(probe.world().find_endpoint("host-0009").value());
  options.sm.allowed_sm_guids = {own, friendly};
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::SMInfo) return;
    if (smp->method != mad::Method::GetResp) return;
    const mad::SMInfo lie{friendly, {}, 1, 15, mad::SMState::Master};
    mad::encode(lie, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet());
  box.add_seat("host-0016", {});
  box.run_for(1min);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_GE(box.count<sm::DeviceLies>(), 1u);
  EXPECT_TRUE(box.snapshot().other_managers.empty());
}

TEST(Imposter, AnOfficeThatAnotherHoldsCannotBeGivenAway) {
  BoxOptions options;
  options.sm.priority = 9;
  Box box("fat-tree:3,6", options);
  Seat& standby = box.add_seat("host-0016", {});
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(standby.core().state(), mad::SMState::Standby);
  const auto itself = box.world().port_guid(standby.endpoint());
  for (const mad::Guid giver : {mad::Guid{0x1234}, itself}) {
    standby.input(claim(kGiveOffice, giver));
    for (int i = 0; i < 100; ++i) {
      box.run_for(100ms);
      EXPECT_NE(standby.core().state(), mad::SMState::Master);
    }
    EXPECT_EQ(box.core().state(), mad::SMState::Master);
  }
  EXPECT_EQ(trouble(box), "");
}

// The giver may have written to switches that the other one had read already.
TEST(Imposter, WhoHoldsAnOfficeHearsThatAnotherGaveItAway) {
  BoxOptions options;
  options.sm.priority = 9;
  Box box("fat-tree:3,6", options);
  Seat& standby = box.add_seat("host-0016", {});
  Seat& giver = box.add_seat("host-0017", {});
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(1min);
  const auto before = full_sweeps(box);
  standby.input(claim(kGiveOffice, box.world().port_guid(giver.endpoint())));
  box.run_for(1min);
  EXPECT_EQ(full_sweeps(box), before + 1);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(standby.core().state(), mad::SMState::Standby);
  EXPECT_EQ(trouble(box), "");
}

TEST(Imposter, SweepsThatAreOrderedOneAfterTheOtherLeaveTimeForTheRest) {
  BoxOptions options;
  options.world.hop_delay = std::chrono::microseconds(100);
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(30s);
  const auto before = box.core().sweeps_finished();
  mad::Smp trap;  // from nowhere, so that each has everybody looked at
  trap.management_class = mad::ManagementClass::SubnLidRouted;
  trap.method = mad::Method::Trap;
  trap.attribute_id = mad::AttributeId::Notice;
  for (int i = 0; i < 3000; ++i) {
    box.input(claim(kOrderSweep, mad::Guid{0x1234}));
    if (i % 25 == 0) {
      const mad::Lid from{static_cast<std::uint16_t>(0x4000 + i)};
      box.input(sm::MadReceived{mad::make_datagram({from}, trap)});
    }
    box.run_for(10ms);
  }
  const auto sweeps = box.core().sweeps_finished() - before;
  EXPECT_GE(sweeps, 10u) << "they are heeded";
  EXPECT_LE(sweeps, 30u) << "in half a minute";
  EXPECT_EQ(trouble(box), "");
}

}  // namespace
}  // namespace heddle::test
