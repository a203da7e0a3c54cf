// SPDX-License-Identifier: BSD-3-Clause
// Numbers as text that a page takes in at once: base64 (RFC 4648) of their bytes, the lowest first.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::plan {

std::string base64(std::span<const std::uint8_t> bytes);

// As a typed array of the page would lie in memory; floats as IEEE 754 singles.
template <class Number>
std::string packed_numbers(const std::vector<Number>& numbers);

extern template std::string packed_numbers(const std::vector<std::uint8_t>&);
extern template std::string packed_numbers(const std::vector<std::uint16_t>&);
extern template std::string packed_numbers(const std::vector<std::uint32_t>&);
extern template std::string packed_numbers(const std::vector<std::uint64_t>&);
extern template std::string packed_numbers(const std::vector<float>&);

}  // namespace heddle::plan
