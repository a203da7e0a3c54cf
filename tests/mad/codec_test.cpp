// SPDX-License-Identifier: BSD-3-Clause
// The codec on everything mad/ describes, by way of the catalogue.
#include <set>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "mad/attribute_catalogue.hpp"
#include "mad/describe.hpp"

namespace heddle::mad {

struct Deliberate {
  std::uint8_t a{};
  std::uint8_t b{};
};
struct WithHole : Deliberate {};
struct WithOverlap : Deliberate {};
struct TooShort : Deliberate {};
struct OddBits : Deliberate {};

template <>
struct Layout<Deliberate> {
  static constexpr std::string_view name = "Deliberate";
  static constexpr unsigned bits = 16;
  static constexpr auto rows =
      base::Pack{row<&Deliberate::a, 0, 8>("A"), row<&Deliberate::b, 8, 8>("B")};
};
template <>
struct Layout<WithHole> {
  static constexpr unsigned bits = 24;
  static constexpr auto rows =
      base::Pack{row<&Deliberate::a, 0, 8>("A"), row<&Deliberate::b, 16, 8>("B")};
};
template <>
struct Layout<WithOverlap> {
  static constexpr unsigned bits = 16;
  static constexpr auto rows =
      base::Pack{row<&Deliberate::a, 0, 9>("A"), row<&Deliberate::b, 8, 8>("B")};
};
template <>
struct Layout<TooShort> {
  static constexpr unsigned bits = 24;
  static constexpr auto rows =
      base::Pack{row<&Deliberate::a, 0, 8>("A"), row<&Deliberate::b, 8, 8>("B")};
};
template <>
struct Layout<OddBits> {
  static constexpr unsigned bits = 12;
  static constexpr auto rows =
      base::Pack{row<&Deliberate::a, 0, 8>("A"), row<&Deliberate::b, 8, 4>("B")};
};

namespace {

constexpr int kRounds = 500;

// Bits that no row of T claims.
template <class T>
std::array<std::byte, kBytes<T>> claimed_bits() {
  std::array<std::byte, kBytes<T>> ones;
  ones.fill(std::byte{0xFF});
  return encode(decode<T>(ones));
}

TEST(Tiling, AcceptsATableWithoutGapAndRefusesEveryKindOfBadOne) {
  EXPECT_TRUE(tiles<Deliberate>());
  EXPECT_FALSE(tiles<WithHole>());
  EXPECT_FALSE(tiles<WithOverlap>());
  EXPECT_FALSE(tiles<TooShort>());
  EXPECT_FALSE(tiles<OddBits>());
}

TEST(Codec, EveryAttributeSurvivesTheWayToBytesAndBack) {
  base::Prng prng(1);
  for_each_described([&]<class T>() {
    for (int i = 0; i < kRounds; ++i) {
      const T value = arbitrary<T>(prng);
      ASSERT_EQ(decode<T>(encode(value)), value) << Layout<T>::name;
    }
  });
}

TEST(Codec, EveryClaimedBitIsKeptAndEveryReservedBitIsSentAsZero) {
  base::Prng prng(2);
  for_each_described([&]<class T>() {
    const auto claimed = claimed_bits<T>();
    for (int i = 0; i < kRounds; ++i) {
      std::array<std::byte, kBytes<T>> bytes;
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(prng());
      const auto again = encode(decode<T>(bytes));
      for (std::size_t b = 0; b < bytes.size(); ++b) {
        ASSERT_EQ(again[b], bytes[b] & claimed[b]) << Layout<T>::name << " byte " << b;
      }
    }
  });
}

TEST(Codec, ReservedRowsAreTheUnclaimedBits) {
  for_each_described([]<class T>() {
    unsigned reserved_bits = 0;
    for_each_row<T>([&]<class R>(const R&) {
      if constexpr (R::is_reserved) {
        reserved_bits += R::width;
      } else if constexpr (Described<typename R::Value>) {
        for_each_row<typename R::Value>([&]<class Inner>(const Inner&) {
          if constexpr (Inner::is_reserved) reserved_bits += Inner::width;
        });
      }
    });
    unsigned unclaimed = 0;
    for (const std::byte byte : claimed_bits<T>()) {
      for (unsigned bit = 0; bit < 8; ++bit)
        unclaimed += (byte >> bit & std::byte{1}) == std::byte{};
    }
    // Elements of arrays repeat their reserved bits; VLArbitrationTable is the one such table,
    // alone and in its record.
    constexpr bool repeats =
        std::is_same_v<T, VLArbitrationTable> || std::is_same_v<T, VLArbitrationTableRecord>;
    if (!repeats) {
      EXPECT_EQ(unclaimed, reserved_bits) << Layout<T>::name;
    }
  });
}

TEST(Codec, BytesBehindAnAttributeBecomeZero) {
  base::Prng prng(3);
  for_each_smp_attribute([&]<class T>(const SmpAttribute<T>&) {
    SmpData data;
    data.fill(std::byte{0xFF});
    encode(arbitrary<T>(prng), std::span(data));
    for (std::size_t i = kBytes<T>; i < data.size(); ++i) ASSERT_EQ(data[i], std::byte{});
  });
}

TEST(Codec, ValuesTooLargeForTheirRowDoNotSpillOverTheirNeighbours) {
  PortInfo info;
  info.lmc = 0xFF;
  info.link_round_trip_latency = 0xFFFF'FFFF;
  const PortInfo again = decode<PortInfo>(encode(info));
  EXPECT_EQ(again.lmc, kMaxLmc);
  EXPECT_EQ(again.link_round_trip_latency, 0xFF'FFFFu);
  EXPECT_EQ(again.m_key_protect_bits, 0);
  EXPECT_EQ(again.link_speed_ext2_enabled, 0);
}

TEST(Catalogue, NamesEachAttributeOnceAndEachFitsAnSmp) {
  std::set<AttributeId> ids;
  std::set<std::string_view> names;
  for_each_smp_attribute([&]<class T>(const SmpAttribute<T>& attribute) {
    EXPECT_TRUE(ids.insert(attribute.id).second) << Layout<T>::name;
    EXPECT_TRUE(attribute.methods.get) << Layout<T>::name;
    EXPECT_LE(kBytes<T>, kSmpDataBytes);
  });
  for_each_described(
      [&]<class T>() { EXPECT_TRUE(names.insert(Layout<T>::name).second) << Layout<T>::name; });
}

TEST(Catalogue, RowNamesAreUniqueWithinAnAttribute) {
  for_each_described([]<class T>() {
    std::set<std::string_view> names;
    for_each_row<T>([&]<class R>(const R& r) {
      if constexpr (!R::is_reserved) {
        EXPECT_TRUE(names.insert(r.name).second) << Layout<T>::name << ' ' << r.name;
      }
    });
  });
}

TEST(Smp, IsRefusedWhenShortOfAnotherClassOrOfAnotherVersion) {
  const MadBytes good = encode_smp(Smp{});
  EXPECT_TRUE(decode_smp(good));
  EXPECT_FALSE(decode_smp(std::span(good).first(kMadBytes - 1)));
  EXPECT_FALSE(decode_smp({}));
  for (std::size_t byte = 0; byte < 3; ++byte) {
    MadBytes bad = good;
    bad[byte] = std::byte{0x04};
    EXPECT_FALSE(decode_smp(bad)) << "byte " << byte;
  }
}

}  // namespace
}  // namespace heddle::mad
