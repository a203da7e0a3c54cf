// SPDX-License-Identifier: BSD-3-Clause
// MultiPathRecord and TraceRecord.
#include <algorithm>

#include <gtest/gtest.h>

#include "mad/multi_path_record.hpp"
#include "mad/trace_record.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Method;
using mad::MultiPathRecord;
using mad::PathRecord;

constexpr auto kCounts =
    component<&MultiPathRecord::sgid_count>() | component<&MultiPathRecord::dgid_count>();

class ManyPaths : public testing::Test {
 protected:
  Reply<PathRecord> multi(MultiPathRecord record, std::uint64_t mask,
                          std::initializer_list<std::size_t> sources,
                          std::initializer_list<std::size_t> destinations) {
    record.sgid_count = static_cast<std::uint8_t>(sources.size());
    record.dgid_count = static_cast<std::uint8_t>(destinations.size());
    auto query =
        make_query({Method::GetMulti, 0x3A, 0, mask | kCounts}, record, stage_.lid(stage_.host(0)));
    std::size_t at = 56 + 24;
    for (const auto& hosts : {sources, destinations}) {
      for (const std::size_t host : hosts) {
        const auto bytes = mad::encode(stage_.view.gid(stage_.host(host)));
        query.payload.resize(std::max(query.payload.size(), at + bytes.size()));
        std::copy(bytes.begin(), bytes.end(), query.payload.begin() + static_cast<long>(at));
        at += bytes.size();
      }
    }
    return read_reply<PathRecord>(stage_.send(query));
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

}  // namespace
}  // namespace heddle::sa
