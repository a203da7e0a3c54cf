// SPDX-License-Identifier: BSD-3-Clause
// The golden lines are what Debian's OpenSM 3.3.23 wrote.
#include "store/opensm_files.hpp"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::store {
namespace {

using testing::ElementsAre;

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
  const auto keys = parse_keys(kKeys);
  ASSERT_TRUE(keys);
  EXPECT_THAT(*keys, ElementsAre(KeyEntry{0x0248'4403'0000'0090, 0x1234},
                                 KeyEntry{0x0248'4403'8000'0111, 0x1235}));
  EXPECT_EQ(to_text(*keys), kKeys);
  EXPECT_THAT(*parse_keys("0x1 0x2\n0x1 0x3\n"), ElementsAre(KeyEntry{1, 3}));
}

TEST(OpensmFiles, TellNeighbors) {
  const auto neighbors = parse_neighbors(kNeighbors);
  ASSERT_TRUE(neighbors);
  EXPECT_THAT(*neighbors,
              ElementsAre(NeighborEntry{0x0248'4403'0000'0010, 0x0248'4403'8000'0031, 3, 1}));
}

TEST(OpensmFiles, NameTheLineThatIsWrong) {
  for (const char* line : {"0x1", "0x1 y", "0x0 0x1", "0x1 0x2 0x3"}) {
    const auto keys = parse_keys(std::string(kKeys) + line);
    ASSERT_FALSE(keys) << line;
    EXPECT_EQ(keys.error().message, "line 5: not \"0xGUID 0xKEY\"");
  }
  for (const char* line : {"0x1:1 0x2", "0x1:255 0x2:1", "0x1 0x2", ":1 0x2:1", "0x1:1"}) {
    const auto neighbors = parse_neighbors(line);
    ASSERT_FALSE(neighbors) << line;
    EXPECT_EQ(neighbors.error().message, "line 1: not \"0xGUID:PORT 0xGUID:PORT\"");
  }
}

}  // namespace
}  // namespace heddle::store
