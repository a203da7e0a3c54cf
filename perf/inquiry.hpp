// SPDX-License-Identifier: BSD-3-Clause
// Questions, and how often they are asked again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/flights.hpp"
#include "base/time.hpp"
#include "mad/mad_header.hpp"
#include "mad/perf_attribute.hpp"
#include "perf/options.hpp"

namespace heddle::perf {

struct Question {
  std::uint32_t agent = 0;
  std::uint32_t slot = 0;  // of the port; not of ClassPortInfo
  mad::Method method = mad::Method::Get;
  mad::PerfAttributeId attribute{};
  // Of a Set: what it clears, as the MAD and as this room has it.
  std::uint64_t select = 0;
  std::uint8_t select2 = 0;
  std::uint32_t counters = 0;
};

class Inquiry {
 public:
  void set_limits(const Options& options);

  // Whether the window and the pace allow one more.
  bool may_send(base::Instant now) const { return flights_.may_send(now); }
  // Notes that this goes out; the transaction id to send it with.
  std::uint32_t send(base::Instant now, const Question& question);

  // The question that was asked so; nothing when none is waiting. It waits no longer.
  std::optional<Question> answered(std::uint32_t transaction);
  // Lets time pass. What has waited too long is to be repeated, or has been given up.
  void advance(base::Instant now);
  // To be sent again with send_again(), which may_send() must allow.
  bool has_repeats() const { return !repeats_.empty(); }
  const Question& next_repeat() const { return repeats_.front().question; }
  std::uint32_t send_again(base::Instant now);
  std::vector<Question> take_given_up();

  void cancel();
  bool idle() const { return flights_.idle() && repeats_.empty() && given_up_.empty(); }
  // When something is overdue; and with `wants_to_send`, when the pace allows more.
  base::Instant deadline(bool wants_to_send) const {
    return flights_.deadline(wants_to_send || has_repeats());
  }

 private:
  struct Flight {
    Question question;
    std::uint32_t attempt = 1;
  };

  std::uint32_t attempts_ = 1;
  base::Flights<Flight> flights_;
  std::deque<Flight> repeats_;
  std::vector<Question> given_up_;
};

}  // namespace heddle::perf
