// SPDX-License-Identifier: BSD-3-Clause
// What happened lately: the last events, numbered, and the last sweeps.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sm/events.hpp"

namespace heddle::api {

using WallTime = std::chrono::system_clock::time_point;

// The least severe that are kept: a shadow says hundreds of thousands of the others in one sweep.
inline constexpr sm::Severity kLeastKept = sm::Severity::Info;
inline constexpr std::size_t kEventsKept = 4096;
inline constexpr std::size_t kSweepsKept = 256;

struct JournalEvent {
  std::uint64_t number = 0;  // from 1, of all events that are kept
  WallTime time{};
  sm::Severity severity{};
  std::string_view name;
  std::string sentence;
  std::vector<std::pair<std::string_view, std::string>> fields;
};

struct JournalSweep {
  bool full = true;
  std::string reason;
  WallTime finished{};
  sm::SweepStatistics statistics;
};

class Journal {
 public:
  // Not thread-safe, as the rest of it.
  void add(const sm::Event& event, WallTime time);

  const std::deque<JournalEvent>& events() const { return events_; }  // oldest first
  const std::deque<JournalSweep>& sweeps() const { return sweeps_; }
  // The number of the next event.
  std::uint64_t next() const { return next_; }
  // The first event that is kept and has a higher number; events().size() when there is none.
  std::size_t after(std::uint64_t number) const;

  // Of all events since the start, by name, those that are not kept included.
  const std::map<std::string_view, std::uint64_t>& counts() const { return counts_; }
  // A sweep of the fabric is under way.
  bool sweeping() const { return sweeping_; }

 private:
  std::deque<JournalEvent> events_;
  std::deque<JournalSweep> sweeps_;
  std::map<std::string_view, std::uint64_t> counts_;
  std::uint64_t next_ = 1;
  bool sweeping_ = false;
  JournalSweep begun_;  // the sweep under way
};

// "2026-11-21T10:00:00.000Z".
std::string text(WallTime time);

}  // namespace heddle::api
