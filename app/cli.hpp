// SPDX-License-Identifier: BSD-3-Clause
// The command line: understands it, teaches it, and calls the command.
#pragma once

namespace heddle::app {

// The exit code of the process (app/exit_codes.hpp).
int run(int argc, const char* const* argv);

}  // namespace heddle::app
