// SPDX-License-Identifier: BSD-3-Clause
// From one set of tables to another while packets are under way: at no moment do the tables that
// stand in the switches lead in a circle, and their channels never wait for each other in one.
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

class Transitions : public testing::Test {
 protected:
  void bring_up(std::string_view expression, std::string_view engine) {
    times_ = 0;
    BoxOptions options;
    options.world.hop_delay = 10us;  // so that writes to different switches arrive one by one
    options.sm.routing.engines = {std::string(engine)};
    options.on_way_out = [this](mad::Datagram& datagram) { maybe_turn_down(datagram); };
    // Each answer to a write is a moment at which some switches have new entries and some do not.
    options.on_way_in = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      if (!smp || smp->attribute_id != mad::AttributeId::LinearForwardingTable) return;
      look();
      if (refused_.count(smp->transaction_id.value) == 0) return;
      auto refusal = *smp;
      refusal.status = mad::kStatusBadField;
      datagram = mad::make_datagram(datagram.peer, refusal);
    };
    box_ = std::make_unique<Box>(expression, options);
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    options_ = options.sm;
    looks_ = 0;
    harm_.clear();
  }
  void ask_for(std::string_view engine, base::Duration within) {
    options_.routing.engines = {std::string(engine)};
    box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options_)});
    box().run_for(within);
  }
  void change_to(std::string_view engine, base::Duration within = 5s) {
    ask_for(engine, within);
    ASSERT_EQ(trouble(box()), "");
  }
  // The switch that is written to as the nth does not take its table so many times.
  void turn_down(unsigned nth, std::size_t times) {
    written_to_.clear();
    refused_.clear();
    deaf_ = nth;
    times_ = times;
  }
  std::size_t turned_down() const { return refused_.size(); }
  Box& box() { return *box_; }
  // A look takes much longer than what it looks at.
  void look_no_more() { looks_on_ = false; }
  // Of single switches, since the last call.
  std::size_t take_written_blocks() { return std::exchange(written_, {}).size(); }
  unsigned looks() const { return looks_; }
  const std::string& harm() const { return harm_; }

 private:
  void look() {
    if (!box_ || !looks_on_ || !harm_.empty()) return;
    ++looks_;
    for (const auto& complaint : sim::check_reachability(box().world(), box().endpoint())) {
      if (complaint.find("circle") != std::string::npos) harm_ = complaint;
    }
    for (const auto& complaint : sim::check_credit_loops(box().world(), box().endpoint())) {
      harm_ = complaint;
    }
  }

  // The write never gets there: a question goes in its place, whose answer becomes a refusal.
  void maybe_turn_down(mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    const bool writes = smp && smp->method == mad::Method::Set &&
                        smp->attribute_id == mad::AttributeId::LinearForwardingTable;
    if (!writes) return;
    written_.emplace(smp->initial_path, smp->attribute_modifier);
    if (refused_.size() >= times_) return;
    const auto nth = written_to_.try_emplace(smp->initial_path, written_to_.size()).first->second;
    if (nth != deaf_) return;
    refused_.insert(smp->transaction_id.value);
    smp->method = mad::Method::Get;
    datagram = mad::make_datagram(datagram.peer, *smp);
  }

  std::unique_ptr<Box> box_;
  sm::Options options_;
  unsigned deaf_ = 0;
  std::size_t times_ = 0;
  std::map<decltype(mad::Smp::initial_path), std::size_t> written_to_;
  std::set<std::uint64_t> refused_;
  std::set<std::pair<decltype(mad::Smp::initial_path), std::uint32_t>> written_;
  bool looks_on_ = true;
  unsigned looks_ = 0;
  std::string harm_;
};

TEST_F(Transitions, FromEngineToEngine) {
  bring_up("torus:4x4,1", "updn");
  for (const char* engine : {"weave", "dnup", "updn", "weave"}) {
    change_to(engine);
    EXPECT_EQ(harm(), "") << "to " << engine;
  }
  EXPECT_GT(looks(), 50u);
  EXPECT_GE(box().count<sm::TablesEmptiedFirst>(), 2u);
}

// When a link is back, some blocks are written in a later step only.
TEST_F(Transitions, TellOfAllBlocksThatTheyWrite) {
  look_no_more();
  bring_up("xgft:6,6,6;1,6,6", "auto");
  const auto inner = box().snapshot().topology.channels().size() / 2;
  for (const std::size_t number : {inner, inner + 40}) {
    // Copies: snapshots come and go.
    const auto link = box().snapshot().topology.channels()[number];
    const std::string name = box().snapshot().topology.node(link.from).description;
    const auto between = cable(box(), name, link.out.value);
    for (const bool goes : {true, false}) {
      SCOPED_TRACE(name + (goes ? " loses a link" : " has it back"));
      take_written_blocks();
      box().forget_events();
      goes ? box().world().cut(between) : box().world().restore(between);
      box().run_for(12s);
      ASSERT_EQ(box().count<sm::RoutesChosen>(), 1u);
      EXPECT_EQ(box().last<sm::RoutesChosen>()->blocks_to_write, take_written_blocks());
    }
  }
}

// What a later step writes leads to entries that this switch does not have.
TEST_F(Transitions, ThatASwitchDoesNotTakeBeginAnew) {
  for (unsigned deaf = 0; deaf < 16; ++deaf) {
    bring_up("torus:4x4,1", "dnup");
    turn_down(deaf, 1);
    change_to("updn");
    EXPECT_EQ(harm(), "") << deaf;
    EXPECT_EQ(turned_down(), 1u) << deaf;
  }
}

// Until they do, what leads by that switch leads nowhere.
TEST_F(Transitions, ThatASwitchDoesNotTakeAreMendedBeforeTheNextLook) {
  for (unsigned deaf = 0; deaf < 16; ++deaf) {
    SCOPED_TRACE(deaf);
    bring_up("torus:4x4,1", "dnup");
    turn_down(deaf, 1);
    change_to("updn", 500ms);
    EXPECT_EQ(turned_down(), 1u);
  }
}

TEST_F(Transitions, ThatASwitchDoesNotTakeAreNotForgotten) {
  bring_up("torus:4x4,1", "dnup");
  turn_down(15, 3);
  change_to("updn", 50s);
  EXPECT_EQ(turned_down(), 3u);
}

// That it refuses again is no news, and no reason to begin anew; nor is it one to send packets
// round, or to have its old entries and others' new ones lock up.
TEST_F(Transitions, ThatASwitchNeverTakesLeadNowhereInACircle) {
  constexpr std::pair<const char*, const char*> kChanges[] = {
      {"dnup", "updn"}, {"updn", "weave"}, {"weave", "updn"}, {"weave", "dnup"}, {"updn", "dnup"}};
  for (const auto& [from, to] : kChanges) {
    for (unsigned deaf = 0; deaf < 16; ++deaf) {
      SCOPED_TRACE(std::string(from) + " to " + to + ", " + std::to_string(deaf));
      bring_up("torus:4x4,1", from);
      turn_down(deaf, 1000);
      ask_for(to, 30s);
      EXPECT_EQ(harm(), "");
      EXPECT_GE(turned_down(), 1u);
      turn_down(deaf, 0);
      box().run_for(30s);
      EXPECT_EQ(trouble(box()), "");
      EXPECT_EQ(harm(), "");
    }
  }
}

TEST_F(Transitions, AroundALossAndBack) {
  bring_up("fat-tree:4,8", "auto");
  for (const auto port : {std::uint8_t{5}, std::uint8_t{6}})
    box().world().cut(cable(box(), "leaf-2", port));
  box().run_for(2s);
  EXPECT_EQ(harm(), "");
  box().world().cut(cable(box(), "leaf-5", 5));
  box().run_for(2s);
  box().world().restore(cable(box(), "leaf-2", 5));
  box().run_for(2s);
  EXPECT_EQ(harm(), "");
  EXPECT_EQ(box().count<sm::TablesEmptiedFirst>(), 0u) << "a repair fits in";
  EXPECT_GT(looks(), 5u);
}

}  // namespace
}  // namespace heddle::test
