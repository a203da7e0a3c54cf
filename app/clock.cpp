// SPDX-License-Identifier: BSD-3-Clause
#include "app/clock.hpp"

#include <chrono>

namespace heddle::app {

base::Instant steady_now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return base::Instant{std::chrono::duration_cast<base::Duration>(since_start)};
}

}  // namespace heddle::app
