// SPDX-License-Identifier: BSD-3-Clause
#include "perf/inquiry.hpp"

#include <algorithm>
#include <utility>

namespace heddle::perf {

void Inquiry::set_limits(const Options& options) {
  attempts_ = std::max(1u, options.attempts);
  flights_.set_limits(options.window, options.per_second, options.timeout);
}

std::uint32_t Inquiry::send(base::Instant now, const Question& question) {
  return flights_.send(now, {question, 1});
}

std::uint32_t Inquiry::send_again(base::Instant now) {
  const Flight flight = repeats_.front();
  repeats_.pop_front();
  return flights_.send(now, flight);
}

std::optional<Question> Inquiry::answered(std::uint32_t transaction) {
  const auto flight = flights_.answered(transaction);
  return flight ? std::optional(flight->question) : std::nullopt;
}

void Inquiry::advance(base::Instant now) {
  for (const Flight& flight : flights_.take_overdue(now)) {
    if (flight.attempt < attempts_) {
      repeats_.push_back({flight.question, flight.attempt + 1});
    } else {
      given_up_.push_back(flight.question);
    }
  }
}

std::vector<Question> Inquiry::take_given_up() {
  return std::exchange(given_up_, {});
}

void Inquiry::cancel() {
  flights_.cancel();
  repeats_.clear();
  given_up_.clear();
}

}  // namespace heddle::perf
