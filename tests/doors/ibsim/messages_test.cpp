// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ibsim/messages.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::doors::ibsim {
namespace {

using testing::HasSubstr;

// Written out by hand after the layout that libumad2sim was seen to send.
std::vector<std::byte> control_bytes(std::uint32_t magic, std::uint32_t client, std::uint32_t type,
                                     std::uint32_t length) {
  std::vector<std::byte> bytes(80);
  const std::uint32_t words[] = {magic, client, type, length};
  std::memcpy(bytes.data(), words, sizeof words);
  return bytes;
}

TEST(Control, IsReadAsTheLibraryWritesIt) {
  auto bytes = control_bytes(0xdeadbeef, 7, 9, 4);
  bytes[16] = std::byte{1};
  const auto control = decode_control(bytes);
  ASSERT_TRUE(control.has_value());
  EXPECT_EQ(control->client, 7u);
  EXPECT_EQ(control->type, ControlType::SetIsSm);
  EXPECT_TRUE(decode_is_sm(control->data));
  const ControlBytes again = encode_control(*control);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), again.begin(), again.end()));
}

TEST(Control, WhatMakesNoSenseIsRefusedByName) {
  const auto why = [](const std::vector<std::byte>& bytes) {
    const auto control = decode_control(bytes);
    return control.has_value() ? std::string() : control.error().message;
  };
  EXPECT_THAT(why(std::vector<std::byte>(79)), HasSubstr("80 bytes, not 79"));
  EXPECT_THAT(why({}), HasSubstr("not 0"));
  EXPECT_THAT(why(control_bytes(0xdeadbeee, 0, 1, 0)), HasSubstr("magic"));
  EXPECT_THAT(why(control_bytes(0xdeadbeef, 0, 0, 0)), HasSubstr("type 0"));
  EXPECT_THAT(why(control_bytes(0xdeadbeef, 0, 11, 0)), HasSubstr("type 11"));
  EXPECT_THAT(why(control_bytes(0xdeadbeef, 0, 1, 65)), HasSubstr("65 bytes"));
}

TEST(ClientInfo, ANodeNameWithoutItsEndIsCutAtTheField) {
  ControlData data{};
  std::fill(data.begin() + 12, data.end(), std::byte{'x'});
  EXPECT_EQ(decode_client_info(data).node, std::string(32, 'x'));
  const ClientInfo info{3, 0, true, std::string(50, 'y')};
  const ClientInfo back = decode_client_info(encode_client_info(info));
  EXPECT_EQ(back.node, std::string(31, 'y')) << "its NUL needs a place";
  EXPECT_EQ(back.id, 3u);
  EXPECT_TRUE(back.is_sm);
}

TEST(Request, AddressesAreInNetworkOrder) {
  std::vector<std::byte> bytes(kRequestBytes);
  bytes[0] = std::byte{0x12};  // DLID
  bytes[1] = std::byte{0x34};
  bytes[11] = std::byte{1};  // destination QP
  bytes[32 + 3] = std::byte{0x81};
  const auto request = Request::from_datagram(bytes);
  ASSERT_TRUE(request.has_value());
  const mad::Datagram datagram = request->datagram();
  EXPECT_EQ(datagram.peer.lid.value, 0x1234);
  EXPECT_EQ(datagram.peer.qpn, 1u);
  EXPECT_EQ(datagram.peer.q_key, 0x80010000u);
  EXPECT_EQ(datagram.payload.size(), mad::kMadBytes);
  EXPECT_EQ(request->method(), 0x81);
}

TEST(Request, OtherSizesAreRefused) {
  for (const std::size_t size : {0u, 1u, 287u, 289u, 320u}) {
    EXPECT_TRUE(Request::from_datagram(std::vector<std::byte>(size)).has_error()) << size;
  }
}

TEST(Request, WhatComesToAClientNamesItsSenderAndItsLength) {
  mad::Datagram datagram;
  datagram.peer.lid = mad::Lid{0x0102};
  datagram.payload.resize(1000, std::byte{0xaa});  // more than a MAD: RMPP is not for this door
  const Request request = Request::to_client(datagram, mad::Lid{0x0304});
  const RequestBytes& bytes = request.bytes();
  EXPECT_EQ(bytes[0], std::byte{0x03});
  EXPECT_EQ(bytes[5], std::byte{0x02});
  EXPECT_EQ(bytes[30], std::byte{1}) << "256 in network order";
  EXPECT_EQ(bytes[31], std::byte{0});
  EXPECT_EQ(bytes[287], std::byte{0xaa});
}

TEST(Request, ATimedOutOneIsItselfWithAStatus) {
  Request request;
  request.set_transaction(mad::TransactionId{0x0102030405060708});
  const Request back = request.timed_out();
  EXPECT_EQ(back.bytes()[19], std::byte{110});
  EXPECT_EQ(back.transaction(), request.transaction());
  EXPECT_EQ(back.bytes()[32 + 8], std::byte{1});
}

}  // namespace
}  // namespace heddle::doors::ibsim
