// SPDX-License-Identifier: BSD-3-Clause
// The descriptors that came along with a message over a Unix socket (SCM_RIGHTS). Needs nothing but
// libc: the ring door's library is loaded into foreign programs.
#pragma once

#include <cstddef>
#include <cstring>

#include <sys/socket.h>

namespace heddle::doors {

// Calls take(int fd) for each, in their order; who takes one owns it.
template <typename Take>
void for_each_descriptor(msghdr& message, const Take& take) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      take(fd);
    }
  }
}

}  // namespace heddle::doors
