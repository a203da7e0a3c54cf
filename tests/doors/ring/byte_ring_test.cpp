// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ring/byte_ring.hpp"

#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::doors::ring {
namespace {

using Put = RingWriter::Put;
using Found = RingReader::Found;

class ByteRing : public testing::Test {
 protected:
  Put put(std::size_t size, std::uint8_t first = 1) {
    std::vector<std::uint8_t> bytes(size);
    std::iota(bytes.begin(), bytes.end(), first);
    Frame frame;
    frame.size = static_cast<std::uint32_t>(size);
    return writer.put(frame, bytes.data());
  }
  // The next message, passed.
  std::vector<std::uint8_t> take() {
    Frame frame;
    EXPECT_EQ(reader.peek(frame), Found::Message);
    std::vector<std::uint8_t> bytes(frame.size);
    reader.copy(bytes.data(), frame.size);
    last_pass = reader.pass(frame);
    return bytes;
  }

  std::unique_ptr<Direction> ring = std::make_unique<Direction>();
  RingWriter writer{*ring};
  RingReader reader{*ring};
  bool last_pass = false;
  Frame seen;
};

TEST_F(ByteRing, MessagesComeOutAsTheyWentInAcrossTheEnd) {
  // 1,009 has no factor in common with the ring: the end falls everywhere in a message, in time.
  std::uint8_t number = 0;
  for (std::size_t round = 0; round < 3 * kRingBytes / 1009; ++round, ++number) {
    ASSERT_EQ(put(1009, number), Put::Done);
    std::vector<std::uint8_t> wanted(1009);
    std::iota(wanted.begin(), wanted.end(), number);
    ASSERT_EQ(take(), wanted) << round;
  }
  EXPECT_EQ(reader.peek(seen), Found::Nothing);
}

TEST_F(ByteRing, AFullRingTakesNothingUntilItIsRead) {
  std::size_t messages = 0;
  while (put(320) == Put::Done) ++messages;
  EXPECT_EQ(messages, kRingBytes / (sizeof(Frame) + 320));
  EXPECT_EQ(put(320), Put::Full);
  EXPECT_EQ(take().size(), 320u);
  EXPECT_EQ(put(320), Put::Done);
  EXPECT_EQ(put(320), Put::Full);
}

TEST_F(ByteRing, AWriterThatWaitsIsToldOnceWhenHalfOfTheRingIsEmpty) {
  while (put(320) == Put::Done) continue;
  writer.announce_wait();
  std::size_t taken = 0;
  while (!last_pass) {
    take();
    ++taken;
  }
  EXPECT_GE(taken, kRingBytes / (sizeof(Frame) + 320) / 2);
  EXPECT_LE(taken, kRingBytes / (sizeof(Frame) + 320) / 2 + 1);
  take();
  EXPECT_FALSE(last_pass);
}

TEST_F(ByteRing, ASleeperIsWokenOnceAndNotForNothing) {
  EXPECT_FALSE(writer.must_wake());
  ASSERT_TRUE(reader.announce_sleep());
  EXPECT_FALSE(writer.must_wake()) << "nothing is there yet";
  put(8);
  EXPECT_TRUE(writer.must_wake());
  EXPECT_FALSE(writer.must_wake()) << "it is told already";
  EXPECT_FALSE(reader.announce_sleep()) << "something is there";
  reader.stay_awake();
  EXPECT_FALSE(writer.must_wake());
}

// --- a peer that lies ---------------------------------------------------------------------------

TEST_F(ByteRing, AWriterThatClaimsMoreThanTheRingHoldsIsFoundOut) {
  ring->written = kRingBytes + 16;
  EXPECT_EQ(reader.peek(seen), Found::Lie);
}

TEST_F(ByteRing, AWriterThatGoesBackIsFoundOut) {
  put(320);
  take();
  ring->written = 16;
  EXPECT_EQ(reader.peek(seen), Found::Lie);
}

TEST_F(ByteRing, AFrameThatIsNotWholeIsFoundOut) {
  ring->written = sizeof(Frame) - 1;
  EXPECT_EQ(reader.peek(seen), Found::Lie);
}

TEST_F(ByteRing, AFrameLargerThanWhatWasWrittenIsFoundOut) {
  put(320);
  Frame frame;
  frame.size = 321;
  std::memcpy(ring->bytes, &frame, sizeof frame);
  EXPECT_EQ(reader.peek(seen), Found::Lie);
  ring->written = kRingBytes;
  frame.size = kMostInline + 1;
  std::memcpy(ring->bytes, &frame, sizeof frame);
  EXPECT_EQ(reader.peek(seen), Found::Lie) << "there, and too long for a frame";
}

TEST_F(ByteRing, AReaderThatClaimsWhatWasNeverWrittenIsFoundOut) {
  put(320);
  ring->read = 321 + sizeof(Frame) + 1000;
  EXPECT_EQ(put(320), Put::Lie);
}

// --- two threads --------------------------------------------------------------------------------

TEST_F(ByteRing, NothingIsLostBetweenTwoThreads) {
  constexpr std::uint64_t kMessages = 200'000;
  std::thread program([this] {
    for (std::uint64_t number = 0; number < kMessages;) {
      Frame frame;
      frame.size = sizeof number;
      if (writer.put(frame, &number) == Put::Done) {
        ++number;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t wanted = 0; wanted < kMessages;) {
    if (reader.peek(seen) != Found::Message) {
      std::this_thread::yield();
      continue;
    }
    std::uint64_t number = 0;
    reader.copy(&number, sizeof number);
    reader.pass(seen);
    wrong += number != wanted++ ? 1 : 0;
  }
  program.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace heddle::doors::ring
