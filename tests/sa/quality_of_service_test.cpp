// SPDX-License-Identifier: BSD-3-Clause
// What a policy of quality of service does to paths. Links are 4x EDR with an MTU of 4096.
#include <gtest/gtest.h>

#include "qos/language.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::PathRecord;
using mad::Selector;

constexpr auto kQosEnds = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
constexpr auto kClass = component<&PathRecord::qos_class>();
constexpr auto kSl = component<&PathRecord::sl>();
constexpr auto kServiceId = component<&PathRecord::service_id>();

// Class 7 is slow, class 8 is in a partition that nobody has, class 9 has no level of its own.
constexpr std::string_view kPolicy = R"(qos-levels
qos-level
name: default
sl: 1
end-qos-level
qos-level
name: slow
sl: 2
mtu-limit: 3
rate-limit: 3
packet-life: 12
end-qos-level
qos-level
name: far
pkey: 0x10
end-qos-level
qos-level
name: free
end-qos-level
end-qos-levels
qos-match-rules
qos-match-rule
qos-class: 7
qos-level-name: slow
end-qos-match-rule
qos-match-rule
qos-class: 8
qos-level-name: far
end-qos-match-rule
qos-match-rule
qos-class: 9
qos-level-name: free
end-qos-match-rule
end-qos-match-rules
qos-ulps
rds : 6
end-qos-ulps
)";

class QualityOfServiceTest : public testing::Test {
 protected:
  static Subnet governed() {
    Subnet subnet = support::administered(support::ring(3, 2));
    subnet.qos_policy = std::make_shared<const qos::Policy>(qos::parse(kPolicy, "f")->policy);
    return subnet;
  }
  // A path from host 0 to host 3 of which `mask` is asked for besides.
  static Reply<PathRecord> path(Stage& stage, std::uint64_t mask = 0, PathRecord wanted = {}) {
    wanted.sgid = stage.view.gid(stage.host(0));
    wanted.dgid = stage.view.gid(stage.host(3));
    return stage.get(kQosEnds | mask, wanted);
  }
  static PathRecord of_class(std::uint16_t number) {
    PathRecord wanted;
    wanted.qos_class = number;
    return wanted;
  }

  Stage stage_{governed()};
};

TEST_F(QualityOfServiceTest, GivesLevelAndLimits) {
  const PathRecord usual = path(stage_).records.at(0);
  EXPECT_EQ(usual.sl, mad::ServiceLevel{1});
  EXPECT_EQ(usual.mtu, mad::Mtu::Bytes4096);
  const PathRecord slow = path(stage_, kClass, of_class(7)).records.at(0);
  EXPECT_EQ(slow.sl, mad::ServiceLevel{2});
  EXPECT_EQ(slow.mtu, mad::Mtu::Bytes1024);
  EXPECT_EQ(slow.rate, 3);
  EXPECT_EQ(slow.packet_life_time, 12);
  EXPECT_EQ(slow.qos_class, 7);
  EXPECT_TRUE(slow.reversible);
  PathRecord rds;
  rds.service_id = 0x10648CA;
  EXPECT_EQ(path(stage_, kServiceId, rds).records.at(0).sl, mad::ServiceLevel{6});
}

TEST_F(QualityOfServiceTest, IsClaimedWhereThereIsAPolicy) {
  constexpr std::uint32_t kQoS = 1u << 1;
  const auto claims = [](Stage& stage) {
    return stage.get(0, mad::ClassPortInfo{}).records.at(0).capability_mask2 & kQoS;
  };
  Stage without(support::administered(support::ring(3, 2)));
  EXPECT_EQ(claims(stage_), kQoS);
  EXPECT_EQ(claims(without), 0u);
}

TEST_F(QualityOfServiceTest, HasNoPathThatTheLevelForbids) {
  PathRecord wanted = of_class(7);
  wanted.sl = mad::ServiceLevel{2};
  EXPECT_EQ(path(stage_, kClass | kSl, wanted).records.size(), 1u);
  wanted.sl = mad::ServiceLevel{1};
  EXPECT_EQ(path(stage_, kClass | kSl, wanted).status(), mad::kSANoRecords);
  wanted.mtu_selector = Selector::Exactly;
  wanted.mtu = mad::Mtu::Bytes2048;
  const auto mtu = component<&PathRecord::mtu>() | component<&PathRecord::mtu_selector>();
  EXPECT_EQ(path(stage_, kClass | mtu, wanted).status(), mad::kSANoRecords);
  wanted.mtu = mad::Mtu::Bytes512;
  EXPECT_EQ(path(stage_, kClass | mtu, wanted).records.at(0).mtu, mad::Mtu::Bytes512);
  EXPECT_EQ(path(stage_, kClass, of_class(8)).status(), mad::kSANoRecords);
  // The key of the level and that of the query must be one.
  wanted = of_class(8);
  wanted.p_key = mad::PKey{0xFFFF};
  const auto key = component<&PathRecord::p_key>();
  EXPECT_EQ(path(stage_, kClass | key, wanted).status(), mad::kSANoRecords);
}

TEST_F(QualityOfServiceTest, LeavesTheLevelToTheClientWhereItSaysNone) {
  PathRecord wanted = of_class(9);
  EXPECT_EQ(path(stage_, kClass, wanted).records.at(0).sl, mad::ServiceLevel{0});
  wanted.sl = mad::ServiceLevel{4};
  EXPECT_EQ(path(stage_, kClass | kSl, wanted).records.at(0).sl, mad::ServiceLevel{4});
}

// A routing that is right on its own lanes alone has the last word; limits hold all the same.
TEST_F(QualityOfServiceTest, DoesNotChangeTheLevelsOfTheEngine) {
  Subnet subnet = governed();
  auto lanes = std::make_shared<fabric::Lanes>();
  lanes->vls = 4;
  lanes->levels = fabric::ServiceLevels::by_destination(
      std::vector<std::uint8_t>(subnet.lids->top().value + 1, 3));
  subnet.lanes = lanes;
  Stage stage(std::move(subnet));
  const PathRecord slow = path(stage, kClass, of_class(7)).records.at(0);
  EXPECT_EQ(slow.sl, mad::ServiceLevel{3});
  EXPECT_EQ(slow.mtu, mad::Mtu::Bytes1024);
  PathRecord wanted = of_class(7);
  wanted.sl = mad::ServiceLevel{2};
  EXPECT_EQ(path(stage, kClass | kSl, wanted).status(), mad::kSANoRecords);
}

TEST_F(QualityOfServiceTest, ChoosesAKeyOfTheLevel) {
  Subnet subnet = governed();
  partitions::Policy policy = partitions::default_policy();
  partitions::Partition own;
  own.key = partitions::BaseKey{0x10};
  own.sl = mad::ServiceLevel{5};
  own.rules.push_back({partitions::Who::All, {}, partitions::Membership::Full});
  policy.partitions.push_back(own);
  subnet.memberships = std::make_shared<const partitions::Memberships>(
      policy, *subnet.topology, subnet.topology->endports()[0]);
  Stage stage(std::move(subnet));
  const PathRecord found = path(stage, kClass, of_class(8)).records.at(0);
  EXPECT_EQ(found.p_key, mad::PKey{0x8010});
  EXPECT_EQ(found.sl, mad::ServiceLevel{5}) << "that of the partition, as the level has none";
}

}  // namespace
}  // namespace heddle::sa
