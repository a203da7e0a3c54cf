// SPDX-License-Identifier: BSD-3-Clause
// A tuple of values of different types, one of each.
#pragma once

namespace heddle::base {

// Holds its items as bases: of a std::tuple's constructors the compiler makes quadratic work, which
// tells in every source that sees the table of a large attribute.
template <class... Items>
struct Pack : Items... {
  // use(item, ...) with all of them, in order.
  template <class Use>
  constexpr decltype(auto) apply(Use&& use) const {
    return use(static_cast<const Items&>(*this)...);
  }
};

template <class... Items>
Pack(Items...) -> Pack<Items...>;

}  // namespace heddle::base
