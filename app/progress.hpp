// SPDX-License-Identifier: BSD-3-Clause
// How far a sweep is: one line on a terminal that is drawn over and over, and the wall time each
// phase took.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "base/time.hpp"
#include "sm/events.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

// Wall times of the phases of one sweep, as this process lived them. In a simulated fabric the
// simulated devices' work is part of it.
class PhaseTimes {
 public:
  void on_event(const sm::Event& event, base::Instant now);
  base::Duration of(sm::Phase phase) const { return spent_[static_cast<std::size_t>(phase)]; }
  base::Duration total() const { return total_; }

 private:
  void close(base::Instant now);

  std::array<base::Duration, sm::kPhaseCount> spent_{};
  base::Duration total_{};
  base::Instant sweep_began_{};
  base::Instant phase_began_{};
  std::optional<sm::Phase> running_;
};

class Progress {
 public:
  // Draws only if `live`: the caller knows whether the stream is a terminal.
  Progress(std::ostream& stream, bool live) : stream_(stream), live_(live) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void on_event(const sm::Event& event, base::Instant now);
  // `done` requests of the running phase; draws at most ten times a second.
  void update(std::uint64_t done, base::Instant now);
  // Takes the line away before something else is printed.
  void clear();

 private:
  std::string line(std::uint64_t done, base::Instant now) const;

  std::ostream& stream_;
  const bool live_;
  bool drawn_ = false;
  std::optional<sm::Phase> phase_;
  std::uint64_t expected_ = 0;
  base::Instant phase_began_{};
  bool new_phase_ = false;  // and not drawn yet
  base::Instant last_drawn_{};
};

// True when the descriptor is a terminal that can redraw a line.
bool is_live_terminal(int descriptor);

}  // namespace heddle::app
