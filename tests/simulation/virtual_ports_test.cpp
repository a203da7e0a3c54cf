// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports of a simulated fabric under our subnet manager: judged by what stands in the
// devices and by packets that get through.
#include "sim/virtual_ports.hpp"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "mad/path_record.hpp"
#include "mad/virtualization.hpp"
#include "partitions/language.hpp"
#include "sim/checker.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/simulation/seeds.hpp"
#include "tests/simulation/virtual_judging.hpp"

namespace heddle::test {
namespace {

using mad::Guid;
using mad::PortState;
using std::chrono::milliseconds;
using std::chrono::seconds;

class VirtualClient {
 public:
  VirtualClient(Box& box, const std::string& host, std::uint16_t index)
      : box_(box), host_(host), index_(index), at_(box.world().find_endpoint(host).value()) {}

  mad::Gid gid() const { return {mad::kDefaultGidPrefix, guid_of(box_, host_, index_)}; }

  template <class T>
  sa::Reply<T> ask(mad::Method method, std::uint16_t attribute, std::uint64_t mask,
                   const T& record) {
    const auto info =
        mad::decode<mad::PortInfo>(box_.world().look(at_, mad::AttributeId::PortInfo, 0).value());
    auto query = sa::make_query({method, attribute, 0, mask, {}}, record, info.master_sm_lid);
    query.peer.q_key = 0x8001'0000;
    query.peer.global_route = mad::GlobalRoute{};
    query.peer.global_route->remote = {mad::kDefaultGidPrefix,
                                       box_.world().port_guid(box_.endpoint())};
    query.peer.global_route->gid_index = static_cast<std::uint8_t>(info.guid_cap + index_ - 1);
    box_.take_arrivals(at_);
    box_.world().send(at_, std::move(query), box_.now());
    box_.run_for(milliseconds(20));
    for (const auto& arrived : box_.take_arrivals(at_)) {
      if (arrived.payload[3] != static_cast<std::byte>(mad::Method::Report)) {
        return sa::read_reply<T>(arrived);
      }
    }
    return {};
  }
  sa::Reply<mad::PathRecord> path_to(const mad::Gid& to) {
    mad::PathRecord wanted;
    wanted.sgid = gid();
    wanted.dgid = to;
    wanted.numb_path = 1;
    return ask(
        mad::Method::Get, 0x35,
        bits_of<&mad::PathRecord::sgid, &mad::PathRecord::dgid, &mad::PathRecord::numb_path>(),
        wanted);
  }
  sa::Reply<mad::MCMemberRecord> join(const mad::Gid& mgid, mad::PKey key) {
    mad::MCMemberRecord record;
    record.mgid = mgid;
    record.port_gid = gid();
    record.p_key = key;
    record.join_state = kFull;
    return ask(mad::Method::Set, 0x38, IpoibClient::kJoin, record);
  }

 private:
  Box& box_;
  std::string host_;
  std::uint16_t index_;
  sim::EndpointId at_;
};

TEST(VirtualPorts, ComeUpWithTheirPortsAndAreLeftInPeace) {
  Box box("star:5,vports=3");
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(virtual_trouble(box), "");
  EXPECT_TRUE(box.snapshot().problems.empty());
  for (const auto& vport : behind(box, "host-0003").ports) {
    EXPECT_EQ(vport.lid, mad::kNoLid) << "it shares its port's";
    EXPECT_EQ(vport.reregistrations, 0u) << "whoever comes up registers anyway";
  }
  EXPECT_EQ(sets_during(box, [&] { box.run_for(seconds(60)); }), 0u);
  box.input(sm::ResweepCommand{"to see that nothing is written"});
  EXPECT_EQ(sets_during(box, [&] { ASSERT_TRUE(box.run_until_quiet()); }), 0u);
}

TEST(VirtualPorts, AreNobodysBusinessWhenTheOperatorSaysSo) {
  BoxOptions options;
  options.sm.virtualization = false;
  Box box("star:5,vports=3", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_FALSE(behind(box, "host-0003").enabled);
}

TEST(VirtualPorts, OfAShadowStayAsTheyAre) {
  BoxOptions options;
  options.sm.shadow = true;
  Box box("star:5,vports=3", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.world().counters().sets, 0u);
  ASSERT_TRUE(box.snapshot().shadow);
  EXPECT_EQ(box.snapshot().shadow->writes.count(mad::AttributeId::VirtualizationInfo), 1u);
}

// LIDs that nobody else has, to which every switch knows a way: sim/checker.hpp judges.
TEST(VirtualPorts, ThatWantLidsOfTheirOwnGetThemAndKeepThemOverRestarts) {
  for (const char* fabric : {"fat-tree:3,4,vports=2,vport-lids=1", "pair:vports=2,vport-lids=1",
                             "torus:3x3,hosts=1,vports=1,vport-lids=1"}) {
    SCOPED_TRACE(fabric);
    BoxOptions options;
    options.sm.lmc = 1;
    Box box(fabric, options);
    ASSERT_TRUE(box.run_until_quiet());
    EXPECT_EQ(virtual_trouble(box), "");
    const auto lids = own_lids(box);
    for (const bool with_memory : {true, false}) {
      const auto remembered = box.stored();
      box.restart(with_memory ? remembered : std::vector<sm::RememberedLids>{});
      ASSERT_TRUE(box.run_until_quiet());
      EXPECT_EQ(own_lids(box), lids);
      EXPECT_EQ(virtual_trouble(box), "");
    }
    const auto remembered = box.stored();
    for (const auto& [guid, lid] : lids) {
      EXPECT_EQ(std::count(remembered.begin(), remembered.end(), sm::RememberedLids{guid, lid, 0}),
                1);
    }
  }
}

// Eight LIDs, and a port that comes when they are all given out.
TEST(VirtualPorts, GiveTheirLidsUpForPorts) {
  auto blueprint = fabric("star:4,vports=2,vport-lids=1");
  ASSERT_EQ(blueprint.nodes[0].type, mad::NodeType::Switch);
  blueprint.nodes[0].linear_fdb_cap = 9;
  Box box(std::move(blueprint), {});
  const auto late = cable(box, "host-0004", 1);
  box.world().cut(late);
  ASSERT_TRUE(box.run_until_quiet());
  const auto without_lid = [&] {
    std::size_t count = 0;
    for (const char* host : {"host-0001", "host-0002", "host-0003"}) {
      for (const auto& vport : behind(box, host).ports) {
        count += vport.state == PortState::Active ? 0 : 1;
      }
    }
    return count;
  };
  EXPECT_EQ(without_lid(), 2u);
  EXPECT_EQ(trouble_elsewhere(box, {"host-0004"}), "");
  ASSERT_GE(box.count<sm::LidsExhausted>(), 1u);
  EXPECT_NE(box.last<sm::LidsExhausted>()->port.node.description.find("virtual port"),
            std::string::npos);
  box.world().restore(late);
  box.run_for(seconds(5));
  EXPECT_EQ(trouble(box), "") << "no LID is used twice";
  EXPECT_EQ(state(box, "host-0004", 1), PortState::Active);
  EXPECT_EQ(without_lid(), 3u);
  const auto& problems = box.snapshot().problems;
  EXPECT_EQ(std::count_if(problems.begin(), problems.end(),
                          [](const std::string& problem) {
                            return problem.find("and 4 more virtual ports") != std::string::npos;
                          }),
            1)
      << testing::PrintToString(problems);
  EXPECT_EQ(sets_during(box, [&] { box.run_for(seconds(60)); }), 0u);
  box.input(sm::ResweepCommand{"to see that nothing is written"});
  EXPECT_EQ(sets_during(box, [&] { ASSERT_TRUE(box.run_until_quiet()); }), 0u);
}

TEST(VirtualPorts, KeepLidsAndWaysWhenAnotherManagerTakesOver) {
  Box box("fat-tree:3,4,vports=2,vport-lids=1");
  ASSERT_TRUE(box.run_until_quiet());
  Seat& other = box.add_seat("host-0004", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto lids = own_lids(box);
  const auto before = table(box, "leaf-2");
  box.seat().die();
  box.run_for(seconds(60));
  ASSERT_EQ(other.core().state(), mad::SMState::Master);
  EXPECT_EQ(own_lids(box), lids);
  EXPECT_EQ(table(box, "leaf-2"), before);
  EXPECT_EQ(trouble_for(box, other.endpoint()), "");
}

TEST(VirtualPorts, ComeAndGoWhileTheFabricRuns) {
  for (const bool traps : {true, false}) {
    SCOPED_TRACE(traps ? "told by a trap" : "found by a light sweep");
    BoxOptions options;
    options.world.traps = traps;
    Box box("fat-tree:3,4,vports=2,vport-lids=1", options);
    ASSERT_TRUE(box.run_until_quiet());
    const auto lids = own_lids(box);
    const std::uint32_t host = node(box, "host-0005");
    const auto sweeps = box.count<sm::RoutesChosen>();
    ASSERT_FALSE(box.world().set_virtual_ports(host, 1, 5, true).has_error());
    box.run_for(seconds(traps ? 2 : 15));
    EXPECT_EQ(virtual_trouble(box), "");
    EXPECT_EQ(own_lids(box).size(), lids.size() + 3);
    EXPECT_EQ(box.count<sm::RoutesChosen>(), sweeps + 1);
    const auto more = own_lids(box);
    ASSERT_FALSE(box.world().set_virtual_ports(host, 1, 0, true).has_error());
    box.run_for(seconds(traps ? 2 : 15));
    EXPECT_EQ(virtual_trouble(box), "");
    ASSERT_FALSE(box.world().set_virtual_ports(host, 1, 5, true).has_error());
    box.run_for(seconds(traps ? 2 : 15));
    EXPECT_EQ(virtual_trouble(box), "");
    EXPECT_EQ(own_lids(box), more) << "LIDs are remembered by GUID";
    EXPECT_EQ(sets_during(box, [&] { box.run_for(seconds(60)); }), 0u);
  }
}

TEST(VirtualPorts, OfAnAdapterThatHadNoneAreFoundToo) {
  Box box("star:5");
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_FALSE(box.world().set_virtual_ports(node(box, "host-0003"), 1, 2, true).has_error());
  box.run_for(seconds(2));
  EXPECT_EQ(virtual_trouble(box), "");
  EXPECT_EQ(own_lids(box).size(), 2u);
}

TEST(VirtualPorts, OfAHostThatRestartsOrIsSilentForAWhileKeepTheirLids) {
  BoxOptions options;
  options.sm.partitions = policy("Default=0x7fff: ALL=full; V=5: ALL_VCAS=full;");
  Box box("star:5,vports=2,vport-lids=1", options);
  ASSERT_TRUE(box.run_until_quiet());
  const auto lids = own_lids(box);
  box.world().power_off(node(box, "host-0004"));
  box.run_for(seconds(30));
  box.world().power_on(node(box, "host-0004"));
  box.run_for(seconds(30));
  EXPECT_EQ(virtual_trouble(box), "");
  EXPECT_EQ(own_lids(box), lids);
  for (const auto& vport : behind(box, "host-0004").ports)
    EXPECT_EQ(keys_of(vport).count(0x8005), 1u);
  box.world().silence(node(box, "host-0003"), true);
  box.input(sm::ResweepCommand{"somebody is silent"});
  box.run_for(seconds(10));
  box.world().silence(node(box, "host-0003"), false);
  box.run_for(seconds(60));
  EXPECT_EQ(virtual_trouble(box), "");
  EXPECT_EQ(own_lids(box), lids);
}

TEST(VirtualPorts, HoldTheKeysThatThePolicyGivesTheirGuids) {
  Box plain("star:5,vports=3");
  const std::string first = fmt::format("{:#x}", guid_of(plain, "host-0002", 1).value);
  BoxOptions options;
  options.sm.partitions = policy("Default=0x7fff: ALL=limited, SELF=full; A=1: " + first +
                                 "=full; B=2: ALL_VCAS=full; C=3: ALL_CAS=full; D=4: ALL=full;");
  options.sm.partition_enforcement = partitions::Enforcement::Both;
  Box box("star:5,vports=3", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(virtual_trouble(box), "");
  const auto& all = behind(box, "host-0002").ports;
  using Keys = std::set<std::uint16_t>;
  EXPECT_EQ(keys_of(all[0]), (Keys{0x7FFF, 0x8001, 0x8002, 0x8004}));
  EXPECT_EQ(keys_of(all[1]), (Keys{0x7FFF, 0x8002, 0x8004})) << "it is no CA of its own";
  // The switch lets through what any of them may send.
  const sim::Devices& devices = box.world().devices();
  const auto peer = devices.lines[port_of(box, "host-0002")].peer;
  Keys at_switch;
  for (const auto& [block, data] : devices.ports[peer].tables->p_keys) {
    for (const mad::PKey key : mad::decode<mad::PKeyTable>(data).p_keys) {
      if (key != mad::PKey{}) at_switch.insert(key.value);
    }
  }
  EXPECT_EQ(at_switch, (Keys{0xFFFF, 0x8001, 0x8002, 0x8003, 0x8004}));
  EXPECT_TRUE(devices.ports[peer].info.partition_enforcement_inbound);
  // A policy that changes reaches those that are up.
  options.sm.partitions = policy("Default=0x7fff: ALL=full; E=9: " + first + "=full;");
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(options.sm)});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(keys_of(behind(box, "host-0002").ports[0]), (Keys{0xFFFF, 0x8009}));
  EXPECT_EQ(keys_of(behind(box, "host-0002").ports[1]), Keys{0xFFFF});
}

TEST(VirtualPorts, AskForPathsByTheirGids) {
  Box box("star:5,vports=2");
  ASSERT_TRUE(box.run_until_quiet());
  VirtualClient a(box, "host-0002", 1), b(box, "host-0004", 2);
  const auto shared = a.path_to(b.gid());
  ASSERT_EQ(shared.records.size(), 1u);
  EXPECT_EQ(shared.records[0].dlid, registers(box, "host-0004", 1).lid);
  EXPECT_EQ(shared.records[0].sgid, a.gid());
  EXPECT_EQ(shared.records[0].dgid, b.gid());
  EXPECT_EQ(shared.records[0].hop_limit, 2) << "without a GRH nobody finds it";
  ASSERT_FALSE(box.world().set_virtual_ports(node(box, "host-0003"), 1, 0, true).has_error());
  box.run_for(seconds(2));
  ASSERT_FALSE(box.world().set_virtual_ports(node(box, "host-0003"), 1, 2, true).has_error());
  box.run_for(seconds(2));
  VirtualClient own(box, "host-0003", 2);
  const auto path = own.path_to(own.gid());
  ASSERT_EQ(path.records.size(), 1u);
  EXPECT_EQ(path.records[0].dlid, behind(box, "host-0003").ports[1].lid);
  EXPECT_EQ(path.records[0].hop_limit, 0);
  EXPECT_EQ(own.path_to(b.gid()).records.at(0).hop_limit, 2);
  const mad::Gid nobody{mad::kDefaultGidPrefix, Guid{0xDEAD}};
  EXPECT_EQ(a.path_to(nobody).status(), mad::kSAReqInvalidGid);
}

TEST(VirtualPorts, TalkThroughTheirOwnPartitionsOnly) {
  Box plain("star:5,vports=2");
  const auto name = [&](const char* host, std::uint16_t index) {
    return fmt::format("{:#x}", guid_of(plain, host, index).value);
  };
  BoxOptions options;
  options.sm.partitions =
      policy("Default=0x7fff: ALL=limited, SELF=full; Red=1: " + name("host-0002", 1) + "=full, " +
             name("host-0004", 1) + "=full; Blue=2: " + name("host-0002", 2) + "=full, " +
             name("host-0004", 2) + "=full;");
  options.sm.partition_enforcement = partitions::Enforcement::Both;
  Box box("star:5,vports=2", options);
  ASSERT_TRUE(box.run_until_quiet());
  VirtualClient red(box, "host-0002", 1), blue(box, "host-0002", 2);
  VirtualClient other_red(box, "host-0004", 1), other_blue(box, "host-0004", 2);
  EXPECT_EQ(red.path_to(other_red.gid()).records.at(0).p_key, mad::PKey{0x8001});
  EXPECT_EQ(blue.path_to(other_blue.gid()).records.at(0).p_key, mad::PKey{0x8002});
  EXPECT_TRUE(red.path_to(other_blue.gid()).records.empty());
  EXPECT_TRUE(red.path_to(blue.gid()).records.empty()) << "on one host all the same";
  EXPECT_TRUE(red.path_to({mad::kDefaultGidPrefix, guid_of(box, "host-0004", 0)}).records.empty());
}

TEST(VirtualPorts, JoinGroupsEachForItself) {
  Box box("star:5,vports=2");
  ASSERT_TRUE(box.run_until_quiet());
  VirtualClient one(box, "host-0002", 1), two(box, "host-0002", 2);
  ASSERT_EQ(one.join(kIpv4Broadcast, mad::PKey{0xFFFF}).status(), mad::kStatusOk);
  ASSERT_EQ(two.join(kIpv4Broadcast, mad::PKey{0xFFFF}).status(), mad::kStatusOk);
  const auto member = [&](std::uint16_t index) {
    return box.core().registrations().find(
               fmt::format("{:016x}", guid_of(box, "host-0002", index).value)) != std::string::npos;
  };
  EXPECT_TRUE(member(1));
  EXPECT_TRUE(member(2));
  ASSERT_FALSE(box.world().set_virtual_ports(node(box, "host-0002"), 1, 1, false).has_error());
  box.run_for(seconds(2));
  EXPECT_TRUE(member(1));
  EXPECT_FALSE(member(2)) << "it is gone, and its membership with it";
}

TEST(VirtualPorts, WithAGuidThatSomebodyElseHasAreLeftAlone) {
  Box box("star:5,vports=1");
  ASSERT_TRUE(box.run_until_quiet());
  sim::Blueprint blueprint = fabric("star:5,vports=1");
  // A port with the GUID of another's virtual port.
  planned(blueprint, "host-0005").guid = Guid{guid_of(box, "host-0003", 1).value - 1};
  BoxOptions options;
  Box twins(std::move(blueprint), options);
  ASSERT_TRUE(twins.run_until_quiet());
  EXPECT_EQ(trouble(twins), "");
  const bool clash = twins.world().port_guid(twins.world().find_endpoint("host-0005").value()) ==
                     guid_of(twins, "host-0003", 1);
  ASSERT_TRUE(clash) << "or this test says nothing";
  EXPECT_EQ(behind(twins, "host-0003").ports[0].state, PortState::Init);
  EXPECT_EQ(twins.snapshot().problems.size(), 1u);
}

class VirtualChaos : public testing::TestWithParam<std::uint64_t> {};

// They come and go, with links, hosts and the manager itself.
TEST_P(VirtualChaos, EndsWithAllOfThemRight) {
  base::Prng prng(GetParam());
  constexpr const char* kFabrics[] = {"star:6", "fat-tree:3,4", "ring:4,hosts=2",
                                      "dragonfly:2,2,1"};
  const std::string chosen = std::string(kFabrics[prng.below(std::size(kFabrics))]) +
                             ",vports=" + std::to_string(1 + prng.below(4)) +
                             (prng.chance(0.5) ? ",vport-lids=1" : "");
  BoxOptions options;
  options.world.seed = GetParam();
  options.world.traps = prng.chance(0.7);
  options.world.loss = prng.chance(0.3) ? 0.01 : 0;
  options.sm.lmc = static_cast<std::uint8_t>(prng.below(2));
  options.sm.routing.engines = {prng.chance(0.5) ? "auto" : "minhop"};
  options.sm.partitions = policy("Default=0x7fff: ALL=full; V=5: ALL_VCAS=full; A=6: ALL=limited;");
  SCOPED_TRACE(chosen);
  Box box(chosen, options);
  const sim::Devices& devices = box.world().devices();
  const auto any_host = [&] {
    for (;;) {
      const auto at = static_cast<std::uint32_t>(prng.below(devices.nodes.size()));
      if (!devices.is_switch(at) && at != devices.lines[box.endpoint()].node) return at;
    }
  };
  const auto any_cable = [&] {
    return static_cast<std::uint32_t>(prng.below(devices.cables.size()));
  };
  for (unsigned faults = 0; faults < 25; ++faults) {
    switch (prng.below(7)) {
      case 0:
        box.world().cut(any_cable());
        break;
      case 1:
        box.world().restore(any_cable());
        break;
      case 2: {
        const auto host = any_host();
        box.world().power_off(host);
        box.world().power_on(host);
        break;
      }
      case 3:
        box.restart(prng.chance(0.5) ? box.stored() : std::vector<sm::RememberedLids>{});
        break;
      default:
        ASSERT_FALSE(box.world()
                         .set_virtual_ports(any_host(), 1,
                                            static_cast<std::uint16_t>(prng.below(6)),
                                            prng.chance(0.5))
                         .has_error());
    }
    box.run_for(prng.chance(0.6) ? base::Duration(milliseconds(prng.below(4)))
                                 : base::Duration(milliseconds(prng.below(12000))));
  }
  for (std::uint32_t cable = 0; cable < devices.cables.size(); ++cable) box.world().restore(cable);
  box.run_for(seconds(120));
  EXPECT_EQ(virtual_trouble(box), "");
  for (sim::PortIndex port = 0; port < devices.ports.size(); ++port) {
    const auto& all = devices.ports[port].virtual_ports;
    if (!all || devices.lines[port].state != PortState::Active) continue;
    for (const auto& vport : all->ports) {
      EXPECT_EQ(keys_of(vport), (std::set<std::uint16_t>{0xFFFF, 0x8005, 0x0006}));
    }
  }
  if (options.world.loss == 0) {
    EXPECT_EQ(sets_during(box, [&] { box.run_for(seconds(60)); }), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, VirtualChaos, testing::Range(seeds(30).first, seeds(30).end));

}  // namespace
}  // namespace heddle::test
