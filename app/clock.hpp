// SPDX-License-Identifier: BSD-3-Clause
// The one place where the time is read for the machine: everything below app/ gets it as an
// argument.
#pragma once

#include "base/time.hpp"

namespace heddle::app {

// Monotonic; only differences mean anything.
base::Instant steady_now();

// The same as of the kernel's last tick, some milliseconds ago at most: for what is counted in much
// longer times, and so often that reading the clock costs.
base::Instant coarse_now();

}  // namespace heddle::app
