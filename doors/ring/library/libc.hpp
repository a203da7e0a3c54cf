// SPDX-License-Identifier: BSD-3-Clause
// The functions of libc that this library stands in front of.
#pragma once

#include <atomic>

#include <dlfcn.h>

namespace heddle::doors::ring {

// The function of this name behind ours, found once: HEDDLE_LIBC(read)(fd, ...).
template <auto* Ours>
auto* behind(const char* name) {
  static std::atomic<void*> known{nullptr};
  void* function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = dlsym(RTLD_NEXT, name);
    known.store(function, std::memory_order_relaxed);
  }
  return reinterpret_cast<decltype(Ours)>(function);
}

}  // namespace heddle::doors::ring

#define HEDDLE_LIBC(name) (heddle::doors::ring::behind<&::name>(#name))
