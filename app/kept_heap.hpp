// SPDX-License-Identifier: BSD-3-Clause
// The heap keeps what was freed. A subnet manager makes tables of tens of megabytes again and
// again, and would wait for the system to make each page of them anew.
#pragma once

namespace heddle::app {

// For the beginning of a process, before there are threads. What is freed stays with the process
// for its next use, all but pieces of 32 MB and more. Does nothing if another allocator than the
// system's is at work.
void keep_freed_memory();

}  // namespace heddle::app
