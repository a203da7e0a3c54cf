// SPDX-License-Identifier: BSD-3-Clause
// The two ends of one Direction. Each keeps its own place to itself and copies what the other says
// before it looks at it, so that a peer that lies about its place or its sizes is found out and
// nothing outside the ring is touched. An end belongs to one thread at a time.
#pragma once

#include <cstring>

#include "doors/ring/layout.hpp"

namespace heddle::doors::ring {

inline constexpr std::uint64_t rounded(std::uint64_t size) {
  return (size + sizeof(Frame) - 1) / sizeof(Frame) * sizeof(Frame);
}

class RingReader {
 public:
  enum class Found : std::uint8_t { Nothing, Message, Lie };

  RingReader() = default;
  explicit RingReader(Direction& ring) : ring_(&ring) {}

  // What comes next. A Lie is for ever.
  Found peek(Frame& frame) const {
    const std::uint64_t there = ring_->written.load(std::memory_order_acquire) - read_;
    if (there == 0) return Found::Nothing;
    if (there > kRingBytes || there < sizeof(Frame)) return Found::Lie;
    copy_at(read_, &frame, sizeof frame);
    if (frame.size > kMostInline || frame.size > there - sizeof(Frame)) return Found::Lie;
    return Found::Message;
  }
  bool empty() const { return ring_->written.load(std::memory_order_acquire) == read_; }

  // The first bytes of the message that was peeked at; no more than its frame's size.
  void copy(void* to, std::uint64_t count) const { copy_at(read_ + sizeof(Frame), to, count); }
  // The message's room is the writer's again. True if that waits, and must be told that there is
  // room now: said once for each wait, when half of the ring is empty.
  bool pass(const Frame& frame) {
    read_ += sizeof(Frame) + rounded(frame.size);
    ring_->read.store(read_, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (ring_->writer_waits.load(std::memory_order_relaxed) == 0) return false;
    const std::uint64_t left = ring_->written.load(std::memory_order_relaxed) - read_;
    return left <= kRingBytes / 2 &&
           ring_->writer_waits.exchange(0, std::memory_order_acq_rel) != 0;
  }

  // Whoever is about to sleep says so first. False when something is there already: nobody wakes
  // for that.
  bool announce_sleep() {
    ring_->reader_sleeps.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return empty();
  }
  void stay_awake() { ring_->reader_sleeps.store(0, std::memory_order_relaxed); }

 private:
  void copy_at(std::uint64_t at, void* to, std::uint64_t count) const {
    const std::uint64_t begin = at % kRingBytes;
    const std::uint64_t first = count < kRingBytes - begin ? count : kRingBytes - begin;
    std::memcpy(to, ring_->bytes + begin, first);
    std::memcpy(static_cast<std::byte*>(to) + first, ring_->bytes, count - first);
  }

  Direction* ring_ = nullptr;
  std::uint64_t read_ = 0;
};

class RingWriter {
 public:
  enum class Put : std::uint8_t { Done, Full, Lie };

  RingWriter() = default;
  explicit RingWriter(Direction& ring) : ring_(&ring) {}

  // `bytes` are frame.size, at most kMostInline.
  Put put(const Frame& frame, const void* bytes) {
    const std::uint64_t used = written_ - ring_->read.load(std::memory_order_acquire);
    if (used > kRingBytes) return Put::Lie;
    const std::uint64_t whole = sizeof(Frame) + rounded(frame.size);
    if (whole > kRingBytes - used) return Put::Full;
    copy_at(written_, &frame, sizeof frame);
    copy_at(written_ + sizeof frame, bytes, frame.size);
    written_ += whole;
    ring_->written.store(written_, std::memory_order_release);
    return Put::Done;
  }

  // Whether the reader sleeps although something is there. Says so once for each sleep: whoever
  // asks must wake it.
  bool must_wake() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (ring_->reader_sleeps.load(std::memory_order_relaxed) == 0) return false;
    if (ring_->read.load(std::memory_order_relaxed) == written_) return false;
    return ring_->reader_sleeps.exchange(0, std::memory_order_acq_rel) != 0;
  }

  // To be said before the last look for room.
  void announce_wait() {
    ring_->writer_waits.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

 private:
  void copy_at(std::uint64_t at, const void* from, std::uint64_t count) {
    const std::uint64_t begin = at % kRingBytes;
    const std::uint64_t first = count < kRingBytes - begin ? count : kRingBytes - begin;
    std::memcpy(ring_->bytes + begin, from, first);
    std::memcpy(ring_->bytes, static_cast<const std::byte*>(from) + first, count - first);
  }

  Direction* ring_ = nullptr;
  std::uint64_t written_ = 0;
};

}  // namespace heddle::doors::ring
