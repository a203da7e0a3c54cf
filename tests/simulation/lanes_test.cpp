// SPDX-License-Identifier: BSD-3-Clause
// Routes that are free of credit loops only lane by lane: the SL to VL tables that they need stand
// before the first forwarding table does, and clients hear of their levels.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/sl_to_vl_mapping_table.hpp"
#include "sim/checker.hpp"
#include "sim/forwarding.hpp"
#include "tests/sa/client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using fabric::SwitchIndex;
using mad::AttributeId;
using testing::HasSubstr;

constexpr unsigned kSwitches = 4;

// All packets clockwise: the classic credit loop. Each half of the destinations has a lane of its
// own, and no half alone closes the ring.
base::Result<std::shared_ptr<const routing::Selected>> clockwise(const sm::ComputeRoutes& work) {
  if (work.policy.max_vls < 2) {
    return routing::select_near_home(*work.topology, *work.lids, work.policy, work.home.get());
  }
  const auto& topology = *work.topology;
  routing::Selected made;
  made.routes.engine = "clockwise";
  made.routes.tables = fabric::ForwardingTables(topology.switch_count(), work.lids->top());
  std::vector<std::uint8_t> levels(work.lids->top().value + 1u);
  for (unsigned value = 1; value < levels.size(); ++value) {
    const mad::Lid lid{static_cast<std::uint16_t>(value)};
    const auto owner = work.lids->owner(lid);
    if (owner == fabric::kNoPort) continue;
    const auto end = *topology.attachment(owner);
    levels[value] = end.at.value < kSwitches / 2 ? 0 : 1;
    made.routes.tables.set(end.at, lid, end.out);
    for (const auto& channel : topology.channels()) {
      const bool onward = channel.to.value == (channel.from.value + 1) % kSwitches;
      if (onward && channel.from != end.at) made.routes.tables.set(channel.from, lid, channel.out);
    }
  }
  made.routes.lanes = {2, fabric::ServiceLevels::by_destination(std::move(levels)),
                       fabric::VlMaps(fabric::even_map(2))};
  made.proof = fabric::verify(topology, *work.lids, made.routes.tables, made.routes.lanes);
  return std::make_shared<const routing::Selected>(std::move(made));
}

class Lanes : public testing::Test {
 protected:
  static BoxOptions going_round() {
    BoxOptions options;
    options.routes = clockwise;
    options.sm.routing.max_vls = 8;
    return options;
  }
  static const fabric::Lanes& lanes(const Box& box) { return box.snapshot().routes->routes.lanes; }
  static unsigned lane_sets(const std::vector<AttributeId>& sets) {
    return static_cast<unsigned>(
        std::count(sets.begin(), sets.end(), AttributeId::SLtoVLMappingTable));
  }
  // Notes the attribute of every Set.
  static void note_sets(BoxOptions& options, std::vector<AttributeId>& sets) {
    options.on_way_out = [&sets](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      if (smp && smp->method == mad::Method::Set) sets.push_back(smp->attribute_id);
    };
  }
};

TEST_F(Lanes, KeepARingFromLockingUp) {
  Box box("ring:4,hosts=2", going_round());
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(box.snapshot().routes->routes.engine, "clockwise");
  EXPECT_THAT(sim::judge(box.world(), box.endpoint(), levels_told(box)), testing::IsEmpty());
  // On one level it would.
  EXPECT_THAT(sim::judge(box.world(), box.endpoint()),
              testing::ElementsAre(HasSubstr("credit loop of 4")));
}

// What the engine for any fabric makes, with and without levels that differ by direction.
TEST_F(Lanes, OfWeaveHoldUpToTheWorldsOwnJudges) {
  for (const char* name : {"torus:4x4,hosts=2", "hypercube:3,hosts=2", "dragonfly:4,2,2"}) {
    for (const unsigned max_vls : {2u, 4u, 8u}) {
      BoxOptions options;
      options.sm.routing.engines = {"weave"};
      options.sm.routing.cover_replies = false;
      options.sm.routing.max_vls = max_vls;
      Box box(name, options);
      ASSERT_TRUE(box.run_until_quiet());
      EXPECT_EQ(box.snapshot().routes->routes.engine, "weave");
      EXPECT_GT(lanes(box).vls, 1u) << name;
      EXPECT_LE(lanes(box).vls, max_vls);
      EXPECT_EQ(trouble(box), "") << name << " on " << max_vls << " VLs";
    }
  }
}

TEST_F(Lanes, AreWrittenBeforeTheTables) {
  std::vector<AttributeId> sets;
  auto options = going_round();
  note_sets(options, sets);
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  const auto last_lane = std::find(sets.rbegin(), sets.rend(), AttributeId::SLtoVLMappingTable);
  const auto first_table = std::find(sets.begin(), sets.end(), AttributeId::LinearForwardingTable);
  ASSERT_NE(last_lane, sets.rend());
  EXPECT_LT(last_lane.base() - 1, first_table);
  // Every port that sends has a table for each other port, port 0 and hosts included.
  const auto& devices = box.world().devices();
  for (sim::PortIndex out = 0; out < devices.lines.size(); ++out) {
    if (devices.lines[out].peer == sim::kNone) continue;
    const auto& node = devices.nodes[devices.lines[out].node];
    for (unsigned in = 0; in <= (devices.is_switch(devices.lines[out].node) ? node.port_count : 0u);
         ++in) {
      if (in == devices.lines[out].number) continue;
      for (std::uint8_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(sim::lane_of(devices, out, static_cast<std::uint8_t>(in), {sl}), sl % 2);
      }
    }
  }
}

TEST_F(Lanes, AreNotWrittenTwice) {
  std::vector<AttributeId> sets;
  auto options = going_round();
  note_sets(options, sets);
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  sets.clear();
  box.input(sm::ResweepCommand{"test"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_THAT(sets, testing::IsEmpty());
  box.world().cut(cable(box, "switch-1", 1));
  box.run_for(std::chrono::seconds(1));
  box.world().restore(cable(box, "switch-1", 1));
  box.run_for(std::chrono::seconds(5));
  EXPECT_EQ(lane_sets(sets), 0u);
}

TEST_F(Lanes, CostOneSetForASwitchThatCanDoAllAtOnce) {
  auto blueprint = fabric("ring:4,hosts=2");
  for (auto& planned : blueprint.nodes) planned.optimized_sl_to_vl = true;
  std::vector<AttributeId> sets;
  auto options = going_round();
  note_sets(options, sets);
  Box box(blueprint, options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(lane_sets(sets), kSwitches + 2 * kSwitches);  // and one for each host
  EXPECT_THAT(sim::judge(box.world(), box.endpoint(), levels_told(box)), testing::IsEmpty());
}

// What looks at the world's registers whenever a table has been written, with the levels that
// clients have been told.
class LaneChanges : public testing::Test {
 protected:
  void bring_up(const char* expression, const char* engine, unsigned max_vls) {
    BoxOptions options;
    options.sm.routing.engines = {engine};
    options.sm.routing.max_vls = max_vls;
    options.world.hop_delay = std::chrono::microseconds(10);
    options.on_way_out = [this](mad::Datagram& datagram) { note_and_turn_down(datagram); };
    options.on_way_in = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      const bool is_table = smp && (smp->attribute_id == AttributeId::LinearForwardingTable ||
                                    smp->attribute_id == AttributeId::SLtoVLMappingTable);
      if (is_table && box_ && harm_.empty()) look();
      if (!is_table || refused_.count(smp->transaction_id.value) == 0) return;
      datagram.payload[5] = std::byte{0x1C};  // a field of it is not valid
    };
    options_ = options.sm;
    box_ = std::make_unique<Box>(expression, std::move(options));
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    looks_ = 0;
    harm_.clear();
    sets_.clear();
  }
  void change(const std::function<void(sm::Options&)>& how) {
    how(options_);
    box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options_)});
    box().run_for(std::chrono::seconds(5));
  }
  unsigned vls() { return box().snapshot().routes->routes.lanes.vls; }
  Box& box() { return *box_; }
  // An entry that was emptied on a way that leads nowhere else would not be missed by any packet.
  std::size_t entries_not_as_told() {
    const auto& snapshot = box().snapshot();
    std::size_t wrong = 0;
    for (std::uint32_t s = 0; s < snapshot.topology.switch_count(); ++s) {
      const auto& held = table(box(), snapshot.topology.node(fabric::NodeIndex{s}).description);
      for (std::uint16_t lid = 1; lid <= snapshot.lids.top().value; ++lid) {
        if (snapshot.lids.owner({lid}) == fabric::kNoPort) continue;
        const auto told = snapshot.routes->routes.tables.out_port(SwitchIndex{s}, {lid});
        wrong += lid >= held.size() || held[lid] != told.value ? 1u : 0u;
      }
    }
    return wrong;
  }

  bool refuses_ = false;
  unsigned looks_ = 0;
  std::string harm_;
  std::vector<AttributeId> sets_;
  std::set<std::uint64_t> refused_;  // transactions

 private:
  // The first switch never gets the write that it refuses: a question goes in its place.
  void note_and_turn_down(mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::Set) return;
    sets_.push_back(smp->attribute_id);
    if (!refuses_ || smp->attribute_id != AttributeId::SLtoVLMappingTable) return;
    if (smp->hop_count != 1) return;
    refused_.insert(smp->transaction_id.value);
    smp->method = mad::Method::Get;
    datagram = mad::make_datagram(datagram.peer, *smp);
  }

  void look() {
    ++looks_;
    const auto level = levels_told(box());
    for (const auto& complaint : sim::check_credit_loops(box().world(), box().endpoint(), level)) {
      harm_ = complaint;
    }
  }

  std::unique_ptr<Box> box_;
  sm::Options options_;
};

// On the lanes of the tables that are configured the old routes would lock up.
TEST_F(LaneChanges, FindNoOldRoutesThatNeedOtherLanes) {
  bring_up("ring:7,hosts=1", "dfsssp", 4);
  ASSERT_GT(vls(), 1u);
  change([](sm::Options& now) {
    now.routing.engines = {"updn"};
    now.lane_tables.emplace().all =
        qos::parse_lane_words("sl2vl=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0").value();
  });
  EXPECT_EQ(vls(), 1u);
  EXPECT_GT(looks_, 20u);
  EXPECT_EQ(harm_, "");
  EXPECT_EQ(trouble(box()), "");
}

// Neither set of lanes would do for the other's routes: what changes is emptied in between. Clients
// that keep the levels of the routes before are another matter.
TEST_F(LaneChanges, BetweenRoutesThatBothNeedSeveral) {
  bring_up("torus:4x4,hosts=1", "dfsssp", 8);
  ASSERT_GT(vls(), 1u);
  for (const char* engine : {"weave", "lash", "dfsssp"}) {
    box().forget_events();
    sets_.clear();
    change([&](sm::Options& now) { now.routing.engines = {engine}; });
    const auto first = [&](AttributeId id) { return std::find(sets_.begin(), sets_.end(), id); };
    EXPECT_LT(first(AttributeId::LinearForwardingTable), first(AttributeId::SLtoVLMappingTable));
    EXPECT_NE(first(AttributeId::SLtoVLMappingTable), sets_.end()) << engine;
    EXPECT_GE(box().count<sm::TablesEmptiedFirst>(), 1u) << engine;
    EXPECT_EQ(box().snapshot().routes->routes.engine, engine);
    EXPECT_GT(vls(), 1u) << engine;
    EXPECT_EQ(trouble(box()), "") << engine;
    EXPECT_EQ(entries_not_as_told(), 0u) << engine;
  }
}

// What is written instead is planned upon what the switches hold by then.
TEST_F(LaneChanges, ThatASwitchRefusesOnceEntriesAreEmptiedFillThemAgain) {
  bring_up("torus:4x4,hosts=1", "dfsssp", 8);
  ASSERT_GT(vls(), 1u);
  refuses_ = true;
  box().forget_events();
  change([](sm::Options& now) { now.routing.engines = {"lash"}; });
  const auto first = [&](AttributeId id) { return std::find(sets_.begin(), sets_.end(), id); };
  ASSERT_GT(refused_.size(), 0u);
  EXPECT_LT(first(AttributeId::LinearForwardingTable), first(AttributeId::SLtoVLMappingTable));
  std::vector<sm::TablesEmptiedFirst> told;
  for (const sm::Event& event : box().events()) {
    const auto* emptied = std::get_if<sm::TablesEmptiedFirst>(&event.value);
    if (emptied != nullptr) told.push_back(*emptied);
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_GE(told[1].changed, told[0].emptied) << "what was emptied is still to be written";
  EXPECT_EQ(vls(), 1u);
  EXPECT_EQ(harm_, "");
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(entries_not_as_told(), 0u);
}

// No engine computes anew: the levels stay, and only what used the link is written.
TEST_F(LaneChanges, OfALostLinkAreFewAndBack) {
  bring_up("torus:4x4x4,hosts=1", "weave", 4);
  ASSERT_GT(vls(), 1u);
  const auto home = box().snapshot().routes;
  const auto link = cable(box(), "switch-0-0-0", 2);
  for (const bool back : {false, true}) {
    sets_.clear();
    looks_ = 0;
    back ? box().world().restore(link) : box().world().cut(link);
    box().run_for(std::chrono::seconds(5));
    EXPECT_GT(looks_, 0u);
    EXPECT_EQ(harm_, "");
    EXPECT_EQ(trouble(box()), "");
    EXPECT_EQ(entries_not_as_told(), 0u);
    EXPECT_EQ(std::count(sets_.begin(), sets_.end(), AttributeId::SLtoVLMappingTable), 0);
    EXPECT_LT(std::count(sets_.begin(), sets_.end(), AttributeId::LinearForwardingTable), 64);
    const auto& routes = box().snapshot().routes;
    EXPECT_EQ(routes->lane_kin != nullptr, !back);
    EXPECT_EQ(routes == home, back);
  }
}

TEST_F(Lanes, ThatASwitchRefusesAreDoneWithout) {
  auto options = going_round();
  options.on_way_in = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != AttributeId::SLtoVLMappingTable) return;
    if (smp->initial_path[1] == mad::PortNumber{1} && smp->hop_count == 1) {
      datagram.payload[5] = std::byte{0x1C};  // a field of it is not valid
    }
  };
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_NE(box.snapshot().routes->routes.engine, "clockwise");
  EXPECT_EQ(lanes(box).vls, 1);
  EXPECT_EQ(trouble(box), "");
  EXPECT_THAT(box.snapshot().problems, testing::Contains(HasSubstr("SL to VL")));
}

TEST_F(Lanes, OfASwitchThatKeptSilentAreTriedAgain) {
  auto options = going_round();
  bool deaf = true;
  options.on_way_in = [&deaf](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!deaf || !smp || smp->attribute_id != AttributeId::SLtoVLMappingTable) return;
    if (smp->hop_count == 1) datagram.payload[0] = std::byte{0};  // nothing that could be read
  };
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_NE(box.snapshot().routes->routes.engine, "clockwise");
  EXPECT_EQ(trouble(box), "");
  deaf = false;
  box.run_for(std::chrono::seconds(30));
  EXPECT_EQ(box.snapshot().routes->routes.engine, "clockwise");
  EXPECT_EQ(trouble(box), "");
}

TEST_F(Lanes, AreNotUsedWhereALinkHasNoneToSpare) {
  auto options = going_round();
  options.sm.max_operational_vls = 1;
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_NE(box.snapshot().routes->routes.engine, "clockwise");
  EXPECT_EQ(trouble(box), "");
}

TEST_F(Lanes, GiveClientsTheLevelsOfTheirPaths) {
  Box box("ring:4,hosts=2", going_round());
  ASSERT_TRUE(box.run_until_quiet());
  const auto& topology = box.snapshot().topology;
  const auto& lids = box.snapshot().lids;
  const auto hosts = topology.endports().subspan(topology.switch_count());
  const mad::Lid manager = lids.base(box.snapshot().sm_port);
  unsigned levels = 0, reversible = 0;
  for (const auto from : hosts) {
    const auto at = topology.attachment(from)->at;
    const auto& name = topology.node(topology.node_of(from)).description;
    const auto end = box.world().find_endpoint(name).value();
    const auto own =
        mad::decode<mad::PortInfo>(box.world().look(end, AttributeId::PortInfo, 0).value());
    EXPECT_EQ(own.master_sm_sl.value, lanes(box).levels.level(at, manager));
    if (end == box.endpoint()) continue;
    for (const auto to : hosts) {
      mad::PathRecord wanted;
      wanted.slid = own.lid;
      wanted.dlid = lids.base(to);
      const auto mask =
          mad::component<&mad::PathRecord::slid>() | mad::component<&mad::PathRecord::dlid>();
      auto query = sa::make_query({mad::Method::Get, 0x35, 0, mask, {}}, wanted, manager);
      query.peer.q_key = 0x8001'0000;
      box.take_arrivals(end);
      box.world().send(end, std::move(query), box.now());
      box.run_for(std::chrono::milliseconds(5));
      const auto arrivals = box.take_arrivals(end);
      ASSERT_EQ(arrivals.size(), 1u);
      const auto reply = sa::read_reply<mad::PathRecord>(arrivals[0]);
      ASSERT_EQ(reply.records.size(), 1u);
      const auto level = lanes(box).levels.level(at, wanted.dlid);
      const auto back = lanes(box).levels.level(topology.attachment(to)->at, wanted.slid);
      EXPECT_EQ(reply.records[0].sl.value, level);
      EXPECT_EQ(reply.records[0].reversible, level == back);
      levels |= 1u << level;
      reversible += level == back;
    }
  }
  EXPECT_EQ(levels, 3u);
  EXPECT_EQ(reversible, 7u * 4u);
}

}  // namespace
}  // namespace heddle::test
