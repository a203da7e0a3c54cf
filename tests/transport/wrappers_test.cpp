// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/sample.hpp"
#include "transport/faulty.hpp"
#include "transport/trace.hpp"

namespace heddle::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(Trace, ShowsALineForEachMadAndPassesAllOn) {
  Remembering fabric;
  std::vector<std::string> lines;
  Trace trace(
      fabric,
      [](Passing passing, const mad::Datagram& datagram) {
        constexpr std::array words{"sent", "arrived", "back"};
        const auto id = id_of(datagram);
        return id == 0 ? "" : words.at(static_cast<std::size_t>(passing)) + std::to_string(id);
      },
      [&](const std::string& line) { lines.push_back(line); });
  std::size_t received = 0;
  trace.set_receiver([&](std::span<Received> batch) { received += batch.size(); });
  trace.send(sample_request(1));
  trace.send(sample_request(0));
  fabric.deliver({{Arrival::Message, sample_request(2)}, {Arrival::SendFailed, sample_request(3)}});
  trace.set_is_sm(true);
  EXPECT_THAT(lines, ElementsAre("sent1", "arrived2", "back3"));
  EXPECT_EQ(fabric.sent.size(), 2u);
  EXPECT_EQ(received, 2u);
  EXPECT_TRUE(fabric.is_sm);
}

// Sends and delivers so many MADs over a bad line, one each millisecond.
struct Outcome {
  std::vector<mad::Datagram> sent;
  std::vector<mad::Datagram> received;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome pass(const MishapOptions& options, int count) {
  Remembering fabric;
  Faulty line(fabric, options);
  Outcome outcome;
  line.set_receiver([&](std::span<Received> batch) {
    for (const auto& received : batch) outcome.received.push_back(received.datagram);
  });
  base::Instant now{};
  for (int i = 1; i <= count; ++i) {
    line.advance(now += 1ms);
    line.send(sample_request(static_cast<std::uint64_t>(i)));
    fabric.deliver({{Arrival::Message, sample_request(static_cast<std::uint64_t>(i))}});
  }
  while (line.deadline() != base::kNever) line.advance(line.deadline());
  outcome.sent = fabric.sent;
  return outcome;
}

MishapOptions only(double MishapOptions::*chance, double value) {
  MishapOptions options;
  options.*chance = value;
  options.max_delay = 50ms;
  return options;
}

TEST(Faulty, AGoodLineChangesNothing) {
  const auto outcome = pass({}, 100);
  ASSERT_EQ(outcome.sent.size(), 100u);
  EXPECT_EQ(outcome.sent, outcome.received);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(outcome.sent[i], sample_request(i + 1));
}

TEST(Faulty, DropLosesSomeInBothDirections) {
  const auto outcome = pass(only(&MishapOptions::drop, 0.3), 1000);
  EXPECT_NEAR(static_cast<double>(outcome.sent.size()), 700, 60);
  EXPECT_NEAR(static_cast<double>(outcome.received.size()), 700, 60);
  EXPECT_NE(outcome.sent, outcome.received) << "the directions must not fail alike";
}

TEST(Faulty, DuplicateRepeatsSome) {
  const auto outcome = pass(only(&MishapOptions::duplicate, 0.2), 1000);
  EXPECT_NEAR(static_cast<double>(outcome.sent.size()), 1200, 60);
  std::set<std::uint64_t> ids;
  for (const auto& datagram : outcome.sent) ids.insert(id_of(datagram));
  EXPECT_EQ(ids.size(), 1000u);
}

TEST(Faulty, DelayReordersButLosesNothing) {
  const auto outcome = pass(only(&MishapOptions::delay, 0.5), 1000);
  ASSERT_EQ(outcome.sent.size(), 1000u);
  std::vector<std::uint64_t> ids;
  for (const auto& datagram : outcome.sent) ids.push_back(id_of(datagram));
  EXPECT_FALSE(std::is_sorted(ids.begin(), ids.end()));
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

TEST(Faulty, ADelayedMadWaitsForItsTimeAndNotLonger) {
  Remembering fabric;
  Faulty line(fabric, only(&MishapOptions::delay, 1));
  line.advance(base::Instant(1s));
  line.send(sample_request(1));
  EXPECT_TRUE(fabric.sent.empty());
  const auto due = line.deadline();
  EXPECT_LE(due, base::Instant(1s + 50ms));
  line.advance(due - 1ns);
  EXPECT_TRUE(fabric.sent.empty());
  line.advance(due);
  EXPECT_EQ(fabric.sent.size(), 1u);
}

TEST(Faulty, DamageChangesExactlyOneBit) {
  const auto outcome = pass(only(&MishapOptions::damage, 1), 200);
  ASSERT_EQ(outcome.received.size(), 200u);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto whole = sample_request(i + 1);
    int differing = 0;
    for (std::size_t at = 0; at < whole.payload.size(); ++at) {
      const auto bits = whole.payload[at] ^ outcome.received[i].payload[at];
      differing += __builtin_popcount(std::to_integer<unsigned>(bits));
    }
    EXPECT_EQ(differing, 1);
  }
}

TEST(Faulty, TheSameSeedGivesTheSameMishapsAndAnotherOthers) {
  MishapOptions options{5, 0.1, 0.1, 0.1, 0.3, 20ms};
  const auto once = pass(options, 500);
  EXPECT_EQ(pass(options, 500), once);
  options.seed = 6;
  EXPECT_NE(pass(options, 500), once);
}

}  // namespace
}  // namespace heddle::transport
