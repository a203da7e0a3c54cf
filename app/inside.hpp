// SPDX-License-Identifier: BSD-3-Clause
// A command on a simulated host: the process that becomes it.
#pragma once

#include <string>
#include <vector>

#include "doors/device/unique_fd.hpp"

namespace heddle::app {

// The exit codes that shells have for these.
inline constexpr int kCannotRun = 126;
inline constexpr int kNotFound = 127;

struct Inside {
  std::vector<std::string> at;
  std::vector<std::string> command;
  std::string fabric;     // for $HEDDLE_SIM
  std::string directory;  // for $HEDDLE_SIM_DIR
  std::string door;       // for $HEDDLE_SIM_DOOR; kRingDoor or kDeviceDoor
};

// Enters the host through `door`, a connection to that door of a fabric, and becomes the command.
// Returns only when that fails, with the exit code; the reason has been told.
int become(doors::UniqueFd door, const Inside& inside);

}  // namespace heddle::app
