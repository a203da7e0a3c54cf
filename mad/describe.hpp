// SPDX-License-Identifier: BSD-3-Clause
// What people and tests want of an attribute besides its bytes, derived from its table: text, the
// difference of two, an arbitrary one. JSON is in describe_json.hpp, so that only its users pay.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

enum class Style : std::uint8_t { Decimal, Hex, Boolean, Enumeration };

// A number of an attribute, as its row declares it. Elements of arrays have no name.
struct Field {
  std::string_view name;
  unsigned width;  // bits
  Style style;
  std::string_view (*enumerator)(std::uint64_t);  // null but for enumerations; empty when unnamed
};

// The number as text: 0x and as many digits as its width needs, "Active (4)", "true", "7".
std::string value_text(const Field& field, std::uint64_t raw);

// Sees an attribute's fields in the order of its table; reserved rows are left out.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void number(const Field& field, std::uint64_t raw) = 0;
  // As on the wire: not terminated, not checked. See base::printable.
  virtual void text(std::string_view name, std::string_view value) = 0;
  virtual void bytes(std::string_view name, std::span<const std::byte> value) = 0;
  virtual void begin_struct(std::string_view name) = 0;
  virtual void end_struct() = 0;
  virtual void begin_array(std::string_view name, std::size_t count) = 0;
  virtual void end_array() = 0;
};

// Defined in visit.hpp and instantiated in visit_attributes.cpp for everything described in mad/; a
// room with attributes of its own instantiates it in one of its own .cpp files.
template <Described T>
void visit_fields(const T& attribute, FieldVisitor& visitor);

struct FieldDifference {
  std::string name;  // "Entry[3].Weight"
  std::string before;
  std::string after;
  friend bool operator==(const FieldDifference&, const FieldDifference&) = default;
};

namespace detail {

// An attribute whose type is forgotten, so that the renderers are compiled once.
struct AnyAttribute {
  const void* object;
  void (*visit)(const void* object, FieldVisitor& visitor);
};

template <Described T>
AnyAttribute any(const T& attribute) {
  return {&attribute, [](const void* object, FieldVisitor& visitor) {
            visit_fields(*static_cast<const T*>(object), visitor);
          }};
}

std::string text(AnyAttribute attribute, unsigned indent);
std::string nonzero_fields(AnyAttribute attribute);
std::vector<FieldDifference> differences(AnyAttribute before, AnyAttribute after);

}  // namespace detail

// One "Name: value" line per field, each ended by a newline and led by `indent` blanks. A struct
// inside is indented by two more; the numbers of an array share a line, its structs have one each.
template <Described T>
std::string to_text(const T& attribute, unsigned indent = 0) {
  return detail::text(detail::any(attribute), indent);
}

// "Name=value Name=value": the fields that are not zero, on one line. Of arrays only the first few
// such elements, as "Name=[index:value ... +count]". Empty when all is zero.
template <Described T>
std::string nonzero_fields(const T& attribute) {
  return detail::nonzero_fields(detail::any(attribute));
}

// The fields that differ, in the order of the table.
template <Described T>
std::vector<FieldDifference> differences(const T& before, const T& after) {
  return detail::differences(detail::any(before), detail::any(after));
}

// Any value the wire can carry, unnamed enumerators included.
template <Described T>
T arbitrary(base::Prng& prng) {
  std::array<std::byte, kBytes<T>> bytes;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(prng() >> 56);
  return decode<T>(bytes);
}

}  // namespace heddle::mad
