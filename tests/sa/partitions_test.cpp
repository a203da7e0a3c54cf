// SPDX-License-Identifier: BSD-3-Clause
// Who may know of whom, and talk to whom, when there are partitions: hosts 0 and 1 share one of
// their own, host 2 is alone, and all are limited members of the default one, in which the switches
// are full ones.
#include <gtest/gtest.h>

#include "mad/inform_info.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/notice.hpp"
#include "partitions/memberships.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Method;
using mad::PathRecord;

constexpr partitions::BaseKey kOwn{2};
constexpr auto kEnds = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();

partitions::Policy policy(const fabric::Topology& topology) {
  using partitions::Membership;
  using partitions::Who;
  partitions::Policy policy = partitions::closed_policy();
  policy.partitions[0].rules.push_back({Who::AllSwitches, {}, Membership::Full});
  partitions::Partition own;
  own.name = "own";
  own.key = kOwn;
  const auto hosts = topology.endports().subspan(topology.switch_count());
  for (const auto host : hosts.first(2)) {
    own.rules.push_back({Who::Port, topology.port(host).guid, Membership::Full});
  }
  partitions::GroupSpec group;
  group.p_key = partitions::full_key(kOwn);
  own.groups = partitions::ipoib_broadcast_groups(group, partitions::kLinkLocalScope);
  policy.partitions.push_back(own);
  return policy;
}

Subnet divided(const support::Recipe& recipe) {
  Subnet subnet = support::administered(recipe);
  subnet.memberships = std::make_shared<const partitions::Memberships>(
      policy(*subnet.topology), *subnet.topology, subnet.topology->endports()[0]);
  subnet.managers.push_back({subnet.topology->endports()[0], {}});
  return subnet;
}

class PartitionsTest : public testing::Test {
 protected:
  Reply<PathRecord> path(std::size_t from, std::size_t to, std::optional<mad::PKey> key = {}) {
    PathRecord wanted;
    wanted.sgid = stage_.view.gid(stage_.host(from));
    wanted.dgid = stage_.view.gid(stage_.host(to));
    wanted.p_key = key.value_or(mad::PKey{});
    const auto mask = kEnds | (key ? component<&PathRecord::p_key>() : 0u);
    return stage_.ask(Question{Method::Get, 0x35, 0, mask, {}}, wanted, from);
  }
  template <class T>
  std::size_t seen_by(std::size_t host, mad::SMKey key = {}) {
    return stage_.ask(Question{Method::GetTable, kAttributeOf<T>, 0, 0, key}, T{}, host)
        .records.size();
  }

  support::Recipe recipe_ = support::ring(3, 1);
  Stage stage_{divided(recipe_)};
};

TEST_F(PartitionsTest, LimitTheWaysThereAre) {
  const auto together = path(0, 1);
  ASSERT_EQ(together.records.size(), 1u);
  EXPECT_EQ(together.records[0].p_key, partitions::full_key(kOwn));
  EXPECT_EQ(path(0, 2).status(), mad::kSANoRecords);
  EXPECT_EQ(path(0, 1, mad::PKey{0x7fff}).status(), mad::kSANoRecords);
  EXPECT_EQ(path(0, 1, partitions::limited_key(kOwn)).records.size(), 1u);
  EXPECT_EQ(path(2, 2).records.size(), 1u);
}

TEST_F(PartitionsTest, LimitWhatMayBeKnown) {
  // Its own port, the three switches, and the other host of its partition.
  EXPECT_EQ(seen_by<mad::NodeRecord>(0), 5u);
  EXPECT_EQ(seen_by<mad::NodeRecord>(2), 4u);
  EXPECT_EQ(seen_by<mad::NodeRecord>(2, kOurKey), 6u);
  EXPECT_EQ(seen_by<mad::SwitchInfoRecord>(2), 3u);
  EXPECT_EQ(seen_by<mad::GUIDInfoRecord>(2), 8u);  // two blocks of each
  // A cable is seen with both its ends: six between switches, two at each host that is seen.
  EXPECT_EQ(seen_by<mad::LinkRecord>(0), 10u);
  EXPECT_EQ(seen_by<mad::LinkRecord>(2), 8u);
  EXPECT_EQ(seen_by<mad::PortInfoRecord>(2, kOurKey) - seen_by<mad::PortInfoRecord>(2), 2u);
}

TEST_F(PartitionsTest, LimitGroups) {
  const auto specs = stage_.view.subnet().memberships->policy().partitions[1].groups;
  stage_.server.set_permanent_groups(specs);
  mad::MCMemberRecord join;
  join.mgid = specs[0].mgid;
  join.join_state = 1;
  const auto mask = component<&mad::MCMemberRecord::mgid>() |
                    component<&mad::MCMemberRecord::port_gid>() |
                    component<&mad::MCMemberRecord::join_state>();
  const auto status_of = [&](std::size_t host) {
    join.port_gid = stage_.view.gid(stage_.host(host));
    return stage_.ask(Question{Method::Set, 0x38, 0, mask, {}}, join, host).status();
  };
  EXPECT_EQ(status_of(0), mad::kStatusOk);
  EXPECT_NE(status_of(2), mad::kStatusOk);
  const auto groups_seen = [&](std::size_t host) {
    return stage_.ask(Question{Method::GetTable, 0x38, 0, 0, {}}, mad::MCMemberRecord{}, host)
        .records.size();
  };
  EXPECT_EQ(groups_seen(1), 2u);
  EXPECT_EQ(groups_seen(2), 0u);
}

TEST_F(PartitionsTest, LimitWhoHearsOfPortsAndGroups) {
  mad::InformInfo info;
  info.lid_range_begin = mad::kPermissiveLid;
  info.is_generic = info.subscribe = 1;
  info.type = kAnyType;
  info.trap_number = kAnyTrap;
  info.producer_type = kAnyProducer;
  for (const std::size_t host : {1u, 2u}) {
    ASSERT_EQ(stage_.ask(Question{Method::Set, 0x03, 0, 0, {}}, info, host).status(),
              mad::kStatusOk);
  }
  stage_.server.set_permanent_groups(
      stage_.view.subnet().memberships->policy().partitions[1].groups);
  stage_.let_pass({});
  // Two groups were made, and the member of their partition hears of both.
  ASSERT_EQ(stage_.reports.size(), 2u);
  for (const auto& report : stage_.reports) {
    EXPECT_EQ(report.peer.lid, stage_.lid(stage_.host(1)));
  }
  stage_.reports.clear();
  const mad::Guid first = stage_.view.topology().port(stage_.host(0)).guid;
  auto less = recipe_;
  std::erase_if(less.links, [&](const auto& link) {
    return link.a.node.value == (first.value & ~(0xFFull << 56)) ||
           link.b.node.value == (first.value & ~(0xFFull << 56));
  });
  stage_.server.renew(stage_.now, std::make_shared<const View>(divided(less)));
  stage_.let_pass({});
  ASSERT_EQ(stage_.reports.size(), 1u);
  EXPECT_EQ(stage_.reports[0].peer.lid, stage_.lid(stage_.host(1)));
}

}  // namespace
}  // namespace heddle::sa
