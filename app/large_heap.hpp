// SPDX-License-Identifier: BSD-3-Clause
// The heap in large pages. A subnet manager fills hundreds of megabytes with small things while it
// reads a fabric, and waits for the system to make each small page of that; where the machine is
// virtual, longer than for what it puts there.
#pragma once

#include <cstddef>

namespace heddle::app {

// For the beginning of a process, before there are threads. Has the heap begin with room for a
// gigabyte (a quarter of the machine's memory if that is less), of which the system is asked to
// give large pages as they are first used; nothing is taken before. What is freed stays with the
// process for its next use. How much room there is, in bytes: 0, and then the heap is as it was,
// where the system has no large pages of 2 MB to give or counts room as memory, or the process has
// a limit; also if another allocator than the system's is at work.
std::size_t prefer_large_pages_in_heap();

}  // namespace heddle::app
