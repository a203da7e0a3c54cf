// SPDX-License-Identifier: BSD-3-Clause
// What is found about links and done about them, for answers.
#pragma once

#include <vector>

#include "perf/health.hpp"
#include "sm/orders.hpp"

namespace heddle::api {

struct LinkCare {
  bool acts = false;  // false: it is only said what would be done
  std::vector<perf::Finding> findings;
  sm::OrderOutcomes orders;  // of operators, too
};

}  // namespace heddle::api
