// SPDX-License-Identifier: BSD-3-Clause
#include "transport/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/transport/sample.hpp"

namespace heddle::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

mad::Datagram with_global_route() {
  auto datagram = sample_request(9);
  datagram.peer.qpn = 1;
  datagram.peer.q_key = 0x80010000;
  datagram.peer.sl = mad::ServiceLevel{15};
  datagram.peer.path_bits = 3;
  datagram.peer.p_key_index = 65535;
  datagram.peer.global_route =
      mad::GlobalRoute{{mad::kDefaultGidPrefix, mad::Guid{~0ull}}, 1, 64, 7, 0xfffff};
  return datagram;
}

Recording some_of_everything() {
  auto empty = mad::Datagram{};
  auto long_one = sample(mad::Method::GetTableResp, 4);
  long_one.payload.resize(5000, std::byte{1});
  return {{base::Instant(0ns), RecordKind::Note, {}, "tick"},
          {base::Instant(5ns), RecordKind::Sent, sample_request(1), ""},
          {base::Instant(1h), RecordKind::Received, answer_to(sample_request(1)), ""},
          {base::Instant(1h), RecordKind::GivenBack, with_global_route(), ""},
          {base::Instant(2h), RecordKind::Received, long_one, ""},
          {base::Instant(2h), RecordKind::Received, empty, ""},
          {base::Instant::max(), RecordKind::Note, {}, ""}};
}

std::string as_text(const Recording& recording) {
  std::string text(kRecordingFirstLine);
  for (const auto& entry : recording) text += "\n" + to_line(entry);
  return text;
}

TEST(Recording, WhatIsWrittenIsReadBackWhole) {
  const auto recording = some_of_everything();
  const auto read = parse_recording(as_text(recording) + "\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, recording);
}

TEST(Recording, ANoteStaysOnItsLine) {
  const auto line = to_line({base::Instant(1ns), RecordKind::Note, {}, "two\nlines\r"});
  EXPECT_EQ(line, "1 note two lines ");
}

TEST(Recording, TrailingZerosTakeNoRoom) {
  mad::Datagram datagram;
  datagram.payload.resize(256);
  datagram.payload[1] = std::byte{0x81};
  EXPECT_EQ(to_line({base::Instant(7ns), RecordKind::Sent, datagram, ""}),
            "7 send 65535,0,0,0,0,0 256:0081");
}

TEST(Recording, AnEmptyRunIsARun) {
  const auto read = parse_recording(kRecordingFirstLine);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
}

TEST(Recording, AFileOfAnotherKindIsRefused) {
  for (const char* text : {"", "\n", "heddle-recording 2\n", "<html>"}) {
    const auto read = parse_recording(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("line 1: not a recording"));
  }
}

struct Damage {
  const char* line;
  const char* complaint;
};
class DamagedRecording : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedRecording, IsRefusedWithLineAndReason) {
  const auto text =
      std::string(kRecordingFirstLine) + "\n5 note first\n" + GetParam().line + "\n6 note last\n";
  const auto read = parse_recording(text);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("line 3: "));
  EXPECT_THAT(read.error().message, HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Transport, DamagedRecording,
    ::testing::Values(Damage{"x note", "time"}, Damage{"-1 note", "time"},
                      Damage{"9223372036854775808 note", "time"}, Damage{"4 note", "goes back"},
                      Damage{"5", "kind"}, Damage{"5 steal 1,0,0,0,0,0 0:", "\"steal\""},
                      Damage{"5 \x1b[2J x", "\"?[2J\""}, Damage{"5 recv", "address"},
                      Damage{"5 recv 1,0,0,0,0 0:", "address"},
                      Damage{"5 recv 65536,0,0,0,0,0 0:", "address"},
                      Damage{"5 recv 1,0,0,16,0,0 0:", "address"},
                      Damage{"5 recv 1,0,0,0,0,0,1,2,3,4,5,1048576 0:", "address"},
                      Damage{"5 recv 1,0,0,0,0,0", "payload"},
                      Damage{"5 recv 1,0,0,0,0,0 1", "payload"},
                      Damage{"5 recv 1,0,0,0,0,0 1:0102", "payload"},
                      Damage{"5 recv 1,0,0,0,0,0 9:010", "payload"},
                      Damage{"5 recv 1,0,0,0,0,0 9:0x01", "payload"},
                      Damage{"5 recv 1,0,0,0,0,0 9:zz", "payload"},
                      Damage{"5 recv 1,0,0,0,0,0 99999999999:", "payload"}));

TEST(Recording, NoDamageToTheTextCrashesTheReader) {
  const std::string whole = as_text(some_of_everything());
  base::Prng prng(11);
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole.substr(0, static_cast<std::size_t>(prng.below(whole.size())));
    for (int hits = 0; hits < 3 && !text.empty(); ++hits) {
      text[static_cast<std::size_t>(prng.below(text.size()))] = static_cast<char>(prng.below(256));
    }
    const auto read = parse_recording(text);
    EXPECT_TRUE(read || read.error().message.find("line ") != std::string::npos);
  }
}

// A machine in little: asks again for what failed, asks the next when answered.
class Asker {
 public:
  Asker(Transport& transport, std::uint64_t stride) : transport_(transport), stride_(stride) {
    transport_.set_receiver([this](std::span<Received> batch) {
      for (const auto& received : batch) {
        if (received.arrival == Arrival::Message) ++answered_;
        transport_.send(sample_request(id_ += stride_ + answered_));
      }
    });
  }
  void tick() const { transport_.send(sample_request(id_)); }

 private:
  Transport& transport_;
  std::uint64_t stride_;
  std::uint64_t id_ = 1;
  std::uint64_t answered_ = 0;
};

std::string record_a_run() {
  std::string text;
  base::Instant now{};
  Remembering fabric;
  Recorder recorder(
      fabric, [&] { return now; }, [&](const std::string& line) { text += line + "\n"; });
  Asker asker(recorder, 10);
  recorder.note("tick");
  asker.tick();
  for (int i = 0; i < 20; ++i) {
    now += 3ms;
    const auto last = fabric.sent.back();
    fabric.deliver({{i % 4 == 0 ? Arrival::SendFailed : Arrival::Message, answer_to(last)},
                    {Arrival::Message, answer_to(last)}});
  }
  return text;
}

std::string replay(const std::string& text, std::uint64_t stride) {
  const auto recording = parse_recording(text);
  EXPECT_TRUE(recording);
  Player player(*recording);
  Asker asker(player, stride);
  base::Instant last{};
  while (const RecordEntry* entry = player.next()) {
    EXPECT_GE(entry->time, last);
    last = entry->time;
    const bool tick = entry->kind == RecordKind::Note && entry->note == "tick";
    player.play();
    if (tick) asker.tick();
  }
  return player.finish();
}

TEST(Replay, TheSameMachineSendsTheSameAgain) {
  EXPECT_EQ(replay(record_a_run(), 10), "");
}

TEST(Replay, AMachineThatActsOtherwiseIsFoundOut) {
  const auto difference = replay(record_a_run(), 11);
  EXPECT_THAT(difference, HasSubstr("after input 2, sending 2: recorded "));
}

TEST(Replay, ASendingTooManyOrTooFewIsFoundOut) {
  const auto text = record_a_run();
  const auto last_line = text.rfind('\n', text.size() - 2) + 1;
  ASSERT_THAT(text.substr(last_line), HasSubstr(" send "));
  EXPECT_THAT(replay(text.substr(0, last_line), 10), HasSubstr("recorded nothing"));
  EXPECT_THAT(replay(text + text.substr(last_line), 10), HasSubstr("now nothing"));
}

TEST(Recorder, PassesEverythingOn) {
  Remembering fabric;
  std::vector<std::string> lines;
  Recorder recorder(
      fabric, [] { return base::Instant(8ns); },
      [&](const std::string& line) { lines.push_back(line); });
  std::vector<Received> received;
  recorder.set_receiver([&](std::span<Received> batch) {
    received.insert(received.end(), batch.begin(), batch.end());
  });
  recorder.set_is_sm(true);
  recorder.send(sample_request(1));
  fabric.deliver({{Arrival::Message, sample_request(2)}, {Arrival::SendFailed, sample_request(3)}});
  EXPECT_TRUE(fabric.is_sm);
  EXPECT_EQ(fabric.sent.at(0), sample_request(1));
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[1].arrival, Arrival::SendFailed);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[2], ::testing::StartsWith("8 recv "));
  EXPECT_THAT(lines[3], ::testing::StartsWith("8 back "));
}

}  // namespace
}  // namespace heddle::transport
