// SPDX-License-Identifier: BSD-3-Clause
// Queries that are worked out elsewhere, and the memory that their answers take: nobody may have
// others wait, or hold more of it than there is to give.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/time.hpp"
#include "mad/types.hpp"

namespace heddle::sm {

// Being worked out at a time, in all and for one port. A port may have a few, so that one that asks
// for everything again and again does not keep the others waiting.
inline constexpr std::size_t kMaxLookUps = 64;
inline constexpr std::size_t kMaxLookUpsOfPort = 4;
// Answers of more than one packet that may be under way at a time. The transport does not say when
// a receiver has all of one, so each counts for as long as most need.
inline constexpr std::size_t kMaxAnswerBytesUnderWay = std::size_t{256} << 20;
inline constexpr base::Duration kAnswerUnderWay = std::chrono::seconds(10);

class LookUps {
 public:
  // A ticket, or nothing when there are too many.
  std::optional<std::uint64_t> begin(mad::Lid from);
  // False for a ticket that was not given, or has been given back.
  bool finish(std::uint64_t ticket) { return by_ticket_.erase(ticket) != 0; }
  // Whether an answer of so many bytes may go out now; it counts from then on.
  bool let_out(base::Instant now, std::size_t bytes);
  std::size_t bytes_under_way() const { return bytes_; }

 private:
  struct Answer {
    base::Instant sent;
    std::size_t bytes;
  };
  std::map<std::uint64_t, mad::Lid> by_ticket_;
  std::uint64_t last_ticket_ = 0;
  std::deque<Answer> answers_;  // oldest first
  std::size_t bytes_ = 0;       // of these
};

}  // namespace heddle::sm
