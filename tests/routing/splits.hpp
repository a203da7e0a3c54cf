// SPDX-License-Identifier: BSD-3-Clause
// Ways to split work, as unlike inline_for as correct ones can be.
#pragma once

#include <cstddef>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "base/parallel.hpp"

namespace heddle::routing {

// One by one, from the last to the first.
inline void split_for(std::size_t count, const base::RangeWork& work) {
  for (std::size_t i = count; i-- > 0;) work(i, i + 1);
}

// On three threads, however few cores there are, each item by whoever is free. The threads are
// kept: with sanitizers one takes longer to begin than most work that is split.
inline void race_for(std::size_t count, const base::RangeWork& work) {
  namespace tbb = oneapi::tbb;
  static const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  static tbb::task_arena arena(3);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) work(i, i + 1);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace heddle::routing
