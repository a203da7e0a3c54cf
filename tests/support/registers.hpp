// SPDX-License-Identifier: BSD-3-Clause
// What was read of a fabric, to be changed by a test.
#pragma once

#include <cstddef>
#include <memory>

#include "fabric/registers.hpp"

namespace heddle::support {

// Those of a sa::Subnet or a sm::Snapshot, which shares them with nobody after that.
template <class Holder>
fabric::Registers& own_registers(Holder& holder) {
  const auto own = std::make_shared<fabric::Registers>(holder.registers->successor());
  holder.registers = own;
  return *own;
}

// change(mad::PortInfo&), of each port.
template <class Holder, class Change>
void change_ports(Holder& holder, Change change) {
  auto& ports = own_registers(holder).ports;
  for (std::size_t p = 0; p < ports.size(); ++p) change(ports.change(p));
}

}  // namespace heddle::support
