// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/mlid_levels.hpp"

#include <gtest/gtest.h>

namespace heddle::multicast {
namespace {

mad::MCMemberRecord terms(std::uint8_t group, std::uint8_t sl, mad::Lid mlid) {
  mad::MCMemberRecord record;
  record.mgid = {mad::GidPrefix{0xFF12'401B'8001'0000}, mad::Guid{group}};
  record.p_key = mad::PKey{0x8001};
  record.mtu = mad::Mtu::Bytes2048;
  record.rate = 3;
  record.sl = mad::ServiceLevel{sl};
  record.mlid = mlid;
  return record;
}

TEST(MlidLevels, AreThoseOfAllGroupsOnALid) {
  Groups groups({}, 1);  // one LID for all
  MlidLevels levels;
  const mad::Lid mlid = mad::kFirstMulticastLid;
  EXPECT_EQ(levels.of(mlid), 1) << "of nobody";
  ASSERT_TRUE(groups.add_permanent(terms(1, 0, mlid)).ok());
  EXPECT_FALSE(levels.take(groups, mlid)) << "as before";
  ASSERT_TRUE(groups.add_permanent(terms(2, 3, mlid)).ok());
  EXPECT_TRUE(levels.take(groups, mlid));
  EXPECT_EQ(levels.of(mlid), 0b1001);
  EXPECT_FALSE(levels.take(groups, mlid));
  ASSERT_TRUE(groups.add_permanent(terms(1, 5, mlid)).ok()) << "other terms";
  EXPECT_TRUE(levels.take(groups, mlid));
  EXPECT_EQ(levels.of(mlid), 0b101000);
  const mad::Gid last = terms(2, 3, mlid).mgid;
  groups.retain_permanent({&last, 1});
  EXPECT_TRUE(levels.take(groups, mlid));
  EXPECT_EQ(levels.of(mlid), 0b1000);
  groups.retain_permanent({});
  EXPECT_TRUE(levels.take(groups, mlid));
  EXPECT_EQ(levels.of(mlid), 1);
}

}  // namespace
}  // namespace heddle::multicast
