// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <boost/align/aligned_allocator.hpp>
#include <boost/core/noinit_adaptor.hpp>

#include "base/cache_line.hpp"

namespace heddle::base {

// Bytes of a large table, from the beginning of a cache line on. Those that nobody gives a value
// have any: many threads may give them theirs, and so share the work of touching fresh memory.
using RawBytes = std::vector<
    std::uint8_t,
    boost::noinit_adaptor<boost::alignment::aligned_allocator<std::uint8_t, kCacheLine>>>;

}  // namespace heddle::base
