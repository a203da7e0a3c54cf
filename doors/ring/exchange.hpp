// SPDX-License-Identifier: BSD-3-Clause
// Packets with descriptors over a SOCK_SEQPACKET socket. Used by the program's library as well, so
// that it needs no more than libc.
#pragma once

#include <cstddef>

#include <sys/types.h>
#include <sys/uio.h>

namespace heddle::doors::ring {

inline constexpr int kMostDescriptors = 2;

// A head and what follows it; either may be empty.
struct Parts {
  void* head = nullptr;
  std::size_t head_size = 0;
  void* tail = nullptr;
  std::size_t tail_size = 0;
};

// Empty where nothing came: -1. Whoever receives them closes them.
struct Descriptors {
  int fds[kMostDescriptors] = {-1, -1};
};

// `flags` as send(2) has them. False when the packet did not leave.
bool send_packet(int socket, const Parts& parts, const Descriptors& along, int flags);
// The packet's size; 0 at the end, -1 with errno otherwise. A packet that is larger than the parts
// is an error (EMSGSIZE). Descriptors beyond those there is room for are closed.
ssize_t receive_packet(int socket, const Parts& parts, Descriptors& along, int flags);

// A new connection to the socket of this path, or -1 with errno.
int connect_packets(const char* path);

}  // namespace heddle::doors::ring
