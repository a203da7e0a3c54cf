// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports behind a host: one shares the host's LID, one has its own.
#include "sa/virtual_ports.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "mad/mc_member_record.hpp"
#include "mad/node_record.hpp"
#include "mad/path_record.hpp"
#include "mad/port_info_record.hpp"
#include "mad/service_record.hpp"
#include "partitions/policy.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Method;
using mad::NodeRecord;
using mad::PathRecord;
using mad::ServiceRecord;

constexpr mad::Guid kShared{0xA1}, kOwn{0xA2};
constexpr std::size_t kHost = 1;
constexpr auto kEnds = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
constexpr auto kService =
    component<&ServiceRecord::service_id>() | component<&ServiceRecord::service_gid>();

Subnet with_guests(bool records) {
  Subnet subnet = support::administered(support::ring(3, 2));
  const auto& topology = *subnet.topology;
  const auto host = topology.endports()[topology.switch_count() + kHost];
  auto lids = *subnet.lids;
  const mad::Lid own{static_cast<std::uint16_t>(lids.top().value + 1)};
  EXPECT_TRUE(lids.assign_guest(host, own));
  const auto old = subnet.tables;
  auto tables = std::make_shared<fabric::ForwardingTables>(topology.switch_count(), own);
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    for (std::uint16_t lid = 1; lid <= own.value; ++lid) {
      const fabric::SwitchIndex at{s};
      tables->set(at, mad::Lid{lid}, old->out_port(at, lids.host_lid(mad::Lid{lid})));
    }
  }
  std::vector<VirtualPort> all(2);
  const auto ports = static_cast<std::uint32_t>(topology.port_count());
  all[0] = {kShared, host, {ports}, lids.base(host), false, 1, mad::Guid{0xB1}, "one", 32, {}};
  all[1] = {kOwn, host, {ports + 1}, own, true, 2, mad::Guid{0xB2}, "two", 32, {}};
  subnet.lids = std::make_shared<const fabric::LidMap>(std::move(lids));
  subnet.tables = std::move(tables);
  subnet.virtual_ports = std::make_shared<const VirtualPorts>(std::move(all));
  subnet.virtual_records = records;
  return subnet;
}

class VirtualPortsTest : public testing::Test {
 protected:
  explicit VirtualPortsTest(bool records = false) : stage_(with_guests(records)) {}

  mad::Gid gid(mad::Guid guid) const { return {stage_.view.subnet().prefix, guid}; }
  mad::Lid own_lid() const { return stage_.view.guest(kOwn)->lid; }
  mad::Lid host_lid() const { return stage_.lid(stage_.host(kHost)); }
  // As a virtual port sends it that shares its host's LID.
  template <class T>
  Reply<T> ask_from(mad::Guid guest, Method method, std::uint64_t mask, const T& record) {
    auto query = make_query({method, kAttributeOf<T>, 0, mask, {}}, record, host_lid());
    query.peer.global_route = mad::GlobalRoute{};
    query.peer.global_route->remote = gid(guest);
    return read_reply<T>(stage_.send(query));
  }
  Reply<PathRecord> path(mad::Guid to, mad::Lid dlid = {}) {
    PathRecord wanted;
    wanted.sgid = stage_.view.gid(stage_.host(0));
    wanted.dgid = gid(to);
    wanted.dlid = dlid;
    return stage_.get(kEnds | (dlid == mad::kNoLid ? 0 : component<&PathRecord::dlid>()), wanted);
  }
  ServiceRecord service_of(mad::Guid guid) const {
    ServiceRecord record;
    record.service_id = 7;
    record.service_gid = gid(guid);
    return record;
  }
  Stage stage_;
};

TEST_F(VirtualPortsTest, AreReachedByTheirGidsAndLids) {
  const auto shared = path(kShared);
  ASSERT_EQ(shared.records.size(), 1u);
  EXPECT_EQ(shared.records[0].dlid, host_lid());
  EXPECT_EQ(shared.records[0].hop_limit, 2);
  const auto own = path(kOwn);
  ASSERT_EQ(own.records.size(), 1u);
  EXPECT_EQ(own.records[0].dlid, own_lid());
  EXPECT_EQ(own.records[0].hop_limit, 0);
  PathRecord by_lid;
  by_lid.slid = stage_.lid(stage_.host(0));
  by_lid.dlid = own_lid();
  const auto found =
      stage_.get(component<&PathRecord::slid>() | component<&PathRecord::dlid>(), by_lid);
  ASSERT_EQ(found.records.size(), 1u);
  EXPECT_EQ(found.records[0].dgid, gid(kOwn));
}

TEST_F(VirtualPortsTest, AreNotReachedByLidsOfOthers) {
  EXPECT_EQ(path(kOwn, own_lid()).records.size(), 1u);
  EXPECT_EQ(path(kShared, host_lid()).records.size(), 1u);
  EXPECT_EQ(path(kOwn, host_lid()).status(), mad::kSAReqInvalid);
  EXPECT_EQ(path(kShared, own_lid()).status(), mad::kSAReqInvalid);
  const mad::Guid host = stage_.view.topology().port(stage_.host(kHost)).guid;
  EXPECT_EQ(path(host, own_lid()).status(), mad::kSAReqInvalid);
  EXPECT_EQ(path(host, host_lid()).records.at(0).hop_limit, 0);
}

TEST_F(VirtualPortsTest, SpeakForThemselvesAlone) {
  EXPECT_EQ(ask_from(kShared, Method::Set, kService, service_of(kShared)).status(), mad::kStatusOk);
  EXPECT_EQ(ask_from(kShared, Method::Set, kService, service_of(kOwn)).status(), mad::kSAReqDenied);
  const mad::Guid host = stage_.view.topology().port(stage_.host(kHost)).guid;
  EXPECT_EQ(ask_from(kShared, Method::Set, kService, service_of(host)).status(), mad::kSAReqDenied);
  const Question by_host{Method::Set, kAttributeOf<ServiceRecord>, 0, kService, {}};
  EXPECT_EQ(stage_.ask(by_host, service_of(kOwn), kHost).status(), mad::kStatusOk);
  EXPECT_EQ(stage_.ask(by_host, service_of(kOwn), 0).status(), mad::kSAReqDenied);
}

TEST_F(VirtualPortsTest, TakeWhatTheyRegisteredWithThem) {
  ASSERT_EQ(ask_from(kShared, Method::Set, kService, service_of(kShared)).status(), mad::kStatusOk);
  EXPECT_EQ(stage_.table<ServiceRecord>().records.size(), 1u);
  Subnet later = with_guests(false);
  later.virtual_ports = nullptr;
  stage_.server.renew(stage_.now, std::make_shared<const View>(std::move(later)));
  EXPECT_TRUE(stage_.table<ServiceRecord>().records.empty());
}

// Nothing but the virtual ports is another one then.
TEST_F(VirtualPortsTest, LeaveTheirGroupsWhenTheyGo) {
  for (const auto& partition : partitions::default_policy().partitions) {
    stage_.server.set_permanent_groups(partition.groups);
  }
  mad::MCMemberRecord record;
  record.mgid = {mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{0xffff'ffff}};
  record.port_gid = gid(kShared);
  record.join_state = 1;
  constexpr auto kJoin = component<&mad::MCMemberRecord::mgid>() |
                         component<&mad::MCMemberRecord::port_gid>() |
                         component<&mad::MCMemberRecord::join_state>();
  ASSERT_EQ(ask_from(kShared, Method::Set, kJoin, record).status(), mad::kStatusOk);
  const auto members = [&] { return stage_.server.registrations().groups.memberships(); };
  ASSERT_EQ(members(), 1u);
  Subnet later = stage_.view.subnet();
  stage_.server.renew(stage_.now, std::make_shared<const View>(later));
  EXPECT_EQ(members(), 1u);
  later.virtual_ports = nullptr;
  stage_.server.renew(stage_.now, std::make_shared<const View>(std::move(later)));
  EXPECT_EQ(members(), 0u);
}

TEST_F(VirtualPortsTest, StandBehindTheirHostInTheTables) {
  NodeRecord wanted;
  wanted.lid = own_lid();
  const auto by_lid = stage_.get(component<&NodeRecord::lid>(), wanted);
  ASSERT_EQ(by_lid.records.size(), 1u);
  EXPECT_EQ(by_lid.records[0].lid, host_lid());
  EXPECT_EQ(stage_.table<NodeRecord>().records.size(), stage_.view.topology().endports().size());
}

class VirtualRecordsTest : public VirtualPortsTest {
 protected:
  VirtualRecordsTest() : VirtualPortsTest(true) {}
};

TEST_F(VirtualRecordsTest, AreToldToWhomTheOperatorWantsThemTold) {
  EXPECT_EQ(stage_.table<NodeRecord>().records.size(),
            stage_.view.topology().endports().size() + 2);
  NodeRecord wanted;
  wanted.lid = own_lid();
  const auto by_lid = stage_.get(component<&NodeRecord::lid>(), wanted);
  ASSERT_EQ(by_lid.records.size(), 1u);
  EXPECT_EQ(by_lid.records[0].node_info.port_guid, kOwn);
  EXPECT_EQ(by_lid.records[0].node_info.node_guid, mad::Guid{0xB2});
  wanted.lid = host_lid();
  EXPECT_EQ(stage_.table(component<&NodeRecord::lid>(), wanted).records.size(), 2u)
      << "the host and who shares its LID";
  mad::PortInfoRecord port;
  port.endport_lid = own_lid();
  const auto info = stage_.get(component<&mad::PortInfoRecord::endport_lid>(), port);
  ASSERT_EQ(info.records.size(), 1u);
  EXPECT_EQ(info.records[0].port_info.lid, own_lid());
}

}  // namespace
}  // namespace heddle::sa
