// SPDX-License-Identifier: BSD-3-Clause
// Time, loss, trouble and what the world tells of itself.
#include "sim/world.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "mad/node_info.hpp"
#include "sim/checker.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using mad::AttributeId;
using mad::Method;
using std::chrono::microseconds;

mad::Datagram question(const Route& route) {
  return mad::make_datagram({}, directed(Method::Get, AttributeId::NodeInfo, route));
}

// --- time ---------------------------------------------------------------------------------------

TEST(Time, APairOfHopsAndAnAgentTakeAsLongAsTheyAreSaidTo) {
  WorldOptions options;
  options.hop_delay = microseconds(3);
  options.agent_delay = microseconds(10);
  World world = make_world("star:2", options);
  const base::Instant start{};
  world.send(*world.find_endpoint("host-0001"), question({1, 2}), start);
  const base::Instant due = start + microseconds(2 * 3 + 10 + 2 * 3);
  world.advance(due - base::Duration(1));
  EXPECT_TRUE(world.take_deliveries().empty());
  EXPECT_EQ(world.next_event(), due);
  world.advance(due);
  EXPECT_EQ(world.take_deliveries().size(), 1u);
  EXPECT_EQ(world.next_event(), base::kNever);
}

TEST(Time, WithoutDelaysEverythingHappensAtOnce) {
  World world = make_world("star:2");
  const base::Instant now{microseconds(7)};
  world.send(*world.find_endpoint("host-0001"), question({1, 2}), now);
  EXPECT_EQ(world.next_event(), now);
  world.advance(now);
  EXPECT_EQ(world.take_deliveries().size(), 1u);
}

TEST(Time, TheNearerAnswersFirstAndEqualsKeepTheirOrder) {
  WorldOptions options;
  options.hop_delay = microseconds(1);
  World world = make_world("mesh:4,hosts=1", options);
  const EndpointId host = *world.find_endpoint("host-0001");
  world.send(host, question({1, 2, 3, 1}), {});
  world.send(host, question({1, 2}), {});
  world.send(host, question({1, 2}), {});
  world.advance(base::Instant(microseconds(100)));
  std::vector<std::uint8_t> hops;
  for (const Delivery& delivery : world.take_deliveries()) {
    hops.push_back(mad::decode_smp(delivery.datagram.payload)->hop_count);
  }
  EXPECT_EQ(hops, (std::vector<std::uint8_t>{2, 2, 4}));
}

// --- loss ---------------------------------------------------------------------------------------

std::vector<mad::TransactionId> answered_of(unsigned count, WorldOptions options) {
  World world = make_world("star:4", options);
  const EndpointId host = *world.find_endpoint("host-0001");
  for (unsigned i = 0; i < count; ++i) {
    mad::Smp smp = directed(Method::Get, AttributeId::NodeInfo, {1, 2});
    smp.transaction_id = mad::TransactionId{i};
    world.send(host, mad::make_datagram({}, smp), {});
    world.advance(base::Instant(microseconds(i)));
  }
  world.advance(base::Instant(microseconds(10 * count)));
  std::vector<mad::TransactionId> answered;
  for (const Delivery& delivery : world.take_deliveries()) {
    answered.push_back(mad::decode_smp(delivery.datagram.payload)->transaction_id);
  }
  return answered;
}

TEST(Loss, IsTheSameForTheSameSeedAndAnotherForAnother) {
  WorldOptions options;
  options.loss = 0.1;
  options.hop_delay = microseconds(2);
  options.seed = 5;
  const auto first = answered_of(1000, options);
  EXPECT_EQ(answered_of(1000, options), first);
  options.seed = 6;
  EXPECT_NE(answered_of(1000, options), first);
}

TEST(Loss, StrikesEachHopByItself) {
  WorldOptions options;
  options.loss = 0.1;
  // Four passages there and back: 0.9^4 = 0.656 of 2,000, with five standard deviations of room.
  const double answered = static_cast<double>(answered_of(2000, options).size());
  EXPECT_NEAR(answered, 2000 * 0.6561, 5 * 21.3);
}

TEST(Loss, OfOneCableLeavesTheOthersAlone) {
  World world = make_world("star:3");
  Probe probe(world, *world.find_endpoint("host-0001"));
  world.set_loss(*world.find_cable(*world.find_node("host-0002"), 1), 1.0);
  EXPECT_FALSE(probe.get(AttributeId::NodeInfo, {1, 2}));
  EXPECT_TRUE(probe.get(AttributeId::NodeInfo, {1, 3}));
  EXPECT_EQ(world.counters().lost, 1u);
}

// --- trouble ------------------------------------------------------------------------------------

class Trouble : public ::testing::Test {
 protected:
  Trouble() : world(make_world("star:4")), probe(world, *world.find_endpoint("host-0001")) {}
  bool answers(const Route& route) { return probe.get(AttributeId::NodeInfo, route).has_value(); }

  World world;
  Probe probe;
};

TEST_F(Trouble, ACutCableIsDownAtBothEndsAndTrainsWhenRestored) {
  const auto cable = *world.find_cable(*world.find_node("switch-1"), 2);
  world.cut(cable);
  EXPECT_FALSE(answers({1, 2}));
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Down);
  Probe there(world, *world.find_endpoint("host-0002"));
  EXPECT_EQ(there.port_info({}).port_state, mad::PortState::Down);
  world.restore(cable);
  EXPECT_TRUE(answers({1, 2}));
  EXPECT_EQ(there.port_info({}).port_state, mad::PortState::Init);
}

TEST_F(Trouble, ASwitchThatWasOffHasForgottenEverything) {
  mad::SmpData data;
  data.fill(std::byte{1});
  probe.set(AttributeId::LinearForwardingTable, {1}, 0, data);
  probe.change_port({1}, 0, [](mad::PortInfo& info) { info.lid = mad::Lid{44}; });
  const auto node = *world.find_node("switch-1");
  world.power_off(node);
  EXPECT_FALSE(answers({1}));
  EXPECT_EQ(probe.port_info({}).port_state, mad::PortState::Down);
  world.power_on(node);
  EXPECT_TRUE(answers({1, 2}));
  EXPECT_EQ(probe.port_info({1}, 0).lid, mad::kNoLid);
  EXPECT_NE(probe.get(AttributeId::LinearForwardingTable, {1}, 0)->data, data);
  EXPECT_EQ(probe.port_info({1}, 2).port_state, mad::PortState::Init);
  EXPECT_EQ(probe.port_info({1}, 2).link_speed_ext_active, 4);
}

TEST_F(Trouble, ASilentDeviceForwardsButDoesNotAnswer) {
  world.silence(*world.find_node("switch-1"), true);
  EXPECT_FALSE(answers({1}));
  EXPECT_TRUE(answers({1, 2}));
  EXPECT_EQ(world.counters().silent, 1u);
  world.silence(*world.find_node("switch-1"), false);
  EXPECT_TRUE(answers({1}));
}

TEST_F(Trouble, ABusyDeviceSaysSo) {
  world.make_busy(*world.find_node("host-0002"), true);
  EXPECT_EQ(probe.get(AttributeId::NodeInfo, {1, 2})->status, mad::kStatusBusy);
}

TEST_F(Trouble, SwappedCablesLeadToTheOther) {
  const auto second = *world.find_cable(*world.find_node("host-0002"), 1);
  const auto third = *world.find_cable(*world.find_node("host-0003"), 1);
  const auto guid = [&](const Route& route) {
    return mad::decode<mad::NodeInfo>(probe.get(AttributeId::NodeInfo, route)->data).port_guid;
  };
  world.swap_cables(second, third);
  EXPECT_EQ(guid({1, 2}), world.port_guid(*world.find_endpoint("host-0003")));
  EXPECT_EQ(guid({1, 3}), world.port_guid(*world.find_endpoint("host-0002")));
}

TEST_F(Trouble, LiarsLie) {
  const auto node = *world.find_node("switch-1");
  world.claim_ports(node, std::uint8_t{0});
  world.claim_linear_top(node, std::uint16_t{0xFFFF});
  const auto info = mad::decode<mad::NodeInfo>(probe.get(AttributeId::NodeInfo, {1})->data);
  EXPECT_EQ(info.num_ports, 0);
  EXPECT_EQ(probe.switch_info({1}).linear_fdb_top, 0xFFFF);
}

TEST_F(Trouble, DamageAltersOneBitOfTheAnswer) {
  const mad::SmpData right = probe.get(AttributeId::NodeInfo, {1})->data;
  world.set_damage(*world.find_node("switch-1"), 1.0);
  const mad::SmpData wrong = probe.get(AttributeId::NodeInfo, {1})->data;
  unsigned bits = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (unsigned difference = std::to_integer<unsigned>(right[i] ^ wrong[i]); difference != 0;
         difference &= difference - 1) {
      ++bits;
    }
  }
  EXPECT_EQ(bits, 1u);
}

TEST_F(Trouble, NonsenseIsDropped) {
  mad::Datagram datagram = question({1});
  datagram.payload.resize(100);
  world.send(probe.at, datagram, {});
  datagram = question({1});
  datagram.payload[0] = std::byte{9};
  world.send(probe.at, datagram, {});
  datagram.payload.clear();
  world.send(probe.at, datagram, {});
  probe.settle();
  EXPECT_TRUE(world.take_deliveries().empty());
  EXPECT_EQ(world.counters().discarded, 3u);
}

TEST(DuplicateGuids, AreWhatTheBlueprintSays) {
  Blueprint blueprint = generate_fabric("star:3").value();
  blueprint.nodes[2].guid = blueprint.nodes[3].guid;
  World world(blueprint, {});
  Probe probe(world, *world.find_endpoint("host-0001"));
  const auto guid = [&](const Route& route) {
    return mad::decode<mad::NodeInfo>(probe.get(AttributeId::NodeInfo, route)->data).port_guid;
  };
  EXPECT_EQ(guid({1, 2}), guid({1, 3}));
}

// --- traps --------------------------------------------------------------------------------------

TEST(Trap, ASwitchTellsTheMasterWhenAPortChanges) {
  World world = make_world("fat-tree:2,3");
  TinyManager manager(world, *world.find_endpoint("host-0001"));
  manager.bring_up();
  world.set_is_sm(manager.probe.at, true);
  world.cut(*world.find_cable(*world.find_node("host-0006"), 1));
  manager.probe.settle();
  const auto traps = world.take_deliveries();
  ASSERT_EQ(traps.size(), 1u);
  EXPECT_EQ(traps[0].to, manager.probe.at);
  const auto trap = *mad::decode_smp(traps[0].datagram.payload);
  EXPECT_EQ(trap.method, Method::Trap);
  EXPECT_EQ(trap.attribute_id, AttributeId::Notice);
  const mad::Lid issuer = manager.lids.at(*world.find_endpoint("leaf-3"));
  EXPECT_EQ(traps[0].datagram.peer.lid, issuer);
  EXPECT_EQ(std::to_integer<unsigned>(trap.data[5]), 128u);
  EXPECT_EQ(std::to_integer<unsigned>(trap.data[7]), issuer.value);
  EXPECT_EQ(std::to_integer<unsigned>(trap.data[11]), issuer.value);
}

TEST(Trap, StaysAwayWhenNobodyIsMasterOrTrapsAreOff) {
  for (const bool traps : {true, false}) {
    WorldOptions options;
    options.traps = traps;
    World world = make_world("fat-tree:2,3", options);
    TinyManager manager(world, *world.find_endpoint("host-0001"));
    if (!traps) manager.bring_up();
    world.set_is_sm(manager.probe.at, true);
    world.cut(*world.find_cable(*world.find_node("host-0006"), 1));
    manager.probe.settle();
    EXPECT_TRUE(world.take_deliveries().empty());
  }
}

// --- what it tells of itself --------------------------------------------------------------------

TEST(World, CountsWhatHappened) {
  World world = make_world("star:3");
  Probe probe(world, *world.find_endpoint("host-0001"));
  const Quiescence quiescence(world);
  probe.get(AttributeId::NodeInfo, {1});
  probe.get(AttributeId::NodeInfo, {1, 2});
  EXPECT_EQ(quiescence.sets_since(world), 0u);
  probe.set_state({1}, 2, mad::PortState::Active);  // a read and a refused write
  probe.get(AttributeId::NodeInfo, {1, 9});
  WorldCounters expected;
  expected.sent = 5;
  expected.delivered = 4;
  expected.gets = 3;
  expected.sets = 1;
  expected.refused = 1;
  expected.discarded = 1;
  EXPECT_EQ(world.counters(), expected);
  EXPECT_EQ(quiescence.sets_since(world), 1u);
}

TEST(World, ShowsEveryMadToAWatcher) {
  World world = make_world("star:3");
  Probe probe(world, *world.find_endpoint("host-0001"));
  std::string seen;
  world.set_watcher([&](const Sighting& sighting) {
    constexpr const char* kNames[] = {"sent", "answered", "delivered", "lost", "discarded"};
    seen += std::string(kNames[static_cast<unsigned>(sighting.what)]) + " at " +
            world.devices().plan.nodes[sighting.node].name + "\n";
  });
  probe.get(AttributeId::NodeInfo, {1, 2});
  probe.get(AttributeId::NodeInfo, {1, 7});
  EXPECT_EQ(seen,
            "sent at host-0001\nanswered at host-0002\ndelivered at host-0001\n"
            "sent at host-0001\ndiscarded at switch-1\n");
}

TEST(World, FindsEndpointsByNameDescriptionAndPort) {
  World world = make_world("star:3");
  EXPECT_EQ(world.find_endpoint("host-0002"), world.find_endpoint("host-0002 HCA-1"));
  EXPECT_EQ(world.find_endpoint("host-0002", 1), world.find_endpoint("host-0002"));
  EXPECT_FALSE(world.find_endpoint("host-0002", 2));
  EXPECT_FALSE(world.find_endpoint("host-0009"));
  EXPECT_TRUE(world.find_endpoint("switch-1"));
  EXPECT_FALSE(world.find_endpoint("switch-1", 1));
  EXPECT_EQ(world.default_endpoint(), world.find_endpoint("host-0001"));
}

TEST(World, PowersUpWithTheLidsOfTheBlueprint) {
  Blueprint blueprint = generate_fabric("star:2").value();
  blueprint.nodes[0].ports.resize(1);
  blueprint.nodes[0].ports[0].lid = mad::Lid{12};
  blueprint.nodes[1].ports.resize(2);
  blueprint.nodes[1].ports[1] = {mad::Guid{0xabc}, mad::Lid{16}, 2};
  World world(blueprint, {});
  Probe probe(world, *world.find_endpoint("host-0001"));
  EXPECT_EQ(probe.port_info({}).lid.value, 16);
  EXPECT_EQ(probe.port_info({}).lmc, 2);
  EXPECT_EQ(probe.port_info({1}, 0).lid.value, 12);
  EXPECT_EQ(world.port_guid(probe.at).value, 0xabcu);
}

}  // namespace
}  // namespace heddle::sim
