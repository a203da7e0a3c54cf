// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/memberships.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "partitions/language.hpp"
#include "tests/partitions/small_fabric.hpp"

namespace heddle::partitions {
namespace {

using fabric::PortIndex;
using support::SmallFabric;
using testing::ElementsAre;
using testing::IsEmpty;

Policy policy_of(std::string_view text) {
  return parse(text, "p", {.allow_both_pkeys = true, .qos = true}).value().policy;
}

std::vector<unsigned> keys(std::span<const mad::PKey> table) {
  std::vector<unsigned> values;
  for (const mad::PKey key : table) values.push_back(key.value);
  return values;
}

struct Fixture {
  explicit Fixture(std::string_view text, unsigned adapters = 4)
      : fabric(adapters), memberships(policy_of(text), fabric.topology, fabric.adapter(0)) {}
  std::vector<unsigned> of(PortIndex port) const { return keys(memberships.of(port)); }
  std::vector<unsigned> adapter(unsigned i) const { return of(fabric.adapter(i)); }

  SmallFabric fabric;
  Memberships memberships;
};

TEST(Memberships, TheDefaultPolicyLetsEverybodyTalk) {
  const SmallFabric fabric(2);
  const Memberships memberships(default_policy(), fabric.topology, fabric.adapter(0));
  for (const PortIndex port : fabric.topology.endports()) {
    EXPECT_THAT(keys(memberships.of(port)), ElementsAre(0xffff));
  }
  EXPECT_TRUE(memberships.may_talk(fabric.adapter(1), fabric.router()));
}

TEST(Memberships, TheClosedPolicyLetsOnlyTheSubnetManagerTalk) {
  const SmallFabric fabric(3);
  const Memberships memberships(closed_policy(), fabric.topology, fabric.adapter(0));
  EXPECT_THAT(keys(memberships.of(fabric.adapter(0))), ElementsAre(0xffff));
  EXPECT_THAT(keys(memberships.of(fabric.adapter(1))), ElementsAre(0x7fff));
  EXPECT_TRUE(memberships.may_talk(fabric.adapter(0), fabric.adapter(1)));
  EXPECT_TRUE(memberships.may_talk(fabric.adapter(2), fabric.adapter(0)));
  EXPECT_FALSE(memberships.may_talk(fabric.adapter(1), fabric.adapter(2)));
  EXPECT_TRUE(memberships.may_talk(fabric.adapter(1), fabric.adapter(1))) << "itself";
}

TEST(Memberships, KeywordsMeanKindsOfNodes) {
  const Fixture f(
      "A=1:ALL_CAS=full; B=2:ALL_SWITCHES=full; C=3:ALL_ROUTERS; D=4:ALL_VCAS; E=5:ALL;");
  EXPECT_THAT(f.adapter(1), ElementsAre(0x7fff, 0x8001, 0x0005));
  EXPECT_THAT(f.of(f.fabric.switch_port0()), ElementsAre(0x7fff, 0x8002, 0x0005));
  EXPECT_THAT(f.of(f.fabric.router()), ElementsAre(0x7fff, 0x0003, 0x0005));
}

TEST(Memberships, GuestsHaveKeysOfTheirOwnBehindTheirHost) {
  const SmallFabric fabric(3);
  const std::vector<Guest> guests{{mad::Guid{0xA1}, fabric.adapter(1)},
                                  {mad::Guid{0xA2}, fabric.adapter(1)}};
  const auto parsed = parse(
      "Default=0x7fff: ALL=limited; A=1: 0xa1=full; B=2: ALL_VCAS; C=3: ALL_CAS=full; D=4: ALL;",
      "p", {true, false});
  const Memberships all(parsed.value().policy, fabric.topology, fabric.adapter(0), guests);
  const auto count = static_cast<std::uint32_t>(fabric.topology.port_count());
  const fabric::PortIndex first{count}, second{count + 1};
  EXPECT_THAT(keys(all.of(first)), ElementsAre(0x7fff, 0x8001, 0x0002, 0x0004));
  EXPECT_THAT(keys(all.of(second)), ElementsAre(0x7fff, 0x0002, 0x0004));
  EXPECT_THAT(keys(all.of(fabric.adapter(1))), ElementsAre(0x7fff, 0x8003, 0x0004));
  EXPECT_THAT(keys(all.through(fabric.adapter(1))),
              ElementsAre(0x7fff, 0x8001, 0x0002, 0x8003, 0x0004));
  EXPECT_THAT(keys(all.through(fabric.adapter(2))), ElementsAre(0x7fff, 0x8003, 0x0004));
  EXPECT_FALSE(all.may_talk(first, second)) << "two limited members on one host";
  EXPECT_TRUE(all.may_talk(first, fabric.adapter(0))) << "everybody may talk to the manager";
}

TEST(Memberships, TheLastRuleThatMeansAPortCounts) {
  const Fixture f(
      "A=1 : ALL=full, 0x101=limited, 0x102=both, SELF=limited; A=1 : 0x103=full;"
      "B=2 : 0x101=full, ALL=limited, ALL_ROUTERS=full;");
  EXPECT_THAT(f.adapter(0), ElementsAre(0xffff, 0x0001, 0x0002));
  EXPECT_THAT(f.adapter(1), ElementsAre(0x7fff, 0x0001, 0x0002));
  EXPECT_THAT(f.adapter(2), ElementsAre(0x7fff, 0x8001, 0x0001, 0x0002));
  EXPECT_THAT(f.adapter(3), ElementsAre(0x7fff, 0x8001, 0x0002));
  EXPECT_THAT(f.of(f.fabric.router()), ElementsAre(0x7fff, 0x8001, 0x8002));
}

TEST(Memberships, EverybodyIsInDefaultWhateverTheRulesSay) {
  const Fixture f("Default=0x7fff : 0x101=full, SELF=limited ;");
  EXPECT_THAT(f.adapter(0), ElementsAre(0xffff)) << "who would answer limited members?";
  EXPECT_THAT(f.adapter(1), ElementsAre(0xffff));
  EXPECT_THAT(f.adapter(2), ElementsAre(0x7fff));
  EXPECT_THAT(f.of(f.fabric.router()), ElementsAre(0x7fff));
}

TEST(Memberships, Index0IsThatOfTheFirstPartitionThatWantsIt) {
  const Fixture f("A=9, indx0 : 0x101, 0x103=both; B=1, indx0 : 0x101, 0x102; C=2 : ALL;");
  EXPECT_THAT(f.adapter(1), ElementsAre(0x0009, 0x0001, 0x0002, 0x7fff));
  EXPECT_THAT(f.adapter(2), ElementsAre(0x0001, 0x0002, 0x7fff));
  EXPECT_THAT(f.adapter(3), ElementsAre(0x8009, 0x0009, 0x0002, 0x7fff));
  EXPECT_THAT(f.adapter(0), ElementsAre(0xffff, 0x0002));
}

TEST(Memberships, PortsThatAreNoEndPortsHoldNothing) {
  const Fixture f("Default=0x7fff : ALL=full ;");
  const PortIndex switch_port1{f.fabric.switch_port0().value + 1};
  EXPECT_THAT(f.of(switch_port1), IsEmpty());
  EXPECT_THAT(f.of(fabric::kNoPort), IsEmpty());
  EXPECT_FALSE(f.memberships.may_talk(switch_port1, switch_port1));
  EXPECT_FALSE(f.memberships.holds(switch_port1, mad::PKey{0xffff}));
  EXPECT_EQ(f.memberships.best_common_key(switch_port1, f.fabric.adapter(1)), std::nullopt);
}

TEST(Memberships, GuidsThatAreNotThereWaitForTheirPorts) {
  const std::string_view text = "A=1 : 0x104=full ;";
  EXPECT_THAT(Fixture(text, 4).adapter(3), ElementsAre(0x7fff));
  EXPECT_THAT(Fixture(text, 5).adapter(4), ElementsAre(0x7fff, 0x8001));
}

TEST(Memberships, WithoutAnOwnPortNobodyIsSelf) {
  const SmallFabric fabric(1);
  const Memberships memberships(closed_policy(), fabric.topology, fabric::kNoPort);
  EXPECT_THAT(keys(memberships.of(fabric.adapter(0))), ElementsAre(0x7fff));
}

TEST(Memberships, TwoLimitedMembersDoNotTalk) {
  const Fixture f("A=1 : 0x101=full, 0x102, 0x103; B=2 : 0x102=both, 0x103;");
  const Memberships& m = f.memberships;
  const auto port = [&](unsigned i) { return f.fabric.adapter(i); };
  EXPECT_TRUE(m.may_talk(port(1), port(2)));
  EXPECT_TRUE(m.may_talk_with(port(1), port(2), mad::PKey{0x0001}));
  EXPECT_TRUE(m.may_talk_with(port(1), port(2), mad::PKey{0x8001}));
  EXPECT_FALSE(m.may_talk_with(port(2), port(3), mad::PKey{0x8001}));
  EXPECT_TRUE(m.may_talk_with(port(2), port(3), mad::PKey{0x8002})) << "one holds both";
  EXPECT_FALSE(m.may_talk_with(port(1), port(3), mad::PKey{0x8002})) << "one is no member";
  EXPECT_TRUE(m.may_talk_with(port(3), port(3), mad::PKey{0x0001})) << "itself";
  EXPECT_FALSE(m.may_talk_with(port(3), port(3), mad::PKey{0x0003}));
  EXPECT_EQ(m.membership(port(2), BaseKey{2}), Membership::Both);
  EXPECT_EQ(m.membership(port(3), BaseKey{2}), Membership::Limited);
  EXPECT_EQ(m.membership(port(1), BaseKey{1}), Membership::Full);
  EXPECT_EQ(m.membership(port(1), BaseKey{2}), std::nullopt);
  EXPECT_TRUE(m.holds(port(3), mad::PKey{0x8001}));
  EXPECT_FALSE(m.holds(port(1), mad::PKey{0x0002}));
}

TEST(Memberships, CommonKeysAreThoseOfTheFirstPort) {
  const Fixture f("A=1 : 0x101=full, 0x102; B=2 : ALL; C=3 : 0x101, 0x102=full; D=4 : 0x101=full;");
  const PortIndex a = f.fabric.adapter(1);
  const PortIndex b = f.fabric.adapter(2);
  EXPECT_THAT(keys(f.memberships.common_keys(a, b)), ElementsAre(0x8001, 0x0003));
  EXPECT_THAT(keys(f.memberships.common_keys(b, a)), ElementsAre(0x0001, 0x8003));
  EXPECT_THAT(keys(f.memberships.common_keys(b, a, 1)), ElementsAre(0x0001));
  EXPECT_THAT(keys(f.memberships.common_keys(b, a, 0)), IsEmpty());
}

TEST(Memberships, TheBestKeyIsThatOfIndex0ThenTheLowest) {
  const Fixture f(
      "A=1 : ALL=full; B=2, indx0 : 0x102=full, 0x103=full; Default=0x7fff : ALL=full;");
  const auto best = [&](unsigned a, unsigned b) {
    return f.memberships.best_common_key(f.fabric.adapter(a), f.fabric.adapter(b));
  };
  EXPECT_EQ(best(2, 3), mad::PKey{0x8002});
  EXPECT_EQ(best(1, 3), mad::PKey{0x8001});
  EXPECT_EQ(best(0, 1), mad::PKey{0xffff}) << "Default, which both have at index 0";
  const Fixture closed("A=1 : 0x101, 0x102; ");
  EXPECT_EQ(closed.memberships.best_common_key(closed.fabric.adapter(1), closed.fabric.adapter(2)),
            std::nullopt);
  EXPECT_EQ(closed.memberships.best_common_key(closed.fabric.adapter(1), closed.fabric.adapter(0)),
            mad::PKey{0x7fff});
}

TEST(Memberships, PartitionsAreFoundByKey) {
  const Fixture f("Second=0x20, sl=3 : ALL; First=0x10 : ALL;");
  ASSERT_NE(f.memberships.find(BaseKey{0x20}), nullptr);
  EXPECT_EQ(f.memberships.find(BaseKey{0x20})->name, "Second");
  EXPECT_EQ(f.memberships.find(BaseKey{0x20})->sl, mad::ServiceLevel{3});
  EXPECT_EQ(f.memberships.find(kDefaultBaseKey)->name, "Default");
  EXPECT_EQ(f.memberships.find(BaseKey{0x11}), nullptr);
  EXPECT_EQ(f.memberships.find(BaseKey{0x21}), nullptr);
  EXPECT_EQ(Memberships().find(BaseKey{1}), nullptr);
}

// Rule by rule, partition by partition, port by port: the slow way to the same.
std::set<unsigned> slowly(const Policy& policy, const SmallFabric& fabric, PortIndex port) {
  const fabric::Topology& topology = fabric.topology;
  const mad::NodeType type = topology.node(topology.node_of(port)).type;
  const bool is_self = port == fabric.adapter(0);
  std::set<unsigned> held;
  for (const Partition& partition : policy.partitions) {
    std::set<unsigned> of_this;
    for (const Rule& rule : partition.rules) {
      const bool meant = rule.who == Who::All || (rule.who == Who::Self && is_self) ||
                         (rule.who == Who::Port && rule.port == topology.port(port).guid) ||
                         (rule.who == Who::AllCas && type == mad::NodeType::ChannelAdapter) ||
                         (rule.who == Who::AllSwitches && type == mad::NodeType::Switch) ||
                         (rule.who == Who::AllRouters && type == mad::NodeType::Router);
      if (!meant) continue;
      of_this.clear();
      if (rule.membership != Membership::Full) of_this.insert(partition.key.value);
      if (rule.membership != Membership::Limited) of_this.insert(partition.key.value | 0x8000u);
    }
    held.insert(of_this.begin(), of_this.end());
  }
  if (!held.contains(0x7fff) && !held.contains(0xffff)) held.insert(0x7fff);
  if (is_self && !held.contains(0xffff)) {
    held.erase(0x7fff);
    held.insert(0xffff);
  }
  return held;
}

bool match(unsigned a, unsigned b) {
  return (a & 0x7fff) == (b & 0x7fff) && ((a | b) & 0x8000) != 0;
}

Policy random_policy(base::Prng& random) {
  std::string text;
  const std::vector<std::string> who{"ALL",  "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS",
                                     "SELF", "0x101",   "0x102",        "0x103",
                                     "0x1",  "0x2",     "0x777"};
  const std::vector<std::string> memberships{"=full", "=limited", "=both"};
  for (std::uint64_t n = random.below(9); n > 0; --n) {
    const std::uint64_t key = random.below(7);
    text += key == 0 ? "Default=0x7fff" : "P=" + std::to_string(key);
    text += random.below(4) == 0 ? ", indx0 : " : " : ";
    for (std::uint64_t k = random.below(5); k > 0; --k) {
      text += who[random.below(who.size())] + memberships[random.below(3)] + ", ";
    }
    text += ";\n";
  }
  return policy_of(text);
}

TEST(Memberships, TheFastWayIsTheSlowWay) {
  const SmallFabric fabric(5);
  base::Prng random(1);
  for (int run = 0; run < 500; ++run) {
    const Policy policy = random_policy(random);
    const Memberships memberships(policy, fabric.topology, fabric.adapter(0));
    std::vector<std::set<unsigned>> held;
    for (const PortIndex port : fabric.topology.endports()) {
      const auto table = keys(memberships.of(port));
      held.push_back(slowly(policy, fabric, port));
      ASSERT_EQ(std::set(table.begin(), table.end()), held.back()) << to_text(policy);
      ASSERT_EQ(table.size(), held.back().size()) << "no key twice";
    }
    for (std::size_t a = 0; a < held.size(); ++a) {
      for (std::size_t b = 0; b < held.size(); ++b) {
        if (a == b) continue;
        const PortIndex one = fabric.topology.endports()[a];
        const PortIndex other = fabric.topology.endports()[b];
        std::set<unsigned> common;
        for (const unsigned x : held[a]) {
          for (const unsigned y : held[b]) {
            if (match(x, y)) common.insert(x & 0x7fff);
          }
        }
        ASSERT_EQ(memberships.may_talk(one, other), !common.empty()) << to_text(policy);
        std::set<unsigned> told;
        for (const unsigned key : keys(memberships.common_keys(one, other))) {
          ASSERT_TRUE(held[a].contains(key));
          told.insert(key & 0x7fff);
        }
        ASSERT_EQ(told, common) << to_text(policy);
        for (unsigned key = 1; key < 8; ++key) {
          const mad::PKey p_key{static_cast<std::uint16_t>(key)};
          ASSERT_EQ(memberships.may_talk_with(one, other, p_key), common.contains(key));
        }
      }
    }
  }
}

TEST(Memberships, EveryKeyCanBeHeldByAFewPorts) {
  std::string text;
  for (int i = 0; i < 0x7ffe; ++i) text += ": 0x101=full, 0x102 ;\n";
  const Fixture f(text, 20);
  EXPECT_EQ(f.adapter(1).size(), 0x7fffu);
  EXPECT_EQ(f.adapter(3).size(), 1u);
  EXPECT_EQ(f.memberships.common_keys(f.fabric.adapter(1), f.fabric.adapter(2)).size(), 0x7ffeu);
  EXPECT_FALSE(f.memberships.may_talk(f.fabric.adapter(1), f.fabric.adapter(3)));
  EXPECT_EQ(f.memberships.ports_cut_short(), 0u);
}

// 600 ports with lists of their own of 32K keys each would be more than kMaxHeldKeys.
TEST(Memberships, ListsHaveALimitTogether) {
  std::string text;
  for (int i = 0; i < 0x7ffe; ++i) text += ": ALL_CAS=full ;\n";
  text += "Default=0x7fff:SELF=full;";
  for (int i = 0; i < 600; ++i) {
    text += std::to_string(i + 1) + ": " + std::to_string(0x100 + i) + "=limited ;\n";
  }
  const Fixture f(text, 600);
  EXPECT_GT(f.memberships.ports_cut_short(), 80u);
  EXPECT_LT(f.memberships.ports_cut_short(), 100u);
  EXPECT_EQ(f.adapter(1).size(), 0x7fffu);
  EXPECT_THAT(f.adapter(599), ElementsAre(0x7fff));
}

// A switch that checked packets by half a list would drop some that are allowed.
TEST(Memberships, NothingIsCheckedOfAHostWhoseGuestsHoldTooManyKeysTogether) {
  std::string text = "Default=0x7fff: ALL=full;";
  for (int i = 0; i < 0x7ffe; ++i) text += ": ALL_VCAS=full ;\n";
  for (int i = 0; i < 510; ++i) {
    text += std::to_string(i + 1) + ": " + std::to_string(0x5000 + i) + "=limited ;\n";
  }
  text += "Mine=0x7ffd: 0x102=both;";
  const SmallFabric fabric(3);
  std::vector<Guest> guests;
  for (std::uint64_t i = 0; i < 510; ++i)
    guests.push_back({mad::Guid{0x5000 + i}, fabric.adapter(1)});
  guests.push_back({mad::Guid{0xB1}, fabric.adapter(2)});
  const Memberships all(policy_of(text), fabric.topology, fabric.adapter(0), guests);
  const auto last = static_cast<std::uint32_t>(fabric.topology.port_count() + 509);
  ASSERT_EQ(all.of({last}).size(), 0x7fffu) << "all guests have their lists";
  EXPECT_EQ(all.ports_cut_short(), 1u);
  EXPECT_TRUE(all.through(fabric.adapter(2)).empty());
  EXPECT_FALSE(all.of(fabric.adapter(2)).empty());
}

}  // namespace
}  // namespace heddle::partitions
