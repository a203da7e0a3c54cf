// SPDX-License-Identifier: BSD-3-Clause
// What clients were promised outlives the manager: it dies at each of its writes, its store is
// slow, fails or hangs, and its standby takes over from what it was told.
#include "sm/memory.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "mad/port_info.hpp"
#include "mad/service_record.hpp"
#include "mad/smp.hpp"
#include "sim/checker.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/simulation/seeds.hpp"

namespace heddle::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

mad::Gid group_of(std::uint64_t number) {
  return {mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{0x1000 + number}};
}

bool ok(const sa::Reply<mad::MCMemberRecord>& reply) {
  return reply.came && reply.status() == mad::kStatusOk;
}

class Memory : public testing::Test {
 protected:
  static BoxOptions durable(sm::Options sm = {}) {
    sm.durable = true;
    BoxOptions options;
    options.sm = sm;
    return options;
  }
  // What the group's members are according to the machine's own registrations.
  static bool is_member(const sm::Core& core, const mad::Gid& mgid, const IpoibClient& client) {
    const auto text = core.registrations();
    const auto hex = [&](const mad::Gid& gid) {
      std::string digits;
      for (const std::uint64_t half : {gid.prefix.value, gid.guid.value}) {
        digits += fmt::format("{:016x}", half);
      }
      return digits;
    };
    return text.find("\nmember " + hex(mgid) + hex(client.gid())) != std::string::npos;
  }
};

TEST_F(Memory, AnAnswerWaitsForTheStoreAndAQuestionDoesNot) {
  Box box("star:4", durable());
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  box.seat().shelf().delay = milliseconds(100);
  EXPECT_FALSE(ok(clients[0].join(kIpv4Broadcast))) << "within 20 ms";
  const auto asked = clients[1].ask(mad::Method::Get, bits_of<&mad::MCMemberRecord::mgid>(),
                                    clients[1].question(kIpv4Broadcast, 0));
  EXPECT_TRUE(ok(asked));
  box.run_for(milliseconds(100));
  EXPECT_EQ(box.take_arrivals(box.world().find_endpoint("host-0002").value()).size(), 1u);
}

TEST_F(Memory, AStoreThatHangsHoldsNobodyUpForLong) {
  Box box("star:4", durable());
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  box.seat().shelf().hangs = true;
  EXPECT_FALSE(ok(clients[0].join(kIpv4Broadcast)));
  box.run_for(seconds(1));
  EXPECT_EQ(box.count<sm::MemoryFails>(), 1u);
  EXPECT_TRUE(ok(clients[1].join(kIpv4Broadcast))) << "who comes then does not wait at all";
  box.seat().shelf().hangs = false;
  box.run_for(seconds(3));
  EXPECT_EQ(box.count<sm::MemoryWhole>(), 1u);
  box.seat().die();
  box.seat().restart_from_shelf();
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_TRUE(is_member(box.core(), kIpv4Broadcast, clients[0]));
  EXPECT_TRUE(is_member(box.core(), kIpv4Broadcast, clients[1]));
}

TEST_F(Memory, AFullDiskIsToldAndCaughtUpWith) {
  Box box("star:5", durable());
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  box.seat().shelf().trouble = "database or disk is full";
  for (auto& client : clients) EXPECT_TRUE(ok(client.join(kIpv4Broadcast)));
  EXPECT_EQ(box.count<sm::MemoryFails>(), 1u) << "told once, not with every join";
  EXPECT_EQ(box.last<sm::MemoryFails>()->reason, "database or disk is full");
  box.input(sm::ResweepCommand{"to publish"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.snapshot().problems.size(), 1u);
  box.seat().shelf().trouble.clear();
  box.run_for(seconds(2));
  EXPECT_EQ(box.count<sm::MemoryWhole>(), 1u);
  box.seat().die();
  box.seat().restart_from_shelf();
  ASSERT_TRUE(box.run_until_quiet());
  for (auto& client : clients) EXPECT_TRUE(is_member(box.core(), kIpv4Broadcast, client));
}

// The manager dies with its n-th write, just before or just after it is done, for every n.
TEST_F(Memory, DyingAtAnyWriteLosesNothingThatWasPromised) {
  bool came_through = false;
  for (std::uint64_t n = 0; !came_through; ++n) {
    for (const bool done : {false, true}) {
      SCOPED_TRACE(fmt::format("write {}, {}", n, done ? "done" : "not done"));
      Box box("fat-tree:3,4", durable());
      box.seat().shelf().last_write = n;
      box.seat().shelf().last_is_done = done;
      (void)box.run_until_quiet();
      std::vector<std::pair<mad::Gid, IpoibClient>> promised;
      if (box.published()) {
        for (auto& client : clients_of(box)) {
          const auto reply = client.join(kIpv4Broadcast);
          if (ok(reply)) promised.emplace_back(kIpv4Broadcast, client);
          if (!ok(reply)) continue;
          const mad::Gid own = group_of(client.host());
          if (ok(client.create(own, reply.records[0]))) promised.emplace_back(own, client);
        }
      }
      box.run_for(milliseconds(100));
      came_through = box.seat().alive();
      if (came_through) box.seat().die();
      const bool knew_anybody = sm::recall(box.seat().shelf().records()).registrations != "";
      box.seat().restart_from_shelf();
      const sim::Quiescence quiescence(box.world());
      ASSERT_TRUE(box.run_until_quiet());
      for (const auto& [mgid, client] : promised) {
        EXPECT_TRUE(is_member(box.core(), mgid, client)) << promised.size();
      }
      EXPECT_EQ(trouble(box), "");
      if (came_through) {
        EXPECT_TRUE(knew_anybody);
        EXPECT_EQ(quiescence.sets_since(box.world()), 0u) << "nobody was asked to register anew";
        EXPECT_GT(promised.size(), 10u);
      }
    }
  }
}

TEST_F(Memory, ServicesAndLidsOutliveACrashToo) {
  Box box("star:4", durable());
  ASSERT_TRUE(box.run_until_quiet());
  auto client = clients_of(box)[0];
  mad::ServiceRecord service;
  service.service_id = 0x1234;
  service.service_gid = client.gid();
  service.service_lease = 3600;
  const auto at = box.world().find_endpoint("host-0002").value();
  constexpr auto kNames = mad::component<&mad::ServiceRecord::service_id>() |
                          mad::component<&mad::ServiceRecord::service_gid>() |
                          mad::component<&mad::ServiceRecord::service_lease>();
  auto query = sa::make_query({mad::Method::Set, 0x31, 0, kNames, {}}, service,
                              client.port_info().master_sm_lid);
  query.peer.q_key = 0x8001'0000;
  box.world().send(at, std::move(query), box.now());
  box.run_for(milliseconds(20));
  ASSERT_EQ(box.take_arrivals(at).size(), 1u);
  auto records = box.seat().shelf().records();
  for (auto& record : records) record.age = 600;  // it took ten minutes to come back
  box.seat().die();
  const auto recalled = sm::recall(records);
  EXPECT_EQ(recalled.lids, box.stored());
  box.restart(recalled.lids, recalled.registrations);
  ASSERT_TRUE(box.run_until_quiet());
  const auto text = box.core().registrations();
  const auto line = text.find("\nservice ");
  ASSERT_NE(line, std::string::npos);
  const auto lease = text.substr(line + 9 + 2 * 28, 8);
  EXPECT_LE(std::stoul(lease, nullptr, 16), 3000u);
  EXPECT_GE(std::stoul(lease, nullptr, 16), 2990u);
}

// What is remembered is what was so before another one was master.
TEST_F(Memory, IsNotBelievedWhenAnotherManagerWasMasterSince) {
  Box box("star:5", durable());
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  EXPECT_TRUE(ok(clients[2].join(kIpv4Broadcast)));
  box.seat().die();
  SeatOptions other;
  Seat& second = box.add_seat("host-0002", other);
  box.run_for(seconds(60));
  ASSERT_EQ(second.core().state(), mad::SMState::Master);
  second.die();
  box.seat().restart_from_shelf();
  box.run_for(seconds(60));
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(box.count<sm::RegistrationsLost>(), 1u);
  EXPECT_FALSE(is_member(box.core(), kIpv4Broadcast, clients[2])) << "it was asked to come again";
}

// --- a warm standby

class WarmStandby : public Memory {
 protected:
  // The second manager hears of everything that the first one has written.
  Seat& add_standby(Box& box, const BoxOptions& like, std::string_view node) {
    SeatOptions options;
    options.sm = like.sm;
    options.on_way_out = [this](mad::Datagram& leaving) { note(leaving); };
    Seat& standby = box.add_seat(node, options);
    box.seat().shelf().on_written = [&standby](const sm::Store& store) {
      standby.input(sm::Shared{store.epoch, store.whole, store.records});
    };
    return standby;
  }
  // What the standby has written, by attribute, and how many clients it has asked to come again.
  std::map<mad::AttributeId, std::uint64_t> sets_;
  std::uint64_t asked_anew_ = 0;

 private:
  void note(const mad::Datagram& leaving) {
    const auto smp = mad::decode_smp(leaving.payload);
    if (!smp || smp->method != mad::Method::Set) return;
    ++sets_[smp->attribute_id];
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    asked_anew_ += mad::decode<mad::PortInfo>(smp->data).client_reregister;
  }
};

TEST_F(WarmStandby, TakesOverWithoutAskingAnybody) {
  BoxOptions options = durable();
  options.sm.poll_interval = milliseconds(300);
  Box box("fat-tree:3,6", options);
  Seat& standby = add_standby(box, options, "host-0002");
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(20));
  ASSERT_EQ(standby.core().state(), mad::SMState::Standby);
  std::vector<IpoibClient> clients;
  for (auto& client : clients_of(box)) {
    if (client.gid().guid != box.world().port_guid(standby.endpoint())) clients.push_back(client);
  }
  for (auto& client : clients) {
    const auto reply = client.join(kIpv4Broadcast);
    ASSERT_TRUE(ok(reply));
    ASSERT_TRUE(ok(client.create(group_of(client.host()), reply.records[0])));
  }
  box.run_for(seconds(5));
  std::vector<std::uint16_t> lids;
  for (const auto& port : box.world().devices().ports) lids.push_back(port.info.lid.value);
  box.seat().die();
  box.run_for(seconds(30));
  ASSERT_EQ(standby.core().state(), mad::SMState::Master);
  for (auto& client : clients) {
    EXPECT_TRUE(is_member(standby.core(), kIpv4Broadcast, client));
    EXPECT_TRUE(is_member(standby.core(), group_of(client.host()), client));
  }
  std::vector<std::uint16_t> lids_after;
  for (const auto& port : box.world().devices().ports) lids_after.push_back(port.info.lid.value);
  EXPECT_EQ(lids, lids_after);
  EXPECT_EQ(asked_anew_, 0u);
  EXPECT_EQ(sets_.count(mad::AttributeId::LinearForwardingTable), 0u);
  EXPECT_EQ(sets_.count(mad::AttributeId::MulticastForwardingTable), 0u);
  EXPECT_GT(sets_[mad::AttributeId::PortInfo], 0u) << "every port is told who is master now";
  EXPECT_EQ(trouble_for(box, standby.endpoint()), "");
}

// Until the seat is master; how long that took.
base::Duration until_master(Box& box, const Seat& seat, base::Duration limit) {
  const auto began = box.now();
  while (seat.core().state() != mad::SMState::Master && box.now() < began + limit) {
    box.run_for(milliseconds(10));
  }
  return box.now() - began;
}

TEST_F(WarmStandby, AsksTheFabricAtOnceWhenItsPartnerIsSilent) {
  BoxOptions options = durable();  // polls every 5 s
  base::Duration took[2]{};
  for (const bool told : {false, true}) {
    Box box("star:5", options);
    Seat& standby = add_standby(box, options, "host-0002");
    ASSERT_TRUE(box.run_until_quiet());
    box.run_for(seconds(20));
    ASSERT_EQ(standby.core().state(), mad::SMState::Standby);
    box.seat().die();
    if (told) standby.input(sm::PeerSilent{});
    took[told] = until_master(box, standby, seconds(60));
    EXPECT_EQ(standby.core().state(), mad::SMState::Master);
  }
  EXPECT_GT(took[false], seconds(10));
  EXPECT_LT(took[true], seconds(7));
}

TEST_F(WarmStandby, DoesNotTakeAnOfficeBecauseTheConnectionIsCut) {
  BoxOptions options = durable();
  options.sm.poll_interval = milliseconds(300);
  Box box("star:5", options);
  Seat& standby = add_standby(box, options, "host-0002");
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(20));
  auto client = IpoibClient(box, "host-0003");
  ASSERT_TRUE(ok(client.join(kIpv4Broadcast)));
  box.seat().shelf().on_written = nullptr;
  standby.input(sm::PeerSilent{});
  box.run_for(seconds(20));
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  ASSERT_EQ(standby.core().state(), mad::SMState::Standby);
  // What is said from now on it does not hear, and so it does not believe the rest.
  ASSERT_TRUE(ok(client.leave(kIpv4Broadcast)));
  box.seat().die();
  box.run_for(seconds(30));
  ASSERT_EQ(standby.core().state(), mad::SMState::Master);
  EXPECT_FALSE(is_member(standby.core(), kIpv4Broadcast, client));
  EXPECT_GT(asked_anew_, 0u);
}

// As who was stopped for a while: it begins anew and, as the fabric has nobody else, goes on. That
// it has to ask its clients for; but only once.
TEST_F(WarmStandby, LaysItsOfficeDownForWhoeverCameLater) {
  BoxOptions options = durable();
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  auto client = IpoibClient(box, "host-0003");
  ASSERT_TRUE(ok(client.join(kIpv4Broadcast)));
  box.run_for(seconds(1));
  const auto epoch_of = [&] {
    const auto office = box.seat().shelf().facts().at("office");
    return std::stoull(office.substr(office.rfind(' ')));
  };
  const auto changes = box.count<sm::StateChanged>();
  const auto epoch = epoch_of();
  box.input(sm::Shared{epoch + 5, true, {}});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(box.count<sm::StateChanged>(), changes + 2) << "to discovering and back";
  EXPECT_FALSE(is_member(box.core(), kIpv4Broadcast, client)) << "it was asked to come again";
  ASSERT_TRUE(ok(client.join(kIpv4Broadcast)));
  box.run_for(seconds(1));
  box.input(sm::Shared{epoch + 50, true, {}});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::StateChanged>(), changes + 2);
  EXPECT_TRUE(is_member(box.core(), kIpv4Broadcast, client));
}

// Whoever was made master later does not know it.
TEST_F(WarmStandby, PromisesNothingWhenItHasBeenSucceeded) {
  Box box("star:5", durable());
  ASSERT_TRUE(box.run_until_quiet());
  IpoibClient client(box, "host-0003"), earlier(box, "host-0004");
  ASSERT_TRUE(ok(earlier.join(kIpv4Broadcast)));
  box.run_for(seconds(1));
  const auto office = box.seat().shelf().facts().at("office");
  const auto epoch = std::stoull(office.substr(office.rfind(' ')));
  box.seat().shelf().ack_not_before = base::kNever;
  EXPECT_FALSE(ok(client.join(kIpv4Broadcast))) << "it is not written";
  box.input(sm::Shared{epoch + 5, true, {}});
  box.seat().shelf().ack_not_before = {};
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(2));
  for (const auto& arrived : box.take_arrivals(box.world().find_endpoint("host-0003").value())) {
    EXPECT_FALSE(ok(sa::read_reply<mad::MCMemberRecord>(arrived)));
  }
  EXPECT_TRUE(ok(client.join(kIpv4Broadcast))) << "there is nobody else";
}

TEST_F(WarmStandby, BelievesAgainWhenItHasBeenToldAllAnew) {
  BoxOptions options = durable();
  options.sm.poll_interval = milliseconds(300);
  Box box("star:5", options);
  Seat& standby = add_standby(box, options, "host-0002");
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(20));
  standby.input(sm::PeerSilent{});
  box.run_for(seconds(5));
  auto client = IpoibClient(box, "host-0003");
  ASSERT_TRUE(ok(client.join(kIpv4Broadcast)));
  const auto office = box.seat().shelf().facts().at("office");
  const auto epoch = std::stoull(office.substr(office.rfind(' ')));
  standby.input(sm::Shared{epoch, true, box.seat().shelf().records()});
  box.seat().die();
  box.run_for(seconds(30));
  ASSERT_EQ(standby.core().state(), mad::SMState::Master);
  EXPECT_TRUE(is_member(standby.core(), kIpv4Broadcast, client));
  EXPECT_EQ(asked_anew_, 0u);
}

// Joins and leaves at random, and the master dies at any moment, in a sweep or out of one; its
// store and the way to the standby take their time.
TEST_F(WarmStandby, HasAllThatWasPromisedWheneverTheMasterDies) {
  const Seeds these = seeds(40);
  for (std::uint64_t seed = these.first; seed != these.end; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    base::Prng prng(seed);
    BoxOptions options = durable();
    options.sm.poll_interval = milliseconds(300);
    options.sm.sweep_interval = seconds(2);
    Box box(seed % 2 == 0 ? "star:7" : "fat-tree:3,4", options);
    asked_anew_ = 0;
    Seat& standby = add_standby(box, options, "host-0002");
    ASSERT_TRUE(box.run_until_quiet());
    box.run_for(seconds(10));
    ASSERT_EQ(standby.core().state(), mad::SMState::Standby);
    box.seat().shelf().delay = milliseconds(prng.below(30));
    box.seat().shelf().last_write = box.seat().shelf().writes() + prng.below(25);
    box.seat().shelf().last_is_done = prng.below(2) == 0;
    std::vector<IpoibClient> clients;
    for (auto& client : clients_of(box)) {
      if (client.gid().guid != box.world().port_guid(standby.endpoint())) clients.push_back(client);
    }
    std::map<std::uint32_t, bool> promised;  // by host
    std::map<std::uint32_t, bool> unknown;   // asked, and not answered
    for (int step = 0; step < 40 && box.seat().alive(); ++step) {
      auto& client = clients[prng.below(clients.size())];
      if (prng.below(6) == 0) box.input(sm::ResweepCommand{"at random"});
      const bool joins = !promised[client.host()];
      const auto reply = joins ? client.join(kIpv4Broadcast) : client.leave(kIpv4Broadcast);
      if (ok(reply)) {
        promised[client.host()] = joins;
      } else {
        unknown[client.host()] = true;
        break;
      }
    }
    box.seat().die();
    standby.input(sm::PeerSilent{});
    until_master(box, standby, seconds(30));
    box.run_for(seconds(5));
    ASSERT_EQ(standby.core().state(), mad::SMState::Master);
    for (auto& client : clients) {
      if (unknown.count(client.host()) != 0) continue;
      EXPECT_EQ(is_member(standby.core(), kIpv4Broadcast, client), promised[client.host()]);
    }
    EXPECT_EQ(asked_anew_, 0u);
    EXPECT_EQ(trouble_for(box, standby.endpoint()), "");
  }
}

// A master whose own link is down keeps its office until it meets another one, and has no view of
// the fabric meanwhile. What was registered goes with the office all the same.
TEST_F(Memory, WhoeverGivesTheOfficeAwayBlindlyKeepsNoRegistrations) {
  Box box("star:4");
  ASSERT_TRUE(box.run_until_quiet());
  IpoibClient client(box, "host-0003");
  ASSERT_TRUE(ok(client.join(kIpv4Broadcast)));
  box.world().cut(cable(box, "host-0001", 1));
  box.run_for(seconds(30));
  ASSERT_EQ(box.core().state(), mad::SMState::Master);
  SeatOptions rival;
  rival.sm.priority = 15;
  Seat& other = box.add_seat("host-0002", rival);
  box.run_for(seconds(30));
  ASSERT_EQ(other.core().state(), mad::SMState::Master);
  box.world().restore(cable(box, "host-0001", 1));
  box.run_for(seconds(60));
  ASSERT_EQ(box.core().state(), mad::SMState::Standby);
  other.die();
  box.run_for(seconds(60));
  ASSERT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_FALSE(is_member(box.core(), kIpv4Broadcast, client)) << "it was asked to come again";
  EXPECT_TRUE(ok(client.join(kIpv4Broadcast))) << "there is a broadcast group";
}

}  // namespace
}  // namespace heddle::test
