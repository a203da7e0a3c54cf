// SPDX-License-Identifier: BSD-3-Clause
// What the heddle command tells its caller. Documented in docs/exit-codes.md and heddle(1); scripts
// rely on the numbers.
#pragma once

namespace heddle::app {

enum class Exit : int {
  Ok = 0,
  Internal = 1,  // a bug of ours, or the machine is out of something
  Usage = 2,     // the command line is wrong
  Config = 3,    // the configuration file is wrong
  NoPort = 4,    // no local port can be used
  Problems = 5,  // --once: the fabric is not wholly up; the summary says why; as a shadow:
                 // more would be written than who is master. plan route: no engine's tables are
                 // proven
  Fabric = 6,    // --sim: the fabric cannot be built, or has no such node
  Output = 7,    // a log, dump or record file cannot be written
  Taken = 8,     // sim: the name is taken, a socket cannot be made, or nobody runs by that name
};

}  // namespace heddle::app
