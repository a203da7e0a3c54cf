// SPDX-License-Identifier: BSD-3-Clause
// How a value that a query gives limits the records it wants (IBA vol. 1, 15.2.5.16).
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::mad {

enum class Selector : std::uint8_t {
  GreaterThan = 0,
  LessThan = 1,
  Exactly = 2,
  Best = 3,  // the largest MTU or rate, the shortest packet life; the value does not count
};

std::string_view name_of(Selector selector);

}  // namespace heddle::mad
