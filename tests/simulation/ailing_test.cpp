// SPDX-License-Identifier: BSD-3-Clause
// Devices that are there and never do all that is asked of them: they must cost little for as long
// as that lasts, and be well soon after it ends.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/notice.hpp"
#include "mad/port_info.hpp"
#include "mad/smp.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using mad::AttributeId;

using Kept = std::map<std::uint8_t, std::set<AttributeId>>;
const Kept kHostWithoutPortInfo{{3, {AttributeId::PortInfo}}};

class AilingDevice : public testing::Test {
 protected:
  void bring_up(std::string_view fabric, BoxOptions options = {}) {
    options.on_way_in = [this](mad::Datagram& datagram) { on_way_in(datagram); };
    options.on_way_out = [this](mad::Datagram& datagram) { on_way_out(datagram); };
    box_ = std::make_unique<Box>(fabric, std::move(options));
    ASSERT_TRUE(box().run_until_quiet());
  }
  // What it asks of the fabric meanwhile.
  std::uint64_t gets_in(base::Duration time) {
    const auto before = box().world().counters().gets;
    box().run_for(time);
    return box().world().counters().gets - before;
  }
  // A trap for nothing has the switch looked at, and nothing is written.
  void look_in_vain(std::string_view at) {
    const mad::Lid issuer = registers(box(), at, 0).lid;
    mad::Notice notice;
    notice.is_generic = true;
    notice.trap_number = static_cast<std::uint16_t>(mad::TrapNumber::LinkStateChange);
    notice.issuer_lid = issuer;
    mad::Smp trap;
    trap.management_class = mad::ManagementClass::SubnLidRouted;
    trap.method = mad::Method::Trap;
    trap.attribute_id = AttributeId::Notice;
    mad::encode(notice, std::span<std::byte, mad::kSmpDataBytes>(trap.data));
    box().input(sm::MadReceived{mad::make_datagram({issuer}, trap)});
    box().run_for(1s);
  }
  std::size_t full_sweeps_because(std::string_view reason) {
    const auto& events = box().events();
    return static_cast<std::size_t>(
        std::count_if(events.begin(), events.end(), [&](const sm::Event& event) {
          const auto* started = std::get_if<sm::SweepStarted>(&event.value);
          return started != nullptr && started->full && started->reason == reason;
        }));
  }
  // A look finds everything as it was.
  void trap_that_tells_nothing() {
    mad::Smp trap;
    trap.management_class = mad::ManagementClass::SubnLidRouted;
    trap.method = mad::Method::Trap;
    trap.attribute_id = AttributeId::Notice;
    box().input(sm::MadReceived{mad::make_datagram({mad::Lid{2}}, trap)});
  }
  Box& box() { return *box_; }

  // Devices that keep such answers to themselves, by the port of the SM's own switch; 0 is that.
  Kept half;
  // A switch two hops away, by the last of them, that does not take its forwarding table.
  std::uint8_t stubborn = 0;
  unsigned writes = 0;  // to it

 private:
  void on_way_in(mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp) return;
    const auto found = half.find(smp->hop_count == 1 ? 0 : smp->initial_path[2].value);
    const bool keeps = (smp->hop_count == 1 || smp->hop_count == 2) && found != half.end();
    if (keeps && found->second.count(smp->attribute_id) != 0) datagram.payload[0] = std::byte{0xFF};
    if (refused_.erase(smp->transaction_id.value) == 0) return;
    smp->status = mad::Status{0x1C};
    datagram = mad::make_datagram(datagram.peer, *smp);
  }
  // It never gets what it refuses: a question goes in its place.
  void on_way_out(mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    const bool is_table = smp && smp->method == mad::Method::Set &&
                          smp->attribute_id == AttributeId::LinearForwardingTable;
    if (!is_table || smp->hop_count != 2 || smp->initial_path[2].value != stubborn) return;
    ++writes;
    refused_.insert(smp->transaction_id.value);
    smp->method = mad::Method::Get;
    datagram = mad::make_datagram(datagram.peer, *smp);
  }

  std::unique_ptr<Box> box_;
  std::set<std::uint64_t> refused_;  // transactions
};

// It says who it is and nothing else.
TEST_F(AilingDevice, AHostThatAnswersHalfCostsNoFullSweeps) {
  half = kHostWithoutPortInfo;
  bring_up("fat-tree:3,6");
  box().run_for(5s);
  box().forget_events();
  const auto asked = gets_in(10min);
  RecordProperty("gets", std::to_string(asked));
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
  // 60 looks at nine switches and the own port, and some questions to the host.
  EXPECT_LE(asked, 60u * 20u);
  half.clear();
  box().run_for(1min + 20s);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
}

TEST_F(AilingDevice, AHostThatAnswersHalfForAMomentIsWellSoon) {
  half = kHostWithoutPortInfo;
  bring_up("fat-tree:3,6");
  box().run_for(25s);
  half.clear();
  box().forget_events();
  box().run_for(25s);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
}

TEST_F(AilingDevice, AHostThatSaysOnlyItsNameToItsSwitchCostsNoFullSweeps) {
  half = {{3, {AttributeId::PortInfo, AttributeId::NodeDescription}}};
  bring_up("fat-tree:3,6");
  box().run_for(5s);
  box().forget_events();
  EXPECT_LE(gets_in(10min), 60u * 20u);
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
}

// Patience with it ends as with one that answers nothing.
TEST_F(AilingDevice, AHostThatBeginsToAnswerHalfIsGivenUpAfterSoManyLooks) {
  bring_up("fat-tree:3,6");
  box().run_for(15s);
  half = kHostWithoutPortInfo;
  box().input(sm::ResweepCommand{"a test asked for it"});
  box().run_for(5s);
  ASSERT_EQ(box().count<sm::SilentNodeKept>(), 1u);
  const auto lids = box().snapshot().topology.endports().size();
  const auto held = [&] {
    std::size_t count = 0;
    for (const auto port : box().snapshot().topology.endports()) {
      count += box().snapshot().lids.base(port) != mad::kNoLid;
    }
    return count;
  };
  EXPECT_EQ(held(), lids) << "kept as it was";
  box().forget_events();
  box().run_for(40s);
  EXPECT_EQ(held(), lids - 1);
  EXPECT_EQ(full_sweeps(box()), 1u) << said(box());
  box().run_for(10min);
  EXPECT_EQ(full_sweeps(box()), 1u) << said(box());
  half.clear();
  box().run_for(1min + 20s);
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(AilingDevice, WhereSeveralBeginToAnswerHalfAllIsReadOnce) {
  half = {{2, {AttributeId::PortInfo}}, {3, {AttributeId::PortInfo}}};
  bring_up("star:8");
  EXPECT_EQ(full_sweeps_because("something did not answer in the last sweep"), 0u);
  for (std::uint8_t port = 4; port <= 6; ++port) half[port] = {AttributeId::PortInfo};
  box().input(sm::ResweepCommand{"a test asked for it"});
  box().run_for(15s);
  EXPECT_EQ(full_sweeps_because("something did not answer in the last sweep"), 1u) << said(box());
  box().run_for(1min);
  box().forget_events();
  box().run_for(5min);
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
}

// Then a path may end at it, and paths are told by what the tables hold.
TEST_F(AilingDevice, NoRouteCountsAsProvenWhileASwitchRefusesItsTable) {
  stubborn = 5;
  bring_up("fat-tree:3,6");
  box().run_for(5s);
  const auto view = box().core().queries_view();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->subnet().proven_routes, 0u);
}

// After a look in vain a refusal must be no news.
TEST_F(AilingDevice, ASwitchThatRefusesItsTableCostsNoFullSweeps) {
  for (const bool with_host : {false, true}) {
    stubborn = 5;
    half.clear();
    if (with_host) half = kHostWithoutPortInfo;
    bring_up("fat-tree:3,6");
    box().run_for(25s);
    box().forget_events();
    writes = 0;
    look_in_vain("spine-2");
    const auto asked = gets_in(10min);
    RecordProperty(with_host ? "gets_with_host" : "gets", std::to_string(asked));
    EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
    EXPECT_GE(writes, 3u) << "it is told again";
    EXPECT_LE(writes, 12u) << "and seldom";
    EXPECT_LE(asked, 60u * 20u);
    stubborn = 0;
    half.clear();
    box().run_for(1min + 20s);
    EXPECT_EQ(trouble(box()), "");
    EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
  }
}

// Nor must its silence be, which would have the sweep begin anew.
TEST_F(AilingDevice, ASwitchThatNeverAnswersOneQuestionCostsNoFullSweeps) {
  half = kHostWithoutPortInfo;
  half[0] = {AttributeId::PKeyTable};
  bring_up("fat-tree:3,6");
  box().run_for(25s);
  box().forget_events();
  look_in_vain("leaf-1");
  EXPECT_LE(gets_in(10min), 60u * 25u);
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
  half.clear();
  box().run_for(1min + 20s);
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(AilingDevice, ALookInVainDoesNotForgetWhatIsToBeWritten) {
  stubborn = 5;
  bring_up("fat-tree:3,6");
  box().run_for(25s);
  ASSERT_NE(trouble(box()), "");
  stubborn = 0;
  look_in_vain("spine-2");
  box().run_for(1min + 20s);
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(AilingDevice, AHostThatIsReadWellIsWrittenToAgain) {
  half = {{3, {AttributeId::PKeyTable}}};
  bring_up("fat-tree:3,6");
  box().run_for(25s);
  ASSERT_THAT(box().snapshot().problems, testing::Contains(testing::HasSubstr("its P_Key table")));
  half.clear();
  box().run_for(1min + 20s);
  EXPECT_THAT(box().snapshot().problems, testing::IsEmpty());
  EXPECT_EQ(full_sweeps(box()), 1u) << said(box());
}

// An interval of zero turns off the looks around, which nothing here may lean on.
TEST_F(AilingDevice, IsLookedAtAgainWithoutLightSweeps) {
  BoxOptions options;
  options.sm.sweep_interval = {};
  half = {{3, {AttributeId::PKeyTable}}};
  bring_up("fat-tree:3,6", options);
  box().run_for(5min);
  half.clear();
  box().run_for(1min + 20s);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_THAT(box().snapshot().problems, testing::IsEmpty());
  EXPECT_EQ(gets_in(20min), 0u) << "all are well";
}

// What is ailing may have a look follow a sweep soon: it would miss the silent host once more.
TEST_F(AilingDevice, DoesNotShortenThePatienceWithASilentHost) {
  BoxOptions options;
  options.sm.sweep_interval = {};
  half = {{3, {AttributeId::PKeyTable}}};
  bring_up("fat-tree:3,6", options);
  box().run_for(5min);
  trap_that_tells_nothing();
  box().run_for(5s);
  box().forget_events();
  box().world().silence(node(box(), "host-0005"), true);
  for (unsigned misses = 1; misses < options.sm.node_misses; ++misses) {
    box().input(sm::ResweepCommand{"a test asked for it"});
    box().run_for(5s);
    ASSERT_EQ(box().count<sm::SilentNodeKept>(), misses);
    EXPECT_EQ(box().last<sm::SilentNodeKept>()->misses, misses);
  }
  EXPECT_EQ(box().count<sm::NodeDisappeared>(), 0U);
}

TEST_F(AilingDevice, CostsLittleWithoutLightSweeps) {
  BoxOptions options;
  options.sm.sweep_interval = {};
  stubborn = 5;
  half = kHostWithoutPortInfo;
  bring_up("fat-tree:3,6", options);
  box().run_for(1min);
  box().forget_events();
  writes = 0;
  const auto asked = gets_in(10min);
  EXPECT_GE(writes, 8u) << "it is told again";
  EXPECT_LE(writes, 12u) << "and seldom";
  EXPECT_LE(asked, 10u * 20u);
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
  stubborn = 0;
  half.clear();
  box().run_for(1min + 20s);
  EXPECT_EQ(trouble(box()), "");
}

}  // namespace
}  // namespace heddle::test
