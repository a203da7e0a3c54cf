// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands.hpp"

namespace heddle::app {

Exit run_sim(const SimArguments&) {
  complain("'heddle sim FABRIC' is not there yet");
  return Exit::Internal;
}

Exit run_sim_ctl(const SimCtlArguments&) {
  complain("'heddle sim ctl' is not there yet");
  return Exit::Internal;
}

}  // namespace heddle::app
