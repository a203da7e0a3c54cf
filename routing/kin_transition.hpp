// SPDX-License-Identifier: BSD-3-Clause
// From tables to others that were made from the same home (routing/repair.hpp), or to that home or
// from it: what must not be mixed, found by looking only at the entries that differ.
#pragma once

#include <optional>

#include "routing/transition.hpp"

namespace heddle::routing {

// plan_transition for such tables; nothing if these are none, or if it takes the look at all of
// them. Besides those of transition.hpp there is one more reason to wait: where packets under way
// on an old entry could, with a new one, take a turn that does not lead forward in the line of the
// repair (Kinship), the new entry is written after the old one has gone.
std::optional<Transition> plan_among_kin(const fabric::Topology& topology,
                                         const fabric::LidMap& lids, const Selected& wanted,
                                         const InPlace& in_place,
                                         const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::routing
