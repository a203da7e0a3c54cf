// SPDX-License-Identifier: BSD-3-Clause
// The one place where the time is read for the machine: everything below app/ gets it as an
// argument.
#pragma once

#include "base/time.hpp"

namespace heddle::app {

// Monotonic; only differences mean anything.
base::Instant steady_now();

}  // namespace heddle::app
