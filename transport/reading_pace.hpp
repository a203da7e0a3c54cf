// SPDX-License-Identifier: BSD-3-Clause
// How a thread that reads MADs goes about it: each one as it comes, until there is no more, or
// after a moment in which several gather.
#pragma once

#include <atomic>
#include <cstddef>

namespace heddle::transport {

// Requests are counted by who sends them, the rest is the reader's.
class ReadingPace {
 public:
  // So many batches of one in a row, and one is what is expected.
  static constexpr unsigned kLoneBeforeTrust = 8;
  // From so many requests in flight on, answers that come singly are gathered: to hand up each
  // costs more than to wait for a few.
  static constexpr unsigned kManyInFlight = 24;

  // Before it is sent, or its answer may be counted first.
  void request() { ++in_flight_; }
  // Of a request: by an answer, because it was given up, or because it was not sent after all.
  void end() {
    unsigned before = in_flight_;
    while (before > 0 && !in_flight_.compare_exchange_weak(before, before - 1)) {
    }
  }
  // Nothing came for a while: requests that nothing ever ends are forgotten.
  void silence() { in_flight_ = 0; }

  // Whether to wait a moment before reading what is there.
  bool gathers() const { return lone_ >= kLoneBeforeTrust && in_flight_ >= kManyInFlight; }
  // Whether to read one and no more: reading until there is nothing costs a vain read, which is
  // worth it now and then only.
  bool takes_one() const { return lone_ >= kLoneBeforeTrust && lone_ % kLoneBeforeTrust != 0; }
  // So many were there, after such a moment or without.
  void had(std::size_t count, bool gathered) {
    if (!gathered && count == 0) return;  // interrupted, or in time to be told to stop
    if (!gathered) {
      lone_ = count > 1 ? 0 : lone_ + 1;
    } else if (count <= 1) {
      lone_ = 0;  // in vain
    }
  }

 private:
  std::atomic<unsigned> in_flight_{0};
  unsigned lone_ = 0;  // batches of one in a row
};

}  // namespace heddle::transport
