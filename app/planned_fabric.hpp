// SPDX-License-Identifier: BSD-3-Clause
// A fabric on paper as the subnet manager would see it, without bringing it up.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "plan/link_rates.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {

struct PlannedFabric {
  fabric::Topology topology;
  fabric::LidMap lids;
  unsigned data_vls = 1;  // that every switch has
  plan::LinkRates rates;
  std::string rate_unit;  // what LinkRates::unit is, in words: "4x HDR"
  std::uint8_t lmc = 0;   // of host ports
};

// All islands of it. LIDs are those that the subnet manager would give out with this LMC: what
// ports hold is kept. Links that are slower than their ends say they can do are told to engines as
// the subnet manager tells them. An error says what cannot be, for example more LIDs than switches
// can forward.
base::Result<PlannedFabric> plan_fabric(const sim::Blueprint& blueprint, std::uint8_t lmc,
                                        bool lmc_on_enhanced_port0 = false);

}  // namespace heddle::app
