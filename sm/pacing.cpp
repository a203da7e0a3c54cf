// SPDX-License-Identifier: BSD-3-Clause
#include "sm/pacing.hpp"

#include <algorithm>

namespace heddle::sm {
namespace {

constexpr double kFirstWindow = 4;
// Even a fabric that loses much is not asked one question at a time.
constexpr double kSmallestWindow = 8;
constexpr double kSuccessesToRemember = 64;
// One in three lost makes half a repeat for each answer, and then ten attempts miss one question
// in fifty thousand.
constexpr double kAttemptsPerRepeat = 12;

}  // namespace

void Pacing::set_limits(std::uint32_t window, base::Duration smallest, base::Duration largest) {
  limit_ = std::max(window, 1u);
  smallest_ = smallest;
  largest_ = largest;
  const double first = std::min<double>(kFirstWindow, limit_);
  window_ = window_ == 0 ? first : std::min<double>(window_, limit_);
}

void Pacing::on_answer(base::Duration round_trip) {
  window_ = std::min<double>(window_ + (probing_ ? 1.0 : 1.0 / window_), limit_);
  if (!sampled_) {
    smoothed_ = round_trip;
    deviation_ = round_trip / 2;
    sampled_ = true;
    return;
  }
  const base::Duration error = round_trip - smoothed_;
  smoothed_ += error / 8;
  deviation_ += (std::max(error, -error) - deviation_) / 4;
}

void Pacing::on_success(std::uint32_t sendings) {
  repeats_ += (static_cast<double>(sendings - 1) - repeats_) / kSuccessesToRemember;
}

std::uint32_t Pacing::attempts(std::uint32_t usual) const {
  const auto more = static_cast<std::uint32_t>(repeats_ * kAttemptsPerRepeat);
  return std::min(usual + more, 8 * usual);
}

void Pacing::on_loss() {
  probing_ = false;
  window_ = std::max(window_ / 2, std::min<double>(kSmallestWindow, limit_));
}

base::Duration Pacing::timeout(std::uint32_t attempt) const {
  base::Duration wait = sampled_ ? smoothed_ + 4 * deviation_ : 4 * smallest_;
  wait = std::max(wait, smallest_);
  for (std::uint32_t i = 1; i < attempt && wait < largest_; ++i) wait *= 2;
  return std::min(wait, largest_);
}

}  // namespace heddle::sm
