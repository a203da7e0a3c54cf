// SPDX-License-Identifier: BSD-3-Clause
// Routers to other subnets: their ports are ends of this one, and paths beyond lead to them.
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "mad/p_key_table.hpp"
#include "mad/path_record.hpp"
#include "partitions/language.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

constexpr mad::Gid kFar{mad::GidPrefix{0xFEC0'0000'0000'0002}, mad::Guid{0xBEEF}};

// Two switches with hosts, and a router that hangs on both.
sim::Blueprint with_router() {
  sim::Planner plan("router", {});
  const auto left = plan.add_switch("left");
  const auto right = plan.add_switch("right");
  const auto router = plan.add_host("router", 2);
  plan.cable(left, plan.add_host("host-a"));
  plan.cable(right, plan.add_host("host-b"));
  plan.cable(left, right);
  plan.cable(left, router);
  plan.cable(right, router);
  sim::Blueprint blueprint = std::move(plan).finish();
  blueprint.nodes[router].type = mad::NodeType::Router;
  return blueprint;
}

sm::Options options_for(const std::string& partitions) {
  sm::Options options;
  options.partition_enforcement = partitions::Enforcement::Both;
  options.partitions =
      std::make_shared<const partitions::Policy>(partitions::parse(partitions, "p").value().policy);
  Box plain(with_router(), {});
  const auto guid = plain.world().port_guid(plain.world().find_endpoint("router", 2).value());
  options.prefix_routes = std::make_shared<const sa::PrefixRoutes>(
      sa::parse_prefix_routes("fec0000000000002 " + base::hex(guid.value), "r").value());
  return options;
}

std::optional<mad::PathRecord> path_beyond(Box& box, sim::EndpointId from) {
  const auto info =
      mad::decode<mad::PortInfo>(box.world().look(from, mad::AttributeId::PortInfo, 0).value());
  mad::PathRecord wanted;
  wanted.sgid = {mad::kDefaultGidPrefix, box.world().port_guid(from)};
  wanted.dgid = kFar;
  auto query = sa::make_query(
      {mad::Method::Get, 0x35, 0, bits_of<&mad::PathRecord::sgid, &mad::PathRecord::dgid>(), {}},
      wanted, info.master_sm_lid);
  query.peer.q_key = 0x8001'0000;
  box.take_arrivals(from);
  box.world().send(from, std::move(query), box.now());
  box.run_for(std::chrono::milliseconds(20));
  const auto arrived = box.take_arrivals(from);
  if (arrived.size() != 1) return std::nullopt;
  const auto reply = sa::read_reply<mad::PathRecord>(arrived[0]);
  return reply.records.size() == 1 ? std::optional(reply.records[0]) : std::nullopt;
}

TEST(Routers, TakeWhatIsForAnotherSubnetByThePathThatWasAnswered) {
  BoxOptions options;
  options.sm = options_for("Default=0x7fff: ALL=full;");
  options.at = "host-b";
  Box box(with_router(), options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "") << "LIDs, and ways to them from everywhere";
  const auto host = box.world().find_endpoint("host-a").value();
  const auto path = path_beyond(box, host);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->dlid, registers(box, "router", 2).lid) << "the port that the file names";
  EXPECT_EQ(path->hop_limit, 255);
  // A packet on this path comes out at the router.
  mad::Datagram packet;
  packet.peer.lid = path->dlid;
  packet.peer.qpn = 1;
  packet.peer.q_key = 0x8001'0000;
  packet.peer.sl = path->sl;
  packet.peer.global_route = mad::GlobalRoute{};
  packet.peer.global_route->remote = kFar;
  packet.peer.global_route->hop_limit = path->hop_limit;
  packet.payload.resize(mad::kMadBytes);
  packet.payload[0] = packet.payload[2] = packet.payload[3] = std::byte{1};
  packet.payload[1] = std::byte{0x32};  // a vendor's class: for software
  const auto router = box.world().find_endpoint("router", 2).value();
  box.take_arrivals(router);
  box.world().send(host, std::move(packet), box.now());
  box.run_for(std::chrono::milliseconds(20));
  EXPECT_EQ(box.take_arrivals(router).size(), 1u);
}

TEST(Routers, HoldTheirPartitionsAndTalkThroughNoOthers) {
  BoxOptions options;
  options.sm = options_for("Default=0x7fff: ALL=limited, SELF=full; Out=7: ALL_ROUTERS=full;");
  options.at = "host-b";
  Box box(with_router(), options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  const auto router = box.world().find_endpoint("router", 2).value();
  const auto table =
      mad::decode<mad::PKeyTable>(box.world().look(router, mad::AttributeId::PKeyTable, 0).value());
  EXPECT_EQ(table.p_keys[0], mad::PKey{0x7FFF});
  EXPECT_EQ(table.p_keys[1], mad::PKey{0x8007});
  const auto host = box.world().find_endpoint("host-a").value();
  EXPECT_FALSE(path_beyond(box, host)) << "it shares no partition with the router";
  options.sm = options_for(
      "Default=0x7fff: ALL=limited, SELF=full; Out=7: ALL_ROUTERS=full, ALL_CAS=limited;");
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(options.sm)});
  ASSERT_TRUE(box.run_until_quiet());
  const auto path = path_beyond(box, host);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->p_key, mad::PKey{0x0007});
}

}  // namespace
}  // namespace heddle::test
