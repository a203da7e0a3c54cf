// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door, on three hosts of star:16 with `heddle sm` on the first: hosts ask
// for alias GUIDs as the driver of a virtualizing adapter does.
#include <gtest/gtest.h>

#include "mad/guid_info_record.hpp"
#include "mad/path_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using mad::component;
using mad::Guid;
using mad::GUIDInfoRecord;
using mad::Method;
using mad::PathRecord;
using mad::SAAttributeId;

constexpr mad::SMKey kOurKey{1};  // the one everybody knows: the default of the configuration
constexpr auto kNames = component<&GUIDInfoRecord::lid>() | component<&GUIDInfoRecord::block_num>();
constexpr auto kAll = component<&GUIDInfoRecord::guid_info, &mad::GUIDInfo::guids>();
constexpr auto kSecond = kAll & kAll << 1 & ~(kAll << 2);  // of the eight
constexpr Guid kAlias{0x0014'0500'0000'0077};

class AliasGuids : public testing::Test {
 protected:
  Reply ask(SAClient& from, const SAClient& about, Method method, std::uint8_t block, Guid guid,
            mad::SMKey key = {}) {
    GUIDInfoRecord record;
    record.lid = mad::Lid{static_cast<std::uint16_t>(about.lid())};
    record.block_num = block;
    record.guid_info.guids[1] = guid;
    return from.ask(
        {method, SAAttributeId::GUIDInfoRecord, kNames | kSecond, bytes_of(record), key});
  }
  Reply path(SAClient& from, Guid to) {
    PathRecord wanted;
    wanted.sgid = from.gid();
    wanted.dgid = {from.gid().prefix, to};
    const auto mask = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
    return from.ask({Method::Get, SAAttributeId::PathRecord, mask, bytes_of(wanted), {}});
  }

  SAClient second_{"mlx5_1"};
  SAClient third_{"mlx5_2"};
};

TEST_F(AliasGuids, LeadToTheirPort) {
  EXPECT_EQ(path(third_, kAlias).status(), mad::kSAReqInvalidGid);
  const auto given = ask(second_, second_, Method::Set, 1, kAlias);
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given.record<GUIDInfoRecord>().guid_info.guids[1], kAlias);
  const auto way = path(third_, kAlias);
  ASSERT_TRUE(way.ok());
  EXPECT_EQ(way.record<PathRecord>().dlid.value, second_.lid());
  // Nobody else may have it, or take it away.
  const auto other = ask(third_, third_, Method::Set, 1, kAlias);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other.record<GUIDInfoRecord>().guid_info.guids[1], Guid{});
  EXPECT_EQ(ask(third_, second_, Method::Delete, 1, {}).status(), mad::kSAReqDenied);
  EXPECT_TRUE(ask(third_, second_, Method::Delete, 1, {}, kOurKey).ok());
  EXPECT_EQ(path(third_, kAlias).status(), mad::kSAReqInvalidGid);
}

TEST_F(AliasGuids, AreMadeOnRequest) {
  const auto made = ask(second_, second_, Method::Set, 0, {});
  ASSERT_TRUE(made.ok());
  const auto record = made.record<GUIDInfoRecord>();
  EXPECT_EQ(record.guid_info.guids[0], second_.gid().guid);
  ASSERT_NE(record.guid_info.guids[1], Guid{});
  EXPECT_TRUE(path(third_, record.guid_info.guids[1]).ok());
  EXPECT_TRUE(ask(second_, second_, Method::Delete, 0, {}).ok());
}

}  // namespace
}  // namespace heddle::interop
