// SPDX-License-Identifier: BSD-3-Clause
// Which counters an attribute of the PMA shows in which rows, and by which bits of its
// CounterSelect they are chosen. Reading and writing follow from that.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "mad/perf_attribute.hpp"
#include "sim/counters.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {

// One row: the counter of its first element, and the select bit of that; elements follow on both.
template <auto Member_>
struct Shown {
  static constexpr auto member = Member_;
  Counter counter;
  unsigned bit;
};

template <auto Member>
constexpr Shown<Member> shown(Counter counter, unsigned bit) {
  return {counter, bit};
}

// Specialised once per attribute: `rows`, a base::Pack of Shown; `which`, the registers.
template <class T>
struct ShownRows;

namespace detail {

template <class R, auto Member>
constexpr unsigned width_if() {
  if constexpr (!R::is_reserved) {
    if constexpr (std::is_same_v<std::remove_cv_t<decltype(R::member)>, decltype(Member)>) {
      if (R::member == Member) return R::width;
    }
  }
  return 0;
}

// Bits of the row on the wire.
template <class T, auto Member>
constexpr unsigned width_of() {
  return mad::Layout<T>::rows.apply(
      []<class... R>(const R&...) { return (width_if<R, Member>() + ... + 0u); });
}

template <class V>
V saturated(std::uint64_t a, std::uint64_t b, unsigned bits) {
  const std::uint64_t top = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return static_cast<V>(b > top - std::min(a, top) ? top : a + b);
}

// Calls visit(element, counter, select bit, bits of the element) for each counter of the attribute.
template <class T, class Visit>
void for_each_counter(T& attribute, Visit&& visit) {
  const auto one_row = [&]<auto Member>(const Shown<Member>& row) {
    auto& value = attribute.*Member;
    constexpr unsigned width = width_of<std::remove_const_t<T>, Member>();
    static_assert(width > 0, "the row is not in the attribute's table");
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (mad::detail::kIsArray<Value>) {
      constexpr auto count = static_cast<unsigned>(std::tuple_size_v<Value>);
      for (unsigned i = 0; i < count; ++i) {
        visit(value[i], element(row.counter, i), row.bit + i, width / count);
      }
    } else {
      visit(value, row.counter, row.bit, width);
    }
  };
  ShownRows<T>::rows.apply([&](const auto&... rows) { (one_row(rows), ...); });
}

template <class T>
std::uint64_t selection(const T& attribute) {
  std::uint64_t bits = attribute.counter_select;
  if constexpr (requires { attribute.counter_select2; }) {
    bits |= std::uint64_t{attribute.counter_select2} << 16;
  }
  return bits;
}

}  // namespace detail

// Adds the port's counters to what the attribute holds, as far as its rows can count.
template <class T>
void add_counters(const Devices& devices, PortIndex port, T& attribute) {
  detail::for_each_counter(
      attribute, [&]<class V>(V& value, Counter counter, unsigned, unsigned bits) {
        const std::uint64_t now = shown_in(devices, port, counter, ShownRows<T>::which, bits);
        value = detail::saturated<V>(value, now, bits);
      });
}

// Writes the selected counters of `wanted` into the port's registers.
template <class T>
void write_counters(Devices& devices, PortIndex port, T wanted) {
  const std::uint64_t selected = detail::selection(wanted);
  detail::for_each_counter(wanted, [&]<class V>(V& value, Counter counter, unsigned bit, unsigned) {
    if (selected >> bit & 1) {
      write_into(devices, port, counter, ShownRows<T>::which, std::uint64_t{value});
    }
  });
}

}  // namespace heddle::sim
