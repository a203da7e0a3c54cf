// SPDX-License-Identifier: BSD-3-Clause
#include "transport/header.hpp"

#include <gtest/gtest.h>

#include "tests/transport/sample.hpp"

namespace heddle::transport {
namespace {

TEST(Header, AgreesWithTheCodecOfMad) {
  const auto datagram = sample(mad::Method::TrapRepress, 0x0123'4567'89ab'cdef);
  const auto header = peek_header(datagram.payload);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->management_class, mad::ManagementClass::SubnDirectedRoute);
  EXPECT_EQ(header->method, mad::Method::TrapRepress);
  EXPECT_EQ(header->transaction_id.value, 0x0123'4567'89ab'cdefu);
}

TEST(Header, AWrittenIdIsTheOneTheCodecReadsAndNothingElseChanges) {
  auto datagram = sample_request(1);
  auto smp = mad::decode_smp(datagram.payload).value();
  smp.transaction_id = mad::TransactionId{0xfedc'ba98'7654'3210};
  set_transaction_id(datagram.payload, smp.transaction_id);
  EXPECT_EQ(mad::decode_smp(datagram.payload), smp);
}

TEST(Header, TooFewBytesAreNoMad) {
  const auto datagram = sample_request(1);
  const std::span<const std::byte> bytes(datagram.payload);
  EXPECT_FALSE(peek_header({}));
  EXPECT_FALSE(peek_header(bytes.first(kHeaderBytes - 1)));
  EXPECT_TRUE(peek_header(bytes.first(kHeaderBytes)));
}

TEST(Header, WhatIsReducedStillSaysWhichRequestItWas) {
  auto datagram = sample(mad::Method::Set, 77, mad::AttributeId::PortInfo);
  reduce_to_header(datagram.payload);
  const auto smp = mad::decode_smp(datagram.payload);
  ASSERT_TRUE(smp);
  EXPECT_EQ(smp->attribute_id, mad::AttributeId::PortInfo);
  EXPECT_EQ(smp->transaction_id.value, 77u);
  EXPECT_EQ(smp->data, mad::SmpData{});
}

}  // namespace
}  // namespace heddle::transport
