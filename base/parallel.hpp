// SPDX-License-Identifier: BSD-3-Clause
// Parallel work as an argument: pure layers never own a thread.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle::base {

// Work on the half-open range [begin, end). Must not touch what another range writes.
using RangeWork = std::function<void(std::size_t begin, std::size_t end)>;

// Splits [0, count) into ranges, runs the work on all of them, returns when all are done. The
// result must not depend on how it was split, so that one core and many give the same bytes.
using ParallelFor = std::function<void(std::size_t count, const RangeWork& work)>;

// Everything in one range, on the caller's thread.
inline void inline_for(std::size_t count, const RangeWork& work) {
  if (count > 0) work(0, count);
}

// In the midst of long work on one thread: whoever lends the cores may end it here, too, by an
// exception.
inline void breathe(const ParallelFor& parallel) {
  parallel(1, [](std::size_t, std::size_t) {});
}

}  // namespace heddle::base
