// SPDX-License-Identifier: BSD-3-Clause
// What makes a file broken, and the sentence about it.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partitions/language.hpp"

namespace heddle::partitions {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text) {
  const auto parsed = parse(text, "/etc/opensm/partitions.conf");
  return parsed ? "no error" : parsed.error().message;
}

TEST(LanguageErrors, ADefinitionNeedsItsColonOnTheSameLine) {
  EXPECT_EQ(error_of("# who\nDefault=0x7fff\n: ALL=full ;"),
            "/etc/opensm/partitions.conf:2:1: 'Default=0x7fff' begins a definition that has no ':' "
            "on its line; it should look like NAME=0x8001, FLAG, FLAG : MEMBERS ;");
}

TEST(LanguageErrors, AKeyIsANumberOf15Bits) {
  for (const std::string_view key : {"0x7ffg", "-1", "0x10000", "", "tenant", "08"}) {
    const std::string text = "A = " + std::string(key) + " : ALL ;";
    EXPECT_EQ(error_of(text),
              "/etc/opensm/partitions.conf:1:" + std::string(key.empty() ? "4" : "5") + ": '" +
                  std::string(key) +
                  "' is no P_Key: it is 0x0001 to 0x7fff, where bit 15 does not count; without '=' "
                  "one is generated");
  }
}

TEST(LanguageErrors, AMemberIsAGuidOrAWord) {
  EXPECT_EQ(error_of("A=1 : 0x12,\n  ALL_CSA=full;"),
            "/etc/opensm/partitions.conf:2:3: 'ALL_CSA' is no member: a port GUID such as "
            "0x0002c90300001234 or one of NONE, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, ALL_VCAS, "
            "SELF, mgid could stand here; did you mean 'ALL_CAS'?");
  EXPECT_THAT(error_of("A=1 : host-7 ;"), HasSubstr("mgid could stand here"));
  EXPECT_THAT(error_of("A=1 : 0 ;"), HasSubstr("'0' is no member")) << "no port has GUID 0";
  EXPECT_THAT(error_of("A=1 : 0x0 ;"), HasSubstr("'0x0' is no member"));
  EXPECT_THAT(error_of("A=1 : 0x10002c90300001234 ;"), HasSubstr("is no member"));
  EXPECT_THAT(error_of("A=1 : self ;"), HasSubstr("did you mean 'SELF'?"));
  EXPECT_THAT(error_of("A=1 : =full ;"), HasSubstr("'' is no member"));
}

TEST(LanguageErrors, AGuidWithout0xIsRecognised) {
  EXPECT_THAT(error_of("A=1 : 0002c903000a1b01 ;"),
              HasSubstr("; did you mean '0x0002c903000a1b01'?"));
}

TEST(LanguageErrors, AMissingSemicolonIsGuessed) {
  EXPECT_THAT(error_of("A=1 : ALL\nB=2 : ALL ;"), HasSubstr(":2:1: 'B' is no member"));
  EXPECT_THAT(error_of("A=1 : ALL\nB : ALL ;"),
              HasSubstr("; is the ';' missing that ends the definition before?"));
}

TEST(LanguageErrors, AnEqualsSignNeedsAMembership) {
  EXPECT_EQ(error_of("A=1 : 0x17= , ALL;"),
            "/etc/opensm/partitions.conf:1:12: full, limited or both should follow '0x17'=");
}

TEST(LanguageErrors, AFileIsText) {
  EXPECT_EQ(error_of(std::string_view("A=1:\0ALL;", 9)),
            "/etc/opensm/partitions.conf:1:5: a zero byte: this is no text file");
}

TEST(LanguageErrors, LongAndUnprintableWordsAreCut) {
  const std::string message = error_of("A=1 : " + std::string(5000, 'x') + ";");
  EXPECT_LT(message.size(), 400u);
  EXPECT_THAT(message, HasSubstr("xxx...' is no member"));
  EXPECT_THAT(error_of("A=1 : \x1b[31m ;"), HasSubstr("'?[31m' is no member"));
}

TEST(LanguageErrors, SizesHaveLimits) {
  EXPECT_THAT(error_of(std::string(kMaxFileBytes + 1, '\n')), HasSubstr("more than 67108864"));
  EXPECT_THAT(error_of(std::string(256, 'n') + "=1 : ALL ;"),
              HasSubstr("a partition's name has at most 255 bytes"));
  std::string members = "A=1 : ";
  for (std::size_t i = 0; i <= kMaxRules; ++i) members += "A,";
  EXPECT_THAT(error_of(members), HasSubstr("more than 4194304 members"));
}

TEST(LanguageErrors, GroupsHaveALimit) {
  std::string text = "A=1 :\n";
  for (std::size_t i = 0; i <= kMaxGroups; ++i) {
    text += "mgid=ff12::" + std::to_string(i / 10000) + ":" + std::to_string(i % 10000) + "\n";
  }
  EXPECT_THAT(error_of(text), HasSubstr("more than 65536 groups"));
}

}  // namespace
}  // namespace heddle::partitions
