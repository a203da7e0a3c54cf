// SPDX-License-Identifier: BSD-3-Clause
// An attribute as JSON, derived from its table and in its order.
#pragma once

#include <nlohmann/json.hpp>

#include "mad/describe.hpp"

namespace heddle::mad {

namespace detail {
nlohmann::ordered_json json(AnyAttribute attribute);
}

// Numbers are numbers; GUIDs, keys and masks are "0x..." strings (JSON readers lose bits above 53);
// enumerations are their names, or numbers when unnamed; arrays and structs are what they are.
template <Described T>
nlohmann::ordered_json to_json(const T& attribute) {
  return detail::json(detail::any(attribute));
}

}  // namespace heddle::mad
