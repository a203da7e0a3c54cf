// SPDX-License-Identifier: BSD-3-Clause
// Subnet administration over the fabric: a client on one host asks the master on another.
#include <chrono>

#include <gtest/gtest.h>

#include "tests/sa/client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using mad::component;
using mad::Method;
using mad::PathRecord;
using std::chrono::milliseconds;

constexpr auto kSgid = component<&PathRecord::sgid>();
constexpr auto kDgid = component<&PathRecord::dgid>();

class Administration : public testing::Test {
 protected:
  static sim::EndpointId client_of(Box& box, std::string_view name) {
    return box.world().find_endpoint(name).value();
  }
  static mad::PortInfo port_info(Box& box, sim::EndpointId at) {
    return mad::decode<mad::PortInfo>(box.world().look(at, mad::AttributeId::PortInfo, 0).value());
  }

  // What the endpoint hears when it asks the SM that its own port names.
  template <class T>
  static sa::Reply<T> ask(Box& box, sim::EndpointId from, const sa::Question& question,
                          const T& wanted) {
    mad::Datagram query = sa::make_query(question, wanted, port_info(box, from).master_sm_lid);
    query.peer.q_key = 0x8001'0000;
    box.take_arrivals(from);
    box.world().send(from, std::move(query), box.now());
    box.run_for(milliseconds(10));
    const auto arrivals = box.take_arrivals(from);
    if (arrivals.size() != 1) return {};
    return sa::read_reply<T>(arrivals[0]);
  }
};

TEST_F(Administration, TellsAHostThePathToAnother) {
  Box box("fat-tree:3,6", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto& topology = box.snapshot().topology;
  const auto hosts = topology.endports().subspan(topology.switch_count());
  const auto name = topology.node(topology.node_of(hosts.back())).description;
  const sim::EndpointId client = client_of(box, name);
  PathRecord wanted;
  wanted.sgid = {mad::kDefaultGidPrefix, box.world().port_guid(client)};
  for (const fabric::PortIndex host : hosts) {
    wanted.dgid = {mad::kDefaultGidPrefix, topology.port(host).guid};
    const auto reply = ask(box, client, {Method::Get, 0x35, 0, kSgid | kDgid, {}}, wanted);
    ASSERT_EQ(reply.records.size(), 1u);
    EXPECT_EQ(reply.records[0].slid, port_info(box, client).lid);
    EXPECT_EQ(reply.records[0].dlid, box.snapshot().lids.base(host));
    EXPECT_TRUE(reply.records[0].reversible);
  }
}

// From each switch to each LID, also after a loss, and not to hosts that are in the tables no more.
TEST_F(Administration, CountsTheRoutesThatAreProven) {
  Box box("fat-tree:3,6", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto expect_all_proven = [&](std::size_t lids) {
    const auto view = box.core().queries_view();
    ASSERT_TRUE(view);
    EXPECT_EQ(view->subnet().proven_routes, view->topology().switch_count() * lids);
  };
  const auto before = box.snapshot().topology.endports().size();
  expect_all_proven(before);
  box.world().cut(cable(box, "leaf-1", 4));  // to a spine
  box.run_for(std::chrono::seconds(11));
  expect_all_proven(before);
  box.world().cut(cable(box, "leaf-1", 2));  // to a host
  box.run_for(std::chrono::seconds(11));
  expect_all_proven(before - 1);
}

// A way over more switches than any packet is believed to pass is no path, proven or not.
TEST_F(Administration, CountsNoRoutesAsProvenWhereSomeAreTooLong) {
  Box box("ring:140", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto view = box.core().queries_view();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->subnet().proven_routes, 0u);
}

TEST_F(Administration, TellsRatesUpToTheHighestThatIsAllowed) {
  for (const std::uint8_t highest : {std::uint8_t{63}, std::uint8_t{18}}) {
    BoxOptions options;
    options.sm.highest_rate_code = highest;
    Box box("star:3,speed=NDR", options);
    ASSERT_TRUE(box.run_until_quiet());
    const auto from = client_of(box, "host-0002");
    PathRecord wanted;
    wanted.sgid = {mad::kDefaultGidPrefix, box.world().port_guid(from)};
    wanted.dgid = {mad::kDefaultGidPrefix, box.world().port_guid(client_of(box, "host-0003"))};
    const auto reply = ask(box, from, {Method::Get, 0x35, 0, kSgid | kDgid, {}}, wanted);
    ASSERT_EQ(reply.records.size(), 1u);
    EXPECT_EQ(reply.records[0].rate, highest == 63 ? 21 : 18);  // 400 and 300 Gb/s
  }
}

TEST_F(Administration, SendsATableWithALineForEachPort) {
  Box box("ring:4", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto& topology = box.snapshot().topology;
  const auto client = box.endpoint();
  mad::NodeRecord wanted;
  wanted.lid = port_info(box, client).lid;
  const auto& name = topology.node(topology.node_of(topology.endports().back())).description;
  const auto other = client_of(box, name);
  const auto nodes = ask(box, other, {Method::GetTable, 0x11}, wanted);
  EXPECT_EQ(nodes.records.size(), topology.endports().size());
  const auto ports = ask(box, other, {Method::GetTable, 0x12}, mad::PortInfoRecord{});
  std::size_t active = 0;
  for (const auto& record : ports.records) {
    active += record.port_info.port_state == mad::PortState::Active &&
              record.port_num != mad::PortNumber{0};
  }
  EXPECT_EQ(active, 2 * topology.link_count());
}

TEST_F(Administration, TellsOfTheManagersThatItKnows) {
  Box box("ring:4", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto& topology = box.snapshot().topology;
  const auto& name = topology.node(topology.node_of(topology.endports().back())).description;
  const auto client = client_of(box, name);
  const auto reply = ask(box, client, {Method::GetTable, 0x18}, mad::SMInfoRecord{});
  ASSERT_EQ(reply.records.size(), 1u);
  EXPECT_EQ(reply.records[0].lid, port_info(box, client).master_sm_lid);
  EXPECT_EQ(reply.records[0].sm_info.sm_state, mad::SMState::Master);
  EXPECT_EQ(reply.records[0].sm_info.sm_key, mad::SMKey{});
}

TEST_F(Administration, FollowsACableThatIsCut) {
  Box box(dumbbell().finish(), {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto client = client_of(box, "right-b");
  const auto before = ask(box, client, {Method::GetTable, 0x20}, mad::LinkRecord{});
  EXPECT_EQ(before.records.size(), 2 * box.snapshot().topology.link_count());
  box.world().cut(cable(box, "left", 3));
  box.input(sm::ResweepCommand{"a cable was cut"});
  ASSERT_TRUE(box.run_until_quiet());
  const auto after = ask(box, client, {Method::GetTable, 0x20}, mad::LinkRecord{});
  EXPECT_EQ(after.records.size(), before.records.size() - 2);
}

// Large answers are worked out elsewhere, a few for each port; whoever asks more is put off.
TEST_F(Administration, DoesNotLetOneClientKeepTheOthersWaiting) {
  Box box("star:5");
  ASSERT_TRUE(box.run_until_quiet());
  sm::Core& core = box.core();
  const auto ask = [&](std::uint16_t lid) {
    auto query = sa::make_query({Method::GetTable, 0x11}, mad::NodeRecord{}, mad::Lid{lid});
    core.step(box.now(), sm::MadReceived{query});
    return core.take_outputs();
  };
  std::vector<std::uint64_t> tickets;
  for (int i = 0; i < 4; ++i) {
    const auto outputs = ask(2);
    ASSERT_EQ(outputs.size(), 1u);
    tickets.push_back(std::get<sm::LookUp>(outputs[0]).ticket);
  }
  const auto put_off = ask(2);
  ASSERT_EQ(put_off.size(), 1u);
  const auto busy = sa::read_reply<mad::NodeRecord>(std::get<sm::SendMad>(put_off[0]).datagram);
  EXPECT_EQ(busy.status(), mad::kStatusBusy);
  EXPECT_TRUE(std::holds_alternative<sm::LookUp>(ask(3).at(0)));
  core.step(box.now(), sm::LookedUp{tickets[0], std::nullopt});
  EXPECT_TRUE(std::holds_alternative<sm::LookUp>(ask(2).at(0)));
}

TEST_F(Administration, TellsWhoAskedMost) {
  Box box("star:5", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto client = client_of(box, "host-0003");
  box.run_for(std::chrono::seconds(15));  // a light sweep tells what was before
  for (int i = 0; i < 3; ++i) ask(box, client, {Method::GetTable, 0x18}, mad::SMInfoRecord{});
  box.run_for(std::chrono::seconds(15));
  const auto* load = box.last<sm::AdministrationLoad>();
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->requests, 3u);
  EXPECT_EQ(load->put_off, 0u);
  EXPECT_LE(load->time, std::chrono::seconds(11));
  ASSERT_EQ(load->top.size(), 1u);
  EXPECT_EQ(load->top[0].lid, port_info(box, client).lid);
  EXPECT_EQ(load->top[0].node.description.substr(0, 9), "host-0003");
}

TEST_F(Administration, IsTheMastersAlone) {
  Box box(dumbbell().finish(), {});
  box.add_seat("right-a", {});
  ASSERT_TRUE(box.run_until_quiet());
  const auto client = client_of(box, "right-b");
  const auto reply = ask(box, client, {Method::GetTable, 0x18}, mad::SMInfoRecord{});
  ASSERT_EQ(reply.records.size(), 2u);
  // The other one, asked by its LID, keeps silent.
  const auto standby = reply.records[1].lid;
  ASSERT_NE(standby, port_info(box, client).master_sm_lid);
  mad::Datagram query = sa::make_query({Method::GetTable, 0x18}, mad::SMInfoRecord{}, standby);
  query.peer.q_key = 0x8001'0000;
  box.world().send(client, std::move(query), box.now());
  box.run_for(milliseconds(10));
  EXPECT_TRUE(box.take_arrivals(client).empty());
}

}  // namespace
}  // namespace heddle::test
