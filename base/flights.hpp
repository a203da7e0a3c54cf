// SPDX-License-Identifier: BSD-3-Clause
// Requests of a management class that are in flight: how many at once and in a second, which one an
// answer is to, and which have waited too long. QP1 shares its lane with data, so the pace keeps
// what is asked there from being a load. What the pace lets out goes some at a time: to wake up for
// each alone, and again for its answer, would cost more than all else about it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace heddle::base {

// What: what the caller wants to know again when the answer comes.
template <class What>
class Flights {
 public:
  // Zeros count as one.
  void set_limits(std::uint32_t window, std::uint32_t per_second, Duration timeout) {
    window_ = std::max(1u, window);
    step_ = Duration(std::chrono::seconds(1)) / std::max(1u, per_second);
    burst_ = std::max(kBurst, step_);
    timeout_ = timeout;
    rests_until_ = {};
  }

  // Whether the window and the pace allow one more.
  bool may_send(Instant now) const {
    return flights_.size() < window_ && now >= rests_until_ && paced_ <= now + burst_ - step_;
  }
  // Notes that this goes out now; the transaction id to send it with, which is never 0.
  std::uint32_t send(Instant now, What what) {
    const std::uint32_t transaction = next_;
    if (++next_ == 0) next_ = 1;
    flights_.insert_or_assign(transaction, std::move(what));
    due_.push_back({now + timeout_, transaction});
    paced_ = std::max(paced_, now) + step_;
    if (paced_ > now + burst_ - step_) rests_until_ = paced_ - burst_ / 2;
    return transaction;
  }

  // What was sent so; nothing when no answer is waited for. It waits no longer.
  std::optional<What> answered(std::uint32_t transaction) {
    const auto found = flights_.find(transaction);
    if (found == flights_.end()) return std::nullopt;
    std::optional<What> what(std::move(found->second));
    flights_.erase(found);
    return what;
  }
  // What had no answer in time, in the order in which it was sent. It waits no longer.
  std::vector<What> take_overdue(Instant now) {
    std::vector<What> overdue;
    while (!due_.empty() && due_.front().when <= now) {
      if (auto what = answered(due_.front().transaction)) overdue.push_back(std::move(*what));
      due_.pop_front();
    }
    while (!due_.empty() && flights_.count(due_.front().transaction) == 0) due_.pop_front();
    return overdue;
  }

  void cancel() {
    flights_.clear();
    due_.clear();
  }
  bool idle() const { return flights_.empty(); }
  // When something is overdue; and with `wants_to_send`, when the pace allows more.
  Instant deadline(bool wants_to_send) const {
    Instant soonest = due_.empty() ? kNever : due_.front().when;
    if (wants_to_send && flights_.size() < window_) {
      soonest = std::min(soonest, std::max(rests_until_, paced_ - burst_ + step_));
    }
    return soonest;
  }

 private:
  static constexpr Duration kBurst = std::chrono::milliseconds(32);
  struct Due {
    Instant when{};
    std::uint32_t transaction = 0;
  };

  std::size_t window_ = 1;
  Duration timeout_{};
  Duration step_{};        // between two, on average
  Duration burst_{};       // so much may go out ahead of the average
  Instant paced_{};        // when the next one would go out on average
  Instant rests_until_{};  // the burst is used up: until half of it may go out again
  std::uint32_t next_ = 1;
  std::unordered_map<std::uint32_t, What> flights_;  // by transaction
  std::deque<Due> due_;                              // in the order of time; some are answered
};

}  // namespace heddle::base
