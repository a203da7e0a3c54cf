// SPDX-License-Identifier: BSD-3-Clause
#include "mad/notice.hpp"

#include <gtest/gtest.h>

#include "mad/describe.hpp"

namespace heddle::mad {
namespace {

constexpr Lid kIssuer{9};

template <class Details>
void expect_details_survive(TrapNumber trap, base::Prng& prng) {
  const Details details = arbitrary<Details>(prng);
  const Notice sent = make_notice(trap, NoticeType::Urgent, NodeType::Switch, kIssuer, details);
  const Notice received = decode<Notice>(encode(sent));
  EXPECT_EQ(received, sent);
  EXPECT_EQ(received.issuer_lid, kIssuer);
  const NoticeDetails decoded = decode_details(received);
  ASSERT_TRUE(std::holds_alternative<Details>(decoded)) << static_cast<int>(trap);
  EXPECT_EQ(std::get<Details>(decoded), details);
}

TEST(NoticeDetails, OfEachTrapComeOutAsWhatWentIn) {
  base::Prng prng(11);
  for (const unsigned trap : {64u, 65u, 66u, 67u}) {
    expect_details_survive<GidNotice>(static_cast<TrapNumber>(trap), prng);
  }
  expect_details_survive<LinkStateNotice>(TrapNumber::LinkStateChange, prng);
  for (const unsigned trap : {129u, 130u, 131u}) {
    expect_details_survive<PortThresholdNotice>(static_cast<TrapNumber>(trap), prng);
  }
  expect_details_survive<LocalChangesNotice>(TrapNumber::LocalChanges, prng);
  expect_details_survive<SystemImageGuidNotice>(TrapNumber::SystemImageGuidChange, prng);
  expect_details_survive<BadMKeyNotice>(TrapNumber::BadMKey, prng);
  expect_details_survive<BadKeyNotice>(TrapNumber::BadPKey, prng);
  expect_details_survive<BadKeyNotice>(TrapNumber::BadQKey, prng);
  expect_details_survive<SwitchBadPKeyNotice>(TrapNumber::SwitchBadPKey, prng);
}

TEST(NoticeDetails, OfUnknownTrapsStayBytes) {
  base::Prng prng(12);
  Notice notice = arbitrary<Notice>(prng);
  notice.is_generic = true;
  notice.trap_number = 1000;
  EXPECT_EQ(std::get<NoticeDetailBytes>(decode_details(notice)), notice.data_details);
}

TEST(NoticeDetails, OfVendorsAreNotTakenForTheTrapOfTheSameNumber) {
  base::Prng prng(13);
  Notice notice = arbitrary<Notice>(prng);
  notice.is_generic = false;
  notice.trap_number = static_cast<std::uint16_t>(TrapNumber::LinkStateChange);
  EXPECT_TRUE(std::holds_alternative<NoticeDetailBytes>(decode_details(notice)));
}

}  // namespace
}  // namespace heddle::mad
