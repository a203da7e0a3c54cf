// SPDX-License-Identifier: BSD-3-Clause
// The way of a process into a simulated host: a mount namespace of its own in which
// /dev/infiniband and the infiniband folders of /sys/class are a FUSE mount that somebody else
// serves. Nothing outside the namespace changes, and it ends with its last process.
#pragma once

#include <functional>

#include "base/result.hpp"
#include "doors/device/unique_fd.hpp"

namespace heddle::doors {

// Given the mounted /dev/fuse, sees to it that it is served from now on.
using HandOver = std::function<base::Result<>(UniqueFd device)>;

// Moves the calling process, which must have one thread, into the namespace. As root, or with user
// namespaces allowed, in which the process keeps its own user and group. The process is not to be
// used further after an error.
base::Result<> enter_private_mounts(const HandOver& hand_over);

}  // namespace heddle::doors
