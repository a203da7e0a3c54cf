// SPDX-License-Identifier: BSD-3-Clause
// The component mask of SA queries (IBA vol. 1, 15.2.1.1), derived from the tables of the records:
// bit n stands for the n-th row, reserved rows counted and embedded attributes flattened. A GID and
// an array are one component. What deviates is said beside the record (kComponentBits).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>

#include "mad/gid.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr int kComponentBitsByType = -1;

// How many bits of the mask a member takes, where its type does not say it.
template <auto Member>
inline constexpr int kComponentBits = kComponentBitsByType;

namespace detail {

template <class T>
inline constexpr bool kFlattens = Described<T> && !std::is_same_v<T, Gid>;

template <Described T>
consteval unsigned component_count();

template <class R>
consteval unsigned components_of_row() {
  if constexpr (R::is_reserved) {
    return 1;
  } else if constexpr (kComponentBits<R::member> != kComponentBitsByType) {
    return static_cast<unsigned>(kComponentBits<R::member>);
  } else if constexpr (kFlattens<typename R::Value>) {
    return component_count<typename R::Value>();
  } else {
    return 1;
  }
}

template <Described T>
consteval unsigned component_count() {
  return Layout<T>::rows.apply(
      []<class... R>(const R&...) { return (components_of_row<R>() + ... + 0u); });
}

// Whether two pointers to members are the same one, whatever they point to.
template <auto A, auto B>
consteval bool is_same_member() {
  if constexpr (std::is_same_v<decltype(A), decltype(B)>) {
    return A == B;
  } else {
    return false;
  }
}

// The mask bits at which the rows begin.
template <Described T>
consteval auto first_bits() {
  return Layout<T>::rows.apply([]<class... R>(const R&...) {
    std::array<unsigned, sizeof...(R)> bits{components_of_row<R>()...};
    std::exclusive_scan(bits.begin(), bits.end(), bits.begin(), 0u);
    return bits;
  });
}

template <auto Member>
consteval unsigned first_component() {
  unsigned bit = 0;
  bool found = false;
  for_each_row<typename MemberOf<Member>::Owner>([&]<class R>(const R&) {
    if constexpr (!R::is_reserved) found = found || is_same_member<R::member, Member>();
    if (!found) bit += components_of_row<R>();
  });
  return bit;
}

}  // namespace detail

// The bits of a component: component<&PathRecord::sgid>(), or along embedded attributes
// component<&NodeRecord::node_info, &NodeInfo::node_guid>().
template <auto... Path>
consteval std::uint64_t component() {
  constexpr unsigned bit = (detail::first_component<Path>() + ...);
  static_assert(bit < 64, "the mask has no bit for this component");
  constexpr int declared = std::array{kComponentBits<Path>...}.back();
  constexpr int width = declared == kComponentBitsByType ? 1 : declared;
  static_assert(width >= 1, "this member is no component");
  return ((std::uint64_t{1} << width) - 1) << bit;
}

namespace detail {

template <class V>
constexpr bool equal_from(std::uint64_t mask, const V& a, const V& b);

template <unsigned Bit, class R, Described T>
constexpr bool row_matches(std::uint64_t mask, const T& wanted, const T& candidate) {
  if constexpr (R::is_reserved || Bit >= 64) {
    return true;
  } else {
    using Value = typename R::Value;
    constexpr unsigned count = components_of_row<R>();
    const Value& a = wanted.*R::member;
    const Value& b = candidate.*R::member;
    if constexpr (count == 0) {
      return true;
    } else if constexpr (kFlattens<Value>) {
      return equal_from<Value>(mask >> Bit, a, b);
    } else if constexpr (kIsArray<Value> && count > 1) {
      for (unsigned i = 0; i < count; ++i) {
        if ((mask >> (Bit + i) & 1) != 0 && a[i] != b[i]) return false;
      }
      return true;
    } else {
      constexpr std::uint64_t bits = ((std::uint64_t{1} << count) - 1) << Bit;
      return (mask & bits) == 0 || a == b;
    }
  }
}

template <class V>
constexpr bool equal_from(std::uint64_t mask, const V& a, const V& b) {
  return Layout<V>::rows.apply([&]<class... R>(const R&...) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      constexpr auto bits = first_bits<V>();
      return (row_matches<bits[I], R>(mask, a, b) && ...);
    }
    (std::index_sequence_for<R...>{});
  });
}

}  // namespace detail

// Whether `candidate` has the components of `wanted` that the mask names. Reserved components and
// bits beyond the record match anything.
template <Described T>
constexpr bool matches(std::uint64_t mask, const T& wanted, const T& candidate) {
  return mask == 0 || detail::equal_from<T>(mask, wanted, candidate);
}

}  // namespace heddle::mad
