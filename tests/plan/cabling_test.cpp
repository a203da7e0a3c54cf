// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cabling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/fabrics.hpp"

namespace heddle::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class Cabling : public testing::Test {
 protected:
  std::vector<Finding> compare(Match match = Match::Auto) {
    Findings findings;
    check_cabling(fabric_, plan_, match, findings);
    return trouble(std::move(findings));
  }
  void pull(const std::string& port) {
    fabric_.cables.erase(fabric_.cables.begin() + (&cable_at(fabric_, port) - &fabric_.cables[0]));
  }

  Inventory fabric_ = two_levels(4, 2, 3);
  CablingPlan plan_ = as_plan(two_levels(4, 2, 3));
};

TEST_F(Cabling, AsPlannedNothingIsSaid) {
  EXPECT_THAT(compare(), testing::IsEmpty());
  EXPECT_THAT(compare(Match::Guid), testing::IsEmpty());
  EXPECT_THAT(compare(Match::Name), testing::IsEmpty());
}

TEST_F(Cabling, AMissingCableIsNamedAtBothEnds) {
  pull("leaf-2:4");
  const auto found = compare();
  ASSERT_EQ(codes(found), std::vector<std::string>{"missing"});
  EXPECT_THAT(found[0].where, UnorderedElementsAre("leaf-2:4", "spine-1:2"));
  EXPECT_EQ(found[0].severity, Severity::Error);
  EXPECT_GT(found[0].line, 100u);
}

TEST_F(Cabling, AnExtraCableIsNotAnError) {
  fabric_.cables.push_back({{0, 20}, {1, 20}, kHdr, 77});
  const auto found = compare();
  ASSERT_EQ(codes(found), std::vector<std::string>{"extra"});
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(found[0].line, 77u);
}

TEST_F(Cabling, TwoCablesThatExchangedTheirEndsAreASwap) {
  std::swap(cable_at(fabric_, "leaf-1:4").b, cable_at(fabric_, "leaf-3:4").b);
  const auto found = compare();
  ASSERT_EQ(codes(found), std::vector<std::string>{"swapped"});
  // Both end in spine-1: there they were mixed up.
  EXPECT_THAT(found[0].text, HasSubstr("exchange the plugs in spine-1:1 and spine-1:3"));
  EXPECT_THAT(found[0].where,
              UnorderedElementsAre("leaf-1:4", "leaf-3:4", "spine-1:1", "spine-1:3"));
}

TEST_F(Cabling, ThreeThatDidAreARing) {
  auto &a = cable_at(fabric_, "leaf-1:4"), &b = cable_at(fabric_, "leaf-2:4"),
       &c = cable_at(fabric_, "leaf-3:5");
  std::swap(a.b, b.b);
  std::swap(b.b, c.b);
  const auto found = compare();
  ASSERT_EQ(codes(found), std::vector<std::string>{"rotated"});
  EXPECT_EQ(found[0].where.size(), 6u);
}

TEST_F(Cabling, APlugInTheWrongPortIsAMove) {
  cable_at(fabric_, "leaf-1:4").b.port = 30;
  const auto found = compare();
  ASSERT_EQ(codes(found), std::vector<std::string>{"moved"});
  EXPECT_THAT(found[0].text,
              HasSubstr("from leaf-1:4 is in spine-1:30 and should be in spine-1:1"));
}

TEST_F(Cabling, ACableThatTookTheNextOnesPortIsTold) {
  pull("leaf-2:4");
  cable_at(fabric_, "leaf-1:4").b = {4, 2};  // spine-1:2
  const auto found = compare();
  ASSERT_EQ(codes(found), std::vector<std::string>{"tangled"});
  EXPECT_THAT(found[0].text, HasSubstr("belongs to"));
  EXPECT_EQ(found[0].where.size(), 4u);
}

TEST_F(Cabling, ASlowCableIsComparedWithThePlan) {
  cable_at(fabric_, "leaf-1:4").rate = {4, LaneSpeed::EDR};
  EXPECT_THAT(codes(compare()), ElementsAre("slow"));
  // A plan that says nothing of rates is content.
  for (auto& cable : plan_.cables) cable.rate = {};
  EXPECT_THAT(compare(), testing::IsEmpty());
}

TEST_F(Cabling, ARenamedSwitchIsFoundByItsGuidAndAReplacedOneByItsName) {
  fabric_.nodes[0].name = fabric_.nodes[0].description = "rack-7";
  fabric_.nodes[1].guid = mad::Guid{0xABCD};
  EXPECT_THAT(compare(), testing::IsEmpty());
  EXPECT_THAT(codes(compare(Match::Guid)), testing::Contains("unknown"));
  EXPECT_THAT(codes(compare(Match::Name)), testing::Contains("unknown"));
}

TEST_F(Cabling, ThePlanOfAnotherFabricIsOneSentence) {
  for (auto& device : plan_.devices) {
    device = {"x" + device.name, "", "", mad::Guid{device.guid.value + 7}};
  }
  const auto found = compare();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("is it the plan of another one?"));
}

TEST_F(Cabling, ReadsItsOwnCsvWithColumnsInAnyOrder) {
  const auto plan = parse_cabling_csv(
      "end device,End_Port,start device,start port,speed,width\n"
      "\"spine, \"\"one\"\"\",1,leaf-1,4,HDR,4x\r\n"
      "# a comment\n"
      "spine-1,2,leaf-2,4,,\n",
      "cables.csv");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->cables.size(), 2u);
  EXPECT_EQ(plan->devices[plan->cables[0].b.device].name, "spine, \"one\"");
  EXPECT_EQ(plan->cables[0].rate, kHdr);
  EXPECT_EQ(plan->cables[1].line, 4u);
  EXPECT_FALSE(plan->cables[1].rate.known());
}

TEST_F(Cabling, SaysWhereACsvIsWrong) {
  const std::string heading = "start device,start port,end device,end port\n";
  const auto message = [&](const std::string& text) {
    const auto plan = parse_cabling_csv(text, "c.csv");
    return plan ? std::string() : plan.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("nothing"));
  EXPECT_THAT(message("a,b\n"), HasSubstr("c.csv:1: a heading"));
  EXPECT_THAT(message(heading + "a,0,b,1\n"), HasSubstr("c.csv:2: a port"));
  EXPECT_THAT(message(heading + "a,1,b\n"), HasSubstr("c.csv:2: a port"));
  EXPECT_THAT(message(heading + ",1,b,1\n"), HasSubstr("no name"));
  EXPECT_THAT(message(heading + "\"a,1,b,1\n"), HasSubstr("quote"));
}

TEST_F(Cabling, ReadsJsonAndSaysWhereItIsWrong) {
  const auto plan = parse_cabling_json(
      R"({"nodes":[{"name":"l","description":"leaf-1","guid":"0x1000"}],
          "cables":[{"a":{"node":"l","port":4},"b":{"node":"spine-1","port":1},
                     "width":"4x","speed":"HDR"}]})",
      "c.json");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->devices.size(), 2u);
  EXPECT_EQ(plan->devices[0].guid.value, 0x1000u);
  EXPECT_EQ(plan->cables[0].rate, kHdr);
  EXPECT_FALSE(parse_cabling_json("[1", "c"));
  EXPECT_FALSE(parse_cabling_json("[]", "c"));
  EXPECT_FALSE(parse_cabling_json(R"({"cables":[{"a":1}]})", "c"));
  EXPECT_FALSE(parse_cabling_json(R"({"cables":[7]})", "c"));
  EXPECT_FALSE(parse_cabling_json(
      R"({"cables":[{"a":{"node":"l","port":300},"b":{"node":"m","port":1}}]})", "c"));
}

}  // namespace
}  // namespace heddle::plan
