// SPDX-License-Identifier: BSD-3-Clause
// libfuse's low-level interface, always in the same version.
#pragma once

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
