// SPDX-License-Identifier: BSD-3-Clause
#include "sm/events.hpp"

#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

const NodeName kLeaf{mad::Guid{0x0002c90300a1b2c3}, "leaf-1"};
const NodeName kNameless{mad::Guid{0x0002c90300000007}, ""};

PortName port(const NodeName& node, std::uint8_t number) {
  return {node, mad::PortNumber{number}};
}

// One default value of every type in the catalogue.
template <std::size_t... I>
std::vector<Event> one_of_each(std::index_sequence<I...>) {
  return {Event{EventValue(std::in_place_index<I>)}...};
}
std::vector<Event> one_of_each() {
  return one_of_each(std::make_index_sequence<std::variant_size_v<EventValue>>{});
}

TEST(Events, EveryOneHasANameOfItsOwnASentenceAndFields) {
  std::set<std::string_view> names;
  for (const Event& event : one_of_each()) {
    const std::string_view name = event_name(event);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(sentence(event).empty()) << name;
    EXPECT_NE(sentence(event).back(), '.') << name;
    const auto rendered = fields(event);
    EXPECT_FALSE(rendered.empty()) << name;
    std::set<std::string_view> keys;
    for (const auto& [key, value] : rendered) {
      EXPECT_TRUE(keys.insert(key).second) << name << " says " << key << " twice";
    }
  }
  EXPECT_EQ(names.size(), std::variant_size_v<EventValue>);
}

// The name in the log is the name of the type, which the compiler spells for us.
template <class T>
std::string type_name() {
  const std::string function = __PRETTY_FUNCTION__;
  const std::size_t begin = function.find("T = ") + 4;
  const std::size_t end = function.find_first_of("];", begin);
  const std::string whole = function.substr(begin, end - begin);
  return whole.substr(whole.rfind(':') + 1);
}

TEST(Events, TheNameIsTheTypesName) {
  for (const Event& event : one_of_each()) {
    std::visit([&]<class T>(const T&) { EXPECT_EQ(event_name(event), type_name<T>()); },
               event.value);
  }
}

TEST(Events, ANodeIsCalledByItsNameBeforeItsGuid) {
  EXPECT_EQ(sentence({NodeAppeared{kLeaf, mad::NodeType::Switch}}),
            "New switch: leaf-1 (0x0002c90300a1b2c3)");
  EXPECT_EQ(sentence({NodeDisappeared{kNameless}}), "node 0x0002c90300000007 is gone");
  EXPECT_EQ(sentence({LinkDisappeared{port(kLeaf, 3), port(kNameless, 1)}}),
            "The link leaf-1/3 - 0x0002c90300000007/1 is gone");
}

TEST(Events, FieldsKeepTheirOrderAndFullGuids) {
  EXPECT_THAT(fields({LinkAppeared{port(kLeaf, 3), port(kNameless, 1)}}),
              ElementsAre(Pair("a", "leaf-1/3"), Pair("a_guid", "0x0002c90300a1b2c3"),
                          Pair("b", "0x0002c90300000007/1"), Pair("b_guid", "0x0002c90300000007")));
  EXPECT_THAT(fields({SubnetUp{10, 12, 11, "updn"}}),
              ElementsAre(Pair("nodes", "10"), Pair("links", "12"), Pair("lids", "11"),
                          Pair("engine", "updn")));
}

TEST(Events, ARefusalSaysWhatWasWrittenAndWhyItWasRefused) {
  const Event event{
      SetRefused{kLeaf, mad::AttributeId::PortInfo, 0x80000003, mad::kStatusBadField}};
  EXPECT_EQ(sentence(event),
            "leaf-1 (0x0002c90300a1b2c3) refused Set(PortInfo) with modifier 0x80000003: invalid "
            "field (status 0x001c)");
  EXPECT_EQ(severity(event), Severity::Warning);
}

TEST(Events, AnAttributeWithoutANameIsWrittenAsANumber) {
  const DeviceSilent silent{"0,1,7", {}, static_cast<mad::AttributeId>(0xFFA0)};
  EXPECT_EQ(sentence({silent}), "A device does not answer attribute 0xffa0 by route 0,1,7");
}

TEST(Events, ASilentDeviceThatIsKnownIsCalledByItsName) {
  EXPECT_EQ(sentence({DeviceSilent{"0,1", kLeaf, mad::AttributeId::PortInfo}}),
            "leaf-1 (0x0002c90300a1b2c3) does not answer PortInfo by route 0,1");
}

TEST(Events, RoutineSweepsAreQuietAndWorkIsNot) {
  SweepStatistics first;
  first.number = 1;
  SweepStatistics idle;
  idle.number = 2;
  SweepStatistics busy = idle;
  busy.sets_sent = 1;
  EXPECT_EQ(severity({SweepFinished{first}}), Severity::Info);
  EXPECT_EQ(severity({SweepFinished{idle}}), Severity::Debug);
  EXPECT_EQ(severity({SweepFinished{busy}}), Severity::Info);
  EXPECT_EQ(severity({SweepStarted{2, false, "a trap"}}), Severity::Info);
  EXPECT_EQ(severity({SweepStarted{3, true, "a switch changed"}}), Severity::Info);
}

TEST(Events, WhatTheOperatorMustRepairIsAnError) {
  EXPECT_EQ(severity({DuplicateGuid{kLeaf.guid, "0,1", "0,2"}}), Severity::Error);
  EXPECT_EQ(severity({RoutingFailed{"no engine works"}}), Severity::Error);
  EXPECT_EQ(severity({LidsExhausted{port(kLeaf, 0), mad::kLastUnicastLid}}), Severity::Error);
  EXPECT_EQ(severity({SwitchTooSmall{kLeaf, 1024, mad::Lid{2000}}}), Severity::Error);
}

TEST(Events, TheNotesOfAnEngineFollowItsNumbers) {
  RoutesChosen chosen{"updn", 400, 12, 5, 1, {"root spine-1", "root spine-2"}};
  EXPECT_EQ(
      sentence({chosen}),
      "Routes by updn: 400 routes, at most 5 hops, 12 table blocks to write; root spine-1; root "
      "spine-2");
  chosen.vls = 4;
  EXPECT_THAT(sentence({chosen}), HasSubstr("updn on 4 VLs: 400"));
  chosen.notes.clear();
  EXPECT_THAT(sentence({chosen}), Not(HasSubstr(";")));
}

TEST(Events, TimesAreSeconds) {
  SweepStatistics statistics;
  statistics.number = 1;
  statistics.total = std::chrono::milliseconds(1234);
  EXPECT_THAT(sentence({SweepFinished{statistics}}), HasSubstr("took 1.234 s"));
}

TEST(Events, PhasesHaveTheNamesOfTheSummary) {
  EXPECT_EQ(phase_name(Phase::Discovery), "discovery");
  EXPECT_EQ(phase_name(Phase::Links), "links");
  EXPECT_THAT(sentence({PhaseStarted{Phase::Tables, 40}}), HasSubstr("tables begins: 40 requests"));
  EXPECT_THAT(sentence({PhaseStarted{Phase::Discovery, 0}}), Not(HasSubstr("requests")));
}

}  // namespace
}  // namespace heddle::sm
