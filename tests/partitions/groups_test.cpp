// SPDX-License-Identifier: BSD-3-Clause
// The groups that a policy asks for.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/mgid.hpp"
#include "partitions/gid_text.hpp"
#include "partitions/language.hpp"

namespace heddle::partitions {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Parsed read_lines(std::string_view text) {
  return parse(text, "p", {.allow_both_pkeys = true, .qos = true}).value();
}

std::vector<std::string> mgids(const Partition& partition) {
  std::vector<std::string> texts;
  for (const GroupSpec& group : partition.groups) {
    texts.push_back(gid_text(group.mgid));
    EXPECT_EQ(group.scope, scope_of(group.mgid));
    EXPECT_EQ(group.p_key, full_key(partition.key));
  }
  return texts;
}

TEST(Groups, WithoutAFileIpoibWorks) {
  const Policy policy = default_policy();
  ASSERT_EQ(policy.partitions.size(), 1u);
  EXPECT_THAT(mgids(policy.partitions[0]),
              ElementsAre("ff12:401b:ffff:0:0:0:ffff:ffff", "ff12:601b:ffff:0:0:0:ffff:ffff"));
  EXPECT_EQ(policy, read_lines("Default=0x7fff, ipoib : ALL=full, SELF=full ;").policy);
}

TEST(Groups, AClosedPolicyHasNone) {
  EXPECT_THAT(closed_policy().partitions.at(0).groups, IsEmpty());
}

TEST(Groups, IpoibMakesBothBroadcastGroupsForEachScope) {
  const Partition a =
      read_lines("A=0x12, scope=5, ipoib, mtu=5, scope=2, rate=16 : ;").policy.partitions.at(1);
  EXPECT_THAT(mgids(a),
              ElementsAre("ff12:401b:8012:0:0:0:ffff:ffff", "ff12:601b:8012:0:0:0:ffff:ffff",
                          "ff15:401b:8012:0:0:0:ffff:ffff", "ff15:601b:8012:0:0:0:ffff:ffff"));
  for (const GroupSpec& group : a.groups) {
    EXPECT_EQ(group.mtu, mad::Mtu::Bytes4096);
    EXPECT_EQ(group.rate, 16);
    EXPECT_EQ(group.q_key, kIpoibQKey);
  }
}

TEST(Groups, AGeneratedKeyIsInTheMgid) {
  EXPECT_THAT(mgids(read_lines("A, ipoib : ;").policy.partitions.at(1)),
              ElementsAre("ff12:401b:8001:0:0:0:ffff:ffff", "ff12:601b:8001:0:0:0:ffff:ffff"));
}

TEST(Groups, MgidLinesTakeTheFlagsOfTheHeadAndTheirOwn) {
  const Parsed parsed = read_lines(
      "Default=0x7fff, sl=3, rate=7, Q_Key=0x11, TClass=2, FlowLabel=0x12345 :\n"
      "   mgid=ff12:401b::16\n"
      "   ALL=full, mgid=ff12::1, sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2,TClass=9,FlowLabel=1 # own\n"
      "   SELF=full;\n");
  EXPECT_THAT(parsed.warnings, IsEmpty());
  const Partition& everybody = parsed.policy.partitions.at(0);
  EXPECT_EQ(everybody.rules.size(), 2u);
  GroupSpec own;
  own.mgid = gid_of("ff12::1").value();
  own.p_key = mad::PKey{0xffff};
  own.mtu = mad::Mtu::Bytes512;
  own.rate = 3;
  own.sl = mad::ServiceLevel{1};
  own.q_key = 0xDEADBEEF;
  own.t_class = 9;
  own.flow_label = 1;
  GroupSpec igmp = own;
  igmp.mgid = gid_of("ff12:401b:ffff::16").value();
  igmp.mtu = mad::Mtu::Bytes2048;
  igmp.rate = 7;
  igmp.sl = mad::ServiceLevel{3};
  igmp.q_key = 0x11;
  igmp.t_class = 2;
  igmp.flow_label = 0x12345;
  EXPECT_THAT(everybody.groups, ElementsAre(own, igmp));
}

TEST(Groups, OnlyIpGroupsGetIpoibsQKeyAndThePKey) {
  const Partition a =
      read_lines("A=1 :\n mgid=ff12:601b::2\n mgid=ff12:a01b::2\n;").policy.partitions.at(1);
  EXPECT_THAT(mgids(a), ElementsAre("ff12:601b:8001:0:0:0:0:2", "ff12:a01b:0:0:0:0:0:2"));
  EXPECT_EQ(a.groups[0].q_key, kIpoibQKey);
  EXPECT_EQ(a.groups[1].q_key, 0u);
}

TEST(Groups, IpGroupsThatNoInterfaceCouldJoinAreLeftOut) {
  const Parsed parsed = read_lines(
      "A=1, ipoib, mtu=5 :\n mgid=ff12:401b:2::16\n mgid=ff12:401b::17,mtu=4\n"
      " mgid=ff12:401b::18,rate=7\n mgid=ff12:401b:1::19\n mgid=ff12:401b:8001::1a\n"
      " mgid=ff12:401b:ffff::ffff:ffff\n;");
  EXPECT_THAT(mgids(parsed.policy.partitions.at(1)),
              ElementsAre("ff12:401b:8001:0:0:0:0:19", "ff12:401b:8001:0:0:0:0:1a",
                          "ff12:401b:8001:0:0:0:ffff:ffff", "ff12:601b:8001:0:0:0:ffff:ffff"));
  EXPECT_THAT(parsed.warnings,
              ElementsAre("p:2:7: the group is left out: its P_Key 0x0002 is not that of the "
                          "partition, 0x8001; 0 would be filled in",
                          HasSubstr("p:3:7: the group is left out: MTU and rate"),
                          HasSubstr("p:4:7: the group is left out: MTU and rate")));
}

TEST(Groups, WhatIsNoMulticastGidIsLeftOut) {
  for (const std::string gid :
       {"fe80::1", "ff12", "ff12::1::2", "ff12:1:2:3:4:5:6:7:8", "ff12::12345", "ff12::g", ""}) {
    const Parsed parsed = read_lines("A=1 :\n  mgid=" + gid + ", mtu=3\n ALL;");
    EXPECT_THAT(parsed.warnings, ElementsAre(HasSubstr("the group is left out: '" + gid +
                                                       "' is no multicast GID; "
                                                       "mgid=ff12:401b::16 could stand here")));
    EXPECT_THAT(parsed.policy.partitions.at(1).groups, IsEmpty());
    EXPECT_EQ(parsed.policy.partitions.at(1).rules.size(), 1u);
  }
  EXPECT_THAT(read_lines("A=1 : mgid ;").warnings,
              ElementsAre(HasSubstr("'mgid' is no multicast GID")));
}

TEST(Groups, AScopeIsWrittenIntoTheMgid) {
  const Parsed parsed = read_lines("A=1 :\n mgid=ff15::1\n mgid=ff12::2,scope=8,scope=3\n;");
  EXPECT_THAT(mgids(parsed.policy.partitions.at(1)),
              ElementsAre("ff12:0:0:0:0:0:0:1", "ff13:0:0:0:0:0:0:2", "ff18:0:0:0:0:0:0:2"));
  EXPECT_THAT(parsed.warnings, ElementsAre("p:2:7: the scope of 'ff15::1' becomes 2 (link-local); "
                                           "add scope=5 to keep it"));
}

TEST(Groups, AnMgidBelongsToWhoNamesItFirst) {
  const Parsed parsed = read_lines(
      "A=1, ipoib :\n mgid=ff12::1\n;\nB=2 :\n mgid=ff12::1\n;\nA=1, ipoib, mtu=5 : ;\n"
      "A=1, ipoib : ;");
  EXPECT_EQ(parsed.policy.partitions.at(1).groups.size(), 3u);
  EXPECT_THAT(parsed.policy.partitions.at(2).groups, IsEmpty());
  EXPECT_THAT(
      parsed.warnings,
      ElementsAre("p:5:7: group ff12:0:0:0:0:0:0:1 exists already and stays as it was first said",
                  HasSubstr("p:7:1: group ff12:401b:8001:0:0:0:ffff:ffff exists already"),
                  HasSubstr("p:7:1: group ff12:601b:8001:0:0:0:ffff:ffff exists already")));
}

TEST(Groups, UnknownFlagsOfAnMgidAreTold) {
  EXPECT_THAT(read_lines("A=1:\n mgid=ff12::1, ipoib, speed=7\n;").warnings,
              ElementsAre(HasSubstr("p:2:16: 'ipoib' is no flag and is ignored; the flags are mtu, "
                                    "rate, scope, Q_Key, TClass, sl, FlowLabel"),
                          HasSubstr("p:2:23: 'speed' is no flag")));
}

TEST(Groups, GidsAreReadInEveryForm) {
  const auto text = [](std::string_view gid) {
    const auto read_lines = gid_of(gid);
    return read_lines ? gid_text(*read_lines) : "none";
  };
  EXPECT_EQ(text("ff12:1:2:3:4:5:6:7"), "ff12:1:2:3:4:5:6:7");
  EXPECT_EQ(text("FF12::"), "ff12:0:0:0:0:0:0:0");
  EXPECT_EQ(text("::1"), "0:0:0:0:0:0:0:1");
  EXPECT_EQ(text("::"), "0:0:0:0:0:0:0:0");
  EXPECT_EQ(text("ff12:0001::abcd:00ef"), "ff12:1:0:0:0:0:abcd:ef");
  for (const std::string_view wrong :
       {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8",
        "12345::", "g::", "1::2::3", ":1::2", "0x1::", "1:", "ff12::1 2"}) {
    EXPECT_EQ(text(wrong), "none") << wrong;
  }
}

}  // namespace
}  // namespace heddle::partitions
