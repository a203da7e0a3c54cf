// SPDX-License-Identifier: BSD-3-Clause
// MultiPathRecord and TraceRecord.
#include <algorithm>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "mad/multi_path_record.hpp"
#include "mad/trace_record.hpp"
#include "qos/language.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Method;
using mad::MultiPathRecord;
using mad::PathRecord;

constexpr auto kCounts =
    component<&MultiPathRecord::sgid_count>() | component<&MultiPathRecord::dgid_count>();

using Hosts = std::initializer_list<std::size_t>;

Reply<PathRecord> ask_for_paths(Stage& stage, MultiPathRecord record, std::uint64_t mask,
                                Hosts sources, Hosts destinations) {
  record.sgid_count = static_cast<std::uint8_t>(sources.size());
  record.dgid_count = static_cast<std::uint8_t>(destinations.size());
  auto query =
      make_query({Method::GetMulti, 0x3A, 0, mask | kCounts}, record, stage.lid(stage.host(0)));
  std::size_t at = 56 + 24;
  for (const auto& hosts : {sources, destinations}) {
    for (const std::size_t host : hosts) {
      const auto bytes = mad::encode(stage.view.gid(stage.host(host)));
      query.payload.resize(std::max(query.payload.size(), at + bytes.size()));
      std::copy(bytes.begin(), bytes.end(), query.payload.begin() + static_cast<long>(at));
      at += bytes.size();
    }
  }
  return read_reply<PathRecord>(stage.send(query));
}

class ManyPaths : public testing::Test {
 protected:
  Reply<PathRecord> multi(const MultiPathRecord& record, std::uint64_t mask, Hosts sources,
                          Hosts destinations) {
    return ask_for_paths(stage_, record, mask, sources, destinations);
  }

  Stage stage_{support::administered(support::xgft({3, 4}, {1, 2}), 1)};
};

TEST_F(ManyPaths, LeadFromEachSourceToEachDestination) {
  MultiPathRecord wish;
  wish.numb_path = 1;
  const auto reply = multi(wish, component<&MultiPathRecord::numb_path>(), {0, 1}, {5, 6, 7});
  ASSERT_EQ(reply.status(), mad::kStatusOk);
  EXPECT_EQ(reply.header.mad.method, Method::GetMultiResp);
  EXPECT_EQ(reply.header.mad.attribute_id, 0x35);
  ASSERT_EQ(reply.records.size(), 6u);
  EXPECT_EQ(reply.records[5].sgid, stage_.view.gid(stage_.host(1)));
  EXPECT_EQ(reply.records[5].dgid, stage_.view.gid(stage_.host(7)));
}

TEST_F(ManyPaths, AreAsManyAsAskedForOfEachPair) {
  MultiPathRecord wish;
  wish.numb_path = 3;
  const auto reply = multi(wish, component<&MultiPathRecord::numb_path>(), {0}, {5});
  EXPECT_EQ(reply.records.size(), 3u);  // of the four that two LIDs at each end make
  EXPECT_EQ(multi(wish, 0, {0}, {5}).records.size(), 4u);
}

TEST_F(ManyPaths, MayBeMoreThanOnePacketNames) {
  const auto reply = multi({}, 0, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 0, 1});
  EXPECT_EQ(reply.records.size(), 8u * 6 * 4);
}

TEST_F(ManyPaths, RefuseFewerGidsThanTheyCountAndUnknownOnes) {
  MultiPathRecord record;
  record.sgid_count = record.dgid_count = 100;
  auto query = make_query({Method::GetMulti, 0x3A, 0, kCounts}, record, stage_.lid(stage_.host(0)));
  EXPECT_EQ(read_reply<PathRecord>(stage_.send(query)).status(), mad::kSAReqInvalid);
  record.sgid_count = record.dgid_count = 1;  // and both GIDs zero
  query = make_query({Method::GetMulti, 0x3A, 0, kCounts}, record, stage_.lid(stage_.host(0)));
  EXPECT_EQ(read_reply<PathRecord>(stage_.send(query)).status(), mad::kSAReqInvalidGid);
  query = make_query({Method::GetMulti, 0x3A, 0, 0}, record, stage_.lid(stage_.host(0)));
  EXPECT_EQ(read_reply<PathRecord>(stage_.send(query)).status(), mad::kSAReqInsufficientComponents);
}

TEST_F(ManyPaths, KeepTheWordsOfTheWish) {
  MultiPathRecord wish;
  wish.mtu = mad::Mtu::Bytes1024;
  wish.mtu_selector = mad::Selector::Exactly;
  wish.service_id_8msb = 0x12;
  wish.service_id_56lsb = 0x34;
  const auto reply =
      multi(wish,
            component<&MultiPathRecord::mtu>() | component<&MultiPathRecord::mtu_selector>() |
                component<&MultiPathRecord::service_id_8msb>() |
                component<&MultiPathRecord::service_id_56lsb>(),
            {0}, {1});
  ASSERT_FALSE(reply.records.empty());
  EXPECT_EQ(reply.records[0].mtu, mad::Mtu::Bytes1024);
  EXPECT_EQ(reply.records[0].service_id, 0x1200000000000034u);
}

TEST_F(ManyPaths, AreTracedFromNodeToNode) {
  PathRecord wish;
  const auto from = stage_.host(0);
  const auto to = stage_.host(9);
  wish.sgid = stage_.view.gid(from);
  wish.dgid = stage_.view.gid(to);
  const auto mask = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
  const auto reply = read_reply<mad::TraceRecord>(stage_.send(
      make_query({Method::GetTraceTable, 0x39, 0, mask}, wish, stage_.lid(stage_.host(0)))));
  ASSERT_EQ(reply.status(), mad::kStatusOk);
  EXPECT_EQ(reply.header.mad.method, Method::GetTableResp);
  ASSERT_EQ(reply.records.size(), 5u);  // host, leaf, spine, leaf, host
  EXPECT_EQ(reply.records.front().exit_port_id, wish.sgid.guid.value);
  EXPECT_EQ(reply.records.back().entry_port_id, wish.dgid.guid.value);
  const auto& topology = stage_.view.topology();
  for (std::size_t i = 0; i + 1 < reply.records.size(); ++i) {
    const auto node = topology.find_node(mad::Guid{reply.records[i].node_id});
    ASSERT_TRUE(node);
    const auto peer = topology.peer(topology.port_of(*node, reply.records[i].exit_port));
    ASSERT_NE(peer, fabric::kNoPort);
    EXPECT_EQ(topology.node(topology.node_of(peer)).guid.value, reply.records[i + 1].node_id);
    EXPECT_EQ(topology.number_of(peer), reply.records[i + 1].entry_port);
  }
}

TEST_F(ManyPaths, AreNotTracedFromNowhere) {
  const auto ask = [&](const PathRecord& wish, std::uint64_t mask) {
    return read_reply<mad::TraceRecord>(stage_.send(
        make_query({Method::GetTraceTable, 0x39, 0, mask}, wish, stage_.lid(stage_.host(0)))));
  };
  PathRecord wish;
  wish.slid = stage_.lid(stage_.host(0));
  EXPECT_EQ(ask(wish, component<&PathRecord::slid>()).status(), mad::kSAReqInsufficientComponents);
  wish.dlid = wish.slid;
  const auto self = ask(wish, component<&PathRecord::slid>() | component<&PathRecord::dlid>());
  EXPECT_EQ(self.records.size(), 1u);
}

// What a policy of quality of service says of a pair, it says of it among many, too.
class ManyGovernedPaths : public testing::Test {
 protected:
  // The second host asks for storage: a level of its own, and slower links. Class 7 has another
  // one.
  static Subnet governed() {
    Subnet subnet = support::administered(support::ring(3, 2));
    const fabric::PortIndex second =
        subnet.topology->endports()[subnet.topology->switch_count() + 1];
    const std::string guid = base::hex(subnet.topology->port(second).guid.value);
    const std::string text = "port-groups\nport-group\nname: storage\nport-guid: " + guid +
                             "\nend-port-group\nend-port-groups\n" + kLevels;
    auto read = qos::parse(text, "f");
    EXPECT_TRUE(read) << read.error().message;
    subnet.qos_policy = std::make_shared<const qos::Policy>(read->policy);
    return subnet;
  }
  static constexpr const char* kLevels = R"(qos-levels
qos-level
name: default
sl: 1
end-qos-level
qos-level
name: storage
sl: 2
rate-limit: 3
end-qos-level
qos-level
name: seventh
sl: 3
packet-life: 12
end-qos-level
end-qos-levels
qos-match-rules
qos-match-rule
qos-class: 7
qos-level-name: seventh
end-qos-match-rule
qos-match-rule
source: storage
qos-level-name: storage
end-qos-match-rule
end-qos-match-rules
qos-ulps
rds : 6
end-qos-ulps
)";
  static const PathRecord& from(const Reply<PathRecord>& reply, const mad::Gid& source) {
    return *std::find_if(reply.records.begin(), reply.records.end(),
                         [&](const PathRecord& path) { return path.sgid == source; });
  }

  Stage stage_{governed()};
};

TEST_F(ManyGovernedPaths, HaveTheLevelOfTheirOwnPair) {
  const auto reply = ask_for_paths(stage_, {}, 0, {0, 1}, {3, 4});
  ASSERT_EQ(reply.records.size(), 4u);
  const PathRecord& usual = from(reply, stage_.view.gid(stage_.host(0)));
  EXPECT_EQ(usual.sl, mad::ServiceLevel{1});
  EXPECT_EQ(usual.rate, 16);
  const PathRecord& storage = from(reply, stage_.view.gid(stage_.host(1)));
  EXPECT_EQ(storage.sl, mad::ServiceLevel{2});
  EXPECT_EQ(storage.rate, 3);
}

TEST_F(ManyGovernedPaths, GoByClassAndService) {
  MultiPathRecord wish;
  wish.qos_class = 7;
  const auto by_class =
      ask_for_paths(stage_, wish, component<&MultiPathRecord::qos_class>(), {0, 1}, {3});
  ASSERT_EQ(by_class.records.size(), 2u);
  for (const PathRecord& path : by_class.records) {
    EXPECT_EQ(path.sl, mad::ServiceLevel{3});
    EXPECT_EQ(path.packet_life_time, 12);
    EXPECT_EQ(path.qos_class, 7);
  }
  wish = {};
  wish.service_id_56lsb = 0x10648CA;  // of RDS
  constexpr auto kService = component<&MultiPathRecord::service_id_8msb>() |
                            component<&MultiPathRecord::service_id_56lsb>();
  const auto by_service = ask_for_paths(stage_, wish, kService, {0}, {3});
  EXPECT_EQ(by_service.records.at(0).sl, mad::ServiceLevel{6});
}

TEST_F(ManyGovernedPaths, LeaveOutThePairsThatTheWishRulesOut) {
  MultiPathRecord wish;
  wish.sl = mad::ServiceLevel{2};
  const auto reply = ask_for_paths(stage_, wish, component<&MultiPathRecord::sl>(), {0, 1}, {3, 4});
  ASSERT_EQ(reply.records.size(), 2u);
  for (const PathRecord& path : reply.records) {
    EXPECT_EQ(path.sgid, stage_.view.gid(stage_.host(1)));
  }
}

}  // namespace
}  // namespace heddle::sa
