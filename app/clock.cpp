// SPDX-License-Identifier: BSD-3-Clause
#include "app/clock.hpp"

#include <chrono>

#include <time.h>

namespace heddle::app {

base::Instant steady_now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return base::Instant{std::chrono::duration_cast<base::Duration>(since_start)};
}

// steady_clock is the kernel's monotonic clock.
base::Instant coarse_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return base::Instant{std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)};
}

}  // namespace heddle::app
