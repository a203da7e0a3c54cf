// SPDX-License-Identifier: BSD-3-Clause
#include "sm/transactions.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Transactions with_key(TransactionLimits limits, mad::MKey key) {
  Transactions made(limits);
  made.set_keys({key});
  return made;
}

class TransactionsTest : public testing::Test, public Transactions::Sink {
 protected:
  mad::SmpData data_for(const Request& request) override {
    mad::SmpData data{};
    data[0] = static_cast<std::byte>(request.subject);
    return data;
  }
  void send(const mad::Smp& smp) override { sent.push_back(smp); }

  static TransactionLimits limits(std::uint32_t window = 8, std::uint32_t per_device = 2) {
    return {window, per_device, 10ms, 100ms, 3};
  }
  DeviceId device(std::uint8_t out) {
    return transactions.add_device(mad::DirectedRoute{}.then({out}));
  }
  static Request get(DeviceId of, std::uint32_t subject = 0) {
    Request request;
    request.device = of;
    request.attribute = mad::AttributeId::PortInfo;
    request.subject = subject;
    return request;
  }
  static Request beyond(DeviceId of, std::uint8_t port) {
    Request request = get(of);
    request.attribute = mad::AttributeId::NodeInfo;
    request.beyond = {port};
    return request;
  }
  static bool is_sign_of_life(const mad::Smp& smp) {
    return smp.attribute_id == mad::AttributeId::NodeDescription;
  }
  void pump() { transactions.pump(now, *this); }
  // Until nothing is in flight; `hear` gets each request once, and may answer it.
  template <class Hear>
  void run_answering(Hear hear) {
    for (int guard = 0; !transactions.idle() && guard < 1000; ++guard) {
      sent.clear();
      pump();
      for (const auto& smp : std::vector(sent)) hear(smp);
      now = std::max(now, std::min(transactions.deadline(), now + 1s));
    }
    EXPECT_TRUE(transactions.idle());
  }
  std::optional<Answer> answer(const mad::Smp& request, mad::Status status = mad::kStatusOk) {
    mad::Smp reply = request;
    reply.method = mad::Method::GetResp;
    reply.status = status;
    return transactions.on_response(now, reply);
  }
  // Lets time run from deadline to deadline until nothing is in flight.
  std::vector<Answer> run_dry() {
    std::vector<Answer> given_up;
    for (int guard = 0; !transactions.idle() && guard < 1000; ++guard) {
      now = std::max(now, transactions.deadline());
      pump();
      for (auto& answer : transactions.take_given_up()) given_up.push_back(answer);
    }
    EXPECT_TRUE(transactions.idle());
    return given_up;
  }

  base::Instant now{1s};
  std::vector<mad::Smp> sent;
  Transactions transactions = with_key(limits(), mad::MKey{7});
};

TEST_F(TransactionsTest, ARequestGoesOutByItsRouteAndItsAnswerComesBack) {
  const DeviceId switch_ = device(4);
  Request request = get(switch_, 9);
  request.modifier = 3;
  transactions.submit(request);
  pump();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].hop_count, 1);
  EXPECT_EQ(sent[0].initial_path[1].value, 4);
  EXPECT_EQ(sent[0].m_key, mad::MKey{7});
  EXPECT_EQ(sent[0].transaction_id.value >> 32, 0u);
  EXPECT_NE(sent[0].transaction_id.value, 0u);
  const auto got = answer(sent[0]);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->answered);
  EXPECT_EQ(got->request, request);
  EXPECT_TRUE(transactions.idle());
}

TEST_F(TransactionsTest, TheHighHalfOfTheTransactionIdIsNotOurs) {
  transactions.submit(get(device(1)));
  pump();
  sent[0].transaction_id.value |= 0xABCD'0000'0000'0000;  // as the kernel does
  EXPECT_TRUE(answer(sent[0]));
}

TEST_F(TransactionsTest, OneDeviceGetsNoMoreThanItsWindow) {
  const DeviceId one = device(1);
  for (int i = 0; i < 5; ++i) transactions.submit(get(one));
  pump();
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_TRUE(answer(sent[0]));
  pump();
  EXPECT_EQ(sent.size(), 3u);
}

// Blocks in a row, asked for beside other things, with and without details of their own.
TEST_F(TransactionsTest, RequestsInARowGoOutAndComeBackAsTheyWereMade) {
  const DeviceId at = device(1);
  std::vector<Request> made;
  const auto submit = [&](std::uint32_t modifier, std::uint32_t detail, std::uint32_t subject) {
    Request request = get(at);
    request.modifier = modifier;
    request.detail = detail;
    request.subject = subject;
    made.push_back(request);
    transactions.submit(request);
  };
  for (std::uint32_t block = 0; block < 5; ++block) submit(block, block, 1);
  for (std::uint32_t block = 5; block < 9; ++block) submit(block, 40, 1);
  for (std::uint32_t block = 9; block < 12; ++block) submit(block, 40, 2);
  submit(13, 40, 2);  // one is left out
  submit(13, 40, 2);  // and the same again
  submit(14, 42, 2);
  EXPECT_EQ(transactions.outstanding(), made.size());
  std::vector<Request> asked;
  run_answering([&](const mad::Smp& smp) {
    const auto heard = answer(smp);
    ASSERT_TRUE(heard);
    EXPECT_EQ(smp.attribute_modifier, heard->request.modifier);
    asked.push_back(heard->request);
  });
  EXPECT_EQ(asked, made);
}

TEST_F(TransactionsTest, ARowOfRequestsThatNobodyAnswersIsGivenUpOneByOne) {
  const DeviceId at = device(1);
  for (std::uint32_t block = 0; block < 20; ++block) {
    Request request = get(at);
    request.modifier = request.detail = block;
    transactions.submit(request);
  }
  pump();
  std::vector<std::uint32_t> given_up;
  for (const Answer& lost : run_dry()) {
    EXPECT_EQ(lost.request.modifier, lost.request.detail);
    given_up.push_back(lost.request.detail);
  }
  std::sort(given_up.begin(), given_up.end());
  std::vector<std::uint32_t> all(20);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(given_up, all);
  EXPECT_EQ(transactions.counters().unanswered, all.size());
}

TEST_F(TransactionsTest, TheWindowOpensWithAnswersUpToItsLimitAndDevicesTakeTurns) {
  for (std::uint8_t out = 1; out <= 20; ++out) {
    const DeviceId id = device(out);
    for (int i = 0; i < 5; ++i) transactions.submit(get(id));
  }
  pump();
  EXPECT_EQ(sent.size(), 4u);  // careful at first
  std::size_t answered = 0;
  while (answered < 8) {
    EXPECT_TRUE(answer(sent[answered++]));
    pump();
  }
  EXPECT_EQ(sent.size() - answered, 8u);  // as many in flight as the limit allows
  std::map<unsigned, int> per_device;
  for (const auto& smp : sent) ++per_device[smp.initial_path[1].value];
  EXPECT_EQ(per_device.size(), 16u);  // one each before anyone has two
}

TEST_F(TransactionsTest, ALossHalvesTheWindow) {
  transactions.set_limits({64, 2, 10ms, 100ms, 3});
  for (std::uint8_t out = 1; out <= 200; ++out) transactions.submit(get(device(out)));
  pump();
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_TRUE(answer(sent[i]));
    pump();
  }
  EXPECT_EQ(sent.size() - 60, 64u);
  transactions.on_send_failed(now, sent.back());
  pump();
  const std::size_t before = sent.size();
  for (std::size_t i = 60; i < 80; ++i) {
    EXPECT_TRUE(answer(sent[i]));
    pump();
  }
  EXPECT_EQ(sent.size(), before);  // 44 are still in flight, more than half of 64
}

TEST_F(TransactionsTest, EachAttemptHasAnIdOfItsOwnAndAnyAnswerWillDo) {
  transactions.submit(get(device(1)));
  pump();
  now = transactions.deadline();
  pump();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_NE(sent[0].transaction_id, sent[1].transaction_id);
  transactions.on_send_failed(now, sent[0]);  // the kernel's news of the first is old
  pump();
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_TRUE(answer(sent[0]));
  EXPECT_FALSE(answer(sent[1]));
  EXPECT_TRUE(transactions.idle());
}

TEST_F(TransactionsTest, ALostRequestIsRepeatedAndThenGivenUp) {
  transactions.submit(get(device(1), 5));
  pump();
  const auto given_up = run_dry();
  EXPECT_EQ(sent.size(), 3u);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_FALSE(given_up[0].answered);
  EXPECT_EQ(given_up[0].request.subject, 5u);
  EXPECT_EQ(transactions.counters().retries, 2u);
  EXPECT_EQ(transactions.counters().unanswered, 1u);
}

TEST_F(TransactionsTest, AnotherRouteIsTriedWhenTheFirstFails) {
  const DeviceId id = device(1);
  transactions.add_route(id, mad::DirectedRoute{}.then({2}).then({3}));
  transactions.submit(get(id));
  pump();
  while (sent.back().hop_count == 1) {
    now = transactions.deadline();
    pump();
  }
  EXPECT_EQ(sent.size(), 4u);  // three attempts by the first route
  EXPECT_EQ(sent.back().initial_path[2].value, 3);
  EXPECT_TRUE(answer(sent.back()));
  EXPECT_EQ(transactions.route(id).hop_count, 2);  // the good one stays in use
}

TEST_F(TransactionsTest, AWayThatIsLostCountsOnceInEachCount) {
  const DeviceId at = device(1);
  transactions.add_route(at, mad::DirectedRoute{}.then({2}));
  for (int count = 0; count < 2; ++count) {
    transactions.begin_counting();
    for (int n = 0; n < 3; ++n) {
      transactions.submit(get(at));
      pump();
      run_dry();
    }
    EXPECT_EQ(transactions.counters().lost_ways, 1U);
  }
}

TEST_F(TransactionsTest, RequestsThatFailTogetherTakeTheOtherRouteTogether) {
  const DeviceId id = device(1);
  transactions.add_route(id, mad::DirectedRoute{}.then({2}).then({3}));
  transactions.submit(get(id, 1));
  transactions.submit(get(id, 2));
  std::size_t answered = 0;
  for (int guard = 0; !transactions.idle() && guard < 100; ++guard) {
    pump();
    for (const auto& smp : sent) {
      if (smp.hop_count == 2) answered += answer(smp).has_value();
    }
    now = std::max(now, std::min(transactions.deadline(), now + 100ms));
  }
  EXPECT_EQ(answered, 2u);
  EXPECT_EQ(transactions.counters().unanswered, 0u);
}

TEST_F(TransactionsTest, ARouteOfFullLengthGivesWayToOneThatCanBeExtended) {
  mad::DirectedRoute longest;
  while (longest.hop_count < mad::kMaxHops) longest = longest.then({1});
  const DeviceId id = transactions.add_device(longest);
  transactions.add_route(id, mad::DirectedRoute{}.then({2}));
  transactions.add_route(id, longest);
  transactions.submit(beyond(id, 7));
  pump();
  run_dry();
  // One hop to the device itself, asked for a sign of life; none by the route of full length.
  for (const auto& smp : sent) EXPECT_EQ(smp.hop_count, is_sign_of_life(smp) ? 1 : 2);
}

TEST_F(TransactionsTest, ADeadDeviceCostsFewTimeoutsHoweverMuchIsQueued) {
  const DeviceId dead = device(1);
  for (int i = 0; i < 300; ++i) transactions.submit(get(dead));
  pump();
  const base::Instant began = now;
  EXPECT_EQ(run_dry().size(), 300u);
  EXPECT_LT(now - began, 1s);
  EXPECT_LE(sent.size(), 12u);
}

TEST_F(TransactionsTest, SilenceBehindAPortDoesNotCondemnTheSwitch) {
  const DeviceId id = device(1);
  for (std::uint8_t port = 1; port <= 10; ++port) transactions.submit(beyond(id, port));
  transactions.submit(get(id, 77));
  bool asked_itself = false;
  run_answering([&](const mad::Smp& smp) {
    if (smp.hop_count == 1) asked_itself |= answer(smp).has_value();
  });
  EXPECT_TRUE(asked_itself);
}

TEST_F(TransactionsTest, SilenceBehindAPortIsNotSoughtByOtherRoutesOnceTheDeviceHasAnswered) {
  const DeviceId id = device(1);
  transactions.add_route(id, mad::DirectedRoute{}.then({2}));
  transactions.submit(beyond(id, 5));
  std::size_t asked = 0;
  run_answering([&](const mad::Smp& smp) {
    EXPECT_EQ(smp.initial_path[1].value, 1);
    if (!is_sign_of_life(smp)) return void(++asked);
    EXPECT_FALSE(answer(smp));  // it is nobody's answer but ours
  });
  EXPECT_EQ(asked, limits().attempts);
  EXPECT_EQ(transactions.take_given_up().size(), 1u);
}

TEST_F(TransactionsTest, AQuestionBeyondAPortTakesAnotherRouteWhenTheFirstHasDied) {
  const DeviceId id = device(1);
  transactions.add_route(id, mad::DirectedRoute{}.then({2}));
  transactions.submit(beyond(id, 5));
  std::optional<Answer> answered;
  run_answering([&](const mad::Smp& smp) {
    if (smp.initial_path[1].value == 2 && !answered) answered = answer(smp);
  });
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->request.beyond.value, 5);
  EXPECT_TRUE(transactions.take_given_up().empty());
}

// On the first route both have been waited for; on the others a sign of life comes before it.
TEST_F(TransactionsTest, AQuestionBeyondAPortWaitsOnceOnEachRouteThatHasDied) {
  const DeviceId id = device(1);
  for (std::uint8_t out = 2; out <= 4; ++out) {
    transactions.add_route(id, mad::DirectedRoute{}.then({out}));
  }
  transactions.submit(beyond(id, 5));
  std::map<unsigned, unsigned> sendings;  // by route
  std::optional<Answer> answered;
  run_answering([&](const mad::Smp& smp) {
    const unsigned out = smp.initial_path[1].value;
    ++sendings[out];
    if (out != 4) return;
    const auto got = answer(smp);
    if (!is_sign_of_life(smp)) answered = got;
  });
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->request.beyond.value, 5);
  const unsigned attempts = limits().attempts;
  const std::map<unsigned, unsigned> once{{1, 2 * attempts}, {2, attempts}, {3, attempts}, {4, 2}};
  EXPECT_EQ(sendings, once);
}

TEST_F(TransactionsTest, ADeviceWhoseRoutesHaveDiedCostsFewTimeoutsHoweverManyPortsItHas) {
  const DeviceId id = device(1);
  for (std::uint8_t port = 1; port <= 64; ++port) transactions.submit(beyond(id, port));
  pump();
  const base::Instant began = now;
  EXPECT_EQ(run_dry().size(), 64u);
  EXPECT_LT(now - began, 2s);
}

TEST_F(TransactionsTest, ARouteThatHasDiedIsNotTakenForAFabricThatLosesMuch) {
  for (std::uint8_t port = 1; port <= 40; ++port) {
    const DeviceId id = device(port);
    transactions.add_route(id, mad::DirectedRoute{}.then({100}));
    transactions.submit(get(id));
  }
  run_answering([&](const mad::Smp& smp) {
    if (smp.initial_path[1].value == 100) answer(smp);
  });
  EXPECT_EQ(transactions.counters().unanswered, 0u);
  sent.clear();
  transactions.submit(get(device(200)));
  pump();
  EXPECT_EQ(run_dry().size(), 1u);
  EXPECT_EQ(sent.size(), limits().attempts);
}

TEST_F(TransactionsTest, WhenADeviceIsHardToHearSilenceBehindItIsAskedMoreOften) {
  const DeviceId id = device(1);
  transactions.submit(beyond(id, 5));
  std::size_t signs = 0;
  std::size_t asked = 0;
  run_answering([&](const mad::Smp& smp) {
    if (!is_sign_of_life(smp)) ++asked;
    if (is_sign_of_life(smp) && ++signs == 3) answer(smp);
  });
  EXPECT_GT(asked, 2 * limits().attempts);
}

TEST_F(TransactionsTest, AnOptionalQuestionCostsLittleAndIsHeldAgainstNobody) {
  const DeviceId id = device(1);
  transactions.add_route(id, mad::DirectedRoute{}.then({2}));
  for (int i = 0; i < 4; ++i) {
    Request request = get(id, 66);
    request.optional = true;
    transactions.submit(request);
  }
  transactions.submit(get(id, 77));
  std::size_t optional = 0;
  bool answered = false;
  run_answering([&](const mad::Smp& smp) {
    EXPECT_EQ(smp.initial_path[1].value, 1);
    if (++optional > 8) answered |= answer(smp).has_value();
  });
  EXPECT_TRUE(answered);
  EXPECT_EQ(transactions.take_given_up().size(), 4u);
  EXPECT_EQ(transactions.counters().unanswered, 0u);
}

TEST_F(TransactionsTest, ALateAnswerIsCountedAndIgnored) {
  transactions.submit(get(device(1)));
  pump();
  const mad::Smp first = sent[0];
  run_dry();
  EXPECT_FALSE(answer(first));
  EXPECT_EQ(transactions.counters().late, 1u);
}

TEST_F(TransactionsTest, AnAnswerToSomethingElseIsNotTaken) {
  transactions.submit(get(device(1)));
  pump();
  mad::Smp wrong = sent[0];
  wrong.attribute_id = mad::AttributeId::NodeInfo;
  EXPECT_FALSE(answer(wrong));
  wrong = sent[0];
  wrong.attribute_modifier ^= 1;
  EXPECT_FALSE(answer(wrong));
  EXPECT_TRUE(answer(sent[0]));
  EXPECT_FALSE(answer(sent[0]));  // the second copy of a duplicated answer
}

TEST_F(TransactionsTest, ABusyDeviceIsAskedAgainLater) {
  transactions.submit(get(device(1)));
  pump();
  EXPECT_FALSE(answer(sent[0], mad::kStatusBusy));
  EXPECT_FALSE(transactions.idle());
  now = transactions.deadline();
  pump();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_TRUE(answer(sent[1]));
}

TEST_F(TransactionsTest, ARequestGivenBackByTheTransportIsRepeatedAtOnce) {
  transactions.submit(get(device(1)));
  pump();
  transactions.on_send_failed(now, sent[0]);
  pump();
  EXPECT_EQ(sent.size(), 2u);
}

TEST_F(TransactionsTest, TimeoutsFollowTheRoundTripsSeen) {
  const DeviceId id = device(1);
  for (int i = 0; i < 50; ++i) {
    transactions.submit(get(id));
    pump();
    now += 30ms;
    EXPECT_TRUE(answer(sent.back()));
  }
  transactions.submit(get(id));
  pump();
  const auto wait = transactions.deadline() - now;
  EXPECT_GE(wait, 30ms);
  EXPECT_LE(wait, 60ms);
}

TEST_F(TransactionsTest, ASetIsInFlightUntilItIsAnsweredOrGivenUp) {
  const DeviceId at = device(1);
  const auto set = [&](std::uint32_t subject) {
    Request request = get(at, subject);
    request.method = mad::Method::Set;
    return request;
  };
  transactions.submit(get(at, 1));
  for (const std::uint32_t subject : {2u, 3u, 4u}) transactions.submit(set(subject));
  EXPECT_THAT(transactions.sets_in_flight(), IsEmpty()) << "none was sent";
  pump();
  EXPECT_THAT(transactions.sets_in_flight(), ElementsAre(set(2))) << "the window is 2";
  answer(sent[1]);
  pump();
  EXPECT_THAT(transactions.sets_in_flight(), ElementsAre(set(3)));
  now += 10ms;
  pump();
  EXPECT_THAT(transactions.sets_in_flight(), ElementsAre(set(3))) << "repeated";
  while (!transactions.idle()) {
    now = transactions.deadline();
    pump();
  }
  EXPECT_THAT(transactions.sets_in_flight(), IsEmpty());
}

TEST_F(TransactionsTest, AfterAResetOldAnswersAreStrangers) {
  transactions.submit(get(device(1)));
  pump();
  transactions.reset();
  EXPECT_TRUE(transactions.idle());
  EXPECT_EQ(transactions.deadline(), base::kNever);
  transactions.submit(get(device(2)));
  pump();
  EXPECT_FALSE(answer(sent[0]));
  EXPECT_TRUE(answer(sent[1]));
}

}  // namespace
}  // namespace heddle::sm
