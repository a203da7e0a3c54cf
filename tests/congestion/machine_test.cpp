// SPDX-License-Identifier: BSD-3-Clause
// The congestion control manager and simulated agents: what is written where, how often, and what
// it makes of devices that will not.
#include "congestion/machine.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "sim/patterns.hpp"
#include "tests/congestion/stage.hpp"

namespace heddle::congestion {
namespace {

using Id = mad::CongestionAttributeId;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::CongestionStage;

Options usual() {
  Options options;
  options.settings.switches =
      *parse_switch_setting("threshold=8 packet_size=8 marking_rate=3 victims=hosts");
  options.settings.ports = {*parse_port_rule("hosts threshold=15 packet_size=4")};
  options.settings.levels = {*parse_level("all timer=150 increase=4")};
  options.settings.table = *parse_table({"0:0..99"});
  options.log_interval = {};
  return options;
}

mad::PortMask mask_of(std::initializer_list<unsigned> ports) {
  mad::PortMask mask{};
  for (const unsigned port : ports) {
    mask[31 - port / 8] = static_cast<std::uint8_t>(mask[31 - port / 8] | 1u << (port % 8));
  }
  return mask;
}

bool is(const CongestionMad& mad, Id attribute) {
  return mad.header.attribute_id == static_cast<std::uint16_t>(attribute);
}

TEST(CongestionMachine, DoesNothingWithoutAPicture) {
  CongestionStage stage("star:4", usual());
  stage.run_for(minutes(60));
  EXPECT_TRUE(stage.sent.empty());
  EXPECT_EQ(stage.machine.deadline(), base::kNever);
}

TEST(CongestionMachine, WritesWhatIsWantedWhereItBelongs) {
  CongestionStage stage("star:4", usual());
  stage.give();
  stage.run_checks(1);
  const auto setting =
      stage.held<mad::SwitchCongestionSetting>("switch-1", Id::SwitchCongestionSetting);
  EXPECT_EQ(setting.control_map, 0x15u);
  EXPECT_EQ(setting.threshold, 8);
  EXPECT_EQ(setting.packet_size, 8);
  EXPECT_EQ(setting.marking_rate, 3);
  EXPECT_EQ(setting.victim_mask, mask_of({1, 2, 3, 4}));
  using Element = mad::SwitchPortCongestionSettingElement;
  EXPECT_EQ(stage.held<Element>("switch-1", Id::SwitchPortCongestionSetting, 0, 4 * 3),
            (Element{true, false, 15, 4, 0}));
  EXPECT_EQ(stage.held<Element>("switch-1", Id::SwitchPortCongestionSetting, 0, 4 * 9), Element{});
  for (const char* host : {"host-0001", "host-0004"}) {
    const auto first = stage.held<mad::CongestionControlTable>(host, Id::CongestionControlTable, 0);
    const auto second =
        stage.held<mad::CongestionControlTable>(host, Id::CongestionControlTable, 1);
    EXPECT_EQ(first.ccti_limit, 99);
    EXPECT_EQ(second.ccti_limit, 99);
    EXPECT_EQ(first.entries[63], 63);
    EXPECT_EQ(second.entries[35], 99);
    EXPECT_EQ(second.entries[36], 0);
    const auto head = stage.held<mad::CACongestionSetting>(host, Id::CACongestionSetting);
    EXPECT_EQ(head, (mad::CACongestionSetting{0, 0xFFFF}));
    EXPECT_EQ(stage.held<mad::CACongestionEntry>(host, Id::CACongestionSetting, 0, 4 + 8 * 15),
              (mad::CACongestionEntry{150, 4, 0, 0}));
    EXPECT_EQ(stage.agent(host).outcome, Outcome::Right);
    EXPECT_EQ(stage.agent(host).writes, 3u);
  }
  EXPECT_EQ(stage.agent("switch-1").outcome, Outcome::Right);
  EXPECT_EQ(stage.report().writes, 2u + 4u * 3u);
}

TEST(CongestionMachine, TellsAdaptersOfTheirTableBeforeWhatLeadsIntoIt) {
  CongestionStage stage("star:4", usual());
  stage.give();
  stage.run_checks(1);
  std::set<mad::Lid> has_table;
  for (const auto& each : stage.sent) {
    if (each.mad.header.method != mad::Method::Set) continue;
    if (is(each.mad, Id::CongestionControlTable) && each.mad.header.attribute_modifier == 1) {
      has_table.insert(each.to);
    }
    if (!is(each.mad, Id::CACongestionSetting)) continue;
    EXPECT_TRUE(has_table.count(each.to) != 0);
  }
  EXPECT_EQ(has_table.size(), 4u);
}

TEST(CongestionMachine, WritesNothingWhereAllStands) {
  CongestionStage stage("fat-tree:4,2", usual());
  stage.give();
  stage.run_checks(1);
  const std::size_t before = stage.writes();
  EXPECT_GT(before, 0u);
  stage.run_checks(3);
  EXPECT_EQ(stage.writes(), before);
}

TEST(CongestionMachine, LeavesAloneWhatItWasNotToldOf) {
  Options options;
  options.log_interval = {};
  options.settings.switches = *parse_switch_setting("marking_rate=7");
  CongestionStage stage("star:4", options);
  mad::SwitchCongestionSetting theirs;
  theirs.control_map = mad::kThresholdValid | mad::kMarkingRateValid;
  theirs.threshold = 5;
  theirs.marking_rate = 7;
  stage.write("switch-1", Id::SwitchCongestionSetting, theirs);
  stage.give();
  stage.run_checks(1);
  EXPECT_EQ(stage.writes(), 0u);
  EXPECT_EQ(stage.agent("switch-1").outcome, Outcome::Right);
  EXPECT_EQ(stage.agent("host-0001").outcome, Outcome::Right);
}

TEST(CongestionMachine, PutsRightWhatSomebodyElseWrote) {
  CongestionStage stage("star:4", usual());
  stage.give();
  stage.run_checks(1);
  mad::CongestionControlTable theirs;
  theirs.ccti_limit = 3;
  stage.write("host-0002", Id::CongestionControlTable, theirs);
  const std::size_t before = stage.writes();
  stage.run_checks(1);
  EXPECT_EQ(stage.writes(), before + 1);
  EXPECT_EQ(
      stage.held<mad::CongestionControlTable>("host-0002", Id::CongestionControlTable).ccti_limit,
      99);
}

TEST(CongestionMachine, TellsADeviceAgainThatCameBackAndAtTheNextCheckAllOthers) {
  CongestionStage stage("star:4", usual());
  stage.give();
  stage.run_checks(1);
  stage.restart_all();
  ASSERT_EQ(stage.bytes("host-0003", Id::CACongestionSetting, 0), Data{});
  stage.tell_of_return("host-0003");
  stage.run_for(seconds(1));
  EXPECT_NE(stage.bytes("host-0003", Id::CACongestionSetting, 0), Data{});
  EXPECT_EQ(stage.bytes("host-0004", Id::CACongestionSetting, 0), Data{});
  stage.run_checks(1);
  EXPECT_NE(stage.bytes("host-0004", Id::CACongestionSetting, 0), Data{});
  EXPECT_NE(stage.bytes("switch-1", Id::SwitchCongestionSetting, 0), Data{});
}

TEST(CongestionMachine, TellsADeviceThatIsNewInThePictureAtOnce) {
  CongestionStage stage("star:4", usual());
  auto without = std::make_shared<Picture>(*stage.picture());
  const mad::Guid guest = stage.guid("host-0004");
  without->agents.erase(std::remove_if(without->agents.begin(), without->agents.end(),
                                       [&](const Agent& each) { return each.node == guest; }),
                        without->agents.end());
  stage.give(without);
  stage.run_checks(1);
  ASSERT_EQ(stage.bytes("host-0004", Id::CACongestionSetting, 0), Data{});
  const std::size_t before = stage.writes();
  stage.give();
  stage.run_for(seconds(1));
  EXPECT_EQ(stage.writes(), before + 3);
  EXPECT_NE(stage.bytes("host-0004", Id::CACongestionSetting, 0), Data{});
}

TEST(CongestionMachine, GivesDevicesTheKeyAndUsesIt) {
  Options options = usual();
  options.key = mad::CCKey{0x1234};
  options.key_mode = KeyMode::Hide;
  options.key_lease = 60;
  CongestionStage stage("star:4", options);
  stage.give();
  stage.run_checks(1);
  for (const char* device : {"switch-1", "host-0002"}) {
    EXPECT_EQ(stage.key_of(device), (mad::CongestionKeyInfo{mad::CCKey{0x1234}, true, 60, 0}));
    EXPECT_EQ(stage.agent(device).outcome, Outcome::Right);
  }
  const std::size_t before = stage.writes();
  stage.run_checks(1);
  EXPECT_EQ(stage.writes(), before);
  EXPECT_EQ(stage.agent("host-0002").violations, 0u);
}

// Devices get a key, and hide from all who lack it.
Options hiding() {
  Options options = usual();
  options.key = mad::CCKey{1};
  options.key_mode = KeyMode::Hide;
  return options;
}

TEST(CongestionMachine, ComesInWithAFormerKeyAndChangesIt) {
  Options options = hiding();
  CongestionStage stage("star:4", options);
  stage.give();
  stage.run_checks(1);
  ASSERT_EQ(stage.key_of("host-0002").cc_key, mad::CCKey{1});
  options.key = mad::CCKey{2};
  options.former_keys = {mad::CCKey{1}};
  stage.change(options);
  stage.run_checks(1);
  EXPECT_EQ(stage.key_of("host-0002").cc_key, mad::CCKey{2});
  EXPECT_EQ(stage.agent("host-0002").outcome, Outcome::Right);
}

TEST(CongestionMachine, SaysThatWhoWasRightIsSilentWhereItsKeyIsForgotten) {
  Options options = hiding();
  CongestionStage stage("star:4", options);
  stage.give();
  stage.run_checks(1);
  ASSERT_EQ(stage.agent("host-0002").outcome, Outcome::Right);
  options.key = mad::CCKey{2};
  stage.change(options);
  for (unsigned check = 1; check <= 2; ++check) {
    stage.run_checks(1);
    EXPECT_EQ(stage.agent("host-0002").outcome, Outcome::Silent) << check;
    EXPECT_FALSE(stage.report().stopped);
  }
}

TEST(CongestionMachine, OnlyCarriesTheKeyIfItIsNotToSetIt) {
  Options options = usual();
  options.key = mad::CCKey{7};
  CongestionStage stage("star:4", options);
  stage.write("host-0002", Id::CongestionKeyInfo,
              mad::CongestionKeyInfo{mad::CCKey{7}, true, 0, 0});
  stage.give();
  stage.run_checks(1);
  EXPECT_EQ(stage.agent("host-0002").outcome, Outcome::Right);
  EXPECT_NE(stage.bytes("host-0002", Id::CACongestionSetting, 0), Data{});
  EXPECT_EQ(stage.key_of("host-0003").cc_key, mad::CCKey{});
}

TEST(CongestionMachine, SaysWhoIsLockedByAnotherKey) {
  CongestionStage stage("star:4", usual());
  stage.write("host-0002", Id::CongestionKeyInfo,
              mad::CongestionKeyInfo{mad::CCKey{9}, false, 0, 0});
  stage.write("host-0003", Id::CongestionKeyInfo,
              mad::CongestionKeyInfo{mad::CCKey{9}, true, 0, 0});
  stage.give();
  stage.run_checks(1);
  EXPECT_EQ(stage.agent("host-0002").outcome, Outcome::Locked);
  EXPECT_EQ(explain(stage.agent("host-0002")),
            "does not take CongestionControlTable: it has another CC_Key");
  EXPECT_EQ(stage.agent("host-0003").outcome, Outcome::NoAnswer) << "it hides";
  EXPECT_EQ(stage.agent("host-0004").outcome, Outcome::Right);
  EXPECT_FALSE(stage.report().stopped);
}

TEST(CongestionMachine, SaysWhoHasNoSuchClass) {
  CongestionStage stage("star:4", usual());
  const mad::Lid silent = stage.picture()->agents[0].lid, without = stage.picture()->agents[1].lid;
  stage.on_answer = [&](mad::Datagram& from, CongestionMad& mad) {
    if (from.peer.lid == without) mad.header.status = mad::kStatusBadMethodAttribute;
    return from.peer.lid != silent;
  };
  stage.give();
  stage.run_checks(1);
  EXPECT_EQ(stage.report().agents[0].outcome, Outcome::NoAnswer);
  EXPECT_EQ(stage.report().agents[1].outcome, Outcome::NoService);
  EXPECT_EQ(stage.report().agents[2].outcome, Outcome::Right);
  EXPECT_FALSE(stage.report().stopped) << "that is no error";
}

TEST(CongestionMachine, SaysWhatADeviceRefusesAndGoesOnWithTheRest) {
  CongestionStage stage("star:4", usual());
  stage.on_answer = [&](mad::Datagram&, CongestionMad& mad) {
    if (is(mad, Id::SwitchCongestionSetting)) mad.header.status = mad::kStatusBadField;
    return true;
  };
  stage.give();
  stage.run_checks(1);
  const AgentReport& report = stage.agent("switch-1");
  EXPECT_EQ(report.outcome, Outcome::Refused);
  EXPECT_EQ(explain(report), "refuses SwitchCongestionSetting with status 0x001c");
  using Element = mad::SwitchPortCongestionSettingElement;
  EXPECT_TRUE(stage.held<Element>("switch-1", Id::SwitchPortCongestionSetting, 0, 4).valid);
}

// A device that rounds a value must not be told the same at every check.
TEST(CongestionMachine, DoesNotInsistWhereADeviceKeepsAnotherValue) {
  CongestionStage stage("star:4", usual());
  stage.on_answer = [&](mad::Datagram&, CongestionMad& mad) {
    if (!is(mad, Id::SwitchCongestionSetting)) return true;
    auto setting = decode_at<mad::SwitchCongestionSetting>(mad.data, 0);
    setting.threshold = std::min<std::uint8_t>(setting.threshold, 4);
    encode_at(mad.data, 0, setting);
    return true;
  };
  stage.give();
  stage.run_checks(1);
  EXPECT_EQ(stage.agent("switch-1").outcome, Outcome::Otherwise);
  const std::size_t before = stage.writes();
  stage.run_checks(2);
  EXPECT_EQ(stage.writes(), before);
  EXPECT_EQ(stage.agent("switch-1").outcome, Outcome::Otherwise);
}

TEST(CongestionMachine, DoesNotCutATableToWhatADeviceHasRoomFor) {
  Options options = usual();
  options.settings.table = *parse_table({"0:0..128"});
  CongestionStage stage("star:4", options);
  stage.give();
  stage.run_checks(1);
  EXPECT_EQ(stage.agent("host-0002").outcome, Outcome::TooSmall);
  EXPECT_EQ(explain(stage.agent("host-0002")), "has room for 128 table entries");
  EXPECT_EQ(stage.bytes("host-0002", Id::CongestionControlTable, 0), Data{});
  EXPECT_EQ(stage.bytes("host-0002", Id::CACongestionSetting, 0), Data{});
  EXPECT_EQ(stage.agent("switch-1").outcome, Outcome::Right);
}

TEST(CongestionMachine, StopsWhenTooMuchGoesWrongAndTriesAgainLater) {
  Options options = usual();
  options.most_errors = 5;
  options.window = 1;
  CongestionStage stage("star:20", options);
  bool refuse = true;
  stage.on_answer = [&](mad::Datagram&, CongestionMad& mad) {
    if (refuse && is(mad, Id::CongestionControlTable)) mad.header.status = mad::kStatusBadField;
    return true;
  };
  stage.give();
  stage.run_for(seconds(30));
  EXPECT_TRUE(stage.report().stopped);
  const std::size_t sent = stage.sent.size();
  stage.run_for(minutes(5));
  EXPECT_EQ(stage.sent.size(), sent);
  refuse = false;
  stage.run_checks(1);
  EXPECT_FALSE(stage.report().stopped);
  EXPECT_EQ(stage.agent("host-0020").outcome, Outcome::Right);
}

TEST(CongestionMachine, AsksAgainWhatIsLost) {
  CongestionStage stage("star:4", usual());
  unsigned count = 0;
  stage.on_answer = [&](mad::Datagram&, CongestionMad&) { return ++count % 3 != 0; };
  stage.give();
  stage.run_checks(1);
  for (const AgentReport& each : stage.report().agents) EXPECT_EQ(each.outcome, Outcome::Right);
  EXPECT_GT(stage.report().retries, 0u);
}

TEST(CongestionMachine, KeepsToItsWindowAndItsPace) {
  Options options = usual();
  options.window = 4;
  options.per_second = 100;
  CongestionStage stage("star:30", options);
  stage.give();
  stage.run_checks(1);
  EXPECT_LE(stage.most_in_flight, 4u);
  EXPECT_GE(stage.sent.back().when - stage.sent.front().when,
            milliseconds(10) * (stage.sent.size() - 5));
}

TEST(CongestionMachine, ReadsTheLogsAndKeepsWhatTheySaid) {
  Options options = usual();
  options.log_interval = seconds(30);
  CongestionStage stage("star:4", options);
  stage.give();
  stage.run_checks(1);
  const auto endpoint = [&](const char* name) { return *stage.world.find_endpoint(name); };
  const mad::Lid from = stage.manager.lids.at(endpoint("host-0002"));
  const mad::Lid to = stage.manager.lids.at(endpoint("host-0003"));
  const sim::Flow flow{endpoint("host-0002"), to, mad::ServiceLevel{4}, mad::PKey{0xFFFF}};
  stage.world.mark(stage.node("switch-1"), 3, flow, 7).value();
  stage.run_for(seconds(31));
  const AgentReport& star = stage.agent("switch-1");
  EXPECT_EQ(star.events, 1u);
  EXPECT_TRUE(star.ports[3]);
  EXPECT_EQ(star.ports.count(), 1u);
  ASSERT_EQ(star.flows.size(), 1u);
  EXPECT_EQ(star.flows[0].from, from);
  EXPECT_EQ(star.flows[0].to, to);
  EXPECT_EQ(star.flows[0].sl, mad::ServiceLevel{4});
  EXPECT_EQ(stage.agent("host-0002").events, 1u);
  EXPECT_EQ(stage.agent("host-0002").levels, 1u << 4);
  stage.world.mark(stage.node("switch-1"), 3, flow, 7).value();
  stage.run_for(seconds(31));
  EXPECT_EQ(stage.agent("switch-1").events, 2u) << "what devices tell once is added up here";
  EXPECT_EQ(stage.agent("switch-1").flows.size(), 2u);
}

TEST(CongestionMachine, GoesOnWhenThePictureChangesInTheMidst) {
  CongestionStage stage("star:30", usual());
  stage.give();
  stage.run_for(milliseconds(1));
  auto without = std::make_shared<Picture>(*stage.picture());
  without->agents.erase(without->agents.begin() + 3);
  stage.give(without);
  stage.run_checks(1);
  ASSERT_EQ(stage.report().agents.size(), 30u);
  for (const AgentReport& each : stage.report().agents) EXPECT_EQ(each.outcome, Outcome::Right);
}

}  // namespace
}  // namespace heddle::congestion
