// SPDX-License-Identifier: BSD-3-Clause
#include "perf/health.hpp"

#include <gtest/gtest.h>

namespace heddle::perf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

LinkEnds link(std::uint64_t a, std::uint64_t b, std::uint8_t port = 1) {
  return link_of({mad::Guid{a}, mad::PortNumber{port}}, {mad::Guid{b}, mad::PortNumber{port}});
}

// A hundred links between 200 nodes, all well: link n joins nodes 2n and 2n + 1.
class Health : public testing::Test {
 protected:
  Health() {
    policy.act = true;
    policy.actions[static_cast<std::size_t>(Condition::Errors)] = Action::Disable;
    policy.actions[static_cast<std::size_t>(Condition::Flapping)] = Action::RouteAround;
    health.set_policy(policy);
    for (std::uint64_t n = 0; n < 100; ++n) {
      facts.push_back({link(2 * n, 2 * n + 1), false});
      nodes.push_back(mad::Guid{2 * n});
      nodes.push_back(mad::Guid{2 * n + 1});
    }
    look();
  }

  void look() {
    health.see(now, facts, nodes);
    health.judge(now);
  }
  void errors_at(std::initializer_list<std::uint64_t> sick,
                 std::initializer_list<std::uint64_t> silent = {}) {
    Readings readings;
    for (const std::uint64_t node : sick) {
      readings.nodes.push_back(
          {mad::Guid{node}, true, static_cast<std::uint32_t>(readings.ports.size()), 1});
      PortReading& port = readings.ports.emplace_back();
      port.number = mad::PortNumber{1};
      port.exceeded = bit(Counter::SymbolError);
    }
    for (const std::uint64_t node : silent) readings.silent.push_back(mad::Guid{node});
    health.see(readings);
    health.judge(now);
  }
  const Finding* at(const LinkEnds& where) const {
    const auto found = health.findings().find(where);
    return found == health.findings().end() ? nullptr : &found->second;
  }

  HealthPolicy policy;
  LinkHealth health;
  base::Instant now{hours(1)};
  std::vector<LinkFact> facts;
  std::vector<mad::Guid> nodes;
};

TEST_F(Health, FindsNothingWhereAllIsWell) {
  errors_at({});
  EXPECT_TRUE(health.findings().empty());
  EXPECT_TRUE(health.wishes().empty());
}

TEST_F(Health, OfALinkWithErrorsIsWhatThePolicySays) {
  errors_at({6});
  ASSERT_NE(at(link(6, 7)), nullptr);
  EXPECT_EQ(health.findings().size(), 1u);
  EXPECT_EQ(text_of_conditions(*at(link(6, 7))), "errors (symbol_error)");
  ASSERT_EQ(health.wishes().size(), 1u);
  EXPECT_EQ(health.wishes()[0], (LinkHealth::Wish{link(6, 7), Action::Disable}));
}

TEST_F(Health, OfWhatIsOnlyReportedIsForgottenWhenItIsOver) {
  facts[3].degraded = true;
  look();
  ASSERT_NE(at(link(6, 7)), nullptr);
  EXPECT_TRUE(has(*at(link(6, 7)), Condition::Degraded));
  EXPECT_TRUE(health.wishes().empty());
  facts[3].degraded = false;
  look();
  EXPECT_EQ(at(link(6, 7)), nullptr);
}

TEST_F(Health, StaysAsItIsWhenSomethingIsDoneAboutIt) {
  errors_at({6});
  errors_at({});  // nobody uses the link any more
  facts.erase(facts.begin() + 3);
  look();
  EXPECT_EQ(health.wishes().size(), 1u);
  EXPECT_FALSE(has(*at(link(6, 7)), Condition::Flapping));  // it was taken out, not lost
}

TEST_F(Health, IsLeftAloneOnceRestored) {
  errors_at({6});
  EXPECT_FALSE(health.restore({mad::Guid{8}, mad::PortNumber{1}}));
  EXPECT_TRUE(health.restore({mad::Guid{7}, mad::PortNumber{1}}));
  errors_at({6});
  EXPECT_TRUE(health.wishes().empty());
  EXPECT_TRUE(at(link(6, 7))->restored);
  errors_at({});
  EXPECT_EQ(at(link(6, 7)), nullptr);
  errors_at({6});  // it is ill again, after it was well
  EXPECT_EQ(health.wishes().size(), 1u);
}

TEST_F(Health, OfManyLinksIsCaredForOnlyAsFarAsTheCapAllows) {
  errors_at({0, 2, 4, 6, 8, 10});
  EXPECT_EQ(health.wishes().size(), 2u);  // two percent of a hundred links
  EXPECT_TRUE(at(link(10, 11))->capped);
  policy.most_share = 1;
  health.set_policy(policy);
  errors_at({0, 2, 4, 6, 8, 10});
  EXPECT_EQ(health.wishes().size(), 4u);
  health.restore({mad::Guid{0}, mad::PortNumber{1}});
  errors_at({0, 2, 4, 6, 8, 10});
  EXPECT_EQ(health.wishes().size(), 4u);  // another one's turn
  EXPECT_FALSE(at(link(8, 9))->capped);
}

TEST_F(Health, CountsHowOftenALinkIsLost) {
  const auto whole = facts;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(at(link(6, 7)), nullptr) << i;
    now += minutes(5);
    facts.erase(facts.begin() + 3);
    look();
    facts = whole;
    look();
  }
  ASSERT_NE(at(link(6, 7)), nullptr);
  EXPECT_TRUE(has(*at(link(6, 7)), Condition::Flapping));
  EXPECT_EQ(health.wishes()[0].action, Action::RouteAround);
}

TEST_F(Health, ForgetsLossesOfLongAgo) {
  const auto whole = facts;
  for (int i = 0; i < 12; ++i) {
    now += minutes(20);
    facts.erase(facts.begin() + 3);
    look();
    facts = whole;
    look();
  }
  EXPECT_EQ(at(link(6, 7)), nullptr);
}

TEST_F(Health, KnowsDevicesThatRestartOrDoNotAnswer) {
  const auto whole = nodes;
  for (int i = 0; i < 3; ++i) {
    now += minutes(5);
    nodes.pop_back();
    look();
    nodes = whole;
    look();
  }
  ASSERT_NE(at(link(198, 199)), nullptr);
  EXPECT_TRUE(has(*at(link(198, 199)), Condition::Rebooting));
  errors_at({}, {20});
  errors_at({}, {20});
  EXPECT_EQ(at(link(20, 21)), nullptr);
  errors_at({}, {20});
  ASSERT_NE(at(link(20, 21)), nullptr);
  EXPECT_EQ(text_of_conditions(*at(link(20, 21))), "unresponsive");
  errors_at({});
  EXPECT_EQ(at(link(20, 21)), nullptr);
  health.see_noise(mad::Guid{31}, true);
  health.judge(now);
  EXPECT_TRUE(has(*at(link(30, 31)), Condition::Noisy));
}

TEST_F(Health, TakesTheStrongestOfWhatItMayDo) {
  const auto whole = facts;
  errors_at({6});
  for (int i = 0; i < 5; ++i) {
    facts.erase(facts.begin() + 3);
    look();
    facts = whole;
    look();
  }
  EXPECT_EQ(at(link(6, 7))->action, Action::Disable);
}

TEST(HealthAction, IsAConditionAndWhatToDo) {
  const auto parsed = parse_health_action("flapping route-around");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->first, Condition::Flapping);
  EXPECT_EQ(parsed->second, Action::RouteAround);
  for (const char* wrong : {"", "errors", "errors repair", "flaps report", "errors  disable"}) {
    EXPECT_TRUE(parse_health_action(wrong).has_error()) << wrong;
  }
}

}  // namespace
}  // namespace heddle::perf
