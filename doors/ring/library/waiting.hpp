// SPDX-License-Identifier: BSD-3-Clause
// poll() and select() where some of the descriptors are umad files of the ring door.
#pragma once

#include <ctime>

#include <poll.h>
#include <signal.h>
#include <sys/select.h>

namespace heddle::doors::ring {

// Whether any of these is a umad file.
bool any_umad(const pollfd* files, nfds_t count);

// ppoll(2). Without a timeout, for ever; without a mask, that of the thread.
int poll_umads(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask);

// To be called before a select() of libc itself: umad files among these tell by their descriptors.
void watch_umads(int count, const fd_set* reading);

}  // namespace heddle::doors::ring
