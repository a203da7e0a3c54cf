// SPDX-License-Identifier: BSD-3-Clause
#include "perf/inquiry.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle::perf {

void Inquiry::set_limits(const Options& options) {
  constexpr base::Duration kBurst = std::chrono::milliseconds(10);
  window_ = std::max(1u, options.window);
  attempts_ = std::max(1u, options.attempts);
  timeout_ = options.timeout;
  step_ = base::Duration(std::chrono::seconds(1)) / std::max(1u, options.per_second);
  burst_ = std::max(kBurst, step_);
}

bool Inquiry::may_send(base::Instant now) const {
  return flights_.size() < window_ && paced_ <= now + burst_ - step_;
}

std::uint32_t Inquiry::put(base::Instant now, const Flight& flight) {
  const std::uint32_t transaction = next_;
  if (++next_ == 0) next_ = 1;
  flights_[transaction] = flight;
  due_.push_back({now + timeout_, transaction});
  paced_ = std::max(paced_, now) + step_;
  return transaction;
}

std::uint32_t Inquiry::send(base::Instant now, const Question& question) {
  return put(now, {question, 1});
}

std::uint32_t Inquiry::send_again(base::Instant now) {
  const Flight flight = repeats_.front();
  repeats_.pop_front();
  return put(now, flight);
}

std::optional<Question> Inquiry::answered(std::uint32_t transaction) {
  const auto found = flights_.find(transaction);
  if (found == flights_.end()) return std::nullopt;
  const Question question = found->second.question;
  flights_.erase(found);
  return question;
}

void Inquiry::time_out(const Flight& flight) {
  if (flight.attempt < attempts_) {
    repeats_.push_back({flight.question, flight.attempt + 1});
  } else {
    given_up_.push_back(flight.question);
  }
}

void Inquiry::advance(base::Instant now) {
  while (!due_.empty() && due_.front().when <= now) {
    const auto found = flights_.find(due_.front().transaction);
    due_.pop_front();
    if (found == flights_.end()) continue;
    const Flight flight = found->second;
    flights_.erase(found);
    time_out(flight);
  }
  while (!due_.empty() && flights_.count(due_.front().transaction) == 0) due_.pop_front();
}

std::vector<Question> Inquiry::take_given_up() {
  return std::exchange(given_up_, {});
}

void Inquiry::cancel() {
  flights_.clear();
  due_.clear();
  repeats_.clear();
  given_up_.clear();
}

base::Instant Inquiry::deadline(bool wants_to_send) const {
  base::Instant soonest = due_.empty() ? base::kNever : due_.front().when;
  const bool has_room = flights_.size() < window_;
  if (has_room && (wants_to_send || !repeats_.empty())) {
    soonest = std::min(soonest, paced_ - burst_ + step_);
  }
  return soonest;
}

}  // namespace heddle::perf
