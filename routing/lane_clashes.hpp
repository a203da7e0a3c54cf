// SPDX-License-Identifier: BSD-3-Clause
// Which LIDs' entries must not be mixed, where packets keep to lanes and both tables are kin.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "routing/mixtures.hpp"

namespace heddle::routing {

// By block of LIDs, a bit each: those of which some mixture has a turn that does not lead forward
// in the line of the repair (LaneKinship), for packets on the levels of both tables. Nothing if the
// tables are no kin, or if what is in place has such turns: the line says nothing about it then.
std::optional<std::vector<std::uint64_t>> clashes_on_lanes(const Mixture& mixture,
                                                           const base::ParallelFor& parallel);

}  // namespace heddle::routing
