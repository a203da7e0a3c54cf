// SPDX-License-Identifier: BSD-3-Clause
// Who may know of whom, and talk to whom, when there are partitions: hosts 0 and 1 share one of
// their own, host 2 is alone, and all are limited members of the default one, in which the switches
// are full ones.
#include <gtest/gtest.h>

#include "mad/inform_info.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/mgid.hpp"
#include "mad/notice.hpp"
#include "mad/service_record.hpp"
#include "mad/trace_record.hpp"
#include "partitions/memberships.hpp"
#include "sa/p_key_tables.hpp"
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
  own.groups = partitions::ipoib_broadcast_groups(group, mad::kLinkLocalScope);
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

TEST_F(PartitionsTest, LimitServices) {
  constexpr auto kIdentity = component<&mad::ServiceRecord::service_id>() |
                             component<&mad::ServiceRecord::service_gid>() |
                             component<&mad::ServiceRecord::service_p_key>();
  const auto offer = [&](std::size_t host, mad::PKey key, Method method = Method::Set) {
    mad::ServiceRecord service;
    service.service_id = 7;
    service.service_gid = stage_.view.gid(stage_.host(0));
    service.service_p_key = key;
    return stage_.ask(Question{method, 0x31, 0, kIdentity, {}}, service, host).status();
  };
  EXPECT_EQ(offer(0, partitions::full_key(partitions::BaseKey{3})), mad::kSAReqInvalid)
      << "a partition that its port is not in";
  ASSERT_EQ(offer(0, partitions::full_key(kOwn)), mad::kStatusOk);
  // Nobody but the other host of its partition knows of it, and there is nothing to delete.
  EXPECT_EQ(seen_by<mad::ServiceRecord>(0), 1u);
  EXPECT_EQ(seen_by<mad::ServiceRecord>(1), 1u);
  EXPECT_EQ(seen_by<mad::ServiceRecord>(2), 0u);
  EXPECT_EQ(seen_by<mad::ServiceRecord>(2, kOurKey), 1u);
  EXPECT_EQ(offer(2, partitions::full_key(kOwn), Method::Delete), mad::kSANoRecords);
  EXPECT_EQ(offer(1, partitions::full_key(kOwn), Method::Delete), mad::kSAReqDenied);
  // In a partition where both are limited members, they cannot talk either.
  ASSERT_EQ(offer(0, partitions::limited_key(partitions::kDefaultBaseKey)), mad::kStatusOk);
  EXPECT_EQ(seen_by<mad::ServiceRecord>(1), 2u);
  EXPECT_EQ(seen_by<mad::ServiceRecord>(2), 0u);
}

TEST_F(PartitionsTest, LimitTracesAndManagers) {
  PathRecord wanted;
  const auto nodes_on_the_way = [&](std::size_t asker, std::size_t to) {
    wanted.sgid = stage_.view.gid(stage_.host(0));
    wanted.dgid = stage_.view.gid(stage_.host(to));
    const Question question{Method::GetTraceTable, 0x39, 0, kEnds, {}};
    return read_reply<mad::TraceRecord>(
               stage_.send(make_query(question, wanted, stage_.lid(stage_.host(asker)))))
        .records.size();
  };
  EXPECT_EQ(nodes_on_the_way(0, 1), 4u);
  EXPECT_EQ(nodes_on_the_way(2, 1), 0u);
  EXPECT_EQ(nodes_on_the_way(0, 2), 0u);
  // One manager sits in a switch, which everybody sees; another on the host that is alone.
  Subnet subnet = divided(recipe_);
  subnet.managers.push_back({stage_.host(2), {}});
  Stage stage(std::move(subnet));
  const auto managers = [&](std::size_t host) {
    return stage.ask(Question{Method::GetTable, 0x18, 0, 0, {}}, mad::SMInfoRecord{}, host)
        .records.size();
  };
  EXPECT_EQ(managers(0), 1u);
  EXPECT_EQ(managers(2), 2u);
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

std::vector<std::uint16_t> firsts(const PKeyTables& tables, std::uint32_t port) {
  std::vector<std::uint16_t> keys;
  for (const mad::PKeyTable& block : tables.of({port})) keys.push_back(block.p_keys[0].value);
  return keys;
}

mad::PKeyTable starting_with(std::uint16_t key) {
  mad::PKeyTable block;
  block.p_keys[0] = mad::PKey{key};
  return block;
}

TEST(PKeyTables, KeepTheBlocksOfEachPortInOrder) {
  PKeyTables tables;
  tables.add_port();
  tables.add_block(starting_with(1));
  tables.add_block(starting_with(2));
  tables.add_port();
  tables.add_port();
  tables.add_block(starting_with(3));
  EXPECT_EQ(firsts(tables, 0), (std::vector<std::uint16_t>{1, 2}));
  EXPECT_TRUE(firsts(tables, 1).empty());
  EXPECT_EQ(firsts(tables, 2), (std::vector<std::uint16_t>{3}));
  EXPECT_TRUE(firsts(tables, 3).empty());
  EXPECT_TRUE(PKeyTables().of({0}).empty());
}

}  // namespace
}  // namespace heddle::sa
