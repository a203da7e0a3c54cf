// SPDX-License-Identifier: BSD-3-Clause
// The golden lines are what Debian's OpenSM 3.3.23 wrote on a simulated fabric (tests/interop/
// opensm_memory.py makes such a dump in each run).
#include "sa/opensm_dump.hpp"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sa/registrations_text.hpp"

namespace heddle::sa {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr base::Instant kNow{std::chrono::hours(1)};
constexpr std::uint64_t kWall = 0x6b03'b900;

constexpr const char* kAliases =
    "GUIDInfo Record: base_guid=0x0248440380000021 lid=0x0006 block_num=0x0 "
    "guid0=0x0248440380000021 guid1=0x0014050000000077 guid2=0x0000000000000000 "
    "guid3=0x0000000000000000 guid4=0x0000000000000000 guid5=0x0000000000000000 "
    "guid6=0x0000000000000000 guid7=0x0000000000000000\n\n";
constexpr const char* kGroups =
    "MC Group 0xc001 : mgid=0xff12401bffff0000:0x0000000000000001 "
    "port_gid=0xfe80000000000000:0x0014050000000077 qkey=0x00000b1b mlid=0xc001 mtu=0x84 "
    "tclass=0x00 pkey=0xffff rate=0x83 pkt_life=0x92 sl_flow_hop=0x30012345 scope_state=0x21 "
    "proxy_join=0x0\n\n"
    "mcm_port: port_gid=0xfe80000000000000:0x0014050000000077 scope_state=0x21 proxy_join=0x0\n\n"
    "mcm_port: port_gid=0xfe80000000000000:0x0248440380000041 scope_state=0x24 proxy_join=0x0\n\n"
    "MC Group 0xc000  (well known): mgid=0xff12401bffff0000:0x00000000ffffffff "
    "port_gid=0x0000000000000000:0x0000000000000000 qkey=0x00000b1b mlid=0xc000 mtu=0x84 "
    "tclass=0x00 pkey=0xffff rate=0x83 pkt_life=0x92 sl_flow_hop=0x00000000 scope_state=0x21 "
    "proxy_join=0x0\n\n";
constexpr const char* kSubscription =
    "InformInfo Record: subscriber_gid=0xfe80000000000000:0x0248440380000051 subscriber_enum=0x0 "
    "InformInfo: gid=0x0000000000000000:0x0000000000000000 lid_range_begin=0xffff "
    "lid_range_end=0x0 is_generic=0x1 subscribe=0x1 trap_type=0xffff trap_num=0x40 "
    "qpn_resp_time_val=0x100 node_type=0xffffff rep_addr: lid=0x000d path_bits=0x00 "
    "static_rate=0x00 remote_qp=0x00000001 remote_qkey=0x00000000 pkey_ix=0x0000 sl=0x00\n\n";
std::string service(const std::string& lease, const std::string& left) {
  return "Service Record: id=0x0000000000005002 gid=0xfe80000000000000:0x0248440380000041 "
         "pkey=0xffff lease=" +
         lease +
         " key=0x0000000000000000:0x0000000000000009 name='service-5002' "
         "data8=0x0102000000000000:0x0000000000000000 data16=0x0304000000000000:0x0000000000000000 "
         "data32=0x0000000500000000:0x0000000000000000 "
         "data64=0x0000000000000006:0x0000000000000000 modified_time=0x6b03b85c lease_period=" +
         left + "\n\n";
}
std::string everything() {
  return std::string(kAliases) + kGroups + kSubscription + service("0xffffffff", "0xffffffff") +
         "\n";
}
Registrations parsed(const std::string& text) {
  auto registrations = parse_opensm_dump(text, "dump", kNow, kWall);
  EXPECT_TRUE(registrations) << registrations.error().message;
  return registrations ? std::move(*registrations) : Registrations{};
}
mad::Lid lid_of(mad::Guid port) {
  return port == mad::Guid{0x0248'4403'8000'0021} ? mad::Lid{6} : mad::kNoLid;
}

TEST(OpensmDump, IsKnownByItsFirstLine) {
  EXPECT_TRUE(is_opensm_dump(everything()));
  EXPECT_TRUE(is_opensm_dump("\n\n" + std::string(kGroups)));
  EXPECT_FALSE(is_opensm_dump("0x0248440300000090 0x0014 0x0014\n"));
  EXPECT_FALSE(is_opensm_dump("\n"));
}

TEST(OpensmDump, TellsWhoIsInWhichGroup) {
  const auto registrations = parsed(everything());
  ASSERT_EQ(registrations.groups.size(), 2u);
  const mad::Gid mgid{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{1}};
  const auto* group = registrations.groups.find(mgid);
  ASSERT_NE(group, nullptr);
  EXPECT_FALSE(group->permanent());
  EXPECT_EQ(group->mlid(), mad::Lid{0xc001});
  EXPECT_EQ(group->record().q_key, 0xb1bu);
  EXPECT_EQ(group->record().mtu, mad::Mtu::Bytes2048);
  EXPECT_EQ(group->record().rate, 3u);
  EXPECT_EQ(group->record().packet_life_time, 18u);
  EXPECT_EQ(group->record().sl, mad::ServiceLevel{3});
  EXPECT_EQ(group->record().flow_label, 0x123u);
  EXPECT_EQ(group->record().hop_limit, 0x45u);
  EXPECT_EQ(group->record().scope, 2u);
  ASSERT_EQ(group->members().size(), 2u);
  const auto& [gid, member] = *group->members().begin();
  EXPECT_EQ(gid.guid, mad::Guid{0x0014'0500'0000'0077});
  EXPECT_EQ(member.port, mad::Guid{0x0248'4403'8000'0021}) << "whose alias it joined by";
  EXPECT_EQ(member.join_state, multicast::kFullMember);
  EXPECT_EQ(group->members().rbegin()->second.join_state, multicast::kSendOnlyNonMember);
  const auto broadcast =
      registrations.groups.find({mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{0xffff'ffff}});
  ASSERT_NE(broadcast, nullptr);
  EXPECT_TRUE(broadcast->permanent());
}

TEST(OpensmDump, TellsServicesSubscriptionsAndAliases) {
  const auto registrations = parsed(everything());
  EXPECT_EQ(registrations.alias_guids.owner(mad::Guid{0x0014'0500'0000'0077}),
            mad::Guid{0x0248'4403'8000'0021});
  ASSERT_EQ(registrations.subscriptions.size(), 1u);
  const auto& subscription = registrations.subscriptions.all().begin()->second;
  EXPECT_EQ(subscription.subscriber.guid, mad::Guid{0x0248'4403'8000'0051});
  EXPECT_EQ(subscription.info.trap_number, 64u);
  EXPECT_EQ(subscription.info.qpn, 1u);
  EXPECT_EQ(subscription.report_to.lid, mad::Lid{13});
  EXPECT_EQ(subscription.report_to.q_key, 0x8001'0000u);
  EXPECT_FALSE(subscription.trusted);
  mad::ServiceRecord found;
  registrations.services.each(kNow, std::nullopt, [&](const mad::ServiceRecord& record) {
    found = record;
    return true;
  });
  EXPECT_EQ(found.service_id, 0x5002u);
  EXPECT_EQ(found.service_lease, 0xffff'ffffu);
  EXPECT_STREQ(found.service_name.data(), "service-5002");
  EXPECT_EQ(found.service_key[15], 9u);
  EXPECT_EQ(found.service_data8[1], 2u);
  EXPECT_EQ(found.service_data16[0], 0x304u);
  EXPECT_EQ(found.service_data32[0], 5u);
  EXPECT_EQ(found.service_data64[0], 6u);
}

// 0x6b03b900 is 164 s after 0x6b03b85c.
TEST(OpensmDump, LeasesHaveGoneOn) {
  const auto lease_left = [](const std::string& left) {
    std::uint32_t lease = 0;
    parsed(service("0x1000", left)).services.each(kNow, std::nullopt, [&](const auto& record) {
      lease = record.service_lease;
      return true;
    });
    return lease;
  };
  EXPECT_EQ(lease_left("0x3e8"), 1000u - 164u);
  EXPECT_EQ(lease_left("0xa4"), 0u) << "it has ended";
}

TEST(OpensmDump, SaysAgainWhatItWasTold) {
  const auto registrations = parsed(everything());
  const auto text = to_opensm_dump(registrations, kNow, kWall, lid_of);
  EXPECT_THAT(text, HasSubstr(kAliases));
  EXPECT_THAT(text, HasSubstr("mcm_port: port_gid=0xfe80000000000000:0x0248440380000041 "
                              "scope_state=0x24 proxy_join=0x0\n\n"));
  EXPECT_THAT(text, HasSubstr("MC Group 0xc000  (well known): mgid=0xff12401bffff0000:"));
  EXPECT_THAT(text, HasSubstr("sl_flow_hop=0x30012345 scope_state=0x21 proxy_join=0x0\n"));
  const auto again = parsed(text);
  EXPECT_EQ(to_text(again, kNow), to_text(registrations, kNow));
  EXPECT_EQ(to_opensm_dump(again, kNow, kWall, lid_of), text);
}

std::string mistake(const std::string& text) {
  const auto registrations = parse_opensm_dump(text, "dump", kNow, kWall);
  return registrations ? std::string() : registrations.error().message;
}

TEST(OpensmDump, NamesThePlaceThatIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(mistake("\nwhat is this\n"),
            "dump:2:1: a line begins with 'GUIDInfo Record:', 'MC Group', 'mcm_port:', "
            "'InformInfo Record:', or 'Service Record:'; this one with 'what is this'");
  EXPECT_EQ(mistake(std::string(kGroups).substr(0, 107)),
            "dump:1:108: 'qkey=' is wanted in the rest of this line");
  EXPECT_EQ(mistake("mcm_port: port_gid=0x1:0x2 scope_state=0x21 proxy_join=0x0"),
            "dump:1:1: a line 'MC Group ...' is wanted before this one");
}

// The first line of the kind that has this word in it, and the word that takes its place.
std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(OpensmDump, NamesTheValueThatIsWrong) {
  const auto column_of = [](const std::string& text, const std::string& word) {
    return "dump:1:" + std::to_string(text.find(word) + 1) + ": ";
  };
  const std::string groups(kGroups), aliases(kAliases), wanted("a number from 0x0 to ");
  for (const std::string wrong : {"", "zz", "0x10000", "me"}) {
    const std::string text = with(groups, "pkey=0xffff", "pkey=" + wrong);
    EXPECT_EQ(mistake(text), "dump:1:" + std::to_string(text.find("pkey=") + 6) + ": " + wanted +
                                 "0xffff is wanted here; '" + wrong + "' is none");
  }
  const std::string second = "0x0014050000000077";
  EXPECT_EQ(mistake(aliases + aliases), "dump:3:" + std::to_string(aliases.find(second) + 1) +
                                            ": this cannot be so: this alias is taken");
  EXPECT_THAT(mistake(with(groups, "0xff12401bffff0000", "0xfe12401bffff0000")),
              StartsWith(column_of(groups, "0xff12401bffff0000") + "this cannot be so: group "));
  const std::string long_name = service("0x1", "0x1");
  EXPECT_EQ(mistake(with(long_name, "service-5002", std::string(65, 'n'))),
            column_of(long_name, "service-5002") + "a name of 64 bytes at most is wanted here");
  EXPECT_EQ(mistake(with(long_name, "' data8=", " data8=")),
            column_of(long_name, "service-5002") + "'' data8=' is wanted in the rest of this line");
}

}  // namespace
}  // namespace heddle::sa
