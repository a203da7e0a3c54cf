// SPDX-License-Identifier: BSD-3-Clause
#include "app/kept_heap.hpp"

#include <limits>

#include <malloc.h>

namespace heddle::app {

void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  // What is larger than that lies outside the heap; the most that the system's allocator agrees to.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

}  // namespace heddle::app
