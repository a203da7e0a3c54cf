// SPDX-License-Identifier: BSD-3-Clause
#include "app/parallel.hpp"

#include <cstddef>
#include <memory>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace heddle::app {

base::ParallelFor all_cores() {
  auto arena = std::make_shared<oneapi::tbb::task_arena>();
  arena->enqueue([] {});  // threads take longer to start than small fabrics to route
  return [arena](std::size_t count, const base::RangeWork& work) {
    using Range = oneapi::tbb::blocked_range<std::size_t>;
    arena->execute([&] {
      oneapi::tbb::parallel_for(Range(0, count),
                                [&work](const Range& range) { work(range.begin(), range.end()); });
    });
  };
}

}  // namespace heddle::app
