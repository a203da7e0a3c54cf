// SPDX-License-Identifier: BSD-3-Clause
// Passing over tables that no cache holds: memory is asked for what comes next while what is there
// is worked on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace heddle::base {

// How many items ahead, where the work on each takes some tens of nanoseconds.
inline constexpr std::uint32_t kAhead = 12;

// Begins to fetch the object, which is read later. Nothing is read now: it need not be alive yet.
template <class T>
void prefetch(const T* object) {
  for (std::size_t at = 0; at < sizeof(T); at += kCacheLine) {
    __builtin_prefetch(reinterpret_cast<const char*>(object) + at);
  }
  asm volatile("");  // else g++ takes this for a function without effect, and leaves it out
}

}  // namespace heddle::base
