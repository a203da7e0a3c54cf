// SPDX-License-Identifier: BSD-3-Clause
#include "api/journal.hpp"

#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace heddle::api {

std::string text(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), rest.count());
}

void Journal::add(const sm::Event& event, WallTime time) {
  const std::string_view name = sm::event_name(event);
  ++counts_[name];
  if (const auto* started = std::get_if<sm::SweepStarted>(&event.value)) {
    sweeping_ = true;
    begun_ = {started->full, started->reason, {}, {}};
  } else if (const auto* finished = std::get_if<sm::SweepFinished>(&event.value)) {
    sweeping_ = false;
    begun_.finished = time;
    begun_.statistics = finished->statistics;
    sweeps_.push_back(begun_);
    if (sweeps_.size() > kSweepsKept) sweeps_.pop_front();
  }
  const sm::Severity severity = sm::severity(event);
  if (severity < kLeastKept) return;
  events_.push_back({next_++, time, severity, name, sm::sentence(event), sm::fields(event)});
  if (events_.size() > kEventsKept) events_.pop_front();
}

std::size_t Journal::after(std::uint64_t number) const {
  const auto found =
      std::upper_bound(events_.begin(), events_.end(), number,
                       [](std::uint64_t n, const JournalEvent& event) { return n < event.number; });
  return static_cast<std::size_t>(found - events_.begin());
}

}  // namespace heddle::api
