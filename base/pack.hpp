// SPDX-License-Identifier: BSD-3-Clause
// A tuple of values of different types, one of each.
#pragma once

namespace heddle::base {

// Holds its items as bases: the constructors of a std::tuple cost the compiler a second for a list
// of sixty, in every source that sees it.
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
