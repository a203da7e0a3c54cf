// SPDX-License-Identifier: BSD-3-Clause
// Time as an argument. The pure layers see only these types, which have no now(); the daemon and
// the simulator decide what the time is.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle::base {

using Duration = std::chrono::nanoseconds;

// A clock that cannot be read: its time points come from whoever drives the machine.
struct Timeline {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Timeline>;
  static constexpr bool is_steady = true;
};

// A moment on the driver's own monotonic scale. Only differences mean anything.
using Instant = Timeline::time_point;

inline constexpr Instant kNever = Instant::max();

}  // namespace heddle::base
