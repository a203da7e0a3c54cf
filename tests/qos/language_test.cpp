// SPDX-License-Identifier: BSD-3-Clause
#include "qos/language.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"

namespace heddle::qos {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Everything the language has.
constexpr std::string_view kWholePolicy = R"(# of the lab
port-groups
  port-group
    name: Storage   # with a comment
    use: whatever: it says
    port-guid: 0x10000000000001, 0x10000000000005-0x1000000000FFFA
    port-guid: 7
    port-name: "vs1 HCA-1/P1","vs2 HCA-1/P2"
    pkey: 0x8010-0x8020
    partition: Part1, Part2
  end-port-group
  port-group
    name: Others
    node-type: ca, ROUTER
  end-port-group
end-port-groups
qos-setup
  vlarb-tables
    anything at all
  end-vlarb-tables
end-qos-setup
qos-levels
  qos-level
    name: Default
    sl: 1
  end-qos-level
  qos-level
    name: Slow
    use: for backups
    sl: 15
    mtu-limit: 4
    rate-limit: 3
    packet-life: 16
    pkey: 0x0010
    path-bits: 2,4,8-16
  end-qos-level
end-qos-levels
qos-match-rules
  qos-match-rule
    use: first
    qos-class: 7-9,11
    source: Storage, Others
    destination: Storage
    service-id: 0x10000-0x1FFFF
    pkey: 0x0F00
    qos-level-name: Slow
  end-qos-match-rule
end-qos-match-rules
)";

Parsed parsed(std::string_view text) {
  auto result = parse(text, "f");
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return result ? *result : Parsed{};
}
std::string trouble(std::string_view text) {
  const auto result = parse(text, "qos.conf");
  return result ? "none" : result.error().message;
}
bool is_range(const Range& range, std::uint64_t first, std::uint64_t last) {
  return range.first == first && range.last == last;
}

TEST(QosPolicy, IsReadWhole) {
  const auto [policy, notes] = parsed(kWholePolicy);
  ASSERT_EQ(policy.groups.size(), 2u);
  const PortGroup& storage = policy.groups[0];
  EXPECT_EQ(storage.name, "Storage");
  ASSERT_EQ(storage.port_guids.size(), 3u);
  EXPECT_TRUE(is_range(storage.port_guids[0], 7, 7));
  EXPECT_TRUE(is_range(storage.port_guids[2], 0x10000000000005, 0x1000000000FFFA));
  EXPECT_THAT(storage.port_names, ElementsAre("vs1 HCA-1/P1", "vs2 HCA-1/P2"));
  ASSERT_EQ(storage.p_keys.size(), 1u);
  EXPECT_TRUE(is_range(storage.p_keys[0], 0x10, 0x20)) << "the membership bit does not count";
  EXPECT_THAT(storage.partitions, ElementsAre("Part1", "Part2"));
  EXPECT_EQ(policy.groups[1].kinds, kAdapters | kRouters);

  ASSERT_EQ(policy.levels.size(), 2u);
  EXPECT_EQ(policy.default_level, 0u);
  const Level& slow = policy.levels[1];
  EXPECT_EQ(slow.sl, mad::ServiceLevel{15});
  EXPECT_EQ(slow.mtu_limit, mad::Mtu::Bytes2048);
  EXPECT_EQ(slow.rate_limit, mad::rate_rank_of_code(3));
  EXPECT_EQ(slow.packet_life, 16);
  EXPECT_TRUE(contains(slow.p_keys, 0x10));

  ASSERT_EQ(policy.rules.size(), 1u);
  const Rule& rule = policy.rules[0];
  EXPECT_THAT(rule.sources, ElementsAre(0u, 1u));
  EXPECT_THAT(rule.destinations, ElementsAre(0u));
  EXPECT_EQ(rule.level, 1u);
  for (const std::uint64_t qos_class : {7u, 8u, 9u, 11u}) {
    EXPECT_TRUE(contains(rule.qos_classes, qos_class));
  }
  EXPECT_FALSE(contains(rule.qos_classes, 10));
  EXPECT_FALSE(contains(rule.qos_classes, 6));
  EXPECT_THAT(notes,
              ElementsAre("f:17:1: qos-setup has no effect", "f:35:5: path-bits have no effect"));
}

// ServiceIDs as the protocols have them; OpenSM is asked for the same in
// interop.quality_of_service.
TEST(QosPolicy, KnowsTheProtocols) {
  const auto policy = parsed(R"(qos-ulps
  default :0
  SDP, port-num 10000-20000 :1
  sdp :2
  rds, port-num 25000 :3
  rds :4
  iser, port-num 900 :5
  iser :6
  srp, target-port-guid 0x1234,0x2000-0x3000 :7
  ipoib, pkey 0x0001 :8
  ipoib :9
  any, service-id 0x6234 :10
  any, pkey 0x8ABC :11
  any, source-target-port-guid 0x14 : 12
end-qos-ulps
)")
                          .policy;
  const auto service = [&](std::size_t rule, std::uint64_t first, std::uint64_t last) {
    const auto& ids = policy.rules.at(rule).service_ids;
    return ids.size() == 1 && is_range(ids[0], first, last);
  };
  const auto level = [&](std::size_t rule) {
    return policy.levels.at(policy.rules.at(rule).level).sl.value().value;
  };
  ASSERT_EQ(policy.rules.size(), 13u);
  EXPECT_TRUE(service(0, 0x10000 + 10000, 0x10000 + 20000));
  EXPECT_TRUE(service(1, 0x10000, 0x1FFFF));
  EXPECT_TRUE(service(2, 0x1060000 + 25000, 0x1060000 + 25000));
  EXPECT_TRUE(service(3, 0x10648CA, 0x10648CA));
  EXPECT_TRUE(service(4, 0x1060000 + 900, 0x1060000 + 900));
  EXPECT_TRUE(service(5, 0x1060CBC, 0x1060CBC));
  EXPECT_TRUE(policy.rules[6].service_ids.empty());
  EXPECT_TRUE(contains(policy.groups.at(policy.rules[6].destinations.at(0)).port_guids, 0x2FFF));
  EXPECT_TRUE(contains(policy.rules[7].p_keys, 1));
  EXPECT_TRUE(contains(policy.rules[8].p_keys, 0x7FFF));
  EXPECT_TRUE(service(9, 0x6234, 0x6234));
  EXPECT_TRUE(contains(policy.rules[10].p_keys, 0xABC));
  EXPECT_EQ(policy.rules[11].sources.size(), 1u);
  EXPECT_EQ(policy.rules[12].destinations.size(), 1u);
  for (std::size_t rule = 0; rule < 12; ++rule) EXPECT_EQ(level(rule), rule + 1);
  EXPECT_EQ(policy.levels.at(policy.default_level.value()).sl, mad::ServiceLevel{0});
  ASSERT_EQ(policy.ipoib.size(), 2u);
  EXPECT_EQ(policy.ipoib[0].key, partitions::BaseKey{1});
  EXPECT_EQ(policy.ipoib[1].sl, mad::ServiceLevel{9});
}

// The order of OpenSM: qos-match-rules first, a level of the name before that of qos-ulps.
TEST(QosPolicy, PutsProtocolsBehindRules) {
  const auto policy = parsed(
                          "qos-ulps\nany, pkey 1 : 1\ndefault : 2\nend-qos-ulps\n"
                          "qos-match-rules\nqos-match-rule\nqos-class: 1\n"
                          "qos-level-name: default\nend-qos-match-rule\nend-qos-match-rules\n"
                          "qos-levels\nqos-level\nname: default\nsl: 3\nend-qos-level\n"
                          "end-qos-levels")
                          .policy;
  ASSERT_EQ(policy.rules.size(), 2u);
  EXPECT_TRUE(contains(policy.rules[0].qos_classes, 1));
  EXPECT_EQ(policy.levels.at(policy.default_level.value()).sl, mad::ServiceLevel{3});
}

TEST(QosPolicy, SaysWhatIsWrongAndWhere) {
  const auto level = [](std::string_view line) {
    return "qos-levels\nqos-level\nname: a\n  " + std::string(line) + "\nend-qos-level\n";
  };
  EXPECT_THAT(trouble("port-groups\n\n  port-grop\n"),
              StartsWith("qos.conf:3:3: expected 'port-group', not 'port-grop'"));
  EXPECT_THAT(trouble("\n qos-levels\n"), StartsWith("qos.conf:2:2: 'qos-levels' has no"));
  EXPECT_THAT(trouble(level("sl: 16")), StartsWith("qos.conf:4:7: expected a number from 0 to 15"));
  EXPECT_THAT(trouble(level("mtu-limit: 6")), StartsWith("qos.conf:4:14: an MTU"));
  EXPECT_THAT(trouble(level("rate-limit: 1")), StartsWith("qos.conf:4:15: a rate"));
  EXPECT_THAT(trouble(level("pkey: 1,,2")), StartsWith("qos.conf:4:9: a list"));
  EXPECT_THAT(trouble(level("pkey: 1, 5-2")), StartsWith("qos.conf:4:12: a range"));
  EXPECT_THAT(trouble(level("colour: red")), StartsWith("qos.conf:4:3: expected name"));
  EXPECT_THAT(trouble(level("sl")), StartsWith("qos.conf:4:3: expected a value"));
  EXPECT_THAT(trouble("qos-levels\nqos-level\nend-qos-level\n"),
              StartsWith("qos.conf:2:1: a level without a name"));
  EXPECT_THAT(trouble("qos-ulps\n  sdpp : 1\n"), StartsWith("qos.conf:2:3: expected default"));
  EXPECT_THAT(trouble("qos-ulps\n srp : 1\n"), StartsWith("qos.conf:2:2: expected default"));
  EXPECT_THAT(trouble("qos-ulps\n sdp, port-num 70000 : 1\n"), StartsWith("qos.conf:2:16:"));
  EXPECT_THAT(trouble("qos-ulps\n ipoib, pkey 1-3 : 1\n"), HasSubstr("single P_Keys"));
  const std::string rule = "qos-match-rules\nqos-match-rule\n";
  EXPECT_THAT(trouble(rule + "end-qos-match-rule\n"), StartsWith("qos.conf:2:1: a rule without"));
  EXPECT_THAT(trouble(rule + "qos-level-name: x\nend-qos-match-rule\nend-qos-match-rules\n"),
              StartsWith("qos.conf:3:17: there is no level 'x'"));
  EXPECT_THAT(trouble(level("sl: 1") + "end-qos-levels\n" + rule +
                      "source: y\nqos-level-name: a\nend-qos-match-rule\nend-qos-match-rules\n"),
              StartsWith("qos.conf:9:9: there is no port group 'y'"));
  EXPECT_THAT(trouble("\x1b[2J"), Not(HasSubstr("\x1b")));
  EXPECT_THAT(trouble(std::string(kMaxFileBytes + 1, '\n')), HasSubstr("no more than"));
}

TEST(QosPolicy, HasLimits) {
  std::string many = "qos-ulps\n";
  for (std::size_t i = 0; i <= kMaxRules; ++i) many += "sdp : 1\n";
  EXPECT_THAT(trouble(many + "end-qos-ulps"), HasSubstr("no more than 1024 rules"));
  std::string listed = "port-groups\nport-group\nname: a\nport-guid: 1";
  for (std::size_t i = 0; i < kMaxListed; ++i) listed += ",1";
  EXPECT_THAT(trouble(listed), HasSubstr("no more than 65536 things"));
  std::string notes;
  for (int i = 0; i < 100; ++i) notes += "qos-setup\nend-qos-setup\n";
  EXPECT_LT(parsed(notes).notes.size(), 20u);
}

// Lines of a right file in any order, doubled, cut and mixed with others.
TEST(QosPolicy, SurvivesNoise) {
  base::Prng prng(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text(kWholePolicy);
    for (std::uint64_t n = prng.below(6); n > 0; --n) {
      const std::size_t at = prng.below(text.size());
      if (prng.below(2) == 0) {
        text.erase(at, prng.below(30));
      } else {
        text.insert(at, text.substr(prng.below(text.size()), prng.below(30)));
      }
      if (text.empty()) break;
    }
    const auto result = parse(text, "f");
    if (!result) {
      EXPECT_THAT(result.error().message, StartsWith("f:"));
      continue;
    }
    for (const Rule& rule : result->policy.rules) {
      ASSERT_LT(rule.level, result->policy.levels.size());
    }
  }
}

TEST(QosPolicy, GivesIpoibItsLevel) {
  auto partitions = partitions::default_policy();
  const auto policy = parsed("qos-ulps\nipoib : 9\nipoib, pkey 5 : 2\nend-qos-ulps").policy;
  const auto changed = with_ipoib_levels(partitions, policy);
  ASSERT_FALSE(changed.partitions.at(0).groups.empty());
  EXPECT_EQ(changed.partitions[0].sl, mad::ServiceLevel{9});
  for (const auto& group : changed.partitions[0].groups) {
    EXPECT_EQ(group.sl, mad::ServiceLevel{9});
  }
  EXPECT_EQ(with_ipoib_levels(partitions, parsed("qos-ulps\nend-qos-ulps").policy), partitions);
}

}  // namespace
}  // namespace heddle::qos
