// SPDX-License-Identifier: BSD-3-Clause
// The machine's cores for the pure layers, which own no thread.
#pragma once

#include "base/parallel.hpp"

namespace heddle::app {

// Runs ranges on all cores this process may use. May be called from any thread, also from several
// at once.
base::ParallelFor all_cores();

}  // namespace heddle::app
