// SPDX-License-Identifier: BSD-3-Clause
// What libfuse calls for a Mount, which is its user data.
#pragma once

#include "doors/device/fuse.hpp"

namespace heddle::doors {

fuse_lowlevel_ops mount_calls();

}  // namespace heddle::doors
