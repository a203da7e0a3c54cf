// SPDX-License-Identifier: BSD-3-Clause
// What each cable of a reported fabric carries, for plan::Report.
#pragma once

#include "plan/link_rates.hpp"
#include "plan/report.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {

// Kinds and capacities of the report's cables. The topology may be another than the blueprint's:
// ports are found by GUID.
void describe_cables(const sim::Blueprint& blueprint, const plan::LinkRates& rates,
                     plan::Report& report);

}  // namespace heddle::app
