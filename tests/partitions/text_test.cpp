// SPDX-License-Identifier: BSD-3-Clause
// What is written reads back as the same.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "partitions/language.hpp"

namespace heddle::partitions {
namespace {

constexpr LanguageOptions kWholeLanguage{.allow_both_pkeys = true, .qos = true};

void expect_round_trip(const Policy& policy) {
  const std::string text = to_text(policy);
  const auto again = parse(text, "p", kWholeLanguage);
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  EXPECT_EQ(again->policy, policy) << text;
}

TEST(Text, TheBuiltInPoliciesReadBack) {
  expect_round_trip(default_policy());
  expect_round_trip(closed_policy());
}

TEST(Text, WhatIsWrittenIsNothingToWarnOf) {
  for (const std::string_view text :
       {"Default=0x7fff, ipoib, mtu=5, scope=2, scope=5, sl=1 : ALL=full;",
        "A=1, indx0, ipoib : 0x12=both\n mgid=ff12:401b::16\n;"}) {
    const std::string written = to_text(parse(text, "p", kWholeLanguage).value().policy);
    EXPECT_TRUE(parse(written, "p", kWholeLanguage).value().warnings.empty()) << written;
  }
}

TEST(Text, HeadsThatContradictEachOtherReadBack) {
  for (const std::string_view text : {
           "A=1, ipoib, sl=1 : ALL; A=1, sl=2 : SELF;",
           "A=1, ipoib, mtu=5 :\n mgid=ff12:401b::16\n; A=1, mtu=3 :\n mgid=ff12:401b::17\n;",
           "A=1 :\n mgid=ff12:601b::ffff:ffff,sl=4\n; A=1, ipoib, scope=2, scope=4 : ALL;",
           "A=1, ipoib, scope=3 : ; A=1, ipoib, scope=5, TClass=7 : ALL_S;",
           ", indx0 : ALL; 7 : SELF=both; Default : SELF=full;",
       }) {
    const auto parsed = parse(text, "p", kWholeLanguage);
    ASSERT_TRUE(parsed) << text;
    expect_round_trip(parsed->policy);
  }
}

// Files made of pieces that mean something, put together at random.
class Files {
 public:
  explicit Files(std::uint64_t seed) : random_(seed) {}

  std::string file() {
    std::string text;
    for (std::uint64_t n = below(12); n > 0; --n) text += definition();
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  std::string number(std::uint64_t n) { return std::to_string(below(n)); }
  std::string group_flags() {
    std::string text;
    for (std::uint64_t n = below(4); n > 0; --n) {
      const std::vector<std::string> flags{"mtu=" + number(7),      "rate=" + number(27),
                                           "scope=" + number(16),   "Q_Key=" + number(99),
                                           "TClass=" + number(9),   "sl=" + number(17),
                                           "FlowLabel=" + number(9)};
      text += ", " + flags[below(flags.size())];
    }
    return text;
  }
  std::string definition() {
    const std::vector<std::string> names{"A", "B", "A=1", "B=2", "=3", "Default", "0x7fff", ""};
    const std::vector<std::string> flags{"", ", ipoib", ", ipoib", ", indx0", ", defmember=both"};
    std::string text = names[below(names.size())] + flags[below(flags.size())] + group_flags();
    text += " : ";
    for (std::uint64_t n = below(6); n > 0; --n) text += member();
    return text + ";\n";
  }
  std::string member() {
    const std::vector<std::string> mgids{"ff12:401b::16",        "ff12::1",
                                         "ff12:601b::ffff:ffff", "ff12:401b::ffff:ffff",
                                         "ff15:601b::2",         "ff18::ffff"};
    if (below(3) == 0) return "\n mgid=" + mgids[below(mgids.size())] + group_flags() + "\n";
    const std::vector<std::string> who{"ALL", "ALL_CAS", "SELF", "NONE", "0x" + number(9) + "1"};
    const std::vector<std::string> memberships{"", "=full", "=limited", "=both"};
    return who[below(who.size())] + memberships[below(memberships.size())] + ",";
  }

  base::Prng random_;
};

TEST(Text, AnyPolicyReadsBack) {
  std::size_t groups = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const std::string text = Files(seed).file();
    const auto parsed = parse(text, "p", kWholeLanguage);
    ASSERT_TRUE(parsed) << parsed.error().message << "\n" << text;
    for (const Partition& partition : parsed->policy.partitions) groups += partition.groups.size();
    expect_round_trip(parsed->policy);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(groups, 10000u) << "the files hardly said anything";
}

}  // namespace
}  // namespace heddle::partitions
