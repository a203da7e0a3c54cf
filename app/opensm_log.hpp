// SPDX-License-Identifier: BSD-3-Clause
// The log as scripts know it that were written for OpenSM.
#pragma once

#include <string>

#include "app/logging.hpp"

namespace heddle::app {

// As OpenSM's own log has it, local time: "Nov 21 10:00:00 000123 [1A2B0] 0x02 -> SUBNET UP".
// The lines that scripts look for there have its words; all others have ours.
std::string render_opensm(const LogLine& line);

}  // namespace heddle::app
