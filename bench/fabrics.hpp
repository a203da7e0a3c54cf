// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks of routing share: fabrics, and all cores.
#pragma once

#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "base/parallel.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::bench {

struct Fabric {
  const char* name;
  support::Recipe (*recipe)();
};

inline constexpr Fabric kTree648{"XGFT(2;18,36;1,18) 648 hosts", [] {
                                   return support::xgft({18, 36}, {1, 18});
                                 }};
inline constexpr Fabric kTree11664{"XGFT(3;18,18,36;1,18,18) 11664 hosts", [] {
                                     return support::xgft({18, 18, 36}, {1, 18, 18});
                                   }};
inline constexpr Fabric kTree45056{"XGFT(3;32,32,44;1,32,32) 45056 hosts", [] {
                                     return support::xgft({32, 32, 44}, {1, 32, 32});
                                   }};
inline constexpr Fabric kTorus10{"torus 10x10x10, 4 hosts each", [] {
                                   return support::torus({10, 10, 10}, 4);
                                 }};
inline constexpr Fabric kRandom16{"random 512 switches of degree 16, 8 hosts each",
                                  [] { return support::random_regular(512, 16, 8, 1); }};

inline constexpr Fabric kDragonfly{"dragonfly of 33 groups, 4 hosts each",
                                   [] { return support::dragonfly(33, 8, 4, 4); }};

inline void tbb_for(std::size_t count, const base::RangeWork& work) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count),
                    [&](const auto& range) { work(range.begin(), range.end()); });
}

}  // namespace heddle::bench
