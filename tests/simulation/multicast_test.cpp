// SPDX-License-Identifier: BSD-3-Clause
// Groups live: hosts join and leave over the fabric, and packets are followed through the switches'
// own tables. Every member must be reached once, and nobody else.
#include <bit>
#include <chrono>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/multicast_forwarding_table_record.hpp"
#include "sim/checker.hpp"
#include "sim/walker.hpp"
#include "tests/simulation/ipoib_client.hpp"

namespace heddle::test {
namespace {

using mad::Method;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr mad::Gid kAllHosts{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{1}};

class Multicast : public testing::Test {
 protected:
  // What is wrong with the group when these, and no others, are its members.
  static std::string trouble_with(Box& box, mad::Lid mlid,
                                  const std::vector<const IpoibClient*>& members) {
    std::set<sim::PortIndex> expected;
    for (const auto* member : members) expected.insert(member->port());
    for (const sim::PortIndex from : expected) {
      const auto spread = sim::spread(box.world().devices(), from, {mlid});
      if (!spread.twice.empty()) return "a member got a packet twice";
      if (!spread.loops.empty()) return "a packet went round in a circle";
      std::set<sim::PortIndex> reached(spread.reached.begin(), spread.reached.end());
      reached.insert(from);
      if (reached != expected) {
        return fmt::format("from {}: {} reached of {}", sim::describe(box.world().devices(), from),
                           reached.size(), expected.size());
      }
    }
    return "";
  }
};

// Bits in the multicast tables of the switches.
std::size_t entries(Box& box) {
  std::size_t bits = 0;
  for (const auto& at : box.world().devices().switches) {
    for (const auto& [where, block] : at.multicast) {
      for (const std::byte byte : block)
        bits += static_cast<std::size_t>(std::popcount(std::to_integer<unsigned>(byte)));
    }
  }
  return bits;
}

// What the SA tells of a switch's table, as other words than zeros.
std::size_t told_entries(Box& box, const IpoibClient& asker, const std::string& name) {
  using Record = mad::MulticastForwardingTableRecord;
  const auto host = box.world().find_endpoint("host-0003").value();
  Record wanted;
  wanted.lid = registers(box, name, 0).lid;
  auto query =
      sa::make_query(sa::Question{mad::Method::GetTable, 0x17, 0, mad::component<&Record::lid>()},
                     wanted, asker.port_info().master_sm_lid);
  query.peer.q_key = 0x8001'0000;
  box.take_arrivals(host);
  box.world().send(host, std::move(query), box.now());
  box.run_for(milliseconds(20));
  std::size_t found = 0;
  for (const auto& arrived : box.take_arrivals(host)) {
    for (const auto& record : sa::read_reply<Record>(arrived).records) {
      for (const auto mask : record.table.port_masks) found += mask != 0 ? 1 : 0;
    }
  }
  return found;
}

// The ring is closed, a switch that was away is there again, and the engine may not route that: the
// tables are still those of the switches that have them.
TEST_F(Multicast, TablesAreToldOfTheirOwnSwitchesAfterASweepThatFailed) {
  BoxOptions options;
  options.sm.routing.engines = {"minhop"};
  options.sm.routing.fallback = false;
  Box box("ring:6", options);
  box.world().cut(cable(box, "switch-2", 2));
  box.world().cut(cable(box, "switch-2", 3));
  ASSERT_TRUE(box.run_until_quiet());
  IpoibClient near(box, "host-0003"), far(box, "host-0004");
  ASSERT_EQ(near.join(kIpv4Broadcast).status(), mad::kStatusOk);
  ASSERT_EQ(far.join(kIpv4Broadcast).status(), mad::kStatusOk);
  box.run_for(seconds(1));
  const std::size_t all = told_entries(box, near, "switch-3") + told_entries(box, near, "switch-4");
  EXPECT_GT(all, 0u);
  EXPECT_EQ(told_entries(box, near, "switch-5"), 0u);
  box.world().restore(cable(box, "switch-2", 2));
  box.world().restore(cable(box, "switch-2", 3));
  box.run_for(seconds(30));
  ASSERT_GE(box.count<sm::RoutingFailed>(), 1u);
  EXPECT_EQ(told_entries(box, near, "switch-3") + told_entries(box, near, "switch-4"), all);
  EXPECT_EQ(told_entries(box, near, "switch-5"), 0u);
  EXPECT_EQ(told_entries(box, near, "switch-2"), 0u);
}

// Each change of a tree has all of it proven, so what comes soon after one waits for more.
TEST_F(Multicast, ChangesOfAStormAreMadeTogether) {
  constexpr std::size_t kHosts = 64;
  Box box(fmt::format("star:{}", kHosts + 1));
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients.size(), kHosts);
  const auto sets = [&] { return box.world().counters().sets; };
  // One that comes alone is not kept waiting.
  const auto before = sets();
  const auto first = clients[0].join(kIpv4Broadcast);
  ASSERT_EQ(first.status(), mad::kStatusOk);
  const mad::Lid mlid = first.records.at(0).mlid;
  ASSERT_EQ(clients[1].join(kIpv4Broadcast).status(), mad::kStatusOk);
  EXPECT_EQ(sets() - before, 2u);
  for (std::size_t i = 2; i < kHosts; ++i) {
    clients[i].begin(kIpv4Broadcast);
    box.run_for(std::chrono::microseconds(5));
  }
  // Nothing has to happen for the last ones.
  box.run_for(milliseconds(1));
  EXPECT_LT(sets() - before, 2 + kHosts / 3);
  std::vector<const IpoibClient*> members;
  for (const auto& client : clients) members.push_back(&client);
  EXPECT_EQ(trouble_with(box, mlid, members), "");
}

// On a processor that others use a change takes longer than its trees say, and so it does where
// devices are slow.
TEST_F(Multicast, AfterALongChangeTheNextOneWaitsTwiceAsLong) {
  Box box("star:8");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusOk);
  box.world().set_agent_delay(node(box, "switch-1"), milliseconds(4));
  const auto sets = [&] { return box.world().counters().sets; };
  const auto before = sets();
  clients[1].begin(kIpv4Broadcast);
  box.run_for(milliseconds(1));
  clients[2].begin(kIpv4Broadcast);  // while the change is written
  box.run_for(milliseconds(10));
  EXPECT_EQ(sets() - before, 1u);
  box.run_for(milliseconds(10));
  EXPECT_EQ(sets() - before, 2u);
}

TEST_F(Multicast, IsSwitchedOffAndOnAgain) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusOk);
  ASSERT_EQ(clients[5].join(kIpv4Broadcast).status(), mad::kStatusOk);
  EXPECT_GT(entries(box), 0u);
  sm::Options options;
  options.multicast = false;
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  box.run_for(seconds(30));
  EXPECT_EQ(entries(box), 0u);
  EXPECT_TRUE(box.snapshot().problems.empty());
  EXPECT_TRUE(box.seat().groups()->empty());
  EXPECT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusBadMethodAttribute);
  options.multicast = true;
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  box.run_for(seconds(30));
  const auto joined = clients[0].join(kIpv4Broadcast);
  ASSERT_EQ(joined.status(), mad::kStatusOk);
  ASSERT_EQ(clients[7].join(kIpv4Broadcast).status(), mad::kStatusOk);
  EXPECT_EQ(trouble_with(box, joined.records.at(0).mlid, {&clients[0], &clients[7]}), "");
}

// Trees of a predecessor would stay while routes and cables change around them.
TEST_F(Multicast, WhoHasNoneEmptiesWhatItsPredecessorLeft) {
  SeatOptions without;
  without.sm.multicast = false;
  Box box("fat-tree:3,6");
  Seat& standby = box.add_seat("host-0003", without);
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients[4].join(kIpv4Broadcast).status(), mad::kStatusOk);
  const auto made = clients[5].join(kIpv4Broadcast);
  ASSERT_EQ(made.status(), mad::kStatusOk);
  for (std::uint64_t n = 1; n <= 100; ++n) {  // beyond the first two blocks
    const mad::Gid mgid{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{n}};
    ASSERT_EQ(clients[5].create(mgid, made.records.at(0)).status(), mad::kStatusOk);
    ASSERT_EQ(clients[4].join(mgid).status(), mad::kStatusOk);
  }
  box.run_for(seconds(20));
  const auto left = entries(box);
  EXPECT_GT(left, 100u);
  box.seat().die();
  box.run_for(seconds(60));
  ASSERT_EQ(standby.core().state(), mad::SMState::Master);
  EXPECT_EQ(entries(box), 0u) << left;
  EXPECT_TRUE(standby.snapshot().problems.empty());
  EXPECT_EQ(clients[4].join(kIpv4Broadcast).status(), mad::kStatusBadMethodAttribute);
  const sim::Quiescence quiescence(box.world());
  box.run_for(seconds(60));
  EXPECT_EQ(quiescence.sets_since(box.world()), 0u);
}

// Whoever looks at the list sees the last join within the tenth of a second.
TEST_F(Multicast, JoinsThatComeCloseTogetherAreListedTogether) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(1));
  const auto members_listed = [&] {
    std::size_t members = 0;
    for (const auto& group : *box.seat().groups()) members += group.member_count;
    return members;
  };
  auto clients = clients_of(box);
  ASSERT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusOk);
  EXPECT_EQ(members_listed(), 1u);  // alone, at once
  const auto listed = box.seat().groups();
  for (std::size_t n = 1; n < 4; ++n) {
    ASSERT_EQ(clients[n].join(kIpv4Broadcast).status(), mad::kStatusOk);  // takes 20 ms
    EXPECT_TRUE(box.seat().groups() == listed);
  }
  EXPECT_LE(box.core().deadline(), box.now() + milliseconds(50)) << "nobody would wake it";
  box.run_for(milliseconds(50));
  EXPECT_EQ(members_listed(), 4u);
}

TEST_F(Multicast, BroadcastGroupsAreThereFromTheFirstMoment) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  const auto groups = clients[0].ask(mad::Method::GetTable, 0, {});
  ASSERT_EQ(groups.status(), mad::kStatusOk);
  std::set<std::uint64_t> signatures;
  for (const auto& group : groups.records) {
    signatures.insert(group.mgid.prefix.value);
    EXPECT_EQ(group.mgid.guid.value, 0xffff'ffffu);
    EXPECT_EQ(group.q_key, 0x0b1bu);
    EXPECT_EQ(group.mtu, mad::Mtu::Bytes2048);
    EXPECT_EQ(group.port_gid, mad::Gid{});
  }
  EXPECT_EQ(signatures, (std::set<std::uint64_t>{0xff12'401b'ffff'0000, 0xff12'601b'ffff'0000}));
}

TEST_F(Multicast, EveryMemberReachesEveryOther) {
  for (const char* fabric : {"fat-tree:3,6", "ring:6,hosts=2", "torus:3x3x2", "star:5",
                             "random:switches=15,degree=5,hosts=3,seed=4"}) {
    Box box(fabric);
    ASSERT_TRUE(box.run_until_quiet());
    auto clients = clients_of(box);
    std::vector<const IpoibClient*> members;
    mad::Lid mlid{};
    for (auto& client : clients) {
      const auto reply = client.join(kIpv4Broadcast);
      ASSERT_EQ(reply.status(), mad::kStatusOk) << fabric;
      mlid = reply.records.at(0).mlid;
      EXPECT_GE(mlid, mad::kFirstMulticastLid);
      members.push_back(&client);
      EXPECT_EQ(trouble_with(box, mlid, members), "") << fabric << ", " << members.size();
    }
    while (!members.empty()) {
      const auto* leaver = members.back();
      members.pop_back();
      EXPECT_EQ(const_cast<IpoibClient*>(leaver)->leave(kIpv4Broadcast).status(), mad::kStatusOk);
      EXPECT_EQ(trouble_with(box, mlid, members), "") << fabric << ", " << members.size();
    }
  }
}

TEST_F(Multicast, AJoinWritesOnlyTheTablesOnItsWay) {
  Box box("fat-tree:6,12");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusOk);
  ASSERT_EQ(clients[1].join(kIpv4Broadcast).status(), mad::kStatusOk);
  const sim::Quiescence quiescence(box.world());
  ASSERT_EQ(clients[40].join(kIpv4Broadcast).status(), mad::kStatusOk);
  // Its leaf, a spine, and the leaf of the others.
  EXPECT_LE(quiescence.sets_since(box.world()), 3u);
  EXPECT_GE(quiescence.sets_since(box.world()), 2u);
}

TEST_F(Multicast, SendersHearNothing) {
  Box box("ring:4,hosts=2");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  const auto joined = clients[0].join(kIpv4Broadcast);
  const mad::Lid mlid = joined.records.at(0).mlid;
  ASSERT_EQ(clients[5].join(kIpv4Broadcast, kSendOnly).status(), mad::kStatusOk);
  const auto sent = sim::spread(box.world().devices(), clients[5].port(), {mlid});
  EXPECT_EQ(sent.reached, std::vector<sim::PortIndex>{clients[0].port()});
  EXPECT_FALSE(sim::is_member(box.world().devices(), clients[5].port(), mlid));
}

TEST_F(Multicast, GroupsOfClientsComeAndGo) {
  Box box("star:5");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  const auto broadcast = clients[0].join(kIpv4Broadcast);
  ASSERT_EQ(broadcast.records.size(), 1u);
  const auto made = clients[0].create(kAllHosts, broadcast.records[0]);
  ASSERT_EQ(made.status(), mad::kStatusOk);
  EXPECT_NE(made.records.at(0).mlid, broadcast.records[0].mlid);
  EXPECT_EQ(clients[1].join(kAllHosts).status(), mad::kStatusOk);
  EXPECT_EQ(clients[0].leave(kAllHosts).status(), mad::kStatusOk);
  EXPECT_EQ(clients[1].leave(kAllHosts).status(), mad::kStatusOk);
  // Gone with its last member; the broadcast group stays.
  EXPECT_NE(clients[2].join(kAllHosts).status(), mad::kStatusOk);
  EXPECT_EQ(clients[0].leave(kIpv4Broadcast).status(), mad::kStatusOk);
  EXPECT_EQ(clients[2].join(kIpv4Broadcast).status(), mad::kStatusOk);
}

TEST_F(Multicast, TreesGrowBackWhenALinkIsLost) {
  Box box("torus:3x3");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  std::vector<const IpoibClient*> members;
  mad::Lid mlid{};
  for (auto& client : clients) {
    mlid = client.join(kIpv4Broadcast).records.at(0).mlid;
    members.push_back(&client);
  }
  // Every cable between switches, one at a time.
  const auto topology = box.snapshot().topology;
  for (const auto& channel : topology.channels()) {
    if (channel.from.value > channel.to.value) continue;
    const auto name = topology.node(channel.from).description;
    const auto gone = cable(box, name, channel.out.value);
    box.world().cut(gone);
    box.input(sm::ResweepCommand{"a cable was cut"});
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_EQ(trouble_with(box, mlid, members), "") << name;
    box.world().restore(gone);
    box.input(sm::ResweepCommand{"a cable came back"});
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_EQ(trouble_with(box, mlid, members), "") << name;
  }
}

TEST_F(Multicast, SurvivesARestartInGoodOrderWithoutATraceInTheFabric) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  std::vector<const IpoibClient*> members;
  mad::Lid mlid{};
  for (auto& client : clients) {
    mlid = client.join(kIpv4Broadcast).records.at(0).mlid;
    members.push_back(&client);
  }
  box.restart(box.stored(), box.core().registrations());
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble_with(box, mlid, members), "");
  EXPECT_EQ(clients[0].leave(kIpv4Broadcast).status(), mad::kStatusOk);
}

// The sweep that was under way when somebody joined finds the own port dead: what it saw is no
// ground to write on. The join counts as soon as there is one again.
TEST_F(Multicast, AJoinOutlivesASweepThatFails) {
  Box box("star:5");
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  mad::Lid mlid{};
  for (auto& client : clients) mlid = client.join(kIpv4Broadcast).records.at(0).mlid;
  clients[0].leave(kIpv4Broadcast);
  auto rejoin =
      sa::make_query(sa::Question{Method::Set, 0x38, 0, IpoibClient::kJoin, {}},
                     clients[0].question(kIpv4Broadcast, kFull), clients[0].port_info().lid);
  const auto& topology = box.snapshot().topology;
  const auto own = topology.node(topology.node_of(box.snapshot().sm_port)).description;
  box.input(sm::ResweepCommand{"to be under way"});
  box.world().cut(cable(box, own, 1));
  box.input(sm::MadReceived{rejoin});
  box.run_for(seconds(20));
  box.world().restore(cable(box, own, 1));
  box.run_for(seconds(60));
  ASSERT_TRUE(box.run_until_quiet());
  std::vector<const IpoibClient*> members;
  for (const auto& client : clients) members.push_back(&client);
  EXPECT_EQ(trouble_with(box, mlid, members), "");
}

// It says yes, and its table is another: that is told, and not tried for ever.
TEST_F(Multicast, ASwitchThatOnlySaysYesIsFoundOut) {
  BoxOptions options;
  options.on_way_in = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::MulticastForwardingTable) return;
    datagram.payload[64] ^= std::byte{0x40};  // a port of the first MLID
  };
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  const auto sets = sets_during(box, [&] { clients[0].join(kIpv4Broadcast); });
  EXPECT_EQ(sets, 3u);
  box.input(sm::ResweepCommand{"to hear of it"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_THAT(box.snapshot().problems,
              testing::Contains(testing::HasSubstr("holds another multicast table")));
}

// A host that was away has forgotten that it is a member, and so have we.
TEST_F(Multicast, AHostThatRestartsIsAskedToJoinAgain) {
  unsigned asked = 0;
  BoxOptions options;
  options.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    const bool sets =
        smp && smp->method == mad::Method::Set && smp->attribute_id == mad::AttributeId::PortInfo;
    asked += sets && mad::decode<mad::PortInfo>(smp->data).client_reregister ? 1u : 0u;
  };
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  mad::Lid mlid{};
  for (auto& client : clients) mlid = client.join(kIpv4Broadcast).records.at(0).mlid;
  box.world().power_off(clients[2].host());
  box.run_for(seconds(30));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble_with(box, mlid, {&clients[0], &clients[1], &clients[3]}), "");
  asked = 0;
  box.world().power_on(clients[2].host());
  box.run_for(seconds(30));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(asked, 1u);
  EXPECT_EQ(clients[2].join(kIpv4Broadcast).status(), mad::kStatusOk);
  EXPECT_EQ(trouble_with(box, mlid, {&clients[0], &clients[1], &clients[2], &clients[3]}), "");
}

}  // namespace
}  // namespace heddle::test
