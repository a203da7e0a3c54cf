// SPDX-License-Identifier: BSD-3-Clause
// Who calls us. The buffer of a thread that waits in read(2) or write(2) on one of our files. FUSE
// can answer a read either with bytes or with an error; ib_umad does both when a buffer is too
// small for an RMPP message (ENOSPC, and the header that tells the length). The bytes therefore
// take the way of a debugger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <sys/types.h>

#include "doors/device/unique_fd.hpp"

namespace heddle::doors {

struct CallerBuffer {
  std::uint64_t address = 0;
  std::size_t size = 0;  // of the whole call; FUSE cuts large ones into pieces
};

// Nothing when the thread is in another call, or may not be looked at.
std::optional<CallerBuffer> caller_buffer(pid_t thread);

// False when not all of it could be written.
bool write_into_caller(pid_t thread, const CallerBuffer& buffer, std::span<const std::byte> bytes);

// The process of this thread, as a pidfd, which stays right when the number is used again. Empty
// when it is gone, or of another pid namespace.
UniqueFd process_of(pid_t thread);

}  // namespace heddle::doors
