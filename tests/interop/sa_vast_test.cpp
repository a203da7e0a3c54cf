// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door on a fabric of so many ports that the paths between all of them are
// more than one answer may hold, with `heddle sm` on the first of two hosts.
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "mad/multi_path_record.hpp"
#include "mad/node_record.hpp"
#include "mad/path_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using Clock = std::chrono::steady_clock;
using mad::component;
using mad::Method;
using mad::PathRecord;
using mad::SAAttributeId;

constexpr int kPatience = 20'000;

const Question kAllPairs{Method::GetTable, SAAttributeId::PathRecord, 0, Bytes(200), {}};

// What a command prints, errors too, and its exit code.
std::pair<std::string, int> output_of(const char* command) {
  std::string text;
  FILE* pipe = ::popen(command, "r");
  if (pipe == nullptr) return {"cannot be started", -1};
  std::array<char, 4096> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
  return {text, ::pclose(pipe)};
}

TEST(Vast, AllPairsAreRefusedWithAStatusAtOnce) {
  SAClient client("mlx5_1");
  const auto begin = Clock::now();
  const auto reply = client.ask(kAllPairs, kPatience);
  const std::chrono::duration<double, std::milli> time = Clock::now() - begin;
  ASSERT_TRUE(reply.arrived);
  EXPECT_EQ(reply.status(), mad::kSANoResources);
  EXPECT_TRUE(reply.records<PathRecord>().empty());
  EXPECT_EQ(reply.data.size(), mad::kSADataBytes) << "nothing of it is sent";
  std::printf("refused after %.1f ms\n", time.count());
  EXPECT_LT(time.count(), 1000);
}

// The worst that is refused must not cost more than the worst that is answered; others go on.
TEST(Vast, ManySuchQueriesHoldNobodyUp) {
  SAClient greedy("mlx5_1"), modest("mlx5_0");
  constexpr int kMany = 200;
  for (int i = 0; i < kMany; ++i) ASSERT_TRUE(greedy.send(kAllPairs, kPatience));
  PathRecord wanted;
  wanted.sgid = wanted.dgid = modest.gid();
  const Question little{Method::Get,
                        SAAttributeId::PathRecord,
                        component<&PathRecord::sgid>() | component<&PathRecord::dgid>(),
                        bytes_of(wanted),
                        {}};
  const auto begin = Clock::now();
  EXPECT_TRUE(modest.ask(little).ok());
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 1);
  int refused = 0, put_off = 0;
  for (int i = 0; i < kMany; ++i) {
    const auto answer = greedy.next_answer(kPatience);
    ASSERT_TRUE(answer && answer->status == 0) << i;
    const auto* bytes = reinterpret_cast<const std::byte*>(answer->mad.data());
    const auto status = mad::decode<mad::SAHeader>(std::span<const std::byte, mad::kSAHeaderBytes>(
                                                       bytes, mad::kSAHeaderBytes))
                            .mad.status;
    refused += status == mad::kSANoResources;
    put_off += status == mad::kStatusBusy;
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(refused + put_off, kMany);
}

// One end given: as many as there are ports, which is an answer.
TEST(Vast, AllPathsOfOnePortAreAnswered) {
  SAClient client("mlx5_1");
  PathRecord wanted;
  wanted.sgid = client.gid();
  const auto reply = client.ask({Method::GetTable,
                                 SAAttributeId::PathRecord,
                                 component<&PathRecord::sgid>(),
                                 bytes_of(wanted),
                                 {}},
                                kPatience);
  const auto nodes =
      client.ask({Method::GetTable, SAAttributeId::NodeRecord, 0, Bytes(200), {}}, kPatience);
  ASSERT_TRUE(nodes.ok());  // one for each port that has a LID
  EXPECT_EQ(reply.records<PathRecord>().size(), nodes.records<mad::NodeRecord>().size());
  EXPECT_GT(reply.records<PathRecord>().size(), 500u);
}

TEST(Vast, SaqueryShowsTheStatus) {
  const auto [text, code] = output_of("timeout 60 saquery PR 2>&1");
  EXPECT_NE(code, 0);
  EXPECT_NE(text.find("0x0100"), std::string::npos) << text;  // ERR_NO_RESOURCES
}

}  // namespace
}  // namespace heddle::interop
