// SPDX-License-Identifier: BSD-3-Clause
// Which attributes subnet administration answers, by which methods, and who does it.
#pragma once

#include <cstdint>

#include "mad/sa_attributes.hpp"
#include "sa/handlers.hpp"

namespace heddle::sa {

// Methods of an attribute, as bits.
enum Methods : std::uint8_t {
  kGet = 1u << 0,
  kGetTable = 1u << 1,
  kSet = 1u << 2,
  kDelete = 1u << 3,
  kGetMulti = 1u << 4,
  kGetTraceTable = 1u << 5,
};
inline constexpr std::uint8_t kReads = kGet | kGetTable;
inline constexpr std::uint8_t kAllMethods = kReads | kSet | kDelete;

// The bit of a method; 0 for one that is not of this class.
std::uint8_t bit_of(mad::Method method);

struct Entry {
  mad::SAAttributeId id{};
  std::uint8_t methods = kReads;
  // `find` where the answer follows from the view alone, `handle` where what clients have told
  // counts too. Both: the former will do unless the query is about a multicast group.
  mad::Status (*find)(const View&, const Query&, Records&) = nullptr;
  mad::Status (*handle)(Registrations&, const View&, const Query&, Records&) = nullptr;
  // Of the records in the answer, where that is not the attribute that was asked for.
  mad::SAAttributeId answers_with = id;
};

// Null for an attribute that is not answered.
const Entry* find_entry(std::uint16_t attribute_id);

}  // namespace heddle::sa
