// SPDX-License-Identifier: BSD-3-Clause
// The two ends of one RMPP transfer (IBA vol. 1, 13.6), as Linux' ib_mad has them, without time:
// whoever owns them keeps the timers. A message is one buffer with the class's header once in
// front; a segment is a MAD of 256 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "mad/datagram.hpp"
#include "mad/rmpp_header.hpp"

namespace heddle::doors::kernel {

// RMPPStatus (IBA vol. 1, 13.6.2.1, table of status codes).
enum class RmppStatus : std::uint8_t {
  Normal = 0,
  ResourcesExhausted = 1,  // with Stop
  TotalTimeTooLong = 118,
  InconsistentLast = 119,
  InconsistentFirst = 120,
  BadType = 121,
  NewWindowTooSmall = 122,
  SegmentTooBig = 123,
  IllegalStatus = 124,
  UnsupportedVersion = 125,
};

// Segments that a receiver takes before it acknowledges: an eighth of ib_mad's receive queue.
inline constexpr std::uint32_t kRmppWindow = 64;
// A longer message is refused (sender) or stopped (receiver).
inline constexpr std::size_t kMaxMessageBytes = 64u << 20;

class RmppSend {
 public:
  // At least a class header; what its RMPP header says does not count.
  explicit RmppSend(mad::Payload message);

  // The next segment that the receiver's window admits; nothing when an Ack must come first.
  std::optional<mad::Payload> next_segment();
  // Everything behind the last acknowledged segment shall be sent again.
  void rewind() { sent_ = acknowledged_; }

  enum class Verdict : std::uint8_t { Old, Progress, Wrong };
  struct Judged {
    Verdict verdict = Verdict::Old;
    RmppStatus why{};  // with Wrong: abort with it
  };
  Judged acknowledge(std::uint32_t segment, std::uint32_t new_window);
  bool all_acknowledged() const { return acknowledged_ == segments_; }
  std::uint32_t segments() const { return segments_; }

 private:
  mad::Payload message_;
  std::size_t header_bytes_;
  std::size_t segment_bytes_;
  std::uint32_t segments_;
  std::uint32_t sent_ = 0;
  std::uint32_t acknowledged_ = 0;
  std::uint32_t window_ = 1;  // the last segment that may be sent
};

class RmppReceive {
 public:
  // A Data segment: a whole MAD of 256 bytes.
  enum class Next : std::uint8_t { Wait, Acknowledge, Complete, Refuse };
  struct Taken {
    Next next = Next::Wait;
    RmppStatus why{};  // with Refuse
  };
  Taken take(std::span<const std::byte> segment);

  std::uint32_t last_in_order() const { return in_order_; }
  std::uint32_t window() const { return window_; }
  bool complete() const { return complete_; }
  // The message, once it is complete; the segments are given up.
  mad::Payload take_message();

 private:
  std::map<std::uint32_t, mad::Payload> early_;  // behind a gap
  mad::Payload message_;
  std::uint32_t in_order_ = 0;
  std::uint32_t window_ = 1;
  bool complete_ = false;

  void append(const mad::Payload& segment);
};

}  // namespace heddle::doors::kernel
