// SPDX-License-Identifier: BSD-3-Clause
// Which attributes subnet administration answers, by which methods, and who finds the records.
#pragma once

#include "mad/sa_attributes.hpp"
#include "sa/handlers.hpp"

namespace heddle::sa {

struct Entry {
  mad::SAAttributeId id{};
  bool table = true;  // GetTable as well as Get
  mad::Status (*find)(const View&, const Query&, Records&) = nullptr;
};

// Null for an attribute that is not answered.
const Entry* find_entry(std::uint16_t attribute_id);

}  // namespace heddle::sa
