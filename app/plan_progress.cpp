// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_progress.hpp"

#include <chrono>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/clock.hpp"
#include "app/progress.hpp"

namespace heddle::app {

PlanProgress::PlanProgress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), live_(is_live_terminal(STDERR_FILENO)) {}

PlanProgress::~PlanProgress() {
  if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
}

void PlanProgress::done_one() {
  if (!live_) return;
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = steady_now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = total_ == 0 ? kWidth : done_ * kWidth / total_;
  std::cerr << fmt::format("\r[{:<30}] {} of {} {}\x1b[K", std::string(filled, '#'), done_, total_,
                           what_)
            << std::flush;
}

}  // namespace heddle::app
