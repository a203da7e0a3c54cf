// SPDX-License-Identifier: BSD-3-Clause
// What hangs together: sets of numbers that grow into each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace heddle::routing {

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  // Who stands for the set: its lowest member.
  std::uint32_t find(std::uint32_t of) {
    while (parent_[of] != of) of = parent_[of] = parent_[parent_[of]];
    return of;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[a < b ? b : a] = a < b ? a : b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace heddle::routing
