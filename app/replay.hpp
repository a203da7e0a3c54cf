// SPDX-License-Identifier: BSD-3-Clause
// Plays a recorded run again, into a machine of its own.
#pragma once

#include <string>

#include "base/parallel.hpp"
#include "base/result.hpp"
#include "transport/record.hpp"

namespace heddle::app {

struct Replayed {
  std::string difference;  // the first sending that is not as recorded; empty: the run is the same
};

// An error when the recording says something that no run does.
base::Result<Replayed> replay(transport::Recording recording,
                              const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::app
