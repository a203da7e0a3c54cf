// SPDX-License-Identifier: BSD-3-Clause
// How an attribute's rows become calls of a FieldVisitor. Only the .cpp file that instantiates
// visit_fields for its attributes includes this (visit_attributes.cpp for mad/).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "mad/describe.hpp"
#include "mad/names.hpp"

namespace heddle::mad {

namespace detail {

template <class V>
std::string_view enumerator_name(std::uint64_t raw) {
  return name_of(static_cast<V>(raw));
}

template <class V>
inline constexpr bool kIsHexByType =
    std::is_same_v<V, Guid> || std::is_same_v<V, GidPrefix> || std::is_same_v<V, MKey> ||
    std::is_same_v<V, SMKey> || std::is_same_v<V, PKey> || std::is_same_v<V, Status> ||
    std::is_same_v<V, TransactionId>;

template <class V>
Field field_of(std::string_view name, unsigned width, Show show) {
  if constexpr (std::is_enum_v<V>) {
    return {name, width, Style::Enumeration, &enumerator_name<V>};
  } else if constexpr (std::is_same_v<V, bool>) {
    return {name, width, Style::Boolean, nullptr};
  } else {
    const bool hex = kIsHexByType<V> || show == Show::Hex;
    return {name, width, hex ? Style::Hex : Style::Decimal, nullptr};
  }
}

template <class V>
void visit_value(const V& value, std::string_view name, unsigned width, Show show,
                 FieldVisitor& visitor) {
  if constexpr (Described<V>) {
    visitor.begin_struct(name);
    visit_fields(value, visitor);
    visitor.end_struct();
  } else if constexpr (kIsArray<V>) {
    using Element = typename V::value_type;
    if constexpr (std::is_same_v<Element, char>) {
      visitor.text(name, std::string_view(value.data(), value.size()));
    } else if constexpr (std::is_same_v<Element, std::byte>) {
      visitor.bytes(name, value);
    } else {
      visitor.begin_array(name, value.size());
      const unsigned each = width / static_cast<unsigned>(value.size());
      for (const Element& element : value) visit_value(element, {}, each, show, visitor);
      visitor.end_array();
    }
  } else {
    visitor.number(field_of<V>(name, width, show), to_raw(value));
  }
}

}  // namespace detail

template <Described T>
void visit_fields(const T& attribute, FieldVisitor& visitor) {
  for_each_row<T>([&]<class R>(const R& r) {
    if constexpr (!R::is_reserved) {
      detail::visit_value(attribute.*R::member, r.name, R::width, r.show, visitor);
    }
  });
}

}  // namespace heddle::mad
