// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables small enough to travel in a page, each row readable without the others: the
// page follows one route at a time.
//
// A row is told by what it has in common with another row (its base, which has none itself) and
// with itself. It is a sequence of steps until it is full. A step: a count, and so many entries as
// they are; then, if the row is not full yet, a length and a distance, both at least 1: so many
// entries as they stand `distance` places before, counted in the base row with this row right
// behind it. They may overlap with what they become. Numbers are written in base 128, the lowest
// digit first, with 128 added to all digits but the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/forwarding_tables.hpp"

namespace heddle::plan {

struct CompactTables {
  static constexpr std::uint32_t kNoBase = 0xFFFF'FFFF;
  std::size_t row_size = 0;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> first;  // by switch, one more at the end: where its bytes begin
  std::vector<std::uint32_t> base;   // by switch: whose row comes before; kNoBase: nobody's
};

// Nothing if they take more than `most` bytes.
std::optional<CompactTables> compact(const fabric::ForwardingTables& tables, std::size_t most,
                                     const base::ParallelFor& parallel = base::inline_for);

// The row again; nothing if the bytes are no row of this size.
std::optional<std::vector<std::uint8_t>> expand(const CompactTables& tables, std::size_t row);

}  // namespace heddle::plan
