// SPDX-License-Identifier: BSD-3-Clause
// What was read of a fabric, to be changed by a test.
#pragma once

#include <memory>

#include "fabric/registers.hpp"

namespace heddle::support {

// Those of a sa::Subnet or a sm::Snapshot, which shares them with nobody after that.
template <class Holder>
fabric::Registers& own_registers(Holder& holder) {
  const auto own = std::make_shared<fabric::Registers>(*holder.registers);
  holder.registers = own;
  return *own;
}

}  // namespace heddle::support
