// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_progress.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/clock.hpp"
#include "app/commands.hpp"
#include "app/progress.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kBarCells = 24;

std::string bar(std::size_t done, std::size_t total) {
  const std::size_t full = std::min(done, total) * kBarCells / total;
  return "[" + std::string(full, '#') + std::string(kBarCells - full, '.') + "]";
}

}  // namespace

PlanProgress::PlanProgress() : live_(is_live_terminal(STDERR_FILENO)) {}

PlanProgress::~PlanProgress() {
  clear();
}

void PlanProgress::clear() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(drawn_, false)) std::cerr << "\r\x1b[K" << std::flush;
}

void PlanProgress::begin(std::string what, std::size_t total) {
  const std::lock_guard lock(mutex_);
  interruption_.say(fmt::format("interrupted while {}; nothing was written", what));
  what_ = std::move(what);
  total_ = total;
  counted_ = total > 0;
  done_ = 0;
  draw(true);
}

void PlanProgress::write(const std::string& file) {
  begin(file.empty() ? "writing" : "writing " + file);
  interruption_.say(file.empty()
                        ? std::string("interrupted while writing; the output is not whole")
                        : fmt::format("interrupted while writing {}; it is as it was", file));
  if (file.empty()) clear();
}

void PlanProgress::done_one() {
  add(1);
}

void PlanProgress::add(std::size_t count) {
  if (!live_) return;
  const std::lock_guard lock(mutex_);
  done_ += count;
  draw(counted_ && done_ == total_);
}

base::ParallelFor PlanProgress::watched(base::ParallelFor parallel) {
  if (!live_) return parallel;
  return [this, parallel = std::move(parallel)](std::size_t count, const base::RangeWork& work) {
    const bool outermost = depth_.fetch_add(1) == 0 && !counted_;
    if (outermost) {
      const std::lock_guard lock(mutex_);
      total_ = count;
      done_ = 0;
    }
    parallel(count, [&](std::size_t begin, std::size_t end) {
      work(begin, end);
      if (outermost) add(end - begin);
    });
    --depth_;
  };
}

void PlanProgress::draw(bool at_once) {
  const auto now = steady_now();
  if (!live_ || (!at_once && drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  drawn_ = true;
  std::string line = what_.substr(0, 40);
  if (total_ > 0) line += " " + bar(done_, total_);
  if (total_ > 0 && counted_) line += fmt::format(" {} of {}", done_, total_);
  if (total_ > 0 && !counted_) line += fmt::format(" {} %", done_ * 100 / total_);
  std::cerr << "\r\x1b[K" << line << std::flush;
}

Exit PlanProgress::fail(const base::Error& error, Exit exit) {
  clear();
  complain(error.message);
  return exit;
}

Exit print_stream(const std::function<void(std::ostream&)>& write, PlanProgress& progress) {
  progress.write("");
  write(std::cout);
  std::cout << std::flush;
  if (std::cout) return Exit::Ok;
  return progress.fail(base::error("cannot write to standard output"), Exit::Output);
}

Exit print_whole(const std::string& text, PlanProgress& progress) {
  return print_stream([&](std::ostream& out) { out << text; }, progress);
}

}  // namespace heddle::app
