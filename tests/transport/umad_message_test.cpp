// SPDX-License-Identifier: BSD-3-Clause
#include "transport/umad_message.hpp"

#include <cstring>

#include <endian.h>
#include <gtest/gtest.h>
#include <infiniband/umad.h>

#include "tests/transport/sample.hpp"

namespace heddle::transport {
namespace {

ib_user_mad_t* header(UmadMessage& message) {
  return static_cast<ib_user_mad_t*>(message.data());
}

mad::Datagram with_full_address() {
  auto datagram = sample_request(0x11);
  datagram.peer = {mad::Lid{0x1234}, 1, 0x80010000, mad::ServiceLevel{5}, 3, 2, {}};
  datagram.peer.global_route =
      mad::GlobalRoute{{mad::kDefaultGidPrefix, mad::Guid{0x0002c90300000001}}, 1, 64, 7, 0xabcde};
  return datagram;
}

TEST(UmadMessage, TheAddressStandsAsTheKernelReadsIt) {
  UmadMessage message;
  EXPECT_EQ(message.fill(with_full_address()), mad::kMadBytes);
  const ib_mad_addr_t& to = header(message)->addr;
  EXPECT_EQ(be16toh(to.lid), 0x1234);
  EXPECT_EQ(be32toh(to.qpn), 1u);
  EXPECT_EQ(be32toh(to.qkey), 0x80010000u);
  EXPECT_EQ(to.sl, 5);
  EXPECT_EQ(to.path_bits, 3);
  EXPECT_EQ(to.grh_present, 1);
  EXPECT_EQ(to.gid_index, 1);
  EXPECT_EQ(to.hop_limit, 64);
  EXPECT_EQ(to.traffic_class, 7);
  EXPECT_EQ(be32toh(to.flow_label), 0xabcdeu);
  EXPECT_EQ(be64toh(to.ib_gid.global.subnet_prefix), mad::kDefaultGidPrefix.value);
  EXPECT_EQ(be64toh(to.ib_gid.global.interface_id), 0x0002c90300000001u);
}

TEST(UmadMessage, AnAddressThatGoesInComesOut) {
  UmadMessage message;
  const auto datagram = with_full_address();
  const auto length = message.fill(datagram);
  const auto received = message.take(length);
  ASSERT_TRUE(received);
  auto expected = datagram;
  expected.peer.p_key_index = received->datagram.peer.p_key_index;  // needs an open port
  EXPECT_EQ(received->arrival, Arrival::Message);
  EXPECT_EQ(received->datagram, expected);
}

// After a table of 32 MiB, an answer of 256 bytes must not cost what the table did.
TEST(UmadMessage, AShortMessageLeavesTheRestOfTheBufferAlone) {
  constexpr std::size_t kLong = 100'000;
  UmadMessage message;
  auto datagram = sample_request(0x11);
  datagram.payload.assign(kLong, std::byte{0x5a});
  message.fill(datagram);
  EXPECT_EQ(message.fill(sample_request(0x11)), mad::kMadBytes);
  const auto* bytes = static_cast<const std::byte*>(umad_get_mad(message.data()));
  EXPECT_EQ(bytes[kLong - 1], std::byte{0x5a});
}

// A table of one LinkRecord. Padded, its length would tell the client of 25 records.
mad::Datagram short_table() {
  mad::Datagram table;
  table.payload.resize(56 + 8);
  table.payload[0] = std::byte{1};
  table.payload[1] = std::byte{0x03};
  table.payload[2] = std::byte{2};
  table.payload[3] = static_cast<std::byte>(mad::Method::GetTableResp);
  table.payload[26] = std::byte{0xF9};  // RRespTime 31, Active
  return table;
}

TEST(UmadMessage, AnRmppMessageKeepsItsLength) {
  UmadMessage message;
  EXPECT_EQ(message.fill(short_table()), 64u);
  auto single = short_table();
  single.payload[26] = std::byte{0xF8};
  EXPECT_EQ(message.fill(single), mad::kMadBytes);
  auto of_another_class = short_table();
  of_another_class.payload[1] = std::byte{0x04};
  EXPECT_EQ(message.fill(of_another_class), mad::kMadBytes);
}

TEST(UmadMessage, NothingOfAnEarlierMessageRemains) {
  UmadMessage message;
  message.fill(with_full_address());
  message.fill(sample_request(2));
  EXPECT_EQ(message.take(mad::kMadBytes)->datagram, sample_request(2));
}

TEST(UmadMessage, AShortMadIsFilledUpAndALongOneGrowsTheBuffer) {
  UmadMessage message;
  auto datagram = sample_request(3);
  datagram.payload.resize(64);
  EXPECT_EQ(message.fill(datagram), mad::kMadBytes);
  datagram.payload.resize(5000, std::byte{9});
  EXPECT_EQ(message.fill(datagram), 5000u);
  EXPECT_EQ(message.take(5000)->datagram.payload, datagram.payload);
}

TEST(UmadMessage, AnAnswerAndAGivenBackRequestHaveOurOwnIdAgain) {
  UmadMessage message;
  const auto request = sample_request(0x0000'0007'0000'0011);
  message.fill(answer_to(request));
  EXPECT_EQ(id_of(message.take(mad::kMadBytes)->datagram), 0x11u);

  message.fill(request);
  header(message)->status = ETIMEDOUT;
  const auto back = message.take(kHeaderBytes);  // the kernel returns no more
  ASSERT_TRUE(back);
  EXPECT_EQ(back->arrival, Arrival::SendFailed);
  EXPECT_EQ(id_of(back->datagram), 0x11u);
  EXPECT_EQ(back->datagram.payload.size(), mad::kMadBytes);
}

TEST(UmadMessage, TheIdOfAForeignRequestIsNotTouched) {
  UmadMessage message;
  message.fill(sample(mad::Method::Trap, 0xdead'beef'0000'0011));
  EXPECT_EQ(id_of(message.take(mad::kMadBytes)->datagram), 0xdead'beef'0000'0011u);
}

TEST(UmadMessage, OurOwnAnswerGivenBackAndScrapsAreNothing) {
  UmadMessage message;
  message.fill(answer_to(sample_request(1)));
  header(message)->status = ETIMEDOUT;
  EXPECT_FALSE(message.take(mad::kMadBytes));
  message.fill(sample_request(1));
  EXPECT_FALSE(message.take(kHeaderBytes - 1));
  EXPECT_FALSE(message.take(0));
}

TEST(UmadMessage, ALengthBeyondTheBufferIsNotBelieved) {
  UmadMessage message;
  message.fill(sample_request(1));
  const auto received = message.take(1'000'000);
  ASSERT_TRUE(received);
  EXPECT_LE(received->datagram.payload.size(), message.room());
}

}  // namespace
}  // namespace heddle::transport
