// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/mgid.hpp"

#include <array>
#include <bit>

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "mad/mgid.hpp"

namespace heddle::multicast {
namespace {

mad::Gid parsed(const char* text) {
  std::array<std::uint8_t, 16> bytes{};
  EXPECT_EQ(inet_pton(AF_INET6, text, bytes.data()), 1) << text;
  mad::Gid gid;
  for (std::size_t i = 0; i < 8; ++i) {
    gid.prefix.value = gid.prefix.value << 8 | bytes[i];
    gid.guid.value = gid.guid.value << 8 | bytes[i + 8];
  }
  return gid;
}

TEST(Mgid, BroadcastGroupsAreThoseOfTheRfc) {
  EXPECT_EQ(broadcast_mgid(mad::PKey{0x7FFF}, mad::kIPv4Signature),
            parsed("ff12:401b:ffff::ffff:ffff"));
  EXPECT_EQ(broadcast_mgid(mad::PKey{0x8002}, mad::kIPv6Signature),
            parsed("ff12:601b:8002::ffff:ffff"));
  EXPECT_EQ(broadcast_mgid(mad::PKey{2}, mad::kIPv4Signature, 5),
            parsed("ff15:401b:8002::ffff:ffff"));
}

TEST(Mgid, TellsWhatItIs) {
  const auto solicited = parsed("ff12:601b:8002::1:ff12:3456");
  EXPECT_TRUE(is_solicited_node(solicited));
  EXPECT_TRUE(is_ipoib(solicited));
  EXPECT_EQ(p_key_of(solicited), mad::PKey{0x8002});
  EXPECT_FALSE(is_solicited_node(parsed("ff12:601b:8002::1")));
  EXPECT_FALSE(is_solicited_node(parsed("ff12:401b:8002::1:ff12:3456")));
  EXPECT_FALSE(is_solicited_node(parsed("ff12:601b:8002:1::1:ff12:3456")));
  EXPECT_FALSE(is_ipoib(parsed("ff12:a01b::1")));
  EXPECT_EQ(scope_of(parsed("ff15:401b:ffff::1")), 5);
  EXPECT_EQ(flags_of(parsed("ff02::1")), 0);
}

TEST(Mgid, RefusesWhatCannotNameAGroup) {
  EXPECT_FALSE(fault_of(parsed("ff12:401b:ffff::1")));
  EXPECT_FALSE(fault_of(parsed("ff02::1")));
  EXPECT_TRUE(fault_of(parsed("fa12:401b:ffff::1")));
  EXPECT_TRUE(fault_of(parsed("ff22:401b:ffff::1")));
  EXPECT_TRUE(fault_of(parsed("ff10:401b:ffff::1")));
  EXPECT_TRUE(fault_of(parsed("::")));
  EXPECT_TRUE(fault_of(parsed("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")));
}

TEST(Mgid, TextIsWhatTheCLibraryWrites) {
  base::Prng prng(3);
  for (int i = 0; i < 2000; ++i) {
    mad::Gid gid{mad::GidPrefix{prng()}, mad::Guid{prng()}};
    // Zeros in words, so that there is something to shorten.
    for (unsigned shift = 0; shift < 64; shift += 16) {
      if (prng.chance(0.6)) gid.prefix.value &= ~(std::uint64_t{0xFFFF} << shift);
      if (prng.chance(0.6)) gid.guid.value &= ~(std::uint64_t{0xFFFF} << shift);
    }
    gid.prefix.value |= std::uint64_t{0xFF12} << 48;  // else the C library may see an IPv4 address
    EXPECT_EQ(parsed(text_of(gid).c_str()), gid);
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t b = 0; b < 8; ++b) {
      bytes[b] = static_cast<std::uint8_t>(gid.prefix.value >> (56 - 8 * b));
      bytes[b + 8] = static_cast<std::uint8_t>(gid.guid.value >> (56 - 8 * b));
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
    EXPECT_EQ(text_of(gid), text.data());
  }
}

}  // namespace
}  // namespace heddle::multicast
