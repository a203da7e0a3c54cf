// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door with `heddle sm` on the first of three hosts (overload.py), whose
// subnet administration may answer 1,000 requests a second: one host asks for far more than that
// and heeds no BUSY, another asks little.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "mad/path_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using mad::component;
using mad::PathRecord;

constexpr double kRate = 1000;  // [sa] rate, in overload.py
constexpr std::size_t kUnderWay = 64;
constexpr auto kRest = std::chrono::seconds(2), kLoad = std::chrono::seconds(4);

// A query that is answered where it arrives, and a request that changes what clients registered.
Question path_from(const SAClient& client) {
  PathRecord wanted;
  wanted.sgid = wanted.dgid = client.gid();
  return {mad::Method::Get,
          mad::SAAttributeId::PathRecord,
          component<&PathRecord::sgid>() | component<&PathRecord::dgid>(),
          bytes_of(wanted),
          {}};
}
Question join_from(const SAClient& client) {
  mad::MCMemberRecord record;
  record.mgid = gid_of("ff12:401b:ffff::ffff:ffff");
  record.port_gid = client.gid();
  record.join_state = 1;
  return {mad::Method::Set, mad::SAAttributeId::MCMemberRecord, kMemberMask, bytes_of(record), {}};
}

// Asks as fast as it is answered, with many requests under way, in a thread of its own.
class Greedy {
 public:
  Greedy(const std::string& device, Question (*question)(const SAClient&))
      : client_(device), question_(question(client_)), thread_([this] { flood(); }) {}
  ~Greedy() { stop(); }
  void stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::size_t answered = 0, put_off = 0, silent = 0;
  std::vector<unsigned> hints;  // each time another one than before

 private:
  void flood() {
    std::size_t under_way = 0;
    while (!done_ || under_way > 0) {
      while (!done_ && under_way < kUnderWay && client_.send(question_, 2000)) ++under_way;
      const auto answer = client_.next_answer(3000);
      if (!answer) return;
      --under_way;
      take(*answer);
    }
  }
  void take(const doors::Answer& answer) {
    if (answer.status != 0) {
      ++silent;
      return;
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(answer.mad.data());
    const auto header = mad::decode<mad::SAHeader>(
        std::span<const std::byte, mad::kSAHeaderBytes>(bytes, mad::kSAHeaderBytes));
    if (header.mad.status != mad::kStatusBusy) {
      ++answered;
      return;
    }
    ++put_off;
    const unsigned hint = header.attribute_offset;
    if (hints.empty() || hints.back() != hint) hints.push_back(hint);
  }

  SAClient client_;
  Question question_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

// One request every 20 ms, and how long each took.
struct Quiet {
  std::size_t refused = 0;
  std::vector<double> times;

  Quiet(SAClient& client, const Question& question, Clock::duration time) {
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
      const auto begin = Clock::now();
      refused += !client.ask(question).ok();
      times.push_back(Milliseconds(Clock::now() - begin).count());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::sort(times.begin(), times.end());
  }
  double at(double share) const {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  }
};

class Overload : public testing::TestWithParam<Question (*)(const SAClient&)> {};

TEST_P(Overload, PutsOffTheGreedyAndNobodyElse) {
  SAClient modest("mlx5_2");
  const Question question = GetParam()(modest);
  const Quiet rest(modest, question, kRest);
  Greedy greedy("mlx5_1", GetParam());
  const Quiet loaded(modest, question, kLoad);
  greedy.stop();
  const double seconds = std::chrono::duration<double>(kLoad).count();
  std::printf(
      "a quiet host waits %.2f ms at rest, %.2f under load (median); %.2f and %.2f (95 %%); "
      "a greedy one asks %.0f a second and is answered %.0f, hints up to %u\n",
      rest.at(0.5), loaded.at(0.5), rest.at(0.95), loaded.at(0.95),
      static_cast<double>(greedy.answered + greedy.put_off) / seconds,
      static_cast<double>(greedy.answered) / seconds,
      greedy.hints.empty() ? 0u : *std::max_element(greedy.hints.begin(), greedy.hints.end()));

  EXPECT_EQ(rest.refused + loaded.refused, 0u);
  EXPECT_EQ(greedy.silent, 0u) << "BUSY is an answer";
  // It was a real overload, and no more was answered than may be.
  EXPECT_GT(static_cast<double>(greedy.put_off), kRate);
  EXPECT_LE(static_cast<double>(greedy.answered), kRate * (seconds + 1));
  // Who does not heed the time that it is told hears of a longer one in each window that follows.
  ASSERT_FALSE(greedy.hints.empty());
  EXPECT_EQ(greedy.hints.front(), 14u);
  EXPECT_EQ(*std::max_element(greedy.hints.begin(), greedy.hints.end()), 20u);
  for (std::size_t i = 1; i < greedy.hints.size(); ++i) {
    const unsigned now = greedy.hints[i], before = greedy.hints[i - 1];
    EXPECT_TRUE(now == before + 1 || now == 14u) << before << " and then " << now;
  }
  // A tenth of the time that a host waits before it asks again.
  EXPECT_LT(loaded.at(0.95), 100);
}

INSTANTIATE_TEST_SUITE_P(Paths, Overload, testing::Values(&path_from));
INSTANTIATE_TEST_SUITE_P(Joins, Overload, testing::Values(&join_from));

}  // namespace
}  // namespace heddle::interop
