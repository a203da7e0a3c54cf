// SPDX-License-Identifier: BSD-3-Clause
// Who asks the SM who it is, and what becomes of two of them on one fabric.
#include "sm/election.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mad/sm_info.hpp"
#include "sim/devices.hpp"
#include "sim/walker.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using std::chrono::seconds;

// AttributeModifiers of Set(SMInfo) (IBA vol. 1, 14.4.1).
constexpr std::uint32_t kHandover = 1;
constexpr std::uint32_t kDisable = 3;
constexpr std::uint32_t kStandby = 4;

mad::Smp sm_info_request(mad::Method method) {
  mad::Smp smp;
  smp.method = method;
  smp.attribute_id = mad::AttributeId::SMInfo;
  smp.transaction_id = mad::TransactionId{0x1234'5678'9ABC'DEF0};
  return smp;
}

// From the second host of a star whose first is the SM's.
mad::Smp by_directed_route(mad::Smp smp) {
  smp.management_class = mad::ManagementClass::SubnDirectedRoute;
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  smp.hop_count = 2;
  smp.initial_path[1] = smp.initial_path[2] = mad::PortNumber{1};
  return smp;
}

class SmInfo : public testing::Test {
 protected:
  SmInfo() {
    options_.sm.priority = 9;
    options_.sm.sm_key = mad::SMKey{0x5EC2E7};
    box_ = std::make_unique<Box>("star:4", options_);
    box_->run_until_quiet();
  }
  // The answer to what the second host asks.
  std::optional<mad::Smp> ask(const mad::Smp& request, mad::Lid lid = mad::kPermissiveLid) {
    const auto asking = *box_->world().find_endpoint("host-0002");
    mad::Address peer;
    peer.lid = lid;
    box_->world().send(asking, mad::make_datagram(peer, request), box_->now());
    box_->run_for(seconds(1));
    const auto arrivals = box_->take_arrivals(asking);
    return arrivals.size() == 1 ? mad::decode_smp(arrivals[0].payload) : std::nullopt;
  }
  void expect_master(const std::optional<mad::Smp>& answer) {
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->method, mad::Method::GetResp);
    EXPECT_EQ(answer->status, mad::kStatusOk);
    EXPECT_EQ(answer->transaction_id.value, 0x1234'5678'9ABC'DEF0u);
    const auto info = mad::decode<mad::SMInfo>(answer->data);
    EXPECT_EQ(info.sm_state, mad::SMState::Master);
    EXPECT_EQ(info.priority, 9);
    EXPECT_EQ(info.guid, box_->world().port_guid(box_->endpoint()));
    EXPECT_EQ(info.sm_key, mad::SMKey{}) << "a mere question must not learn the key";
  }
  BoxOptions options_;
  std::unique_ptr<Box> box_;
};

// OpenSM believes in no manager that keeps the key to itself.
TEST_F(SmInfo, AKeyThatIsNoSecretIsTold) {
  sm::Options open = options_.sm;
  open.tell_sm_key = true;
  for (const sm::Options& options : {sm::Options{}, open}) {
    box_->input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
    const auto answer = ask(by_directed_route(sm_info_request(mad::Method::Get)));
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(mad::decode<mad::SMInfo>(answer->data).sm_key, options.sm_key);
  }
}

TEST_F(SmInfo, TheKeyIsToldToWhoShowsTheMKey) {
  sm::Options options = options_.sm;
  options.m_key = mad::MKey{0x77};
  box_->input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  auto request = by_directed_route(sm_info_request(mad::Method::Get));
  for (const bool right : {false, true}) {
    request.m_key = mad::MKey{right ? 0x77u : 0x78u};
    const auto answer = ask(request);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(mad::decode<mad::SMInfo>(answer->data).sm_key, right ? options.sm_key : mad::SMKey{});
  }
}

TEST_F(SmInfo, IsToldToWhoAsksByDirectedRoute) {
  expect_master(ask(by_directed_route(sm_info_request(mad::Method::Get))));
}

TEST_F(SmInfo, IsToldToWhoAsksByLid) {
  auto request = sm_info_request(mad::Method::Get);
  request.management_class = mad::ManagementClass::SubnLidRouted;
  expect_master(ask(request, registers(*box_, "host-0001", 1).lid));
}

TEST_F(SmInfo, AHandoverWithTheWrongKeyIsRefused) {
  auto request = by_directed_route(sm_info_request(mad::Method::Set));
  request.attribute_modifier = kHandover;
  mad::SMInfo sender;
  sender.sm_key = mad::SMKey{0xBAD};
  mad::encode(sender, std::span<std::byte, mad::kSmpDataBytes>(request.data));
  const auto answer = ask(request);
  ASSERT_TRUE(answer.has_value());
  EXPECT_NE(answer->status, mad::kStatusOk);
  EXPECT_EQ(mad::decode<mad::SMInfo>(answer->data).sm_key, mad::SMKey{});
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
  EXPECT_EQ(box_->core().sweeps_finished(), 1u);
}

// From the second host, which shows the key.
void order(Box& box, std::string_view host, std::uint32_t modifier, mad::Guid from = {}) {
  mad::Smp request = sm_info_request(mad::Method::Set);
  request.attribute_modifier = modifier;
  request.management_class = mad::ManagementClass::SubnLidRouted;
  mad::SMInfo sender;
  sender.guid = from;
  sender.sm_key = sm::Options{}.sm_key;
  mad::encode(sender, std::span<std::byte, mad::kSmpDataBytes>(request.data));
  mad::Address peer;
  peer.lid = registers(box, host, 1).lid;
  box.world().send(*box.world().find_endpoint("host-0002"), mad::make_datagram(peer, request),
                   box.now());
}

BoxOptions master_on(std::string_view node, std::uint8_t priority) {
  BoxOptions options;
  options.at = node;
  options.sm.priority = priority;
  return options;
}

// Two SMs, on the first hosts of the first and of the last leaf.
class TwoManagers : public testing::Test {
 protected:
  void start(std::uint8_t priority, std::uint8_t other_priority) {
    BoxOptions options;
    options.sm.priority = priority;
    box_ = std::make_unique<Box>("fat-tree:3,6", options);
    box_->world().set_watcher([this](const sim::Sighting& sighting) {
      if (sighting.what != sim::Sighting::What::Sent || sighting.smp == nullptr) return;
      if (sighting.smp->method == mad::Method::Set &&
          sighting.smp->attribute_id != mad::AttributeId::SMInfo) {
        ++sets_[sighting.node][sighting.smp->attribute_id];
      }
    });
    SeatOptions second;
    second.sm.priority = other_priority;
    other_ = &box_->add_seat("host-0016", second);
    ASSERT_TRUE(box_->run_until_quiet());
    box_->run_for(seconds(20));
  }
  std::uint64_t sets_of(std::string_view host) {
    std::uint64_t all = 0;
    for (const auto& [attribute, count] : sets_[node(*box_, host)]) all += count;
    return all;
  }
  std::vector<std::uint16_t> lids() {
    std::vector<std::uint16_t> all;
    for (const auto& port : box_->world().devices().ports) all.push_back(port.info.lid.value);
    return all;
  }
  static base::Duration takeover_time() {
    const sm::Options options;
    return options.poll_misses * (options.poll_interval + seconds(4));
  }

  std::unique_ptr<Box> box_;
  Seat* other_ = nullptr;
  std::map<std::uint32_t, std::map<mad::AttributeId, std::uint64_t>> sets_;
};

TEST_F(TwoManagers, OfEqualPriorityTheLowerGuidWins) {
  start(3, 3);
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
  EXPECT_EQ(other_->core().state(), mad::SMState::Standby);
  EXPECT_EQ(trouble(*box_), "");
  EXPECT_EQ(sets_of("host-0016"), 0u);
}

TEST_F(TwoManagers, TheHigherPriorityWins) {
  start(3, 4);
  EXPECT_EQ(box_->core().state(), mad::SMState::Standby);
  EXPECT_EQ(other_->core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble_for(*box_, other_->endpoint()), "");
  EXPECT_EQ(sets_of("host-0001"), 0u);
}

TEST_F(TwoManagers, AStickyMasterKeepsItsOfficeWhoeverComes) {
  BoxOptions options;
  options.sm.sticky_master = true;
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet());
  SeatOptions second;
  second.sm.priority = 15;
  Seat& late = box.add_seat("host-0016", second);
  EXPECT_EQ(sets_during(box, [&] { box.run_for(seconds(60)); }), 0u);
  EXPECT_EQ(late.core().state(), mad::SMState::Standby);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
}

// It tells of its rank as soon as it stands by, whether a light sweep is near or not.
TEST_F(TwoManagers, AStickyMasterShowsWhoStandsByWheneverItCame) {
  for (unsigned offset = 0; offset < 12; ++offset) {
    BoxOptions options;
    options.sm.sticky_master = true;
    Box box("fat-tree:3,6", options);
    ASSERT_TRUE(box.run_until_quiet());
    box.run_for(std::chrono::milliseconds(900 * offset));
    SeatOptions second;
    second.sm.priority = 15;
    box.add_seat("host-0016", second);
    box.run_for(seconds(30));
    ASSERT_EQ(box.snapshot().other_managers.size(), 1u) << offset;
    EXPECT_EQ(box.snapshot().other_managers[0].state, mad::SMState::Standby) << offset;
  }
}

// Who has no LID to tell of its rank with asks its port for one, and knows its speeds afterwards.
TEST_F(TwoManagers, OneWithoutALidAsksItsPortWithTheBitOfTheExtendedSpeeds) {
  BoxOptions options;
  options.sm.sticky_master = true;
  Box box("ring:5,lft=9", options);  // some host has no LID
  ASSERT_TRUE(box.run_until_quiet());
  std::string host;
  for (const char* name : {"host-0002", "host-0003", "host-0004", "host-0005"}) {
    if (registers(box, name, 1).lid == mad::kNoLid) host = name;
  }
  ASSERT_FALSE(host.empty());
  unsigned with = 0, without = 0;
  SeatOptions second;
  second.sm.priority = 15;
  second.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::PortInfo || smp->hop_count != 0) return;
    ++((smp->attribute_modifier & mad::kSmSupportExtendedSpeeds) != 0 ? with : without);
  };
  Seat& late = box.add_seat(host, second);
  box.run_for(seconds(10));
  ASSERT_EQ(late.core().state(), mad::SMState::Standby);
  with = without = 0;
  box.run_for(seconds(60));
  EXPECT_GT(with, 0u);
  EXPECT_EQ(without, 0u);
}

// What the last sweep found wrong stays told, whatever is looked into in vain meanwhile: what the
// newcomer tells of its rank is.
TEST_F(TwoManagers, AManagerThatIsShownTakesNoProblemAway) {
  for (unsigned offset = 0; offset < 12; ++offset) {
    BoxOptions options;
    options.sm.sticky_master = true;
    Box box("ring:5,lft=9", options);  // some host has no LID
    ASSERT_TRUE(box.run_until_quiet());
    const auto problems = box.snapshot().problems;
    ASSERT_FALSE(problems.empty());
    box.run_for(std::chrono::milliseconds(900 * offset));
    SeatOptions second;
    second.sm.priority = 15;
    Seat& late = box.add_seat("host-0002", second);
    box.run_for(seconds(30));
    EXPECT_EQ(box.snapshot().problems, problems) << offset;
    late.die();
    box.run_for(seconds(30));
    EXPECT_TRUE(box.snapshot().other_managers.empty()) << offset;
    EXPECT_EQ(box.snapshot().problems, problems) << offset;
  }
}

// A master that hears of a new manager asks it at once; not every master asks again.
TEST_F(TwoManagers, OneThatIsAskedBeforeItKnowsItsGuidAnswersWhenItDoes) {
  std::vector<mad::SMInfo> told;
  BoxOptions options;
  options.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::GetResp) return;
    if (smp->attribute_id == mad::AttributeId::SMInfo) {
      told.push_back(mad::decode<mad::SMInfo>(smp->data));
    }
  };
  Box box("fat-tree:2,4", options);
  mad::Smp request;
  request.method = mad::Method::Get;
  request.attribute_id = mad::AttributeId::SMInfo;
  for (int i = 0; i < 1000; ++i) box.input(sm::MadReceived{mad::make_datagram({}, request)});
  EXPECT_EQ(told.size(), 0u);
  box.run_for(seconds(1));
  ASSERT_GE(told.size(), 1u);
  EXPECT_LT(told.size(), 100u) << "nobody is remembered without end";
  const sim::Devices& devices = box.world().devices();
  EXPECT_EQ(told.front().guid, devices.port_guid(devices.first_endpoint(node(box, "host-0001"))));
}

// However long it hangs, it is no reason to read the whole fabric, and it is not forgotten.
TEST_F(TwoManagers, AManagerThatHangsIsAskedForUntilItAnswersAgain) {
  bool hangs = false;
  BoxOptions options;
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    const bool told =
        smp && smp->attribute_id == mad::AttributeId::SMInfo && smp->method == mad::Method::GetResp;
    if (!hangs || !told) return;
    smp->transaction_id = mad::TransactionId{~smp->transaction_id.value};  // nobody waits for it
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet());
  box.add_seat("host-0016", {});
  box.run_for(seconds(30));
  ASSERT_EQ(box.snapshot().other_managers.size(), 1u);
  const std::size_t sweeps = box.count<sm::SweepFinished>();
  hangs = true;
  box.run_for(seconds(300));
  EXPECT_TRUE(box.snapshot().other_managers.empty());
  EXPECT_EQ(box.count<sm::SweepFinished>(), sweeps);
  box.add_seat("host-0010", {});  // which hangs from its beginning
  box.run_for(seconds(100));
  EXPECT_LE(box.count<sm::SweepFinished>(), sweeps + 1) << "the look at who has come";
  hangs = false;
  box.run_for(seconds(90));
  EXPECT_EQ(box.snapshot().other_managers.size(), 2u);
  EXPECT_LE(box.count<sm::SweepFinished>(), sweeps + 1);
}

// When it comes it is discovering, and only light sweeps follow.
TEST_F(TwoManagers, TheMasterShowsHowWhoCameLaterStandsByAndThatItIsGone) {
  Box box("fat-tree:3,6", {});
  ASSERT_TRUE(box.run_until_quiet());
  Seat& late = box.add_seat("host-0016", {});
  box.run_for(seconds(30));
  ASSERT_EQ(late.core().state(), mad::SMState::Standby);
  ASSERT_EQ(box.snapshot().other_managers.size(), 1u);
  EXPECT_EQ(box.snapshot().other_managers[0].state, mad::SMState::Standby);
  const auto& managers = box.snapshot().view->subnet().managers;
  ASSERT_EQ(managers.size(), 2u);
  EXPECT_EQ(managers[1].info.sm_state, mad::SMState::Standby);
  late.die();
  box.run_for(seconds(30));
  EXPECT_TRUE(box.snapshot().other_managers.empty());
}

TEST_F(TwoManagers, OneThatStartsInactiveSleepsUntilItIsWoken) {
  SeatOptions asleep;
  asleep.sm.priority = 15;
  asleep.sm.start_inactive = true;
  BoxOptions options;
  options.sm.priority = 9;
  Box box("star:4", options);
  Seat& sleeper = box.add_seat("host-0003", asleep);
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(60));
  EXPECT_EQ(sleeper.core().state(), mad::SMState::NotActive);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  order(box, "host-0003", kStandby);
  box.run_for(seconds(60));
  EXPECT_EQ(sleeper.core().state(), mad::SMState::Master) << "it ranks higher";
  EXPECT_EQ(box.core().state(), mad::SMState::Standby);
}

// It was disabled before it could take the office; by the time it is enabled that has passed.
TEST_F(TwoManagers, AnOfficeThatWasGivenToOneThatIsDisabledIsNotTakenLater) {
  start(4, 3);
  order(*box_, "host-0016", kHandover, box_->world().port_guid(box_->endpoint()));
  order(*box_, "host-0016", kDisable);
  box_->run_for(seconds(60));
  ASSERT_EQ(other_->core().state(), mad::SMState::NotActive);
  bool took_it = false;  // if only for a moment
  other_->set_listener([&](const sm::Event& event) {
    const auto* change = std::get_if<sm::StateChanged>(&event.value);
    took_it = took_it || (change != nullptr && change->to == mad::SMState::Master);
  });
  order(*box_, "host-0016", kStandby);
  box_->run_for(seconds(60));
  EXPECT_FALSE(took_it);
  EXPECT_EQ(other_->core().state(), mad::SMState::Standby);
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
}

// Without traps of its own port, too: a standby of higher rank makes itself heard.
TEST_F(TwoManagers, OneThatRanksHigherIsGivenTheOffice) {
  start(4, 3);
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
  const auto before = lids();
  sets_.clear();
  sm::Options raised;
  raised.priority = 5;
  other_->input(sm::OptionsChanged{std::make_shared<const sm::Options>(raised)});
  box_->run_for(seconds(20));
  EXPECT_EQ(box_->core().state(), mad::SMState::Standby);
  EXPECT_EQ(other_->core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble_for(*box_, other_->endpoint()), "");
  EXPECT_EQ(lids(), before);
  auto& sets = sets_[node(*box_, "host-0016")];
  EXPECT_EQ(sets[mad::AttributeId::LinearForwardingTable], 0u);
  EXPECT_EQ(box_->count<sm::HandedOver>(), 1u);
  // And back, when it dies.
  other_->die();
  box_->run_for(takeover_time());
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble(*box_), "");
}

// Whoever takes the office and dies at once leaves it to the one that gave it.
TEST_F(TwoManagers, ASuccessorThatDiesIsSucceeded) {
  start(4, 3);
  box_->set_listener([this](const sm::Event& event) {
    if (std::holds_alternative<sm::HandedOver>(event.value)) other_->die();
  });
  sm::Options raised;
  raised.priority = 5;
  other_->input(sm::OptionsChanged{std::make_shared<const sm::Options>(raised)});
  box_->run_for(seconds(20) + takeover_time());
  EXPECT_EQ(box_->count<sm::HandedOver>(), 1u);
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble(*box_), "");
}

// Two halves of a fabric and no cable between them. The SM is on the left, with priority 3.
struct Halves {
  Halves() {
    box.world().cut(first);
    box.world().cut(second);
  }
  void join() {
    box.world().restore(first);
    box.world().restore(second);
  }

  Box box{dumbbell().finish(), master_on("left-a", 3)};
  const std::uint32_t first = cable(box, "left", 3), second = cable(box, "left", 4);
};

// Two subnets, each with its master, are joined by a cable.
TEST_F(TwoManagers, OfTwoSubnetsThatMergeOneMasterRemains) {
  for (const unsigned priority : {2u, 4u}) {
    Halves halves;
    Box& box = halves.box;
    SeatOptions right;
    right.sm.priority = static_cast<std::uint8_t>(priority);
    Seat& other = box.add_seat("right-a", right);
    ASSERT_TRUE(box.run_until_quiet());
    ASSERT_EQ(box.core().state(), mad::SMState::Master);
    ASSERT_EQ(other.core().state(), mad::SMState::Master);
    halves.join();
    box.run_for(seconds(40));
    const bool ours = priority < 3;
    EXPECT_EQ(box.core().state(), ours ? mad::SMState::Master : mad::SMState::Standby);
    EXPECT_EQ(other.core().state(), ours ? mad::SMState::Standby : mad::SMState::Master);
    EXPECT_EQ(trouble_for(box, ours ? box.endpoint() : other.endpoint()), "");
  }
}

TEST_F(TwoManagers, WhoIsNotOnTheListHasNoPartInIt) {
  BoxOptions options;
  Box probe("fat-tree:3,6", options);
  options.sm.allowed_sm_guids = {probe.world().port_guid(probe.endpoint())};
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet());
  SeatOptions second;
  second.sm.priority = 15;
  Seat& late = box.add_seat("host-0016", second);
  box.run_for(seconds(60));
  EXPECT_EQ(late.core().state(), mad::SMState::Standby);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(box.count<sm::StrangeManagerIgnored>(), 1u);
  ASSERT_EQ(box.snapshot().other_managers.size(), 1u);
  EXPECT_FALSE(box.snapshot().other_managers[0].may_take_part);
}

// It takes no orders from somebody with another key: the fabric stays in good hands, and that is
// told once.
TEST_F(TwoManagers, AnOfficeThatIsRefusedIsKept) {
  Box box("fat-tree:3,6");
  ASSERT_TRUE(box.run_until_quiet());
  SeatOptions second;
  second.sm.priority = 15;
  second.sm.sm_key = mad::SMKey{0xE15E};
  Seat& other = box.add_seat("host-0016", second);
  box.run_for(std::chrono::minutes(2));
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(other.core().state(), mad::SMState::Standby);
  EXPECT_EQ(box.count<sm::HandoverRefused>(), 1u);
  EXPECT_EQ(trouble(box), "");
  // It learns the key: the next time it is asked it accepts.
  second.sm.sm_key = sm::kPublicSMKey;
  other.input(sm::OptionsChanged{std::make_shared<const sm::Options>(second.sm)});
  box.run_for(seconds(30));
  EXPECT_EQ(box.core().state(), mad::SMState::Standby);
  EXPECT_EQ(other.core().state(), mad::SMState::Master);
}

// A rival is asked to go and dies with its node; meanwhile a trap wants a look at once.
TEST_F(TwoManagers, ALookWaitsForARivalThatWasAskedToGo) {
  Halves halves;
  Box& box = halves.box;
  Seat& rival = box.add_seat("right-a", {});
  ASSERT_TRUE(box.run_until_quiet());
  box.set_listener([&](const sm::Event& event) {
    if (!std::holds_alternative<sm::RivalMasterSeen>(event.value)) return;
    rival.die();
    box.world().silence(node(box, "right-a"), true);
  });
  halves.join();
  while (box.count<sm::RivalMasterSeen>() == 0) box.run_for(std::chrono::milliseconds(1));
  box.world().set_description(node(box, "left-b"), "renamed");
  box.run_for(seconds(2));
  box.set_listener({});
  box.world().silence(node(box, "right-a"), false);
  box.run_for(seconds(40));
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble(box), "");
}

// It ranks lower, and does not go: we wait for it as long as is decent, then say so and go on.
TEST_F(TwoManagers, ARivalThatDoesNotGoIsToldOf) {
  Halves halves;
  Box& box = halves.box;
  SeatOptions stubborn;
  const auto itself = box.world().find_endpoint("right-a").value();
  stubborn.sm.allowed_sm_guids = {box.world().port_guid(itself)};
  Seat& rival = box.add_seat("right-a", stubborn);
  ASSERT_TRUE(box.run_until_quiet());
  halves.join();
  box.run_for(std::chrono::minutes(2));
  EXPECT_EQ(rival.core().state(), mad::SMState::Master);
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_GE(box.count<sm::RivalMasterSeen>(), 1u);
  EXPECT_EQ(box.count<sm::RivalMasterStays>(), 1u);
  rival.die();
  box.input(sm::ResweepCommand{"the rival was stopped"});
  box.run_for(seconds(30));
  EXPECT_EQ(trouble(box), "");
}

TEST_F(TwoManagers, TheStandbyNoticesWithinASecondIfAsked) {
  BoxOptions options;
  options.sm.priority = 4;
  Box box("fat-tree:3,6", options);
  SeatOptions second;
  second.sm.poll_interval = std::chrono::milliseconds(200);
  Seat& other = box.add_seat("host-0016", second);
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(5));
  ASSERT_EQ(other.core().state(), mad::SMState::Standby);
  box.seat().die();
  box.run_for(seconds(2));
  EXPECT_EQ(other.core().state(), mad::SMState::Master);
}

// Five of them; whichever is master dies, until nobody is left.
TEST_F(TwoManagers, OfManyTheHighestOfThoseWhoLiveIsMaster) {
  Box box("fat-tree:3,6", master_on("", 1));
  std::vector<Seat*> seats{&box.seat()};
  for (const auto& [name, priority] : std::vector<std::pair<std::string, std::uint8_t>>{
           {"host-0004", 9}, {"host-0007", 2}, {"host-0011", 9}, {"host-0016", 5}}) {
    SeatOptions options;
    options.sm.priority = priority;
    seats.push_back(&box.add_seat(name, options));
  }
  for (const std::size_t expected : {1u, 3u, 4u, 2u, 0u}) {
    box.run_for(seconds(80));
    for (std::size_t i = 0; i < seats.size(); ++i) {
      if (seats[i] == nullptr) continue;
      EXPECT_EQ(seats[i]->core().state(),
                i == expected ? mad::SMState::Master : mad::SMState::Standby)
          << i << " of " << expected;
    }
    EXPECT_EQ(trouble_for(box, seats[expected]->endpoint()), "") << expected;
    seats[expected]->die();
    seats[expected] = nullptr;
  }
}

TEST_F(TwoManagers, TheStandbyTakesOverWithoutTouchingLidsAndTables) {
  start(4, 3);
  const auto before = lids();
  sets_.clear();
  box_->seat().die();
  box_->run_for(takeover_time());
  EXPECT_EQ(other_->core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble_for(*box_, other_->endpoint()), "");
  EXPECT_EQ(lids(), before);
  auto& sets = sets_[node(*box_, "host-0016")];
  EXPECT_EQ(sets[mad::AttributeId::LinearForwardingTable], 0u);
  EXPECT_EQ(sets[mad::AttributeId::SwitchInfo], 0u);
  EXPECT_GT(sets[mad::AttributeId::PortInfo], 0u) << "the ports must learn of the new master";
}

TEST_F(TwoManagers, TheStandbyDoesNotTrustTablesItReadLongAgo) {
  start(4, 3);
  const auto before = table(*box_, "leaf-2");
  const auto trunk = cable(*box_, "leaf-6", 4);
  box_->world().cut(trunk);
  box_->run_for(seconds(12));
  const auto round_the_cut = table(*box_, "leaf-2");
  ASSERT_NE(round_the_cut, before);
  box_->seat().die();
  box_->world().restore(trunk);
  box_->run_for(takeover_time());
  EXPECT_EQ(other_->core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble_for(*box_, other_->endpoint()), "");
  EXPECT_EQ(table(*box_, "leaf-2"), round_the_cut) << "what works is kept";
  other_->input(sm::ResweepCommand{"by hand"});
  box_->run_for(seconds(5));
  EXPECT_EQ(trouble_for(*box_, other_->endpoint()), "");
  EXPECT_EQ(table(*box_, "leaf-2"), before);
}

// Somebody writes to a switch behind the managers' backs: this LID leaves it by this port.
void tamper(Box& box, std::string_view at, mad::Lid lid, std::uint8_t out) {
  mad::Smp set;
  set.method = mad::Method::Set;
  set.management_class = mad::ManagementClass::SubnLidRouted;
  set.attribute_id = mad::AttributeId::LinearForwardingTable;
  set.attribute_modifier = static_cast<std::uint32_t>(lid.value / fabric::kLftBlockLids);
  const auto& held = table(box, at);
  for (std::size_t i = 0; i < fabric::kLftBlockLids; ++i) {
    const std::size_t entry = set.attribute_modifier * fabric::kLftBlockLids + i;
    set.data[i] = std::byte{entry == lid.value ? out : held.at(entry)};
  }
  mad::Address to;
  to.lid = registers(box, at, 0).lid;
  const auto from = *box.world().find_endpoint("host-0002");
  box.world().send(from, mad::make_datagram(to, set), box.now());
  box.run_for(std::chrono::milliseconds(100));
  ASSERT_EQ(table(box, at).at(lid.value), out);
}

// Routes of another kind than our own, and one of them broken.
TEST_F(TwoManagers, TheStandbyKeepsWhatItCanProveOfForeignRoutes) {
  for (const bool broken : {false, true}) {
    SCOPED_TRACE(broken);
    BoxOptions options;
    options.sm.priority = 4;
    options.sm.routing.engines = {"updn"};
    Box box("fat-tree:3,6", options);
    SeatOptions second;
    second.sm.routing.engines = {"ftree"};
    Seat& other = box.add_seat("host-0016", second);
    ASSERT_TRUE(box.run_until_quiet());
    box.run_for(seconds(20));
    const auto before = table(box, "leaf-2");
    box.seat().die();
    if (broken) tamper(box, "leaf-2", registers(box, "host-0001", 1).lid, 1);
    box.run_for(takeover_time());
    ASSERT_EQ(other.core().state(), mad::SMState::Master);
    EXPECT_EQ(trouble_for(box, other.endpoint()), "");
    const auto* chosen = other.last<sm::RoutesChosen>();
    ASSERT_NE(chosen, nullptr);
    EXPECT_EQ(chosen->engine, broken ? "ftree" : "standing");
    EXPECT_LE(chosen->blocks_to_write, broken ? 6u : 0u);
    const auto& after = table(box, "leaf-2");
    unsigned moved = 0;
    for (std::size_t lid = 0; lid < before.size(); ++lid) moved += before[lid] != after[lid];
    EXPECT_LE(moved, broken ? 1u : 0u);
    // It stays near them when something is lost.
    box.world().cut(cable(box, "leaf-6", 4));
    box.run_for(seconds(12));
    EXPECT_EQ(trouble_for(box, other.endpoint()), "");
    EXPECT_FALSE(other.snapshot().routes->fresh);
  }
}

// Members of groups are not known to the new master until they register again. Their packets go on
// meanwhile; who does not register is a member no longer.
TEST_F(TwoManagers, TheStandbyLeavesMulticastTreesAsTheyStand) {
  start(4, 3);
  std::vector<IpoibClient> clients;
  for (int host = 2; host <= 15; ++host)
    clients.emplace_back(*box_, fmt::format("host-{:04}", host));
  mad::Lid mlid{};
  for (auto& client : clients) mlid = client.join(kIpv4Broadcast).records.at(0).mlid;
  const auto members_reached = [&] {
    const auto spread = sim::spread(box_->world().devices(), clients[0].port(), {mlid});
    EXPECT_TRUE(spread.loops.empty() && spread.twice.empty());
    return spread.reached.size();
  };
  const auto all = members_reached();
  ASSERT_EQ(all, clients.size() - 1);
  sets_.clear();
  box_->seat().die();
  box_->run_for(takeover_time());
  ASSERT_EQ(other_->core().state(), mad::SMState::Master);
  EXPECT_EQ(members_reached(), all);
  for (std::size_t i = 0; i + 1 < clients.size(); ++i) {
    ASSERT_EQ(clients[i].join(kIpv4Broadcast).status(), mad::kStatusOk);
    EXPECT_EQ(members_reached(), all);
  }
  auto& sets = sets_[node(*box_, "host-0016")];
  EXPECT_EQ(sets[mad::AttributeId::MulticastForwardingTable], 0u);
  box_->run_for(std::chrono::minutes(6));
  EXPECT_EQ(members_reached(), all - 1);
  EXPECT_GT(sets[mad::AttributeId::MulticastForwardingTable], 0u);
}

// MulticastFDBTop is not lowered to what the new master knows of: entries above would not count.
TEST_F(TwoManagers, TheStandbyKeepsAsManyGroupsAsThereWere) {
  start(4, 3);
  IpoibClient maker(*box_, "host-0003");
  IpoibClient member(*box_, "host-0012");
  const auto broadcast = maker.join(kIpv4Broadcast).records.at(0);
  mad::Lid last{};
  for (std::uint32_t n = 1; n <= 100; ++n) {
    const mad::Gid mgid{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{n}};
    ASSERT_EQ(maker.create(mgid, broadcast).status(), mad::kStatusOk);
    last = member.join(mgid).records.at(0).mlid;
  }
  ASSERT_TRUE(box_->run_until_quiet());
  const auto reached = [&] {
    return sim::spread(box_->world().devices(), maker.port(), {last}).reached.size();
  };
  const auto lowest_top = [&] {
    std::uint16_t lowest = 0xFFFF;
    for (const auto& each : box_->world().devices().switches) {
      lowest = std::min(lowest, each.info.multicast_fdb_top);
    }
    return lowest;
  };
  ASSERT_EQ(reached(), 1u);
  ASSERT_GE(lowest_top(), last.value);
  box_->seat().die();
  std::uint16_t lowest = 0xFFFF;
  for (const auto end = box_->now() + takeover_time(); box_->now() < end;) {
    box_->run_for(std::chrono::milliseconds(100));
    lowest = std::min(lowest, lowest_top());
  }
  ASSERT_EQ(other_->core().state(), mad::SMState::Master);
  EXPECT_GE(lowest, last.value);
  EXPECT_EQ(reached(), 1u);
  box_->run_for(std::chrono::minutes(6));
  EXPECT_EQ(reached(), 0u) << "nobody has registered again";
}

TEST_F(TwoManagers, BothOnOneAdapterSeeEachOther) {
  sim::Planner plan("one adapter", {});
  const auto middle = plan.add_switch("middle");
  const auto twin = plan.add_host("twin", 2);
  plan.cable(middle, twin);
  plan.cable(middle, twin);
  plan.add_hosts(middle, 2);
  BoxOptions options;
  options.at = "twin";
  options.port = 1;
  Box box(std::move(plan).finish(), options);
  Seat& other = box.add_seat("twin", {}, 2);
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(20));
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
  EXPECT_EQ(other.core().state(), mad::SMState::Standby);
  EXPECT_EQ(trouble(box), "");
}

}  // namespace
}  // namespace heddle::test
