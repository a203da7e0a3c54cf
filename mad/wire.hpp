// SPDX-License-Identifier: BSD-3-Clause
// What bytes mean, said once. Each attribute is a plain struct in host order and a `Layout` of
// rows: the specification's name, the bit offset and the width. Decode and encode are here; text,
// JSON, difference and random generation (describe.hpp) are folds over the same rows.
//
// Bits are counted as the tables of IBA vol. 1 count them: bit 0 is the most significant bit of
// byte 0, and everything is big-endian.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/pack.hpp"
#include "base/strong.hpp"

namespace heddle::mad {

// Specialised once per attribute:
//   static constexpr std::string_view name   as the specification spells it
//   static constexpr unsigned bits           the attribute's size, a multiple of 8
//   static constexpr auto rows = base::Pack{row<&T::member, offset, width>("Name"),
//                                           reserved<offset, width>, ...};
// The rows must tile [0, bits) in order, without hole or overlap; reserved bits are declared.
template <class T>
struct Layout;

template <class T>
concept Described = requires {
  Layout<T>::rows;
};

template <class T>
inline constexpr std::size_t kBytes = Layout<T>::bits / 8;

namespace detail {

template <auto Member>
struct MemberOf;
template <class Owner_, class Value_, Value_ Owner_::*Member>
struct MemberOf<Member> {
  using Owner = Owner_;
  using Value = Value_;
};

template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;

}  // namespace detail

// How a number is shown to people, where its type does not already say.
enum class Show : std::uint8_t { ByType, Hex };

// One row of an attribute's table. An array member is Width bits in all, its elements equal.
template <auto Member_, unsigned Offset, unsigned Width>
struct Row {
  using Owner = typename detail::MemberOf<Member_>::Owner;
  using Value = typename detail::MemberOf<Member_>::Value;
  static constexpr auto member = Member_;
  static constexpr unsigned offset = Offset;
  static constexpr unsigned width = Width;
  static constexpr bool is_reserved = false;
  std::string_view name;
  Show show = Show::ByType;
};

template <unsigned Offset, unsigned Width>
struct ReservedRow {
  static constexpr unsigned offset = Offset;
  static constexpr unsigned width = Width;
  static constexpr bool is_reserved = true;
};

template <auto Member, unsigned Offset, unsigned Width>
consteval Row<Member, Offset, Width> row(std::string_view name, Show show = Show::ByType) {
  return {name, show};
}

template <unsigned Offset, unsigned Width>
inline constexpr ReservedRow<Offset, Width> reserved{};

// The proof that a table has no hole, no overlap and no stray bit.
template <Described T>
consteval bool tiles() {
  unsigned at = 0;
  bool ok = Layout<T>::bits % 8 == 0;
  Layout<T>::rows.apply(
      [&]<class... R>(const R&...) { ((ok = ok && R::offset == at, at += R::width), ...); });
  return ok && at == Layout<T>::bits;
}

// Calls visit(row) for each row in order, reserved ones included.
template <Described T, class Visit>
constexpr void for_each_row(Visit&& visit) {
  static_assert(tiles<T>(), "rows must tile the attribute: declare the reserved bits too");
  Layout<T>::rows.apply([&](const auto&... r) { (visit(r), ...); });
}

namespace detail {

// Between host order and big-endian.
inline std::uint64_t swapped(std::uint64_t word) {
  return std::endian::native == std::endian::big ? word : __builtin_bswap64(word);
}
inline std::uint32_t swapped(std::uint32_t word) {
  return std::endian::native == std::endian::big ? word : __builtin_bswap32(word);
}
inline std::uint16_t swapped(std::uint16_t word) {
  return std::endian::native == std::endian::big ? word : __builtin_bswap16(word);
}

template <unsigned Count>
using Word = std::conditional_t<Count == 8, std::uint64_t,
                                std::conditional_t<Count == 4, std::uint32_t, std::uint16_t>>;

// Big-endian bytes as a number. Powers of two are one load and a swap; compilers do not find that
// behind a loop for every size.
template <unsigned Count>
inline std::uint64_t load_bytes(const std::byte* bytes) {
  if constexpr (Count == 8 || Count == 4 || Count == 2) {
    Word<Count> word;
    std::memcpy(&word, bytes, Count);
    return swapped(word);
  } else {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < Count; ++i) {
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    }
    return value;
  }
}

template <unsigned Count>
inline void store_bytes(std::byte* bytes, std::uint64_t value) {
  if constexpr (Count == 8 || Count == 4 || Count == 2) {
    const auto word = swapped(static_cast<Word<Count>>(value));
    std::memcpy(bytes, &word, Count);
  } else {
    for (unsigned i = Count; i-- > 0; value >>= 8) bytes[i] = static_cast<std::byte>(value);
  }
}

// The smallest whole bytes that hold bits [Offset, Offset + Width), counted from `bytes`.
template <unsigned Offset, unsigned Width>
inline std::uint64_t load(const std::byte* bytes) {
  static_assert(Width >= 1 && Offset % 8 + Width <= 64, "a row may touch at most eight bytes");
  constexpr unsigned first = Offset / 8;
  constexpr unsigned count = (Offset + Width - 1) / 8 - first + 1;
  constexpr unsigned spare = (first + count) * 8 - (Offset + Width);
  std::uint64_t value = load_bytes<count>(bytes + first) >> spare;
  if constexpr (Width < 64) value &= (std::uint64_t{1} << Width) - 1;
  return value;
}

// Rows are stored in order, so the row that begins a byte assigns it and those that follow in the
// same byte add their bits: nothing needs to be zeroed first. Bits of `value` above Width are
// dropped.
template <unsigned Offset, unsigned Width>
inline void store(std::byte* bytes, std::uint64_t value) {
  constexpr unsigned first = Offset / 8;
  constexpr unsigned count = (Offset + Width - 1) / 8 - first + 1;
  constexpr unsigned spare = (first + count) * 8 - (Offset + Width);
  if constexpr (Width < 64) value &= (std::uint64_t{1} << Width) - 1;
  value <<= spare;
  if constexpr (Offset % 8 != 0) {
    value |= std::to_integer<std::uint64_t>(bytes[first]) << (count - 1) * 8;
  }
  store_bytes<count>(bytes + first, value);
}

// As a row of zeros.
template <unsigned Offset, unsigned Width>
inline void store_reserved(std::byte* bytes) {
  constexpr unsigned begin = (Offset + 7) / 8;
  constexpr unsigned end = (Offset + Width + 7) / 8;
  if constexpr (begin < end) std::memset(bytes + begin, 0, end - begin);
}

template <class T>
inline constexpr bool kIsStrong = false;
template <class Tag, class Rep>
inline constexpr bool kIsStrong<base::Strong<Tag, Rep>> = true;

}  // namespace detail

// The number behind a strong type, an enumeration, a bool or an integer.
template <class V>
constexpr std::uint64_t to_raw(V value) {
  if constexpr (detail::kIsStrong<V>) {
    return value.value;
  } else if constexpr (std::is_same_v<V, char>) {
    return static_cast<unsigned char>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <class V>
constexpr V from_raw(std::uint64_t raw) {
  if constexpr (detail::kIsStrong<V>) {
    return V{static_cast<typename V::rep>(raw)};
  } else {
    return static_cast<V>(raw);
  }
}

namespace detail {

template <Described T>
void decode_rows(const std::byte* bytes, T& attribute);
template <Described T>
void encode_rows(const T& attribute, std::byte* bytes);

// Elements of an array row, unrolled so that every offset stays a constant. In place: arrays are
// most of an SMP, and a copy of each would double the cost of decoding.
template <class V, unsigned Offset, unsigned Width>
inline void decode_value(const std::byte* bytes, V& value) {
  if constexpr (Described<V>) {
    static_assert(Offset % 8 == 0 && Width == Layout<V>::bits);
    decode_rows(bytes + Offset / 8, value);
  } else if constexpr (kIsArray<V>) {
    using Element = typename V::value_type;
    constexpr unsigned each = Width / std::tuple_size_v<V>;
    static_assert(each * std::tuple_size_v<V> == Width);
    if constexpr (sizeof(Element) == 1 && each == 8 && Offset % 8 == 0) {
      std::memcpy(value.data(), bytes + Offset / 8, value.size());
    } else {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (decode_value<Element, Offset + static_cast<unsigned>(I) * each, each>(bytes, value[I]),
         ...);
      }
      (std::make_index_sequence<std::tuple_size_v<V>>{});
    }
  } else {
    value = from_raw<V>(load<Offset, Width>(bytes));
  }
}

template <class V, unsigned Offset, unsigned Width>
inline void encode_value(const V& value, std::byte* bytes) {
  if constexpr (Described<V>) {
    encode_rows(value, bytes + Offset / 8);
  } else if constexpr (kIsArray<V>) {
    using Element = typename V::value_type;
    constexpr unsigned each = Width / std::tuple_size_v<V>;
    if constexpr (sizeof(Element) == 1 && each == 8 && Offset % 8 == 0) {
      std::memcpy(bytes + Offset / 8, value.data(), value.size());
    } else {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (encode_value<Element, Offset + static_cast<unsigned>(I) * each, each>(value[I], bytes),
         ...);
      }
      (std::make_index_sequence<std::tuple_size_v<V>>{});
    }
  } else {
    store<Offset, Width>(bytes, to_raw(value));
  }
}

template <Described T>
inline void decode_rows(const std::byte* bytes, T& attribute) {
  for_each_row<T>([&]<class R>(const R&) {
    if constexpr (!R::is_reserved) {
      decode_value<typename R::Value, R::offset, R::width>(bytes, attribute.*R::member);
    }
  });
}

template <Described T>
inline void encode_rows(const T& attribute, std::byte* bytes) {
  for_each_row<T>([&]<class R>(const R&) {
    if constexpr (R::is_reserved) {
      store_reserved<R::offset, R::width>(bytes);
    } else {
      encode_value<typename R::Value, R::offset, R::width>(attribute.*R::member, bytes);
    }
  });
}

}  // namespace detail

// Any bytes decode: whether the values make sense is validation's question (validation.hpp).
// Longer spans are allowed: an attribute of 20 bytes sits in 64 bytes of SMP data.
template <Described T, std::size_t N>
T decode(std::span<const std::byte, N> bytes) {
  static_assert(N != std::dynamic_extent && N >= kBytes<T>, "too short for this attribute");
  T attribute;
  detail::decode_rows(bytes.data(), attribute);
  return attribute;
}
template <Described T, std::size_t N>
T decode(const std::array<std::byte, N>& bytes) {
  return decode<T>(std::span<const std::byte, N>(bytes));
}

// Reserved bits become zero; bytes behind the attribute become zero too.
template <Described T, std::size_t N>
void encode(const T& attribute, std::span<std::byte, N> bytes) {
  static_assert(N != std::dynamic_extent && N >= kBytes<T>, "too short for this attribute");
  detail::encode_rows(attribute, bytes.data());
  if constexpr (N > kBytes<T>) std::memset(bytes.data() + kBytes<T>, 0, N - kBytes<T>);
}
template <Described T, std::size_t N = kBytes<T>>
std::array<std::byte, N> encode(const T& attribute) {
  std::array<std::byte, N> bytes;
  encode(attribute, std::span<std::byte, N>(bytes));
  return bytes;
}

}  // namespace heddle::mad
