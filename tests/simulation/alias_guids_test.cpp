// SPDX-License-Identifier: BSD-3-Clause
// Alias GUIDs over the fabric: a host asks for one, and its port's own table is looked at.
#include <chrono>

#include <gtest/gtest.h>

#include "mad/guid_info_record.hpp"
#include "sim/devices.hpp"
#include "tests/sa/client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using mad::Guid;
using mad::GUIDInfoRecord;
using mad::Method;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Guid kAlias{0x0014'0500'0000'0001};
constexpr std::uint64_t kLid = 1u << 0, kBlock = 1u << 1, kThird = 1u << 7;

class AliasGuids : public testing::Test {
 protected:
  AliasGuids() { EXPECT_TRUE(box_.run_until_quiet()); }

  mad::PortInfo port_info() {
    return mad::decode<mad::PortInfo>(
        box_.world().look(client_, mad::AttributeId::PortInfo, 0).value());
  }
  sa::Reply<GUIDInfoRecord> ask(Method method, base::Duration wait = milliseconds(50)) {
    GUIDInfoRecord wanted;
    wanted.lid = port_info().lid;
    wanted.block_num = 1;
    if (method == Method::Set) wanted.guid_info.guids[3] = kAlias;
    mad::Datagram query = sa::make_query({method, 0x30, 0, kLid | kBlock | kThird, {}}, wanted,
                                         port_info().master_sm_lid);
    query.peer.q_key = 0x8001'0000;
    box_.take_arrivals(client_);
    box_.world().send(client_, std::move(query), box_.now());
    box_.run_for(wait);
    const auto arrivals = box_.take_arrivals(client_);
    return arrivals.empty() ? sa::Reply<GUIDInfoRecord>{}
                            : sa::read_reply<GUIDInfoRecord>(arrivals[0]);
  }
  // What the port itself holds.
  Guid held() {
    const auto& devices = box_.world().devices();
    const auto& tables = devices.ports[devices.nodes[node()].first_port + 1].tables;
    if (!tables || tables->alias_guids.count(1) == 0) return {};
    return mad::decode<mad::GUIDInfo>(tables->alias_guids.at(1)).guids[3];
  }
  std::uint32_t node() { return box_.world().find_node("host-0004").value(); }

  Box box_{"star:5"};
  sim::EndpointId client_ = box_.world().find_endpoint("host-0004").value();
};

TEST_F(AliasGuids, StandInThePortWhenTheAnswerComes) {
  const auto given = ask(Method::Set);
  ASSERT_EQ(given.records.size(), 1u);
  EXPECT_EQ(given.records[0].guid_info.guids[3], kAlias);
  EXPECT_EQ(held(), kAlias);
  const auto gone = ask(Method::Delete);
  ASSERT_EQ(gone.records.size(), 1u);
  EXPECT_EQ(held(), Guid{});
}

TEST_F(AliasGuids, ComeBackWithAPortThatRestarted) {
  ASSERT_EQ(ask(Method::Set).status(), mad::kStatusOk);
  box_.world().power_off(node());
  box_.run_for(seconds(30));
  box_.world().power_on(node());
  EXPECT_EQ(held(), Guid{});
  box_.run_for(seconds(30));
  ASSERT_TRUE(box_.run_until_quiet());
  EXPECT_EQ(held(), kAlias);
  // And what stands is left alone.
  const auto sets = box_.world().counters().sets;
  box_.input(sm::ResweepCommand{"to see that nothing is written"});
  ASSERT_TRUE(box_.run_until_quiet());
  EXPECT_EQ(box_.world().counters().sets, sets);
}

TEST_F(AliasGuids, OutliveTheManagersRestart) {
  ASSERT_EQ(ask(Method::Set).status(), mad::kStatusOk);
  const auto registrations = box_.core().registrations();
  const auto sets = box_.world().counters().sets;
  box_.restart(box_.stored(), registrations);
  ASSERT_TRUE(box_.run_until_quiet());
  EXPECT_EQ(box_.world().counters().sets, sets);
  EXPECT_EQ(held(), kAlias);
  // What another manager took away while ours was off is put back.
  const auto again = box_.core().registrations();
  ASSERT_EQ(ask(Method::Delete).status(), mad::kStatusOk);
  ASSERT_EQ(held(), Guid{});
  box_.restart(box_.stored(), again);
  ASSERT_TRUE(box_.run_until_quiet());
  EXPECT_EQ(held(), kAlias);
}

TEST_F(AliasGuids, AreNotPromisedForADeviceThatIsSilent) {
  box_.world().silence(node(), true);
  EXPECT_EQ(ask(Method::Set, seconds(8)).status(), mad::kStatusBusy);
  box_.world().silence(node(), false);
  box_.run_for(seconds(30));
  EXPECT_EQ(ask(Method::Set).status(), mad::kStatusOk);
  EXPECT_EQ(held(), kAlias);
}

}  // namespace
}  // namespace heddle::test
