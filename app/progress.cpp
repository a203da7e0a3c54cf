// SPDX-License-Identifier: BSD-3-Clause
#include "app/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/text.hpp"

namespace heddle::app {
namespace {

constexpr base::Duration kRedraw = std::chrono::milliseconds(100);
constexpr std::size_t kBarCells = 24;
constexpr std::string_view kClearLine = "\r\x1b[K";

std::string bar(std::uint64_t done, std::uint64_t expected) {
  const auto full = static_cast<std::size_t>(done * kBarCells / expected);
  return "[" + std::string(full, '#') + std::string(kBarCells - full, '.') + "]";
}

}  // namespace

void PhaseTimes::close(base::Instant now) {
  if (running_) spent_[static_cast<std::size_t>(*running_)] += now - phase_began_;
  running_.reset();
}

void PhaseTimes::on_event(const sm::Event& event, base::Instant now) {
  if (std::holds_alternative<sm::SweepStarted>(event.value)) {
    *this = PhaseTimes{};
    sweep_began_ = now;
  } else if (const auto* phase = std::get_if<sm::PhaseStarted>(&event.value)) {
    close(now);
    running_ = phase->phase;
    phase_began_ = now;
  } else if (std::holds_alternative<sm::SweepFinished>(event.value)) {
    close(now);
    total_ = now - sweep_began_;
  }
}

void Progress::on_event(const sm::Event& event, base::Instant now) {
  if (const auto* phase = std::get_if<sm::PhaseStarted>(&event.value)) {
    phase_ = phase->phase;
    expected_ = phase->expected;
    phase_began_ = now;
    new_phase_ = true;
  } else if (std::holds_alternative<sm::SweepFinished>(event.value)) {
    phase_.reset();
    clear();
  }
}

void Progress::update(std::uint64_t done, base::Instant now) {
  if (!live_ || !phase_) return;
  // A phase is shown at least once, however short it is.
  const bool due = std::exchange(new_phase_, false) || now - last_drawn_ >= kRedraw;
  if (drawn_ && !due) return;
  stream_ << kClearLine << line(done, now) << std::flush;
  drawn_ = true;
  last_drawn_ = now;
}

std::string Progress::line(std::uint64_t done, base::Instant now) const {
  const std::string_view phase = sm::phase_name(*phase_);
  const double seconds = std::chrono::duration<double>(now - phase_began_).count();
  std::string counts = with_commas(done);
  std::string picture;
  if (expected_ > 0) {
    // Answers may call for requests that nobody expected.
    const std::uint64_t all = std::max(expected_, done);
    picture = bar(done, all) + " ";
    counts += fmt::format(" of {}", with_commas(all));
  }
  std::string rate;
  if (seconds > 0.2) {
    rate = fmt::format(
        ", {}/s", with_commas(static_cast<std::uint64_t>(static_cast<double>(done) / seconds)));
  }
  return fmt::format("{:<10} {}{} requests{}", phase, picture, counts, rate);
}

void Progress::clear() {
  if (!drawn_) return;
  stream_ << kClearLine << std::flush;
  drawn_ = false;
}

bool is_live_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace heddle::app
