// SPDX-License-Identifier: BSD-3-Clause
// Small numbers side by side, which a processor compares all at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle::routing {

// As many as every 64-bit processor has a register for. Arrays would do, but compilers keep those
// in memory from one step of a loop to the next.
inline constexpr std::size_t kByteVector = 16;
using ByteVector = std::uint8_t __attribute__((vector_size(kByteVector)));

inline ByteVector load_bytes(const std::uint8_t* from) {
  std::array<std::uint8_t, kByteVector> bytes;
  std::copy_n(from, kByteVector, bytes.begin());
  return std::bit_cast<ByteVector>(bytes);
}

inline void store_bytes(ByteVector bytes, std::uint8_t* to) {
  const auto all = std::bit_cast<std::array<std::uint8_t, kByteVector>>(bytes);
  std::copy_n(all.begin(), kByteVector, to);
}

inline ByteVector lesser(ByteVector a, ByteVector b) {
  return a < b ? a : b;
}

// All bits where a is less, and none elsewhere.
inline ByteVector is_less(ByteVector a, ByteVector b) {
  return reinterpret_cast<ByteVector>(a < b);
}

}  // namespace heddle::routing
