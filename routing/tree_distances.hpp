// SPDX-License-Identifier: BSD-3-Clause
// How far all switches of a fat tree are from all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/raw_bytes.hpp"
#include "routing/tree_shape.hpp"

namespace heddle::routing {

// Hops, by (from, to), along ways that only descend and along direct ways (TreeShape). Two bytes
// for each pair of switches, which is less than the tables to be made take.
class TreeDistances {
 public:
  static constexpr std::uint8_t kNoWay = 0xFF;  // or more than 254 hops
  // Rows are processed and read in pieces of so many columns, and padded to them.
  static constexpr std::size_t kColumns = 64;

  TreeDistances(const TreeShape& shape, const base::ParallelFor& parallel);

  const std::uint8_t* descending(std::uint32_t from) const { return hops_.data() + from * width_; }
  const std::uint8_t* direct(std::uint32_t from) const {
    return hops_.data() + direct_at_ + from * width_;
  }
  std::size_t width() const { return width_; }

 private:
  void sweep(const TreeShape& shape, std::size_t first_column);

  std::size_t width_;
  std::size_t direct_at_;  // in hops_
  base::RawBytes hops_;    // descending ones, then direct
};

}  // namespace heddle::routing
