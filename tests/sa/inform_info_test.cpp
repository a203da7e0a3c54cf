// SPDX-License-Identifier: BSD-3-Clause
#include "mad/inform_info.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "mad/inform_info_record.hpp"
#include "mad/notice.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::InformInfo;
using mad::Method;
using std::chrono::seconds;

InformInfo everything() {
  InformInfo info;
  info.lid_range_begin = mad::kPermissiveLid;
  info.is_generic = 1;
  info.subscribe = 1;
  info.type = kAnyType;
  info.trap_number = kAnyTrap;
  info.producer_type = kAnyProducer;
  return info;
}

mad::Notice link_state(mad::Lid issuer) {
  return mad::make_notice(mad::TrapNumber::LinkStateChange, mad::NoticeType::Urgent,
                          mad::NodeType::Switch, issuer, mad::LinkStateNotice{issuer});
}

mad::Notice bad_key(mad::Lid issuer) {
  return mad::make_notice(mad::TrapNumber::BadMKey, mad::NoticeType::Security,
                          mad::NodeType::ChannelAdapter, issuer, mad::BadMKeyNotice{issuer});
}

class InformInfoTest : public testing::Test {
 protected:
  mad::Status set(const InformInfo& info, std::size_t asker = 0, mad::SMKey key = {}) {
    return stage_.ask(Question{Method::Set, 0x03, 0, 0, key}, info, asker).status();
  }
  void report(const mad::Notice& notice) {
    stage_.server.report(stage_.now, notice, stage_.view.gid(stage_.view.find(notice.issuer_lid)));
    stage_.let_pass({});
  }
  void confirm(const mad::Datagram& report) {
    mad::Datagram reply = report;
    reply.payload[3] = static_cast<std::byte>(Method::ReportResp);
    EXPECT_FALSE(stage_.send(reply));
  }
  static mad::IssuedNotice notice_in(const mad::Datagram& report) {
    const std::span<const std::byte> bytes(report.payload.data(), report.payload.size());
    return mad::decode<mad::IssuedNotice>(bytes.subspan<56>().first<80>());
  }

  Stage stage_{support::administered(support::ring(3, 2))};
  mad::Lid switch_ = stage_.lid(stage_.view.topology().endports()[0]);
};

TEST_F(InformInfoTest, BringsReportsToWhoeverSubscribed) {
  ASSERT_EQ(set(everything(), 1), mad::kStatusOk);
  report(link_state(switch_));
  ASSERT_EQ(stage_.reports.size(), 1u);
  EXPECT_EQ(stage_.reports[0].peer.lid, stage_.lid(stage_.host(1)));
  EXPECT_EQ(notice_in(stage_.reports[0]).notice, link_state(switch_));
  EXPECT_EQ(notice_in(stage_.reports[0]).issuer_gid, stage_.view.gid(stage_.view.find(switch_)));
}

TEST_F(InformInfoTest, IsRepeatedUntilItIsConfirmed) {
  ASSERT_EQ(set(everything()), mad::kStatusOk);
  report(link_state(switch_));
  stage_.let_pass(kReportTimeout);
  ASSERT_EQ(stage_.reports.size(), 2u);
  // Another transaction, which a kernel that still remembers the first one will take.
  EXPECT_NE(stage_.reports[0].payload[15], stage_.reports[1].payload[15]);
  confirm(stage_.reports[1]);
  stage_.let_pass(10 * kReportTimeout);
  EXPECT_EQ(stage_.reports.size(), 2u);
  EXPECT_TRUE(stage_.server.take_lost().empty());
}

TEST_F(InformInfoTest, IsConfirmedByNobodyElse) {
  ASSERT_EQ(set(everything()), mad::kStatusOk);
  report(link_state(switch_));
  mad::Datagram foreign = stage_.reports[0];
  foreign.peer.lid = stage_.lid(stage_.host(1));
  confirm(foreign);
  stage_.let_pass(kReportTimeout);
  ASSERT_EQ(stage_.reports.size(), 2u) << "its reader may not have had it";
  confirm(stage_.reports[1]);
  stage_.let_pass(kReportTimeout);
  EXPECT_EQ(stage_.reports.size(), 2u);
}

TEST_F(InformInfoTest, EndsWhenNobodyConfirms) {
  ASSERT_EQ(set(everything()), mad::kStatusOk);
  report(link_state(switch_));
  for (unsigned i = 0; i < kReportAttempts; ++i) stage_.let_pass(kReportTimeout);
  EXPECT_EQ(stage_.reports.size(), kReportAttempts);
  ASSERT_EQ(stage_.server.take_lost().size(), 1u);
  EXPECT_EQ(stage_.server.registrations().subscriptions.size(), 0u);
  EXPECT_EQ(stage_.server.deadline(), base::kNever);
}

// What others raise, and what the manager tells of itself; those about keys to the trusted alone.
TEST_F(InformInfoTest, OfEachTrapWhoAskedForThatOne) {
  const std::vector<std::uint16_t> traps{64,  65,  66,  67,  128, 129, 130,
                                         131, 144, 145, 256, 257, 258, 259};
  for (const std::uint16_t wanted : traps) {
    InformInfo info = everything();
    info.trap_number = wanted;
    if (wanted >= 256) {
      EXPECT_EQ(set(info), mad::kSAReqDenied) << wanted;
    }
    ASSERT_EQ(set(info, 0, kOurKey), mad::kStatusOk) << wanted;
    for (const std::uint16_t raised : traps) {
      mad::Notice notice = link_state(switch_);
      notice.trap_number = raised;
      report(notice);
    }
    ASSERT_EQ(stage_.reports.size(), 1u) << wanted;
    EXPECT_EQ(notice_in(stage_.reports[0]).notice.trap_number, wanted);
    confirm(stage_.reports[0]);
    stage_.reports.clear();
    info.subscribe = 0;
    ASSERT_EQ(set(info, 0, kOurKey), mad::kStatusOk) << wanted;
  }
}

TEST_F(InformInfoTest, MeansWhatItSays) {
  InformInfo info = everything();
  info.trap_number = 129;
  ASSERT_EQ(set(info), mad::kStatusOk);
  report(link_state(switch_));
  EXPECT_TRUE(stage_.reports.empty());

  info = everything();
  info.lid_range_begin = switch_;  // and no end
  ASSERT_EQ(set(info), mad::kStatusOk);
  report(link_state(mad::Lid{static_cast<std::uint16_t>(switch_.value + 1)}));
  EXPECT_TRUE(stage_.reports.empty());
  report(link_state(switch_));
  EXPECT_EQ(stage_.reports.size(), 1u);
}

TEST_F(InformInfoTest, OfAGidMeansThatPort) {
  InformInfo info = everything();
  info.gid = stage_.view.gid(stage_.host(2));
  ASSERT_EQ(set(info), mad::kStatusOk);
  report(link_state(switch_));
  EXPECT_TRUE(stage_.reports.empty());
  report(link_state(stage_.lid(stage_.host(2))));
  EXPECT_EQ(stage_.reports.size(), 1u);
  info.gid.guid = mad::Guid{0xdead};
  EXPECT_EQ(set(info), mad::kSAReqInvalidGid);
}

TEST_F(InformInfoTest, TellsOfKeysOnlyWhomItTrusts) {
  InformInfo info = everything();
  info.trap_number = 256;
  EXPECT_EQ(set(info), mad::kSAReqDenied);
  EXPECT_EQ(set(everything(), 0), mad::kStatusOk);  // all the others
  EXPECT_EQ(set(info, 1, kOurKey), mad::kStatusOk);
  report(bad_key(stage_.lid(stage_.host(3))));
  ASSERT_EQ(stage_.reports.size(), 1u);
  EXPECT_EQ(stage_.reports[0].peer.lid, stage_.lid(stage_.host(1)));
}

TEST_F(InformInfoTest, AskedForTwiceIsOneSubscription) {
  ASSERT_EQ(set(everything()), mad::kStatusOk);
  ASSERT_EQ(set(everything()), mad::kStatusOk);
  report(link_state(switch_));
  EXPECT_EQ(stage_.reports.size(), 1u);
  InformInfo end = everything();
  end.subscribe = 0;
  EXPECT_EQ(set(end), mad::kStatusOk);
  EXPECT_EQ(set(end), mad::kSAReqInvalid);
  EXPECT_EQ(set(end, 1), mad::kSAReqInvalid);
}

TEST_F(InformInfoTest, IsToldToItsSubscriberAndToWhomWeTrust) {
  ASSERT_EQ(set(everything(), 1), mad::kStatusOk);
  EXPECT_TRUE(stage_.table<mad::InformInfoRecord>().records.empty());
  const auto all = stage_.table(0, mad::InformInfoRecord{}, kOurKey);
  ASSERT_EQ(all.records.size(), 1u);
  EXPECT_EQ(all.records[0].subscriber_gid, stage_.view.gid(stage_.host(1)));
  EXPECT_EQ(all.records[0].inform_info.qpn, 1u);
}

TEST_F(InformInfoTest, RefusesWhatMeansNothing) {
  InformInfo info = everything();
  info.subscribe = 2;
  EXPECT_EQ(set(info), mad::kSAReqInvalid);
  info = everything();
  info.lid_range_begin = mad::Lid{9};
  info.lid_range_end = mad::Lid{5};
  EXPECT_EQ(set(info), mad::kSAReqInvalid);
  info.lid_range_end = mad::Lid{0xC000};
  EXPECT_EQ(set(info), mad::kSAReqInvalid);
}

TEST_F(InformInfoTest, OfAPortSaysWhenPortsComeAndGo) {
  ASSERT_EQ(set(everything(), 0), mad::kStatusOk);
  ASSERT_EQ(set(everything(), 5), mad::kStatusOk);
  const auto gone = stage_.view.gid(stage_.host(5));
  const auto renewed = [&](sa::Subnet subnet) {
    stage_.server.renew(stage_.now, std::make_shared<const View>(std::move(subnet)));
    stage_.let_pass({});
  };
  auto smaller = support::ring(3, 2);
  smaller.links.pop_back();  // the last host's
  auto subnet = support::administered(smaller);
  subnet.managers.push_back({subnet.topology->endports()[0], {}});
  renewed(subnet);
  // The port that went is not told, and has no subscription any more.
  ASSERT_EQ(stage_.reports.size(), 1u);
  const auto first = notice_in(stage_.reports[0]).notice;
  EXPECT_EQ(first.trap_number, 65);
  EXPECT_EQ(std::get<mad::GidNotice>(mad::decode_details(first)).gid, gone);
  EXPECT_EQ(stage_.server.registrations().subscriptions.size(), 1u);
  subnet = support::administered(support::ring(3, 2));
  subnet.managers.push_back({subnet.topology->endports()[0], {}});
  renewed(subnet);
  ASSERT_EQ(stage_.reports.size(), 2u);
  EXPECT_EQ(notice_in(stage_.reports[1]).notice.trap_number, 64);
}

TEST_F(InformInfoTest, CannotFillTheMemory) {
  InformInfo info = everything();
  for (unsigned i = 0; i < kMaxSubscriptionsOfPort; ++i) {
    info.trap_number = static_cast<std::uint16_t>(1000 + i);
    ASSERT_EQ(set(info), mad::kStatusOk);
  }
  info.trap_number = 1;
  EXPECT_EQ(set(info), mad::kSANoResources);
  EXPECT_EQ(set(info, 1), mad::kStatusOk);
}

}  // namespace
}  // namespace heddle::sa
