// SPDX-License-Identifier: BSD-3-Clause
#include "plan/base64.hpp"

#include <bit>

namespace heddle::plan {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

template <class Number>
std::uint64_t bits_of(Number number) {
  if constexpr (std::is_same_v<Number, float>) {
    return std::bit_cast<std::uint32_t>(number);
  } else {
    return number;
  }
}

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto at = [&](std::size_t k) { return k < left ? bytes[i + k] : 0u; };
    const unsigned three = (at(0) << 16) | (at(1) << 8) | at(2);
    text += kDigits[three >> 18];
    text += kDigits[(three >> 12) & 63];
    text += left > 1 ? kDigits[(three >> 6) & 63] : '=';
    text += left > 2 ? kDigits[three & 63] : '=';
  }
  return text;
}

template <class Number>
std::string packed_numbers(const std::vector<Number>& numbers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size() * sizeof(Number));
  for (const Number number : numbers) {
    std::uint64_t bits = bits_of(number);
    for (std::size_t i = 0; i < sizeof(Number); ++i, bits >>= 8) {
      bytes.push_back(static_cast<std::uint8_t>(bits & 0xFF));
    }
  }
  return base64(bytes);
}

template std::string packed_numbers(const std::vector<std::uint8_t>&);
template std::string packed_numbers(const std::vector<std::uint16_t>&);
template std::string packed_numbers(const std::vector<std::uint32_t>&);
template std::string packed_numbers(const std::vector<std::uint64_t>&);
template std::string packed_numbers(const std::vector<float>&);

}  // namespace heddle::plan
