// SPDX-License-Identifier: BSD-3-Clause
// Ports that are switched off and on by order (PortInfo.PortPhysicalState), once no route uses
// them.
#pragma once

#include <vector>

#include "sm/context.hpp"

namespace heddle::sm {

class OrderProgramming {
 public:
  // Queues the Sets; the phase is over when the transactions are idle.
  void begin(Context& context, const std::vector<fabric::ObservedEnd>& off,
             const std::vector<fabric::ObservedEnd>& on);
  void on_answer(Context& context, const Answer& answer);
  mad::SmpData data_for(const Context& context, const Request& request) const;

 private:
  void submit(Context& context, fabric::ObservedEnd end, bool off);
};

}  // namespace heddle::sm
