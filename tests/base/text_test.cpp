// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <array>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(Text, NumbersAreReadWholeOrNotAtAll) {
  EXPECT_EQ(parse_number("42"), 42u);
  EXPECT_EQ(parse_number("0x2A"), 42u);
  EXPECT_EQ(parse_number("18446744073709551615"), ~0ull);
  EXPECT_FALSE(parse_number("18446744073709551616"));
  for (const char* bad : {"", "0x", "4 2", "42x", "-1", "+1", " 1", "0b1"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
  EXPECT_FALSE(parse_number("256", 255));
}

TEST(Text, HexIsReadWithAndWithoutPrefix) {
  EXPECT_EQ(parse_hex("0002c90300a1b2c3"), 0x0002c90300a1b2c3u);
  EXPECT_EQ(parse_hex("0xFF"), 255u);
  EXPECT_FALSE(parse_hex("11112222333344445"));
  EXPECT_FALSE(parse_hex("0xg"));
}

TEST(Text, HexIsWrittenWithLeadingZeros) {
  EXPECT_EQ(hex(0x2c9), "0x00000000000002c9");
  EXPECT_EQ(hex(0x2c9, 4), "0x02c9");
  EXPECT_EQ(hex_bytes(std::array{std::byte{0x0f}, std::byte{0xa0}}), "0fa0");
}

TEST(Text, TrimAndSplitKeepWhatIsBetween) {
  EXPECT_EQ(trim("\t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \r"), "");
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Text, WordsAreWhatStandsBetweenBlanksOfAnyKind) {
  EXPECT_EQ(words(" a\tb\r\n  #c\fd\ve "),
            (std::vector<std::string_view>{"a", "b", "#c", "d", "e"}));
  EXPECT_TRUE(words(" \t\r\n").empty());
  EXPECT_TRUE(words("").empty());
}

TEST(Text, AMisspelledWordFindsItsNeighbourButAForeignOneDoesNot) {
  const std::array<std::string_view, 3> words{"priority", "sweep_interval", "routing"};
  EXPECT_EQ(closest("priorty", words), "priority");
  EXPECT_EQ(closest("sweep-interval", words), "sweep_interval");
  EXPECT_FALSE(closest("banana", words));
}

TEST(Text, TextFromTheWireCannotSteerTheTerminal) {
  EXPECT_EQ(printable(std::string_view("a\x1b[2Jb\0c", 7)), "a?[2Jb");
  EXPECT_EQ(printable("\xc3\xa9"), "??");
}

}  // namespace
}  // namespace heddle::base
