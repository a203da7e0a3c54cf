// SPDX-License-Identifier: BSD-3-Clause
// The files of the simulated host, by the paths at which programs look for them.
#pragma once

#include <climits>

namespace heddle::doors::ring {

// The place of `path` in the tree that shows the host's files; null when it is none of them, or
// when the program is on no simulated host. The place is written into `room`.
const char* place_of(const char* path, char (&room)[PATH_MAX]);

// Opens what is at this place: folders there, everything else through the door. A descriptor, or -1
// with errno.
int open_place(const char* place, int flags);

}  // namespace heddle::doors::ring
