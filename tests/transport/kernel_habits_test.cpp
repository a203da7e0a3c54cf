// SPDX-License-Identifier: BSD-3-Clause
#include "transport/kernel_habits.hpp"

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "tests/transport/sample.hpp"

namespace heddle::transport {
namespace {

using namespace std::chrono_literals;

class KernelHabitsTest : public ::testing::Test {
 protected:
  KernelHabitsTest() {
    kernel.set_receiver([this](std::span<Received> batch) {
      received.insert(received.end(), batch.begin(), batch.end());
    });
  }
  static base::Instant at(base::Duration time) { return base::Instant(time); }

  std::vector<mad::Datagram> wire;
  std::optional<bool> is_sm;
  KernelHabits kernel{{1s, 7},
                      [this](mad::Datagram datagram) { wire.push_back(std::move(datagram)); },
                      [this](bool value) { is_sm = value; }};
  std::vector<Received> received;
};

TEST_F(KernelHabitsTest, TheHighHalfOfARequestsIdIsTheAgents) {
  kernel.send(sample_request(0xdead'beef'0000'0011));
  ASSERT_EQ(wire.size(), 1u);
  EXPECT_EQ(id_of(wire[0]), 0x0000'0007'0000'0011u);
}

TEST_F(KernelHabitsTest, EachClassHasAnAgentOfItsOwn) {
  kernel.send(sample_request(5));
  auto other = sample_request(5);
  other.payload[1] = static_cast<std::byte>(mad::ManagementClass::SubnLidRouted);
  kernel.send(other);
  ASSERT_EQ(wire.size(), 2u);
  EXPECT_NE(id_of(wire[0]), id_of(wire[1]));
  EXPECT_EQ(kernel.waiting(), 2u);
}

TEST_F(KernelHabitsTest, AnAnswerComesUpWithTheIdTheSenderChose) {
  kernel.send(sample_request(0xdead'beef'0000'0011));
  kernel.arrive(answer_to(wire.at(0)));
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].arrival, Arrival::Message);
  EXPECT_EQ(id_of(received[0].datagram), 0x11u);
  EXPECT_EQ(kernel.waiting(), 0u);
  EXPECT_EQ(kernel.deadline(), base::kNever);
}

TEST_F(KernelHabitsTest, AnAnswerThatNobodyAwaitsIsDropped) {
  kernel.arrive(answer_to(sample_request(0x0000'0007'0000'0011)));
  kernel.send(sample_request(0x11));
  const auto answer = answer_to(wire.at(0));

  auto without_agent = answer;
  set_transaction_id(without_agent.payload, mad::TransactionId{0x11});
  kernel.arrive(without_agent);
  auto of_other_class = answer;
  of_other_class.payload[1] = static_cast<std::byte>(mad::ManagementClass::SubnLidRouted);
  kernel.arrive(of_other_class);
  EXPECT_TRUE(received.empty());

  kernel.arrive(answer);
  kernel.arrive(answer);  // a duplicate on the wire
  EXPECT_EQ(received.size(), 1u);
}

TEST_F(KernelHabitsTest, ARequestThatNobodyAnswersComesBackAsItsHeader) {
  kernel.advance(at(10s));
  auto request = sample_request(0xdead'beef'0000'0011);
  request.peer.lid = mad::Lid{17};
  kernel.send(request);
  EXPECT_EQ(kernel.deadline(), at(11s));
  kernel.advance(at(10s + 999ms));
  EXPECT_TRUE(received.empty());
  kernel.advance(at(11s));
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].arrival, Arrival::SendFailed);
  EXPECT_EQ(received[0].datagram.peer, request.peer);
  const auto smp = mad::decode_smp(received[0].datagram.payload);
  ASSERT_TRUE(smp);
  EXPECT_EQ(smp->transaction_id.value, 0x11u);
  EXPECT_EQ(smp->attribute_id, mad::AttributeId::NodeInfo);
  EXPECT_EQ(smp->data, mad::SmpData{});
  EXPECT_EQ(kernel.deadline(), base::kNever);

  kernel.arrive(answer_to(wire.at(0)));
  EXPECT_EQ(received.size(), 1u) << "an answer after the time is dropped";
}

TEST_F(KernelHabitsTest, RequestsComeBackInTheOrderOfTheirTimes) {
  for (std::uint64_t id = 1; id <= 3; ++id) {
    kernel.advance(at(id * 10ms));
    kernel.send(sample_request(id));
  }
  kernel.arrive(answer_to(wire.at(1)));
  received.clear();
  kernel.advance(at(1h));
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(id_of(received[0].datagram), 1u);
  EXPECT_EQ(id_of(received[1].datagram), 3u);
}

TEST_F(KernelHabitsTest, ASecondRequestWithTheIdOfAWaitingOneIsRefusedButNotInsideTheCall) {
  kernel.send(sample_request(0x11));
  kernel.send(sample_request(0x11));
  EXPECT_EQ(wire.size(), 1u);
  EXPECT_TRUE(received.empty());
  EXPECT_EQ(kernel.deadline(), base::Instant{}) << "due at once";
  kernel.advance(at(0s));
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].arrival, Arrival::SendFailed);
  EXPECT_EQ(id_of(received[0].datagram), 0x11u);

  kernel.arrive(answer_to(wire.at(0)));
  ASSERT_EQ(received.size(), 2u) << "the first one still waits";
  kernel.send(sample_request(0x11));
  EXPECT_EQ(wire.size(), 2u) << "an answered id is free again";
}

TEST_F(KernelHabitsTest, WhatOthersAskComesUpUnchanged) {
  for (const auto method : {mad::Method::Get, mad::Method::Set, mad::Method::Trap}) {
    const auto asked = sample(method, 0xdead'beef'0000'0011);
    kernel.arrive(asked);
    ASSERT_FALSE(received.empty());
    EXPECT_EQ(received.back().arrival, Arrival::Message);
    EXPECT_EQ(received.back().datagram, asked);
  }
}

TEST_F(KernelHabitsTest, AnAnswerOfOursLeavesUnchangedAndNobodyWaitsForIt) {
  for (const auto method : {mad::Method::GetResp, mad::Method::TrapRepress}) {
    const auto answer = sample(method, 0xdead'beef'0000'0011);
    kernel.send(answer);
    EXPECT_EQ(wire.back(), answer);
  }
  EXPECT_EQ(kernel.waiting(), 0u);
}

TEST_F(KernelHabitsTest, AWholeMessageLongerThanAMadPassesWhole) {
  auto table = sample(mad::Method::GetTableResp, 3);
  table.payload[1] = static_cast<std::byte>(mad::ManagementClass::SubnAdm);
  table.payload.resize(100'000, std::byte{0x77});
  kernel.send(table);
  EXPECT_EQ(wire.at(0), table);
}

TEST_F(KernelHabitsTest, WhatIsNoMadIsDropped) {
  mad::Datagram stump;
  stump.payload.resize(7);
  kernel.send(stump);
  kernel.arrive(stump);
  EXPECT_TRUE(wire.empty());
  EXPECT_TRUE(received.empty());
}

TEST_F(KernelHabitsTest, AReceiverMaySendFromWithin) {
  kernel.set_receiver([this](std::span<Received> batch) {
    received.insert(received.end(), batch.begin(), batch.end());
    if (received.size() < 3) kernel.send(sample_request(100 + received.size()));
  });
  kernel.send(sample_request(1));
  for (int second = 1; second <= 5; ++second) kernel.advance(at(std::chrono::seconds(second)));
  EXPECT_EQ(received.size(), 3u);
}

TEST_F(KernelHabitsTest, IsSmGoesToTheMedium) {
  kernel.set_is_sm(true);
  EXPECT_EQ(is_sm, true);
  kernel.set_is_sm(false);
  EXPECT_EQ(is_sm, false);
}

}  // namespace
}  // namespace heddle::transport
