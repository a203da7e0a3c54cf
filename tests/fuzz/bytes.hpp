// SPDX-License-Identifier: BSD-3-Clause
// A fuzzer's input, taken from its beginning. Behind its end there are zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::fuzz {

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> data) : data_(data) {}
  bool empty() const { return data_.empty(); }
  std::uint8_t one() {
    if (data_.empty()) return 0;
    const std::uint8_t byte = data_.front();
    data_ = data_.subspan(1);
    return byte;
  }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | one();
    return value;
  }
  std::span<const std::uint8_t> some(std::size_t count) {
    const auto head = data_.first(std::min(count, data_.size()));
    data_ = data_.subspan(head.size());
    return head;
  }

 private:
  std::span<const std::uint8_t> data_;
};

}  // namespace heddle::fuzz
