// SPDX-License-Identifier: BSD-3-Clause
// Sixteen bytes at once, where a compiler does not see by itself that a loop is that. They add,
// compare and combine as one; a comparison gives 0xFF where it holds.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle::base {

using ByteVector [[gnu::vector_size(16)]] = std::uint8_t;
inline constexpr std::size_t kByteVector = sizeof(ByteVector);

inline ByteVector load_bytes(const std::uint8_t* from) {
  std::array<std::uint8_t, kByteVector> bytes;
  std::copy_n(from, kByteVector, bytes.begin());
  return std::bit_cast<ByteVector>(bytes);
}
inline void store_bytes(ByteVector bytes, std::uint8_t* to) {
  const auto each = std::bit_cast<std::array<std::uint8_t, kByteVector>>(bytes);
  std::copy_n(each.begin(), kByteVector, to);
}
// All of them the same.
inline ByteVector repeat_byte(std::uint8_t byte) {
  return ByteVector{} + byte;
}
inline ByteVector lesser(ByteVector a, ByteVector b) {
  return a < b ? a : b;
}
// All bits where a is less, and none elsewhere.
inline ByteVector is_less(ByteVector a, ByteVector b) {
  return reinterpret_cast<ByteVector>(a < b);
}
// All bits of all bytes are set.
inline bool is_full(ByteVector bytes) {
  const auto half = std::bit_cast<std::array<std::uint64_t, 2>>(bytes);
  return (half[0] & half[1]) == ~std::uint64_t{0};
}

}  // namespace heddle::base
