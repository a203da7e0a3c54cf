// SPDX-License-Identifier: BSD-3-Clause
// SL to VL and VL arbitration tables that the configuration asks for, judged by the registers of
// the devices themselves.
#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/sl_to_vl_mapping_table.hpp"
#include "mad/sl_to_vl_mapping_table_record.hpp"
#include "mad/vl_arbitration_table.hpp"
#include "sim/forwarding.hpp"
#include "tests/sa/client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using mad::AttributeId;
using qos::PortKind;
using Block = mad::VLArbitrationBlock;

class LaneTables : public testing::Test {
 protected:
  static qos::LaneWords words(std::string_view text) { return qos::parse_lane_words(text).value(); }
  static BoxOptions of_kinds() {
    BoxOptions options;
    auto& tables = options.sm.lane_tables.emplace();
    tables.all =
        words("sl2vl=0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,15 high=0:64,1:32 low=2:16,3:8 limit=1");
    const auto set = [&](PortKind kind, std::string_view text) {
      tables.by_kind[static_cast<std::size_t>(kind)] = words(text);
    };
    set(PortKind::Host, "limit=2");
    set(PortKind::SwitchToHost, "limit=3 high=4:4");
    set(PortKind::SwitchToSwitch, "limit=4 high=5:5 sl2vl=1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0");
    return options;
  }
  static void note_sets(BoxOptions& options, std::vector<mad::Smp>& sets) {
    options.on_way_out = [&sets](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      if (smp && smp->method == mad::Method::Set) sets.push_back(*smp);
    };
  }
  static std::ptrdiff_t count(const std::vector<mad::Smp>& sets, AttributeId attribute) {
    return std::count_if(sets.begin(), sets.end(),
                         [&](const mad::Smp& smp) { return smp.attribute_id == attribute; });
  }
  static mad::VLArbitrationEntry first(Box& box, std::string_view name, std::uint8_t port,
                                       Block block) {
    const auto& devices = box.world().devices();
    const auto at = devices.port_at(node(box, name), port);
    if (!devices.ports[at].tables) return {};  // it was never told anything
    const auto& held = devices.ports[at].tables->arbitration;
    const auto found = held.find(static_cast<std::uint8_t>(block));
    if (found == held.end()) return {};
    return mad::decode<mad::VLArbitrationTable>(found->second).entries[0];
  }
  static std::uint8_t lane(Box& box, std::string_view name, std::uint8_t out, std::uint8_t in,
                           std::uint8_t sl) {
    const auto& devices = box.world().devices();
    return sim::lane_of(devices, devices.port_at(node(box, name), out), in, {sl});
  }
};

TEST_F(LaneTables, StandInEveryPortByItsKind) {
  Box box("ring:4,hosts=2", of_kinds());
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  // Ports 1 and 2 of a switch of a ring lead to hosts, 3 and 4 to its neighbours.
  EXPECT_EQ(registers(box, "switch-1", 3).vl_high_limit, 4);
  EXPECT_EQ(registers(box, "switch-1", 1).vl_high_limit, 3);
  EXPECT_EQ(registers(box, "host-0001", 1).vl_high_limit, 2);
  EXPECT_EQ(first(box, "switch-1", 3, Block::LowerHighPriority),
            (mad::VLArbitrationEntry{mad::VirtualLane{5}, 5}));
  EXPECT_EQ(first(box, "switch-1", 1, Block::LowerHighPriority),
            (mad::VLArbitrationEntry{mad::VirtualLane{4}, 4}));
  EXPECT_EQ(first(box, "host-0001", 1, Block::LowerLowPriority),
            (mad::VLArbitrationEntry{mad::VirtualLane{2}, 16}));
  EXPECT_EQ(lane(box, "switch-1", 3, 1, 0), 1);
  EXPECT_EQ(lane(box, "switch-1", 3, 0, 5), 0);
  EXPECT_EQ(lane(box, "switch-1", 1, 3, 5), 5);
  EXPECT_EQ(lane(box, "switch-1", 1, 3, 15), 15);
  EXPECT_EQ(lane(box, "host-0001", 1, 0, 9), 1);
}

TEST_F(LaneTables, AreThoseOfRoutersAndOfPort0WhereTheseHaveTheirOwn) {
  sim::Planner plan("router", {});
  const auto left = plan.add_switch("left"), base = plan.add_switch("base", false);
  const auto router = plan.add_host("router");
  plan.cable(left, plan.add_host("host-a"));
  plan.cable(left, base);
  plan.cable(base, router);
  sim::Blueprint blueprint = std::move(plan).finish();
  blueprint.nodes[router].type = mad::NodeType::Router;
  auto options = of_kinds();
  const auto set = [&](PortKind kind, std::string_view text) {
    options.sm.lane_tables->by_kind[static_cast<std::size_t>(kind)] = words(text);
  };
  set(PortKind::Router, "limit=5 high=0:71 sl2vl=3,2,1,0,3,2,1,0,3,2,1,0,3,2,1,0");
  set(PortKind::SwitchPort0, "limit=9 high=0:72 sl2vl=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,15");
  Box box(blueprint, options);
  const auto limit_before = registers(box, "left", 0).vl_high_limit;
  ASSERT_NE(limit_before, 9);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(registers(box, "router", 1).vl_high_limit, 5);
  EXPECT_EQ(first(box, "router", 1, Block::LowerHighPriority),
            (mad::VLArbitrationEntry{mad::VirtualLane{0}, 71}));
  EXPECT_EQ(lane(box, "router", 1, 0, 1), 2);
  // Its switch's port is one to an end, as those to hosts are.
  EXPECT_EQ(registers(box, "base", 2).vl_high_limit, 3);
  EXPECT_EQ(first(box, "left", 0, Block::LowerHighPriority),
            (mad::VLArbitrationEntry{mad::VirtualLane{0}, 72}));
  EXPECT_EQ(lane(box, "left", 0, 0, 5), 0);
  EXPECT_EQ(lane(box, "left", 0, 0, 15), 15);
  EXPECT_EQ(registers(box, "left", 0).vl_high_limit, limit_before) << "is not asked for";
  // A base port 0 has no lanes to share.
  EXPECT_EQ(first(box, "base", 0, Block::LowerHighPriority), mad::VLArbitrationEntry{});
}

TEST_F(LaneTables, AreLeftAloneUnlessAskedFor) {
  std::vector<mad::Smp> sets;
  BoxOptions options;
  note_sets(options, sets);
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(count(sets, AttributeId::VLArbitrationTable), 0);
  EXPECT_EQ(count(sets, AttributeId::SLtoVLMappingTable), 0);
}

TEST_F(LaneTables, AreNotWrittenTwiceAndAgainAfterARestartOfTheSwitch) {
  std::vector<mad::Smp> sets;
  auto options = of_kinds();
  note_sets(options, sets);
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  sets.clear();
  box.input(sm::ResweepCommand{"test"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(sets.size(), 0u);
  box.world().reboot(node(box, "switch-2"), std::chrono::seconds(2));
  box.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(lane(box, "switch-2", 3, 1, 0), 1);
  EXPECT_EQ(first(box, "switch-2", 1, Block::LowerHighPriority),
            (mad::VLArbitrationEntry{mad::VirtualLane{4}, 4}));
  EXPECT_EQ(registers(box, "switch-2", 3).vl_high_limit, 4);
  EXPECT_EQ(trouble(box), "");
}

// Their ports are Active all the time. Whatever was there meanwhile may have written other tables.
TEST_F(LaneTables, OfWhoeverWasAwayAreReadAgain) {
  std::vector<mad::Smp> gets;
  auto options = of_kinds();
  options.on_way_out = [&gets](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (smp && smp->method == mad::Method::Get) gets.push_back(*smp);
  };
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  std::vector<std::uint32_t> cables;
  for (unsigned port = 3; port <= 4; ++port) {
    const auto number = static_cast<std::uint8_t>(port);
    cables.push_back(box.world().find_cable(node(box, "switch-3"), number).value());
    box.world().cut(cables.back());
  }
  box.run_for(std::chrono::seconds(60));
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(box.snapshot().topology.switch_count(), 3u);
  gets.clear();
  for (const std::uint32_t cable : cables) box.world().restore(cable);
  box.run_for(std::chrono::seconds(60));
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(box.snapshot().topology.switch_count(), 4u);
  // From a neighbour to a host: none but those of the one that was away.
  const auto count_of = [&](AttributeId attribute, std::uint32_t modifier) {
    return std::count_if(gets.begin(), gets.end(), [&](const mad::Smp& smp) {
      return smp.attribute_id == attribute && smp.attribute_modifier == modifier;
    });
  };
  EXPECT_EQ(count_of(AttributeId::SLtoVLMappingTable, mad::sl_to_vl_modifier({3}, {1})), 1);
  EXPECT_EQ(count_of(AttributeId::VLArbitrationTable,
                     mad::vl_arbitration_modifier(Block::LowerHighPriority, {1})),
            1);
  EXPECT_EQ(trouble(box), "");
}

TEST_F(LaneTables, CostOneSetForAPortOfASwitchThatCanDoAllInputsAtOnce) {
  auto blueprint = fabric("ring:4,hosts=2");
  for (auto& planned : blueprint.nodes) planned.optimized_sl_to_vl = true;
  std::vector<mad::Smp> sets;
  auto options = of_kinds();
  note_sets(options, sets);
  Box box(blueprint, options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(lane(box, "switch-1", 3, 1, 0), 1);
  EXPECT_EQ(lane(box, "switch-1", 1, 3, 5), 5);
  // Two ports to switches, two to hosts and port 0 at each of four switches, and eight hosts.
  EXPECT_LE(count(sets, AttributeId::SLtoVLMappingTable), 4 * 5 + 8);
}

TEST_F(LaneTables, OfLevelsGiveWayToRoutesOnLanesWhichAreServed) {
  auto options = of_kinds();
  options.sm.lane_tables->all = words("high=0:64 low=0:1");
  options.sm.routing.engines = {"weave"};
  options.sm.routing.cover_replies = false;
  options.sm.routing.max_vls = 4;
  Box box("torus:4x4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_GT(box.snapshot().routes->routes.lanes.vls, 1u);
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::QosTablesLeftOut>(), 1u);
  EXPECT_EQ(first(box, "host-0001", 1, Block::LowerHighPriority).weight, 64);
  const auto& devices = box.world().devices();
  const auto port = devices.port_at(node(box, "host-0001"), 1);
  const auto low = mad::decode<mad::VLArbitrationTable>(devices.ports[port].tables->arbitration.at(
      static_cast<std::uint8_t>(Block::LowerLowPriority)));
  EXPECT_EQ(low.entries[1], (mad::VLArbitrationEntry{mad::VirtualLane{1}, 1}))
      << "what waits on a lane without weight would wait for ever";
}

TEST_F(LaneTables, ThatAreRefusedAreToldOfOnceAndDoneWithout) {
  auto options = of_kinds();
  options.on_way_in = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != AttributeId::VLArbitrationTable) return;
    datagram.payload[5] = std::byte{0x1C};  // a field of it is not valid
  };
  Box box("ring:4,hosts=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::SetRefused>(), 12u) << "once for each device";
  box.forget_events();
  box.input(sm::ResweepCommand{"test"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::SetRefused>(), 0u);
}

// Of each two of 65 ports, which is more than a query may have read that names no device.
TEST_F(LaneTables, OfALargeSwitchAreToldToWhoeverNamesIt) {
  using Record = mad::SLtoVLMappingTableRecord;
  Box box("star:64");
  ASSERT_TRUE(box.run_until_quiet());
  const auto host = box.world().find_endpoint("host-0002").value();
  Record wanted;
  wanted.lid = registers(box, "switch-1", 0).lid;
  auto query =
      sa::make_query(sa::Question{mad::Method::GetTable, 0x13, 0, mad::component<&Record::lid>()},
                     wanted, registers(box, "host-0002", 1).master_sm_lid);
  query.peer.q_key = 0x8001'0000;
  box.world().send(host, std::move(query), box.now());
  box.run_for(std::chrono::seconds(2));
  const auto arrived = box.take_arrivals(host);
  ASSERT_EQ(arrived.size(), 1u);
  const auto reply = sa::read_reply<Record>(arrived.front());
  EXPECT_EQ(reply.status(), mad::kStatusOk);
  EXPECT_GE(reply.records.size(), 64u * 63u);
}

}  // namespace
}  // namespace heddle::test
