// SPDX-License-Identifier: BSD-3-Clause
// Rows of counters, one for each LID in hand. Rows are a few steps wide: a loop over them needs
// nothing for what is left over, and is too short for a call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/byte_vector.hpp"

namespace heddle::routing {

using Counter = std::uint16_t;
inline constexpr std::size_t kCounterStep = base::kByteVector / sizeof(Counter);

// Of a row that has room for so many.
inline std::size_t row_width(std::size_t counters) {
  return (counters + kCounterStep - 1) / kCounterStep * kCounterStep;
}

inline void clear_row(Counter* row, std::size_t width) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(row);
  for (std::size_t i = 0; i < width * sizeof(Counter); i += base::kByteVector) {
    base::store_bytes(base::ByteVector{}, bytes + i);
  }
}

inline bool are_same_rows(const Counter* a, const Counter* b, std::size_t width) {
  const auto* const one = reinterpret_cast<const std::uint8_t*>(a);
  const auto* const other = reinterpret_cast<const std::uint8_t*>(b);
  base::ByteVector same = base::repeat_byte(0xFF);
  for (std::size_t i = 0; i < width * sizeof(Counter); i += base::kByteVector) {
    same &= reinterpret_cast<base::ByteVector>(base::load_bytes(one + i) ==
                                               base::load_bytes(other + i));
  }
  return base::is_full(same);
}

}  // namespace heddle::routing
