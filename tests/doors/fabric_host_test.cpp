// SPDX-License-Identifier: BSD-3-Clause
#include "doors/fabric_host.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "sim/blueprint.hpp"
#include "sim/devices.hpp"
#include "tests/sim/gmp_probe.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::doors {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class Listener final : public Guest {
 public:
  void receive(const mad::Datagram& datagram) override {
    heard.push_back(*mad::decode_smp(datagram.payload));
  }
  std::vector<mad::Smp> heard;
};

sim::World pair_with_delay(base::Duration hop_delay) {
  sim::WorldOptions options;
  options.hop_delay = hop_delay;
  return {sim::generate_fabric("pair").value(), options};
}

mad::Datagram get(mad::AttributeId attribute, const sim::Route& route) {
  mad::Smp smp = sim::directed(mad::Method::Get, attribute, route);
  smp.transaction_id = mad::TransactionId{7};
  return mad::make_datagram({}, smp);
}

class FabricHostTest : public testing::Test {
 protected:
  void run_for(milliseconds time) {
    loop.restart();
    loop.run_for(time);
  }
  // Until so many answers have come, or nobody would wait any longer.
  void run_until_heard(const Listener& who, std::size_t count) {
    const auto end = Clock::now() + std::chrono::seconds(5);
    while (who.heard.size() < count && Clock::now() < end) run_for(milliseconds(5));
  }
  sim::EndpointId first() const { return *host.world().default_endpoint(); }
  sim::EndpointId second() const { return host.world().devices().lines[first()].peer; }
  bool is_sm(sim::EndpointId port) const {
    return (host.world().devices().ports[port].info.capability_mask & mad::kIsSM) != 0;
  }

  boost::asio::io_context loop;
  FabricHost host{loop, pair_with_delay(milliseconds(40))};
  Listener near;
  Listener far;
};

TEST_F(FabricHostTest, AnswersComeAfterTheirTravelAndNotBefore) {
  host.attach(first(), near);
  const base::Instant sent = host.now();
  host.send(first(), get(mad::AttributeId::NodeInfo, {1}));
  run_until_heard(near, 1);
  ASSERT_EQ(near.heard.size(), 1u);
  EXPECT_GE(host.now() - sent, milliseconds(80)) << "40 there and 40 back";
  EXPECT_EQ(near.heard[0].method, mad::Method::GetResp);
}

TEST_F(FabricHostTest, SoftwareOfAPortHearsWhatItsDeviceDoesNotAnswer) {
  host.attach(first(), near);
  host.attach(second(), far);
  host.set_is_sm(second(), far, true);
  host.send(first(), get(mad::AttributeId::SMInfo, {1}));
  run_until_heard(far, 1);
  ASSERT_EQ(far.heard.size(), 1u);
  EXPECT_EQ(far.heard[0].attribute_id, mad::AttributeId::SMInfo);
  EXPECT_TRUE(near.heard.empty());
}

TEST_F(FabricHostTest, OneGuestThatIsAnSmIsEnoughAndItsLeavingTakesItBack) {
  host.attach(first(), near);
  host.attach(first(), far);
  host.set_is_sm(first(), near, true);
  host.set_is_sm(first(), far, false);
  EXPECT_TRUE(is_sm(first()));
  host.detach(first(), near);
  EXPECT_FALSE(is_sm(first()));
}

TEST_F(FabricHostTest, WhatIsSentTogetherIsSentAtOneMoment) {
  base::Instant first_now{};
  host.send_together([&] {
    first_now = host.now();
    const auto until = Clock::now() + milliseconds(3);
    while (Clock::now() < until) {
    }
    EXPECT_EQ(host.now(), first_now);
  });
  EXPECT_GE(host.now() - first_now, milliseconds(3)) << "time goes on afterwards";
}

TEST_F(FabricHostTest, AnEarlierEventIsNotLateBecauseALaterOneWasWaitedFor) {
  host.attach(first(), near);
  host.change([](sim::World& world) { world.set_delay(0, milliseconds(2000)); });
  host.send(first(), get(mad::AttributeId::NodeInfo, {1}));
  run_for(milliseconds(10));
  host.change([](sim::World& world) { world.set_delay(0, milliseconds(0)); });
  const base::Instant sent = host.now();
  host.send(first(), get(mad::AttributeId::NodeInfo, {1}));
  run_until_heard(near, 1);
  EXPECT_EQ(near.heard.size(), 1u);
  EXPECT_LT(host.now() - sent, milliseconds(1500));
}

TEST_F(FabricHostTest, TimeLeapsOverPausesWhenNobodyHasSentForAWhile) {
  host.attach(first(), near);
  host.set_pace(*parse_pace("virtual"));
  host.change([](sim::World& world) { world.set_delay(0, std::chrono::hours(1)); });
  host.send(first(), get(mad::AttributeId::NodeInfo, {1}));
  bool called = false;
  host.at(base::Instant(std::chrono::minutes(90)), [&called] { called = true; });
  run_for(milliseconds(200));
  EXPECT_EQ(near.heard.size(), 1u);
  EXPECT_TRUE(called);
  EXPECT_GE(host.world_now(), base::Instant(std::chrono::hours(2)));
  EXPECT_LT(host.now(), base::Instant(std::chrono::minutes(1))) << "guests keep the wall's time";
}

TEST_F(FabricHostTest, TimeGoesSoManyTimesFaster) {
  host.attach(first(), near);
  host.set_pace(*parse_pace("100x"));
  host.change([](sim::World& world) { world.set_delay(0, std::chrono::seconds(4)); });
  const base::Instant sent = host.now();
  host.send(first(), get(mad::AttributeId::NodeInfo, {1}));
  run_until_heard(near, 1);
  EXPECT_EQ(near.heard.size(), 1u);
  EXPECT_GE(host.now() - sent, milliseconds(79)) << "eight seconds take 80 ms";
  const auto wall = Clock::now();
  const base::Instant before = host.world_now();
  host.set_pace(Pace{});
  const auto passed = host.world_now() - before;
  EXPECT_LE(passed, 100 * (Clock::now() - wall)) << "no jump when it changes";
}

TEST_F(FabricHostTest, WhatIsToBeDoneAtATimeSeesTheWorldOfThatTime) {
  std::vector<int> order;
  host.at(base::Instant(milliseconds(20)), [&] { order.push_back(2); });
  host.at(base::Instant(milliseconds(10)), [&] {
    order.push_back(1);
    host.at(base::Instant(milliseconds(15)), [&] { order.push_back(3); });
  });
  const auto until = Clock::now() + milliseconds(40);
  while (Clock::now() < until) {
  }
  run_for(milliseconds(20));
  EXPECT_EQ(order, (std::vector{1, 3, 2})) << "in the order of their times, though late";
}

TEST(Pace, IsReadAndWritten) {
  for (const char* text : {"real", "virtual", "10x", "0.5x"}) {
    ASSERT_TRUE(parse_pace(text)) << text;
    EXPECT_EQ(text_of(*parse_pace(text)), text);
  }
  for (const char* text : {"", "x", "0x", "1001x", "-1x", "1e3x", "fast", "10"}) {
    EXPECT_FALSE(parse_pace(text)) << text;
  }
}

class PacketListener final : public Guest {
 public:
  void receive(const mad::Datagram& datagram) override { heard.push_back(sim::gmp_of(datagram)); }
  std::vector<sim::Gmp> heard;
};

// A pair of hosts that some manager has brought up, with programs on the first alone.
class Deserted : public testing::Test {
 protected:
  Deserted() {
    host.change([this](sim::World& world) {
      sim::TinyManager manager(world, first);
      manager.bring_up();
      lid = manager.lids.at(second);
    });
    host.attach(first, near);
  }
  ~Deserted() override { host.detach(first, near); }

  // What the first host hears of it.
  std::vector<sim::Gmp> ask(unsigned management_class, mad::Method method) {
    near.heard.clear();
    const auto which = static_cast<mad::ManagementClass>(management_class);
    host.send(first, sim::datagram_of(sim::question_of(which, method, 0x10), lid));
    loop.restart();
    loop.run_for(milliseconds(10));
    return near.heard;
  }

  boost::asio::io_context loop;
  FabricHost host{loop, pair_with_delay(milliseconds(0))};
  sim::EndpointId first = *host.world().default_endpoint();
  sim::EndpointId second = host.world().devices().lines[first].peer;
  mad::Lid lid;
  PacketListener near;
};

TEST_F(Deserted, AHostRefusesWhatNobodyOnItTakes) {
  for (const unsigned management_class : {0x03u, 0x32u, 0x4fu}) {
    for (const auto method : {mad::Method::Get, mad::Method::Set}) {
      const auto heard = ask(management_class, method);
      ASSERT_EQ(heard.size(), 1u) << management_class;
      EXPECT_EQ(heard[0].header.method, mad::Method::GetResp);
      EXPECT_EQ(heard[0].header.status, mad::kStatusBadMethodAttribute);
      EXPECT_EQ(heard[0].header.transaction_id, mad::TransactionId{77});
    }
  }
  EXPECT_TRUE(ask(0x32, mad::Method::Send).empty()) << "which wants no answer";
}

TEST_F(Deserted, AFrozenHostIsSilent) {
  host.change(
      [this](sim::World& world) { world.silence(world.devices().lines[second].node, true); });
  EXPECT_TRUE(ask(0x32, mad::Method::Get).empty());
  host.change(
      [this](sim::World& world) { world.silence(world.devices().lines[second].node, false); });
  EXPECT_EQ(ask(0x32, mad::Method::Get).size(), 1u);
}

TEST_F(Deserted, WhereProgramsAreTheyAnswerThemselves) {
  PacketListener far;
  host.attach(second, far);
  EXPECT_TRUE(ask(0x32, mad::Method::Get).empty());
  EXPECT_EQ(far.heard.size(), 1u);
  host.detach(second, far);
}

TEST_F(FabricHostTest, AChangeIsFollowedByWhatComesOfIt) {
  host.change([](sim::World& world) { world.cut(0); });
  run_for(milliseconds(10));
  EXPECT_EQ(host.world().devices().lines[first()].state, mad::PortState::Down);
}

}  // namespace
}  // namespace heddle::doors
