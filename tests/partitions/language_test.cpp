// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/language.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::partitions {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr LanguageOptions kEverything{.allow_both_pkeys = true, .qos = true};

Parsed read(std::string_view text, const LanguageOptions& options = kEverything) {
  auto parsed = parse(text, "p", options);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return {};
  }
  return std::move(*parsed);
}

Rule port(std::uint64_t guid, Membership membership) {
  return {Who::Port, mad::Guid{guid}, membership};
}
Rule all(Membership membership) {
  return {Who::All, {}, membership};
}
Rule self(Membership membership) {
  return {Who::Self, {}, membership};
}

// The last partition of the file.
Partition last(std::string_view text) {
  const Parsed parsed = read(text);
  return parsed.policy.partitions.empty() ? Partition{} : parsed.policy.partitions.back();
}

TEST(Language, AnEmptyFileIsNoOpenFabric) {
  for (const std::string_view text : {"", "\n\n", "# nothing yet\n", "  \t \r\n"}) {
    const Parsed parsed = read(text);
    EXPECT_EQ(parsed.policy, closed_policy()) << text;
    EXPECT_THAT(parsed.warnings, IsEmpty());
  }
}

TEST(Language, AFileWithoutDefaultLeavesItLimited) {
  const Parsed parsed = read("A=0x1 : ALL=full ;");
  ASSERT_EQ(parsed.policy.partitions.size(), 2u);
  EXPECT_EQ(parsed.policy.partitions[0], closed_policy().partitions[0]);
  EXPECT_EQ(parsed.policy.partitions[1].key, BaseKey{1});
}

TEST(Language, RulesForDefaultReplaceTheBuiltInOnes) {
  const Parsed parsed = read("Default=0x7fff : ALL=full ;");
  ASSERT_EQ(parsed.policy.partitions.size(), 1u);
  EXPECT_THAT(parsed.policy.partitions[0].rules, ElementsAre(all(Membership::Full)));
}

TEST(Language, HeadsNameAPartitionAndItsKey) {
  EXPECT_EQ(last("Tenant = 0x8012 : ALL ;").key, BaseKey{0x12});
  EXPECT_EQ(last("Tenant = 0x8012 : ALL ;").name, "Tenant");
  EXPECT_EQ(last("with blanks in it=18:ALL;").name, "with blanks in it");
  EXPECT_EQ(last("with blanks in it=18:ALL;").key, BaseKey{18});
  EXPECT_EQ(last("0x300 : ALL;").key, BaseKey{0x300});
  EXPECT_EQ(last("0x300 : ALL;").name, "");
  EXPECT_EQ(last("=0x300 : ALL;").key, BaseKey{0x300});
  EXPECT_EQ(last("A=010 : ALL;").key, BaseKey{8}) << "octal, as C reads numbers";
}

TEST(Language, WithoutAKeyTheLowestFreeOneIsGenerated) {
  const Parsed parsed = read("A=0x1:ALL; B:ALL; :ALL; =0x8000:ALL; B,indx0:SELF; Default:SELF;");
  const auto& partitions = parsed.policy.partitions;
  ASSERT_EQ(partitions.size(), 5u);
  EXPECT_EQ(partitions[2].name, "B");
  EXPECT_EQ(partitions[2].key, BaseKey{2});
  EXPECT_EQ(partitions[2].rules.size(), 2u) << "a name without a key means the one before";
  EXPECT_TRUE(partitions[2].index0);
  EXPECT_EQ(partitions[3].key, BaseKey{3});
  EXPECT_EQ(partitions[4].key, BaseKey{4}) << "0x8000 is no key";
  EXPECT_THAT(partitions[0].rules, ElementsAre(self(Membership::Limited))) << "Default by name";
}

TEST(Language, AKeyThatWasGeneratedMayBeJoinedWithAWarning) {
  const Parsed parsed = read("A:ALL;\nB=0x1 : SELF;");
  ASSERT_EQ(parsed.policy.partitions.size(), 2u);
  EXPECT_EQ(parsed.policy.partitions[1].name, "A");
  EXPECT_EQ(parsed.policy.partitions[1].rules.size(), 2u);
  EXPECT_THAT(parsed.warnings,
              ElementsAre("p:2:3: P_Key 0x0001 was already generated for partition 'A', which this "
                          "definition joins; give that one a P_Key of its own"));
}

TEST(Language, DefinitionsOfOneKeyAreOnePartition) {
  const Partition io = last(
      "ShareIO = 0x80 , defmember=full : 0x123451, 0x123452;\n"
      "Other = 0x8080 : 0x123453, 0x123455=full;\n"
      "ShareIO = 0x80 , sl=3 , defmember=full : 0x12345b, 0x12345c=limited;\n"
      "ShareIO = 0x80 : NONE;\n");
  EXPECT_EQ(io.name, "ShareIO");
  EXPECT_EQ(io.sl, mad::ServiceLevel{3}) << "a definition that does not say it does not undo it";
  EXPECT_THAT(io.rules,
              ElementsAre(port(0x123451, Membership::Full), port(0x123452, Membership::Full),
                          port(0x123453, Membership::Limited), port(0x123455, Membership::Full),
                          port(0x12345b, Membership::Full), port(0x12345c, Membership::Limited)));
}

TEST(Language, MembersGoOnOverLines) {
  const Partition tenant = last(
      "TenantA=0x8001, defmember=full : # who pays\n"
      "    0x0002c903000a1c01, 0x0002c903000a1c02,\n"
      "\n"
      "    42 # decimal\n"
      "    0x0002c903000a1c03 = limited ; # the end\n");
  EXPECT_THAT(
      tenant.rules,
      ElementsAre(port(0x2c903000a1c01, Membership::Full), port(0x2c903000a1c02, Membership::Full),
                  port(42, Membership::Full), port(0x2c903000a1c03, Membership::Limited)));
}

TEST(Language, SeveralDefinitionsStandOnOneLine) {
  EXPECT_EQ(read("A=1:ALL;B=2:ALL;C=3:ALL;").policy.partitions.size(), 4u);
}

TEST(Language, WordsAreAbbreviatedInTheirOrder) {
  const Partition a = last(
      "A=1, i, d=b, m=5, r=7, s=5, Q=9, T=3, sl=2, F=8 : A, ALL_, ALL_S, "
      "ALL_R, ALL_V, S=l, N, A=f, A=li, A=bo;");
  EXPECT_TRUE(a.ipoib);
  EXPECT_EQ(a.sl, mad::ServiceLevel{2});
  ASSERT_EQ(a.groups.size(), 2u);
  EXPECT_EQ(a.groups[0].mtu, mad::Mtu::Bytes4096);
  EXPECT_EQ(a.groups[0].rate, 7);
  EXPECT_EQ(a.groups[0].scope, 5) << "s is scope, not sl";
  EXPECT_EQ(a.groups[0].q_key, 9u);
  EXPECT_EQ(a.groups[0].t_class, 3);
  EXPECT_EQ(a.groups[0].sl, mad::ServiceLevel{2});
  EXPECT_EQ(a.groups[0].flow_label, 8u);
  EXPECT_THAT(a.rules,
              ElementsAre(all(Membership::Both), Rule{Who::AllCas, {}, Membership::Both},
                          Rule{Who::AllSwitches, {}, Membership::Both},
                          Rule{Who::AllRouters, {}, Membership::Both},
                          Rule{Who::AllVcas, {}, Membership::Both}, self(Membership::Limited),
                          all(Membership::Full), all(Membership::Limited), all(Membership::Both)));
}

TEST(Language, Indx0AndMgidAreNotAbbreviated) {
  EXPECT_FALSE(last("A=1, ind : ALL;").index0);
  EXPECT_TRUE(last("A=1, indx0 : ALL;").index0);
  EXPECT_FALSE(parse("A=1 : mgi=ff12::1 ;", "p"));
}

TEST(Language, BothIsFullWhereItIsNotAllowed) {
  const Parsed parsed = read("A=1, defmember=both : ALL, SELF=both;", {.qos = true});
  EXPECT_THAT(parsed.policy.partitions[1].rules,
              ElementsAre(all(Membership::Full), self(Membership::Full)));
  EXPECT_THAT(parsed.warnings,
              ElementsAre("p:1:16: 'both' means full here, because allow_both_pkeys is off",
                          "p:1:33: 'both' means full here, because allow_both_pkeys is off"));
}

TEST(Language, AnSlNeedsQos) {
  const Parsed parsed = read("A=1, sl=3, ipoib : ALL;", {.allow_both_pkeys = true});
  EXPECT_EQ(parsed.policy.partitions[1].sl, mad::ServiceLevel{0});
  EXPECT_EQ(parsed.policy.partitions[1].groups[0].sl, mad::ServiceLevel{0});
  EXPECT_THAT(parsed.warnings, ElementsAre("p:1:1: 'sl=3' is ignored, because qos is off"));
}

TEST(Language, CarelessWordsAreToldAndTakenAsOpenSMTakesThem) {
  const Parsed parsed = read(
      "A=1, colour=red, mtu=9, rate, sl=16, defmember=ful1 ,: ALL=fulll, "
      "SELF=FULL, ALL_VCAS\n;;");
  EXPECT_THAT(parsed.policy.partitions[1].rules,
              ElementsAre(all(Membership::Limited), self(Membership::Limited),
                          Rule{Who::AllVcas, {}, Membership::Limited}));
  EXPECT_THAT(
      parsed.warnings,
      ElementsAre(
          "p:1:6: 'colour' is no flag and is ignored; the flags are mtu, rate, scope, Q_Key, "
          "TClass, sl, FlowLabel, ipoib, defmember, indx0",
          "p:1:22: '9' is no value of 'mtu', which is ignored: 1 to 5 (256 to 4096 bytes) or the "
          "number of bytes could stand here",
          HasSubstr("p:1:25: 'rate' needs a value and is ignored: a rate code"),
          "p:1:34: '16' is no value of 'sl', which is ignored: 0 to 15 could stand here",
          "p:1:48: 'defmember' is ignored: 'ful1' should be full, limited or both; did you mean "
          "'full'?",
          HasSubstr("an empty flag is ignored"),
          "p:1:60: 'fulll' is taken for limited; full, limited or both could stand here; did you "
          "mean 'full'?",
          HasSubstr("limited or both could stand here; did you mean 'full'?"),
          "p:2:2: a ';' that ends nothing is ignored"));
}

TEST(Language, AMissingSemicolonAtTheEndIsForgiven) {
  const Parsed parsed = read("A=1 : ALL\n");
  EXPECT_THAT(parsed.policy.partitions[1].rules, ElementsAre(all(Membership::Limited)));
  EXPECT_THAT(parsed.warnings, ElementsAre("p:2:1: the last definition has no ';' at its end"));
}

TEST(Language, WarningsAreCounted) {
  std::string text;
  for (std::size_t i = 0; i < kMaxWarnings + 7; ++i) text += "A=1, nonsense : ALL;\n";
  const Parsed parsed = read(text);
  ASSERT_EQ(parsed.warnings.size(), kMaxWarnings + 1);
  EXPECT_EQ(parsed.warnings.back(), "p: 7 more warnings");
}

TEST(Language, MtuAndRateAreCodesOrWhatTheyMean) {
  const auto group = [](std::string_view flags) {
    const Partition a = last("A=1, ipoib, " + std::string(flags) + " : ALL;");
    return std::pair(static_cast<int>(a.groups.at(0).mtu), int{a.groups.at(0).rate});
  };
  EXPECT_EQ(group("mtu=4"), std::pair(4, 3));
  EXPECT_EQ(group("mtu=4096"), std::pair(5, 3));
  EXPECT_EQ(group("mtu=256"), std::pair(1, 3));
  EXPECT_EQ(group("rate=16"), std::pair(4, 16));
  EXPECT_EQ(group("rate=100G"), std::pair(4, 16));
  EXPECT_EQ(group("rate=2.5Gb"), std::pair(4, 2));
  EXPECT_EQ(group("rate=800G"), std::pair(4, 23));
  EXPECT_EQ(group("rate=2.55G"), std::pair(4, 3));
  EXPECT_EQ(group("rate=100g"), std::pair(4, 3));
  EXPECT_EQ(group("rate=1"), std::pair(4, 3)) << "no rate has this code";
  const Parsed beyond = read("A=1, ipoib, rate=26 : ALL;");
  ASSERT_EQ(beyond.warnings.size(), 1u);
  EXPECT_THAT(beyond.warnings[0], testing::HasSubstr("'26' is no value of 'rate'"));
  EXPECT_THAT(beyond.warnings[0], testing::HasSubstr("from 2 to 25"));
}

// Every key that 15 bits can name.
TEST(Language, EveryKeyCanBeUsed) {
  std::string text;
  for (std::size_t i = 1; i < kMaxPartitions; ++i) text += ", ipoib : SELF=full ;\n";
  const Parsed parsed = read(text);
  EXPECT_EQ(parsed.policy.partitions.size(), kMaxPartitions);
  EXPECT_EQ(parsed.policy.partitions.back().key, BaseKey{0x7ffe});
  EXPECT_EQ(parsed.policy.partitions.back().groups.size(), 2u);
  const auto one_more = parse(text + ": SELF ;", "p");
  ASSERT_FALSE(one_more);
  EXPECT_THAT(one_more.error().message, HasSubstr("no P_Key is left to be generated"));
}

}  // namespace
}  // namespace heddle::partitions
