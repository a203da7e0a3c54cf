// SPDX-License-Identifier: BSD-3-Clause
// The golden lines are what Debian's OpenSM 3.3.23 wrote.
#include "store/opensm_files.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kLids = "0x0248440300000090 0x0014 0x0014\n\n";
constexpr std::string_view kKeys =
    "0x0248440300000090 0x0000000000001234\n\n0x0248440380000111 0x0000000000001235\n\n";
constexpr std::string_view kNeighbors = "0x0248440300000010:3 0x0248440380000031:1\n\n";

TEST(OpensmFiles, AreKnownByTheirFirstLine) {
  EXPECT_EQ(kind_of_opensm_file(kLids), OpensmFile::Lids);
  EXPECT_EQ(kind_of_opensm_file(kKeys), OpensmFile::Keys);
  EXPECT_EQ(kind_of_opensm_file(kNeighbors), OpensmFile::Neighbors);
  EXPECT_EQ(kind_of_opensm_file("\n# nothing\n\n"), OpensmFile::Unknown);
  EXPECT_EQ(kind_of_opensm_file("max_op_vls 5\n0x1 0x2"), OpensmFile::Unknown);
}

TEST(OpensmFiles, TellKeys) {
  const auto keys = parse_keys(kKeys, "f");
  ASSERT_TRUE(keys);
  EXPECT_THAT(*keys, ElementsAre(KeyEntry{0x0248'4403'0000'0090, 0x1234},
                                 KeyEntry{0x0248'4403'8000'0111, 0x1235}));
  EXPECT_EQ(to_text(*keys), kKeys);
  EXPECT_THAT(*parse_keys("0x1 0x2\n0x1 0x3\n", "f"), ElementsAre(KeyEntry{1, 3}));
}

TEST(OpensmFiles, TellNeighbors) {
  const auto neighbors = parse_neighbors(kNeighbors, "f");
  ASSERT_TRUE(neighbors);
  EXPECT_THAT(*neighbors,
              ElementsAre(NeighborEntry{0x0248'4403'0000'0010, 0x0248'4403'8000'0031, 3, 1}));
}

TEST(OpensmFiles, NameThePlaceThatIsWrongAndWhatWouldBeRight) {
  struct Case {
    const char* line;
    unsigned column;
    const char* says;
  };
  const std::string key = "its M_Key, as 0x0000000000001234, is wanted here; ";
  for (const Case& each :
       {Case{"0x1", 4, "there is nothing"}, Case{"0x1 y", 5, "'y' is none"},
        Case{"0x0 0x1", 1, "the GUID of a port"}, Case{" me 0x1", 2, "'me' is none"},
        Case{"0x1  0x2 0x3", 10, "the end of the line"}}) {
    const auto keys = parse_keys(std::string(kKeys) + each.line, "guid2mkey");
    ASSERT_FALSE(keys) << each.line;
    EXPECT_THAT(keys.error().message, StartsWith(fmt::format("guid2mkey:5:{}: ", each.column)));
    EXPECT_THAT(keys.error().message, HasSubstr(each.says));
  }
  EXPECT_EQ(parse_keys("0x1 y", "f").error().message, "f:1:5: " + key + "'y' is none");
  for (const Case& each :
       {Case{"0x1:1 0x2", 7, "'0x2' is none"}, Case{"0x1:255 0x2:1", 1, "from 0 to 254"},
        Case{"0x1 0x2", 1, "0x0002c90300a1b2c3:1"}, Case{":1 0x2:1", 1, "':1' is none"},
        Case{"0x1:1", 6, "there is nothing"}, Case{"0x1:1 0x2:1 x", 13, "the end of the line"}}) {
    const auto neighbors = parse_neighbors(each.line, "neighbors");
    ASSERT_FALSE(neighbors) << each.line;
    EXPECT_THAT(neighbors.error().message,
                StartsWith(fmt::format("neighbors:1:{}: ", each.column)));
    EXPECT_THAT(neighbors.error().message, HasSubstr(each.says));
  }
}

}  // namespace
}  // namespace heddle::store
