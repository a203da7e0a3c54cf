// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door, on three hosts of star:16 with `heddle sm` on the first: questions
// that no tool asks, and those that nobody should.
#include <random>

#include <gtest/gtest.h>

#include "mad/component_mask.hpp"
#include "mad/multi_path_record.hpp"
#include "mad/node_record.hpp"
#include "mad/path_record.hpp"
#include "mad/trace_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using mad::component;
using mad::Method;
using mad::MultiPathRecord;
using mad::PathRecord;
using mad::SAAttributeId;

constexpr std::size_t kHosts = 16;  // of the fabric

class Questions : public testing::Test {
 protected:
  std::vector<mad::NodeRecord> nodes() {
    return second_.ask({Method::GetTable, SAAttributeId::NodeRecord, 0, Bytes(200), {}})
        .records<mad::NodeRecord>();
  }
  void expect_alive() { EXPECT_EQ(nodes().size(), kHosts + 1); }

  SAClient second_{"mlx5_1"};
  SAClient third_{"mlx5_2"};
};

TEST_F(Questions, GetMultiTakesMoreGidsThanOnePacketHolds) {
  Bytes gids;
  std::size_t count = 0;
  for (const auto& node : nodes()) {
    if (node.node_info.node_type != mad::NodeType::ChannelAdapter) continue;
    const auto gid = bytes_of(mad::Gid{mad::kDefaultGidPrefix, node.node_info.port_guid});
    gids.insert(gids.end(), gid.begin(), gid.end());
    ++count;
  }
  ASSERT_EQ(count, kHosts);
  MultiPathRecord record;
  record.numb_path = 1;
  record.sgid_count = record.dgid_count = kHosts;
  Question question{Method::GetMulti,
                    SAAttributeId::MultiPathRecord,
                    component<&MultiPathRecord::sgid_count>() |
                        component<&MultiPathRecord::dgid_count>() |
                        component<&MultiPathRecord::numb_path>(),
                    bytes_of(record),
                    {}};
  question.data.insert(question.data.end(), gids.begin(), gids.end());
  question.data.insert(question.data.end(), gids.begin(), gids.end());
  const auto reply = second_.ask(question);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply.records<PathRecord>().size(), kHosts * kHosts);

  // It says more GIDs than it brings.
  question.data.resize(question.data.size() - 16 * kHosts);
  EXPECT_EQ(second_.ask(question).status(), mad::kSAReqInvalid);
}

TEST_F(Questions, GetTraceTableNamesEveryStep) {
  PathRecord ends;
  ends.sgid = second_.gid();
  ends.dgid = third_.gid();
  const auto reply = second_.ask({Method::GetTraceTable,
                                  SAAttributeId::TraceRecord,
                                  component<&PathRecord::sgid>() | component<&PathRecord::dgid>(),
                                  bytes_of(ends),
                                  {}});
  const auto steps = reply.records<mad::TraceRecord>();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].exit_port_id, ends.sgid.guid.value);
  EXPECT_EQ(steps[1].node_type, mad::NodeType::Switch);
  EXPECT_EQ(steps[1].entry_port, mad::PortNumber{2});
  EXPECT_EQ(steps[1].exit_port, mad::PortNumber{3});
  EXPECT_EQ(steps[2].entry_port_id, ends.dgid.guid.value);
}

TEST_F(Questions, AWrongKeyGetsNoAnswer) {
  const Question wrong{Method::GetTable, SAAttributeId::NodeRecord, 0, Bytes(200),
                       mad::SMKey{0xbad}};
  EXPECT_FALSE(second_.ask(wrong, 300).arrived);
  expect_alive();
}

TEST_F(Questions, ASpoofedSourceIsNobody) {
  PathRecord ends;
  ends.sgid = {mad::kDefaultGidPrefix, mad::Guid{0xbad}};
  ends.dgid = third_.gid();
  const auto both = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
  EXPECT_EQ(
      second_.ask({Method::GetTable, SAAttributeId::PathRecord, both, bytes_of(ends), {}}).status(),
      mad::kSAReqInvalidGid);
  // GID of one host, LID of another.
  ends.sgid = third_.gid();
  ends.slid = mad::Lid{static_cast<std::uint16_t>(second_.lid())};
  EXPECT_EQ(second_
                .ask({Method::GetTable,
                      SAAttributeId::PathRecord,
                      both | component<&PathRecord::slid>(),
                      bytes_of(ends),
                      {}})
                .status(),
            mad::kSAReqInvalid);
}

// Clients that ask for a long table and never acknowledge a segment.
TEST_F(Questions, HalfOpenTransfersHoldNobodyElseUp) {
  SAClient deaf("mlx5_2", /*rmpp=*/false);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(deaf.send({Method::GetTable, SAAttributeId::PathRecord, 0, Bytes(200), {}}));
  }
  const auto reply =
      second_.ask({Method::GetTable, SAAttributeId::PathRecord, 0, Bytes(200), {}}, 5000);
  EXPECT_EQ(reply.records<PathRecord>().size(), (kHosts + 1) * (kHosts + 1));
  // And one that begins a message and never ends it.
  Bytes half(256);
  const Bytes begin{1, 3, 2, 0x14, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0x3a};
  std::copy(begin.begin(), begin.end(), half.begin());
  const Bytes rmpp{1, 1, 0xfb, 0, 0, 0, 0, 1, 0, 0, 0x40, 0};  // Data, Active and First, segment 1
  std::copy(rmpp.begin(), rmpp.end(), half.begin() + 24);
  for (std::uint8_t i = 0; i < 100; ++i) {
    half[15] = i;
    deaf.send_bytes(half);
  }
  expect_alive();
}

TEST_F(Questions, NoiseChangesNothing) {
  std::mt19937 chance(20261121);  // NOLINT(cert-msc51-cpp): the same noise each time
  SAClient noisy("mlx5_2", /*rmpp=*/false);
  const auto byte = [&] { return static_cast<std::uint8_t>(chance()); };
  constexpr std::uint8_t kMethods[] = {0x01, 0x02, 0x06, 0x12, 0x13, 0x14, 0x15, 0x81, 0x86};
  for (int i = 0; i < 4000; ++i) {
    Bytes mad(256);
    for (auto& b : mad) b = chance() % 4 == 0 ? byte() : std::uint8_t{0};
    mad[0] = 1;
    mad[1] = 3;
    mad[2] = 2;
    mad[3] = kMethods[chance() % std::size(kMethods)];
    mad[15] = byte();
    mad[16] = 0;
    mad[17] = static_cast<std::uint8_t>(chance() % 0x40);
    noisy.send_bytes(mad);  // some cannot even be sent
    while (noisy.next(0)) {
    }
  }
  expect_alive();
}

}  // namespace
}  // namespace heddle::interop
