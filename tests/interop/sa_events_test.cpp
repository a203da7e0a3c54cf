// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door, on three hosts of star:16 with `heddle sm` on the first: who
// subscribes hears of what happens, until they confirm nothing any more.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "mad/inform_info_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using mad::InformInfo;
using mad::MCMemberRecord;
using mad::Method;
using mad::SAAttributeId;
using mad::TrapNumber;

constexpr std::uint16_t kAny = 0xffff;
constexpr mad::SMKey kOurKey{1};
constexpr int kPatience = 8000;  // milliseconds: a light sweep may have to notice it
constexpr int kVictim = 9;       // a port of the switch, with a host that no test sits on

std::uint16_t number_of(TrapNumber trap) {
  return static_cast<std::uint16_t>(trap);
}

class Events : public testing::Test {
 protected:
  Reply subscribe(SAClient& host, std::uint16_t trap, bool on = true, mad::SMKey key = {}) {
    InformInfo info;
    info.lid_range_begin = mad::kPermissiveLid;
    info.is_generic = 1;
    info.subscribe = on ? 1 : 0;
    info.type = kAny;
    info.trap_number = trap;
    info.qpn = 1;
    info.producer_type = 0xff'ffff;
    return host.ask({Method::Set, SAAttributeId::InformInfo, 0, bytes_of(info), key});
  }
  std::size_t subscriptions_of(SAClient& host) {
    return host.ask({Method::GetTable, SAAttributeId::InformInfoRecord, 0, Bytes(200), {}})
        .records<mad::InformInfoRecord>()
        .size();
  }
  // What ibportstate does to the port of the switch that the victim hangs on.
  void set_link(const std::string& how) {
    const std::string command =
        "ibportstate -D 0,1 " + std::to_string(kVictim) + " " + how + " > ibportstate.txt 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  // The next report of this trap, confirmed, as all before it.
  std::optional<Report> await(SAClient& host, TrapNumber trap) {
    while (auto report = host.next_report(kPatience)) {
      host.confirm(*report);
      if (report->issued.notice.trap_number == number_of(trap)) return report;
    }
    return std::nullopt;
  }
  static mad::Gid gid_in(const Report& report) {
    const auto details = mad::decode_details(report.issued.notice);
    const auto* notice = std::get_if<mad::GidNotice>(&details);
    return notice != nullptr ? notice->gid : mad::Gid{};
  }

  SAClient second_{"mlx5_1"};
  SAClient third_{"mlx5_2"};
};

TEST_F(Events, HostsThatGoAndComeAreReported) {
  ASSERT_TRUE(subscribe(second_, kAny).ok());
  set_link("disable");
  // The switch's own word of it, and then what it meant.
  const auto changed = await(second_, TrapNumber::LinkStateChange);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->issued.issuer_gid.prefix, mad::kDefaultGidPrefix);
  const auto gone = await(second_, TrapNumber::GidOutOfService);
  ASSERT_TRUE(gone);
  set_link("enable");
  const auto back = await(second_, TrapNumber::GidInService);
  ASSERT_TRUE(back);
  EXPECT_EQ(gid_in(*back), gid_in(*gone));
  EXPECT_NE(gid_in(*gone), mad::Gid{});
  EXPECT_TRUE(subscribe(second_, kAny, false).ok());
  EXPECT_EQ(subscriptions_of(second_), 0u);
}

TEST_F(Events, GroupsThatComeAndGoAreReportedToWhoAskedForThat) {
  ASSERT_TRUE(subscribe(second_, number_of(TrapNumber::MulticastGroupCreated)).ok());
  ASSERT_TRUE(subscribe(second_, number_of(TrapNumber::MulticastGroupDeleted)).ok());
  EXPECT_EQ(subscriptions_of(second_), 2u);
  EXPECT_EQ(subscriptions_of(third_), 0u);  // shown to nobody else
  MCMemberRecord record;
  record.mgid = gid_of("ff12:beef::1");
  record.port_gid = third_.gid();
  record.join_state = 1;
  record.p_key = mad::PKey{0xffff};
  for (const auto method : {Method::Set, Method::Delete}) {
    const auto mask = method == Method::Set ? kCreationMask : kMemberMask;
    ASSERT_TRUE(
        third_.ask({method, SAAttributeId::MCMemberRecord, mask, bytes_of(record), {}}).ok());
    const auto report = await(second_, method == Method::Set ? TrapNumber::MulticastGroupCreated
                                                             : TrapNumber::MulticastGroupDeleted);
    ASSERT_TRUE(report);
    EXPECT_EQ(gid_in(*report), record.mgid);
  }
  EXPECT_TRUE(subscribe(second_, number_of(TrapNumber::MulticastGroupCreated), false).ok());
  EXPECT_TRUE(subscribe(second_, number_of(TrapNumber::MulticastGroupDeleted), false).ok());
}

TEST_F(Events, WhoDoesNotConfirmHearsItAgainAndThenNoMore) {
  ASSERT_TRUE(subscribe(second_, number_of(TrapNumber::GidOutOfService)).ok());
  set_link("disable");
  const auto once = second_.next_report(kPatience);
  ASSERT_TRUE(once);
  for (int i = 0; i < 3; ++i) {
    const auto again = second_.next_report(3000);
    ASSERT_TRUE(again) << "repetition " << i;
    EXPECT_EQ(again->issued, once->issued);
    EXPECT_NE(doors::id_of(again->mad), doors::id_of(once->mad));
  }
  EXPECT_FALSE(second_.next_report(2500));
  EXPECT_EQ(subscriptions_of(second_), 0u);
  set_link("enable");
}

TEST_F(Events, SecurityTrapsAreForTheTrusted) {
  EXPECT_EQ(subscribe(second_, number_of(TrapNumber::BadMKey)).status(), mad::kSAReqDenied);
  EXPECT_TRUE(subscribe(second_, number_of(TrapNumber::BadMKey), true, kOurKey).ok());
  EXPECT_TRUE(subscribe(second_, number_of(TrapNumber::BadMKey), false, kOurKey).ok());
  EXPECT_EQ(subscribe(second_, number_of(TrapNumber::BadMKey), false, kOurKey).status(),
            mad::kSAReqInvalid);
}

}  // namespace
}  // namespace heddle::interop
