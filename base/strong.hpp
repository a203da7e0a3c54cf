// SPDX-License-Identifier: BSD-3-Clause
// A number that cannot be confused with another number.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>

namespace heddle::base {

// Wraps an unsigned integer so that a LID is not a port number and a switch index is not a GUID.
// `value` is in host order. The zero value is what `{}` gives; what it means is the tag's affair.
template <class Tag, std::unsigned_integral Rep>
struct Strong {
  using rep = Rep;
  Rep value{};
  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
};

}  // namespace heddle::base

template <class Tag, std::unsigned_integral Rep>
struct std::hash<heddle::base::Strong<Tag, Rep>> {
  std::size_t operator()(const heddle::base::Strong<Tag, Rep>& strong) const noexcept {
    return std::hash<Rep>{}(strong.value);
  }
};
