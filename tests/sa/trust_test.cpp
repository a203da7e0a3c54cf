// SPDX-License-Identifier: BSD-3-Clause
#include "sa/trust.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "mad/inform_info.hpp"
#include "mad/link_record.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/node_record.hpp"
#include "mad/path_record.hpp"
#include "mad/service_record.hpp"
#include "sa/desk.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::InformInfo;
using mad::MCMemberRecord;
using mad::Method;
using mad::PathRecord;
using mad::ServiceRecord;

constexpr auto kFrom = component<&PathRecord::slid>();
constexpr auto kTo = component<&PathRecord::dlid>();
constexpr auto kService = component<&ServiceRecord::service_id>() |
                          component<&ServiceRecord::service_gid>() |
                          component<&ServiceRecord::service_p_key>();

constexpr Trust kLittle{true, 2, 1, 1};

class Untrusted : public testing::Test {
 protected:
  void SetUp() override { stage_.server.set_trust(kLittle); }
  PathRecord ends() {
    PathRecord path;
    path.slid = stage_.lid(stage_.host(0));
    path.dlid = stage_.lid(stage_.host(1));
    return path;
  }
  mad::Status offer(std::uint64_t id, mad::SMKey key = {}) {
    ServiceRecord service;
    service.service_id = id;
    service.service_gid = stage_.view.gid(stage_.host(0));
    service.service_p_key = mad::PKey{0xFFFF};
    return stage_.ask(Method::Set, kService, service, key).status();
  }
  mad::Status subscribe(std::uint16_t trap, mad::SMKey key = {}) {
    InformInfo info;
    info.lid_range_begin = mad::kPermissiveLid;
    info.is_generic = 1;
    info.subscribe = 1;
    info.type = 0xFFFF;
    info.trap_number = trap;
    info.producer_type = 0xFFFFFF;
    return stage_.ask(Method::Set, 0, info, key).status();
  }

  Stage stage_{support::administered(support::ring(3, 2))};
};

TEST_F(Untrusted, HostsGetWhatTheyNeed) {
  EXPECT_EQ(stage_.ask(Method::Get, kFrom | kTo, ends()).status(), mad::kStatusOk);
  EXPECT_EQ(stage_.ask(Method::GetTable, kFrom | kTo, ends()).status(), mad::kStatusOk);
  EXPECT_EQ(stage_.ask(Method::Get, 0, mad::ClassPortInfo{}).status(), mad::kStatusOk);
  EXPECT_EQ(offer(7), mad::kStatusOk);
  ServiceRecord service;
  service.service_id = 7;
  EXPECT_EQ(stage_.ask(Method::GetTable, component<&ServiceRecord::service_id>(), service).status(),
            mad::kStatusOk);
}

TEST_F(Untrusted, APictureOfTheFabricIsForTheTrusted) {
  EXPECT_EQ(stage_.ask(Method::GetTable, kFrom, ends()).status(), mad::kSAReqDenied);
  EXPECT_EQ(stage_.ask(Method::GetTable, 0, mad::NodeRecord{}).status(), mad::kSAReqDenied);
  EXPECT_EQ(stage_.ask(Method::Get, 0, mad::LinkRecord{}).status(), mad::kSAReqDenied);
  EXPECT_EQ(stage_.ask(Method::GetTable, 0, ServiceRecord{}).status(), mad::kSAReqDenied);
  EXPECT_EQ(stage_.ask(Method::GetTable, 0, MCMemberRecord{}).status(), mad::kSAReqDenied);
  EXPECT_EQ(stage_.ask(Method::GetTable, 0, mad::NodeRecord{}, kOurKey).status(), mad::kStatusOk);
  EXPECT_EQ(stage_.ask(Method::GetTable, kFrom, ends(), kOurKey).status(), mad::kStatusOk);
}

// Key 0 is what everybody sends.
TEST_F(Untrusted, WithoutAKeyOfOursNobodyIsTrusted) {
  stage_.server.set_key({});
  EXPECT_EQ(stage_.ask(Method::GetTable, 0, mad::NodeRecord{}).status(), mad::kSAReqDenied);
}

TEST_F(Untrusted, TheDeskLeavesToTheServerWhatIsRefused) {
  Desk desk;
  desk.open(stage_.shared_view, kOurKey);
  desk.set_trust(kLittle);
  const auto takes = [&](mad::SMKey key) {
    const Question question{Method::Get, kAttributeOf<mad::LinkRecord>, 0, 0, key};
    const auto request = make_query(question, mad::LinkRecord{}, stage_.lid(stage_.host(0)));
    std::optional<mad::Datagram> reply;
    return desk.take(stage_.now, request, reply);
  };
  EXPECT_FALSE(takes({}));
  EXPECT_TRUE(takes(kOurKey));
}

TEST_F(Untrusted, APortHasSoManyServicesAndSubscriptionsAndNoMore) {
  EXPECT_EQ(offer(1), mad::kStatusOk);
  EXPECT_EQ(offer(2), mad::kStatusOk);
  EXPECT_EQ(offer(2), mad::kStatusOk) << "the same again is none more";
  EXPECT_EQ(offer(3), mad::kSANoResources);
  EXPECT_EQ(offer(3, kOurKey), mad::kStatusOk) << "whoever has the key may";
  EXPECT_EQ(subscribe(64), mad::kStatusOk);
  EXPECT_EQ(subscribe(64), mad::kStatusOk);
  EXPECT_EQ(subscribe(65), mad::kSANoResources);
  EXPECT_EQ(subscribe(65, kOurKey), mad::kStatusOk);
}

TEST_F(Untrusted, APortIsInSoManyGroupsAndNoMore) {
  const auto join = [&](std::uint8_t last, mad::SMKey key = {}) {
    MCMemberRecord member;
    member.mgid = {mad::GidPrefix{0xFF12401BFFFF0000}, mad::Guid{last}};
    member.port_gid = stage_.view.gid(stage_.host(0));
    member.p_key = mad::PKey{0xFFFF};
    member.q_key = 0x0B1B;
    member.join_state = 1;
    return stage_
        .ask(Method::Set,
             component<&MCMemberRecord::mgid>() | component<&MCMemberRecord::port_gid>() |
                 component<&MCMemberRecord::p_key>() | component<&MCMemberRecord::q_key>() |
                 component<&MCMemberRecord::sl>() | component<&MCMemberRecord::flow_label>() |
                 component<&MCMemberRecord::t_class>() | component<&MCMemberRecord::join_state>(),
             member, key)
        .status();
  };
  EXPECT_EQ(join(1), mad::kStatusOk);
  EXPECT_EQ(join(1), mad::kStatusOk) << "the same again is none more";
  EXPECT_EQ(join(2), mad::kSANoResources);
  EXPECT_EQ(join(2, kOurKey), mad::kSANoResources) << "it is the port that is in too many";
  stage_.server.close();
  stage_.server.renew(stage_.now, stage_.shared_view);
  EXPECT_EQ(join(2), mad::kStatusOk);
  EXPECT_EQ(join(1), mad::kSANoResources) << "a new beginning is no way around it";
}

}  // namespace
}  // namespace heddle::sa
