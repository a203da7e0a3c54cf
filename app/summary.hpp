// SPDX-License-Identifier: BSD-3-Clause
// What a person wants to know about a fabric after a sweep, on one screen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/progress.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

struct Summary {
  std::string title;             // the fabric's, or the port's name
  const sm::Snapshot& snapshot;  // of the sweep
  PhaseTimes times;              // of the sweep
  mad::SMState state{};          // of this subnet manager, after it
  // What the times are, in words: "wall time, simulated devices included".
  std::string_view times_are;
  std::vector<std::string> remarks;  // of importers: what was guessed or dropped
  // What is wrong with the operator's files, and what holds instead.
  std::vector<std::string> files = {};
};

// Lines of at most about 100 columns, the last one ends in a newline.
std::string summary_text(const Summary& summary);

// True when this SM is master and everything it should have brought up is up: no inactive port, no
// problem, and proven routes if there are switches to route.
bool wholly_up(const sm::Snapshot& snapshot, mad::SMState state);

}  // namespace heddle::app
