// SPDX-License-Identifier: BSD-3-Clause
// Files as sites have them, and what becomes of their ports.
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partitions/gid_text.hpp"
#include "partitions/language.hpp"
#include "partitions/memberships.hpp"
#include "tests/partitions/small_fabric.hpp"

namespace heddle::partitions {
namespace {

using support::SmallFabric;
using testing::ElementsAre;
using testing::IsEmpty;

// The subnet manager is adapter 0, whose port GUID is 0x100.
struct Site {
  explicit Site(std::string_view text, bool both = false) : fabric(4) {
    Parsed parsed = parse(text, "site", {.allow_both_pkeys = both, .qos = true}).value();
    EXPECT_THAT(parsed.warnings, IsEmpty());
    memberships = Memberships(std::move(parsed.policy), fabric.topology, fabric.adapter(0));
  }
  std::vector<unsigned> of(fabric::PortIndex port) const {
    std::vector<unsigned> values;
    for (const mad::PKey key : memberships.of(port)) values.push_back(key.value);
    return values;
  }
  std::vector<unsigned> adapter(unsigned i) const { return of(fabric.adapter(i)); }
  const Partition& partition(std::uint16_t key) const { return *memberships.find(BaseKey{key}); }

  SmallFabric fabric;
  Memberships memberships;
};

TEST(Examples, EverybodyFullWithLargePackets) {
  const Site site(
      "Default=0x7fff, ipoib, mtu=5, rate=12, defmember=full : ALL, ALL_SWITCHES=full, "
      "SELF=full ;\n");
  EXPECT_THAT(site.adapter(3), ElementsAre(0xffff));
  EXPECT_THAT(site.of(site.fabric.switch_port0()), ElementsAre(0xffff));
  ASSERT_EQ(site.partition(0x7fff).groups.size(), 2u);
  EXPECT_EQ(site.partition(0x7fff).groups[1].mtu, mad::Mtu::Bytes4096);
  EXPECT_EQ(site.partition(0x7fff).groups[1].rate, 12);
}

TEST(Examples, TenantsAndStorage) {
  const Site site(
      "# tenants: management nodes full in default, all else limited\n"
      "Default=0x7fff, ipoib : ALL=limited, ALL_SWITCHES=full, SELF=full, 0x101=full ;\n"
      "TenantA=0x8001, ipoib, sl=1, mtu=5, rate=16, defmember=full :\n"
      "    0x102, 0x0000000000000103,\n"
      "    0x0002c903000a1c03 ;\n"
      "Storage=0x0010, indx0, defmember=limited : 0x101=full, ALL_CAS ;\n");
  EXPECT_THAT(site.adapter(0), ElementsAre(0x0010, 0xffff));
  EXPECT_THAT(site.adapter(1), ElementsAre(0x0010, 0xffff)) << "ALL_CAS comes after its own rule";
  EXPECT_THAT(site.adapter(2), ElementsAre(0x0010, 0x8001, 0x7fff));
  EXPECT_THAT(site.of(site.fabric.router()), ElementsAre(0x7fff));
  EXPECT_THAT(site.of(site.fabric.switch_port0()), ElementsAre(0xffff));
  const Memberships& m = site.memberships;
  EXPECT_TRUE(m.may_talk(site.fabric.adapter(2), site.fabric.adapter(3))) << "one tenant";
  EXPECT_FALSE(m.may_talk(site.fabric.adapter(3), site.fabric.router()));
  EXPECT_EQ(site.partition(1).sl, mad::ServiceLevel{1});
  EXPECT_EQ(site.partition(0x10).groups.size(), 0u);
}

TEST(Examples, GroupsOfMulticastRouters) {
  const Site site(
      "Default=0x7fff, ipoib :\n"
      "    mgid=ff12:401b::16\n"
      "    mgid=ff12:601b::16\n"
      "    mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2\n"
      "    ALL=full ;\n");
  std::vector<std::string> mgids;
  for (const GroupSpec& group : site.partition(0x7fff).groups)
    mgids.push_back(gid_text(group.mgid));
  EXPECT_THAT(mgids, ElementsAre("ff12:0:0:0:0:0:0:1", "ff12:401b:ffff:0:0:0:0:16",
                                 "ff12:401b:ffff:0:0:0:ffff:ffff", "ff12:601b:ffff:0:0:0:0:16",
                                 "ff12:601b:ffff:0:0:0:ffff:ffff"));
  EXPECT_EQ(site.partition(0x7fff).groups[0].q_key, 0xDEADBEEF);
  EXPECT_THAT(site.adapter(1), ElementsAre(0xffff));
}

TEST(Examples, OneKeyFullAndLimited) {
  const Site site("Mixed=0x0020 : 0x101=both, 0x102=full, 0x103 ;\n", true);
  EXPECT_THAT(site.adapter(1), ElementsAre(0x7fff, 0x8020, 0x0020));
  EXPECT_THAT(site.adapter(2), ElementsAre(0x7fff, 0x8020));
  EXPECT_THAT(site.adapter(3), ElementsAre(0x7fff, 0x0020));
}

}  // namespace
}  // namespace heddle::partitions
