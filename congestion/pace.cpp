// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/pace.hpp"

#include <algorithm>
#include <chrono>

namespace heddle::congestion {

void Pace::set(const Options& options) {
  constexpr base::Duration kBurst = std::chrono::milliseconds(10);
  window_ = std::max(1u, options.window);
  timeout_ = options.timeout;
  step_ = base::Duration(std::chrono::seconds(1)) / std::max(1u, options.per_second);
  burst_ = std::max(kBurst, step_);
}

bool Pace::may_send(base::Instant now) const {
  return flights_.size() < window_ && paced_ <= now + burst_ - step_;
}

std::uint32_t Pace::send(base::Instant now, std::size_t agent) {
  const std::uint32_t transaction = next_;
  if (++next_ == 0) next_ = 1;
  flights_[transaction] = agent;
  due_.push_back({now + timeout_, transaction});
  paced_ = std::max(paced_, now) + step_;
  return transaction;
}

std::optional<std::size_t> Pace::answered(std::uint32_t transaction) {
  const auto found = flights_.find(transaction);
  if (found == flights_.end()) return std::nullopt;
  const std::size_t agent = found->second;
  flights_.erase(found);
  return agent;
}

std::vector<std::size_t> Pace::take_overdue(base::Instant now) {
  std::vector<std::size_t> overdue;
  while (!due_.empty() && due_.front().when <= now) {
    if (const auto agent = answered(due_.front().transaction)) overdue.push_back(*agent);
    due_.pop_front();
  }
  while (!due_.empty() && flights_.count(due_.front().transaction) == 0) due_.pop_front();
  return overdue;
}

void Pace::cancel() {
  flights_.clear();
  due_.clear();
}

base::Instant Pace::deadline(bool wants_to_send) const {
  base::Instant soonest = due_.empty() ? base::kNever : due_.front().when;
  if (wants_to_send && flights_.size() < window_) {
    soonest = std::min(soonest, paced_ - burst_ + step_);
  }
  return soonest;
}

}  // namespace heddle::congestion
